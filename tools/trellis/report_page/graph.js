// SPDX-License-Identifier: Apache-2.0
// The picture of the graph: layout, pan, zoom, search.
const view = { x: 0, y: 0, scale: 1, width: 1, height: 1 };
const drawn = new Map();  // key of a box: its element and place

function applyView() {
  const root = byId('graph').querySelector('g');
  if (root) root.setAttribute('transform', 'translate(' + view.x + ' ' + view.y + ') scale(' + view.scale + ')');
}

function fitView() {
  const area = byId('graph').getBoundingClientRect();
  view.scale = Math.min(1.5, (area.width - 20) / view.width, (area.height - 20) / view.height);
  view.x = (area.width - view.width * view.scale) / 2;
  view.y = (area.height - view.height * view.scale) / 2;
  applyView();
}

function zoom(factor, x, y) {
  const area = byId('graph').getBoundingClientRect();
  const [cx, cy] = [x ?? area.width / 2, y ?? area.height / 2];
  const next = Math.min(8, Math.max(0.02, view.scale * factor));
  view.x = cx - (cx - view.x) * next / view.scale;
  view.y = cy - (cy - view.y) * next / view.scale;
  view.scale = next;
  applyView();
}

const kBoxHeight = 46;
// The second line of a box.
const countText = (box) => report.reason === 'static' ? describeLaunch(box.nodes[0])
  : (box.isCounted ? number(box.records) + ' in' : 'not counted') +
  (box.nodes.length > 1 ? ', ' + box.used + ' used' : '') + (box.dropped ? ', ' + number(box.dropped) + ' dropped' : '');
const boxWidth = (box) => Math.max(90, 8 * box.label.length + 24, 6 * countText(box).length + 20);

// dagre takes seconds for many boxes; layers by longest path take none.
function layOutInLayers(boxes, edges) {
  const layer = new Map(boxes.map((box) => [box.key, 0]));
  for (let pass = 0, moved = true; moved && pass < 64; ++pass) {
    moved = false;
    for (const { from, to } of edges) {
      if (from === to || layer.get(to.key) > layer.get(from.key) || layer.get(from.key) >= 63) continue;
      layer.set(to.key, layer.get(from.key) + 1);
      moved = true;
    }
  }
  const rows = new Map();
  for (const box of boxes) rows.set(layer.get(box.key), [...(rows.get(layer.get(box.key)) || []), box]);
  let y = kBoxHeight;
  for (const at of [...rows.keys()].sort((a, b) => a - b)) {
    let x = 0;
    for (const box of rows.get(at)) {
      if (x > 3600) [x, y] = [0, y + kBoxHeight + 14];
      box.x = x + boxWidth(box) / 2;
      box.y = y;
      x += boxWidth(box) + 24;
    }
    y += kBoxHeight + 60;
  }
  view.width = Math.max(1, ...boxes.map((box) => box.x + boxWidth(box) / 2));
  view.height = y;
  for (const edge of edges) edge.points = [{ x: edge.from.x, y: edge.from.y + kBoxHeight / 2 }, { x: edge.to.x, y: edge.to.y - kBoxHeight / 2 }];
}

function layOut(boxes, edges) {
  if (boxes.length + edges.length > 300) return layOutInLayers(boxes, edges);
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ nodesep: 28, ranksep: 55, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(box.key, { width: boxWidth(box), height: kBoxHeight });
  for (const edge of edges) if (edge.from !== edge.to) graph.setEdge(edge.from.key, edge.to.key, {});
  dagre.layout(graph);
  for (const box of boxes) Object.assign(box, { x: graph.node(box.key).x, y: graph.node(box.key).y });
  for (const edge of edges) if (edge.from !== edge.to) edge.points = graph.edge(edge.from.key, edge.to.key).points;
  view.width = graph.graph().width;
  view.height = graph.graph().height;
}

function shapeOf(edge) {
  if (edge.from === edge.to) {  // a loop at the right side
    const x = edge.to.x + boxWidth(edge.to) / 2;
    const y = edge.to.y;
    return 'M' + x + ' ' + (y - 12) + 'C' + (x + 44) + ' ' + (y - 30) + ' ' + (x + 44) + ' ' + (y + 30) + ' ' + x + ' ' + (y + 12);
  }
  const [start, ...rest] = edge.points;
  return 'M' + start.x + ' ' + start.y + rest.map((point) => 'L' + point.x + ' ' + point.y).join('');
}

function drawEdge(edge, parent) {
  const kind = edge.to.dropped > 0 ? 'dropped' : edge.records > 0 ? edge.isPart ? 'part' : '' : edge.isCounted ? 'idle' : 'unknown';
  const path = element('path', { class: 'edge ' + kind, 'marker-end': 'url(#arrow)', d: shapeOf(edge),
    'stroke-width': kind === 'idle' ? 1 : 1 + Math.log10(1 + edge.records) / 2 }, parent);
  element('title', {}, path, edge.from.label + ' → ' + edge.to.label + ': up to ' + number(edge.most) +
    ' a workgroup; records: ' + recordsOf(edge));
}

function drawBox(box, slowest, parent) {
  const group = element('g', { class: 'node ' + (box.nodes[0].launch === 'mesh' ? 'mesh ' : '') +
    (box.dropped ? 'dropped' : box.records || !box.isCounted ? '' : 'idle'),
    transform: 'translate(' + box.x + ' ' + box.y + ')' }, parent);
  const width = boxWidth(box);
  const heat = box.time && slowest ? 'fill:hsl(' + (200 - 180 * box.time / slowest) + ' 70% 50% / .35)' : '';
  element('rect', { x: -width / 2, y: -kBoxHeight / 2, width, height: kBoxHeight, rx: 6, style: heat }, group);
  element('text', { y: -3 }, group, box.label);
  element('text', { y: 14, class: 'small' }, group, countText(box));
  element('title', {}, group, box.label + '\n' + describeLaunch(box.nodes[0]) + '\n' + (box.isCounted ? number(box.records) + ' records in, ' +
    number(box.bytes) + ' bytes' : 'not counted') + (box.time ? '\n' + microseconds(box.time) : ''));
  group.addEventListener('click', () => select(box.key));
  drawn.set(box.key, { group, box });
}

function drawGraph(boxes, edges) {
  const svg = byId('graph');
  svg.replaceChildren();
  drawn.clear();
  const marker = element('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 9, markerHeight: 9,
    orient: 'auto', markerUnits: 'userSpaceOnUse' }, element('defs', {}, svg));
  element('path', { d: 'M0 0L8 4L0 8z', style: 'fill:var(--faint);stroke:none' }, marker);
  const root = element('g', {}, svg);
  layOut(boxes, edges);
  for (const edge of edges) drawEdge(edge, root);
  const slowest = Math.max(0, ...boxes.map((box) => box.time));
  for (const box of boxes) drawBox(box, slowest, root);
  fitView();
}

function showSelection() {
  for (const [key, { group }] of drawn) group.classList.toggle('selected', key === state.node);
}

function centre(key) {
  const { box } = drawn.get(key);
  const area = byId('graph').getBoundingClientRect();
  view.x = area.width / 2 - box.x * view.scale;
  view.y = area.height / 2 - box.y * view.scale;
  applyView();
}

function select(key) {
  state.node = state.node === key ? null : key;
  showAll(true);
}

function showAll(keepPicture) {
  showVerdict();
  showDispatches();
  const graph = graphOf(graphId());
  if (!graph) return;
  const { boxes, boxOfNode } = boxesOf(graph);
  const edges = edgesOf(graph, boxOfNode);
  showNodes(boxes, edges);
  showLevels(graph.id);
  showRest(graph.id);
  showPayloads(graph);
  if (!keepPicture) drawGraph(boxes, edges);
  showSelection();
}

function find(text) {
  const hits = [...drawn].filter(([, { box }]) => text && box.label.toLowerCase().includes(text.toLowerCase()));
  byId('found').textContent = text ? hits.length + ' found' : '';
  if (hits.length === 0) return;
  state.node = hits[0][0];
  centre(state.node);
  showAll(true);
}

function listen() {
  const svg = byId('graph');
  let grip = null;
  svg.addEventListener('pointerdown', (event) => { grip = { x: event.clientX - view.x, y: event.clientY - view.y }; });
  window.addEventListener('pointermove', (event) => {
    if (!grip) return;
    view.x = event.clientX - grip.x;
    view.y = event.clientY - grip.y;
    applyView();
  });
  window.addEventListener('pointerup', () => { grip = null; });
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const area = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - area.left, event.clientY - area.top);
  }, { passive: false });
  const moves = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
  svg.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '=') zoom(1.2);
    else if (event.key === '-') zoom(1 / 1.2);
    else if (event.key === '0') fitView();
    else if (moves[event.key]) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      applyView();
    } else return;
    event.preventDefault();
  });
  byId('zoom-in').addEventListener('click', () => zoom(1.3));
  byId('zoom-out').addEventListener('click', () => zoom(1 / 1.3));
  byId('fit').addEventListener('click', fitView);
  byId('payload-filter').addEventListener('input', () => showPayloads(graphOf(graphId())));
  byId('search').addEventListener('input', (event) => find(event.target.value));
}

const started = performance.now();
listen();
showAll();
document.body.dataset.drawn = Math.round(performance.now() - started);
