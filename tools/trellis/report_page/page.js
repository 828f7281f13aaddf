// SPDX-License-Identifier: Apache-2.0
'use strict';
// The report as it was written, and what is selected of it.
const report = JSON.parse(document.getElementById('data').textContent);
const state = { dispatch: -1, node: null };
const byId = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString('en');
const plural = (value, noun) => number(value) + ' ' + noun + (value === 1 ? '' : 's');
const mib = (bytes) => bytes < 1048576 ? (bytes / 1024).toFixed(1) + ' KiB' : (bytes / 1048576).toFixed(1) + ' MiB';
const microseconds = (ns) => (ns / 1000).toFixed(1) + ' µs';
const hue = (text) => [...text].reduce((sum, c) => (sum * 31 + c.codePointAt(0)) % 360, 7);

const selected = () => report.dispatches.filter((_, i) => state.dispatch < 0 || i === state.dispatch);
const graphId = () => state.dispatch < 0
  ? (report.dispatches[0] || {}).graph ?? (report.graphs[0] || {}).id : report.dispatches[state.dispatch].graph;
const graphOf = (id) => report.graphs.find((graph) => graph.id === id);
const nameOf = (graph) => graph.name || 'graph ' + graph.id;
const timesOf = (id) => report.times.filter((time) => time.graph === id);

// Slots that run on the records of a slot: itself, and those of the nodes that share its input.
function runningOn(graph, slot) {
  if (slot >= graph.slots.length) return [slot];  // the heap
  return [slot, ...graph.nodes[graph.slots[slot].node].sharers.map((sharer) => graph.nodes[sharer].first_slot)];
}

// Sums of one graph by slot, over the levels of the dispatches that are selected. `own`: records that lie in the slot's
// own region.
function countsBySlot(graph) {
  const counts = new Map();
  for (const dispatch of selected().filter((each) => each.graph === graph.id))
    for (const place of dispatch.slots)
      for (const slot of runningOn(graph, place.slot)) {
        const sum = counts.get(slot) || { records: 0, own: 0, dropped: 0, max: 0, workgroups: 0 };
        sum.records += place.records;
        sum.max = Math.max(sum.max, place.max_records);
        if (slot === place.slot) {
          sum.own += place.records;
          sum.dropped += place.dropped;
          sum.workgroups += place.workgroups || 0;
        }
        counts.set(slot, sum);
      }
  // Steps are not counted, but what they drop is found.
  for (const [slot, dropped] of foundDrops(graph)) {
    const sum = counts.get(slot) || { records: 0, own: 0, dropped: 0, max: 0, workgroups: 0 };
    counts.set(slot, { ...sum, dropped: Math.max(sum.dropped, dropped) });
  }
  return counts;
}

// Records by slot that findings about the commands that are selected say were dropped.
function foundDrops(graph) {
  const commands = new Set(selected().filter((each) => each.graph === graph.id).map((each) => each.command));
  const dropped = new Map();
  for (const finding of report.findings)
    if (finding.id === 'TRELLIS-records-lost' && finding.graph === graph.id && commands.has(finding.command))
      dropped.set(finding.slot, (dropped.get(finding.slot) || 0) + finding.records);
  return dropped;
}

// Workgroups that `records` of a node needed. Nothing if the report does not tell: grids from payloads.
function workgroupsOf(node, records, counted) {
  if (node.launch === 'static') return records * node.grid[0] * node.grid[1] * node.grid[2];
  return node.launch === 'coalescing' && (counted > 0 || records === 0) ? counted : undefined;
}

// Whether the selected dispatches of a graph are counted in all levels, and not only in level 0. A static graph has none.
function isCounted(graph) {
  const dispatches = selected().filter((each) => each.graph === graph.id);
  return dispatches.length > 0 && dispatches.every((each) => !each.not_counted);
}

// Boxes of the picture. Nodes of an array that enqueue alike are one box: of any array if there are many nodes.
function boxesOf(graph) {
  const most = graph.nodes.length > 24 ? 1 : 8;
  const alike = new Map();
  for (const { name } of graph.nodes) alike.set(name, (alike.get(name) || 0) + 1);
  const counts = countsBySlot(graph);
  const times = timesOf(graph.id);
  const boxes = new Map();
  const boxOfNode = [];
  graph.nodes.forEach((node, i) => {
    const key = alike.get(node.name) > most ? node.name + '|' + node.launch + '|' + node.outputs.map((o) => o.target).join() : node.name + '[' + node.index + ']';
    const box = boxes.get(key) || { key, name: node.name, nodes: [], records: 0, dropped: 0, max: 0, used: 0, time: 0, bytes: 0, workgroups: 0 };
    boxes.set(key, box);
    box.nodes.push(node);
    boxOfNode[i] = box;
    let records = 0;
    let counted = 0;
    for (let slot = node.first_slot; slot < node.first_slot + node.slot_count; ++slot) {
      const sum = counts.get(slot);
      if (sum) {
        records += sum.records;
        counted += sum.workgroups;
        box.dropped += sum.dropped;
        box.max = Math.max(box.max, sum.max);
        box.bytes += sum.own * graph.slots[slot].record_bytes;
      }
      for (const time of times) if (time.slot === slot) box.time += time.total_ns;
    }
    box.records += records;
    box.workgroups += workgroupsOf(node, records, counted) ?? NaN;
    box.used += records > 0 ? 1 : 0;
  });
  for (const box of boxes.values()) {
    const indices = box.nodes.map((node) => node.index);
    box.isCounted = isCounted(graph) || box.records > 0;
    box.label = indices.length === 1 ? box.name + '[' + indices[0] + ']'
      : box.name + '[' + Math.min(...indices) + '..' + Math.max(...indices) + ']';
  }
  return { boxes: [...boxes.values()], boxOfNode };
}

// Records of each edge: those of a slot in a level came from its producers that ran in the level before. Where several
// boxes did, `isPart` says that each of them sent a part.
function addFlow(graph, boxOfNode, edges) {
  const boxOf = (slot) => boxOfNode[graph.slots[slot].node];
  const producers = new Map();
  for (const { from, to } of graph.edges) producers.set(to, [...(producers.get(to) || []), from]);
  for (const dispatch of selected().filter((each) => each.graph === graph.id)) {
    const ran = new Set(dispatch.slots.filter((place) => place.records > 0)
      .flatMap((place) => runningOn(graph, place.slot).map((slot) => place.level + ' ' + slot)));
    for (const { level, slot, records } of dispatch.slots) {
      if (records === 0 || level === 0 || slot >= graph.slots.length) continue;
      const from = new Set((producers.get(slot) || []).filter((each) => ran.has(level - 1 + ' ' + each)).map(boxOf));
      for (const box of from) {
        const edge = edges.get(box.key + '\n' + boxOf(slot).key);
        edge.records += records;
        edge.isPart ||= from.size > 1;
      }
    }
  }
}

function edgesOf(graph, boxOfNode) {
  const edges = new Map();
  for (const edge of graph.edges) {
    const from = boxOfNode[graph.slots[edge.from].node];
    const to = boxOfNode[graph.slots[edge.to].node];
    const key = from.key + '\n' + to.key;
    const known = edges.get(key) || { from, to, most: 0, records: 0, isPart: false, isCounted: false };
    known.most = Math.max(known.most, edge.max_payloads);
    edges.set(key, known);
  }
  addFlow(graph, boxOfNode, edges);
  for (const edge of edges.values()) edge.isCounted = isCounted(graph) || edge.records > 0;
  return [...edges.values()];
}

// How a node is launched; the size of its workgroups.
function describeLaunch(node) {
  const size = '; ' + node.workgroup_size.join('×');
  if (node.launch === 'coalescing') return 'up to ' + plural(node.coalesce, 'record') + size;
  if (node.launch === 'static') return 'grid ' + node.grid.join('×') + size;
  return (node.launch === 'mesh' ? 'mesh node' : 'grid from payload') + size;
}

function element(tag, attributes, parent, text) {
  const svg = ['svg', 'g', 'rect', 'path', 'text', 'title', 'defs', 'marker'].includes(tag);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

// `columns`: heading, cell, and whether it is a number. A cell is text, or an element.
function table(id, columns, rows, mark) {
  const target = byId(id);
  target.replaceChildren();
  if (rows.length === 0) {
    element('td', {}, element('tr', {}, target), 'none');
    return;
  }
  const head = element('tr', {}, element('thead', {}, target));
  for (const [title, , isNumber] of columns) element('th', { scope: 'col', class: isNumber ? 'number' : '' }, head, title);
  const body = element('tbody', {}, target);
  for (const row of rows) {
    const line = element('tr', mark ? { class: mark(row) } : {}, body);
    for (const [, cell, isNumber] of columns) {
      const value = cell(row);
      const place = element('td', { class: isNumber ? 'number' : '' }, line);
      place.append(value instanceof Node ? value : String(value));
    }
  }
}

function link(text, action) {
  const button = element('button', { type: 'button' }, null, text);
  button.addEventListener('click', action);
  return button;
}

function showVerdict() {
  const dropped = report.findings.filter((finding) => finding.id === 'TRELLIS-records-lost')
    .reduce((sum, finding) => sum + finding.records, 0);
  const executions = report.dispatches.reduce((sum, dispatch) => sum + dispatch.executions, 0);
  const ring = Math.max(0, ...report.dispatches.map((dispatch) => dispatch.ring_bytes));
  const byStep = new Map();
  for (const time of report.times) if (time.slot !== null) byStep.set(time.what, (byStep.get(time.what) || 0) + time.total_ns);
  const all = [...byStep.values()].reduce((a, b) => a + b, 0);
  const slowest = [...byStep].sort((a, b) => b[1] - a[1])[0];
  if (report.reason === 'static') {
    byId('verdict').textContent = 'The graph as its modules declare it; nothing was executed';
    byId('device').textContent = report.generator;
    return;
  }
  const parts = [plural(dropped, 'payload') + ' dropped', plural(executions, 'execution'), mib(ring) + ' of ring'];
  if (slowest && all > 0) parts.push('slowest node: ' + slowest[0] + ' (' + Math.round(100 * slowest[1] / all) + ' %)');
  byId('verdict').textContent = parts.join('; ');
  byId('verdict').className = dropped > 0 ? 'bad' : '';
  const made = report.device;
  byId('device').textContent = made ? made.name + ', ' + report.generator + ', written ' +
    new Date(report.written * 1000).toISOString() + ' (' + report.reason + ')' : report.generator;
}

// Of CPU time. Empty where the report has none.
const meanOf = (sums) => sums && sums.count ? microseconds(sums.total_ns / sums.count) : '';

function showDispatches() {
  const rows = report.dispatches.map((dispatch, i) => ({ ...dispatch, i }));
  if (rows.length > 1) rows.unshift({ i: -1 });
  const some = (get) => (row) => row.i < 0 ? '' : get(row);
  table('dispatches', [
    ['Graph', (row) => link(row.i < 0 ? 'all added up' : nameOf(graphOf(row.graph)), () => { state.dispatch = row.i; showAll(); })],
    ['Command', some((row) => row.command)],
    ['Levels', some((row) => row.levels), true],
    ['Executions', some((row) => number(row.executions)), true],
    ['Dispatches', some((row) => number(row.dispatches)), true],
    ['Barriers', some((row) => number(row.barriers)), true],
    ['GPU time each', some((row) => {
      const times = timesOf(row.graph);
      const most = Math.max(0, ...times.map((time) => time.executions));
      return most ? microseconds(times.reduce((sum, time) => sum + time.total_ns, 0) / most) : 'not timed';
    }), true],
    ['CPU recording', some((row) => meanOf(row.recording)), true],
    ['CPU submission', some((row) => meanOf(row.submission)), true],
  ], rows, (row) => row.i === state.dispatch ? 'selected' : '');
}

function workgroupText(box) {
  if (!box.isCounted) return 'not counted';
  if (!Number.isNaN(box.workgroups)) return number(box.workgroups);
  return box.nodes[0].launch === 'coalescing' ? 'not counted' : 'by payload';
}

// Mean records of a workgroup, of those that it takes.
function fillOf(box) {
  if (box.nodes[0].launch !== 'coalescing' || !(box.workgroups > 0)) return '';
  return (box.records / box.workgroups).toFixed(1).replace('.0', '') + ' of ' + box.nodes[0].coalesce;
}

// What a node enqueued by target. In parentheses: mean of a workgroup, where it is known, and the declared bound.
function enqueuedBy(box, edges) {
  const lines = edges.filter((edge) => edge.from === box).map((edge) => {
    const hasMean = box.workgroups > 0 && edge.isCounted && !edge.isPart && edge.to.nodes.length === 1;
    const mean = hasMean ? (edge.records / box.workgroups).toFixed(1).replace('.0', '') + ' of ' : '';
    return edge.to.label + ': ' + recordsOf(edge) + ' (' + mean + number(edge.most) + ')';
  });
  const shown = lines.slice(0, 4);
  if (lines.length > 4) shown.push('and ' + (lines.length - 4) + ' more');
  const cell = element('span', {});
  (lines.length === 0 ? ['none'] : shown).forEach((line) => element('div', { class: 'line' }, cell, line));
  return cell;
}

const recordsOf = (edge) => !edge.isCounted ? 'not counted' : (edge.isPart ? 'part of ' : '') + number(edge.records);

function showNodes(boxes, edges) {
  const hasArrays = boxes.some((box) => box.nodes.length > 1);
  table('nodes', [
    ['Node', (box) => link(box.label, () => select(box.key))],
    ['Launch; workgroup', (box) => describeLaunch(box.nodes[0])],
    ...(hasArrays ? [['Used', (box) => box.used + ' of ' + box.nodes.length, true]] : []),
    ['GPU time, sum', (box) => box.time ? microseconds(box.time) : '', true],
    ['Records in', (box) => box.isCounted ? number(box.records) : 'not counted', true],
    ['Most at once', (box) => box.isCounted ? number(box.max) : '', true],
    ['Workgroups', (box) => workgroupText(box), true],
    ['Fill', fillOf, true],
    ['Dropped', (box) => number(box.dropped), true],
    ['Enqueued (a workgroup)', (box) => enqueuedBy(box, edges)],
    ['Bytes', (box) => box.isCounted ? number(box.bytes) : '', true],
  ], boxes, (box) => (box.key === state.node ? 'selected ' : '') + (box.dropped ? 'bad' : ''));
}

function showLevels(id) {
  const times = timesOf(id);
  const graph = graphOf(id);
  const levels = new Map();
  const levelOf = (key) => levels.get(key) || levels.set(key, { level: key, records: 0, slots: 0, times: [], reserved: 0, used: 0 }).get(key);
  for (const dispatch of selected().filter((each) => each.graph === id))
    for (const place of dispatch.slots) {
      const level = levelOf(place.level);
      const isHeap = place.slot >= graph.slots.length;
      if (!isHeap) level.records += place.records;
      if (place.reserved_bytes) {
        level.reserved += place.reserved_bytes;
        level.used += place.max_records * (isHeap ? 16 : graph.slots[place.slot].record_bytes);
      }
      level.slots += place.records > 0 && !isHeap ? 1 : 0;
    }
  for (const time of times) if (time.level !== null) levelOf(time.level).times.push(time);
  const total = (level) => level.times.reduce((sum, time) => sum + time.total_ns, 0);
  const rows = [...levels.values()].sort((a, b) => a.level - b.level);
  const most = Math.max(1, ...rows.map(total));
  const bar = (level) => {
    const made = element('div', { class: 'bar' });
    for (const time of level.times)
      element('span', { title: time.what + ' ' + microseconds(time.total_ns),
        style: 'width:' + 100 * time.total_ns / most + '%;background:hsl(' + hue(time.what) + ' 55% 55%)' }, made);
    return made;
  };
  const slowest = (level) => {
    const [first] = [...level.times].sort((a, b) => b.total_ns - a.total_ns);
    return first ? first.what + ' (' + Math.round(100 * first.total_ns / total(level)) + ' %)' : '';
  };
  table('levels', [['Level', (level) => level.level, true], ['Slots with records', (level) => level.slots, true],
    ['Records', (level) => number(level.records), true],
    ['Ring reserved', (level) => level.reserved ? mib(level.reserved) : '', true],
    ['Ring used, most', (level) => level.reserved ? mib(level.used) : '', true],
    ['GPU time, sum', (level) => level.times.length ? microseconds(total(level)) : 'not timed', true], ['By step', bar],
    ['Slowest step', (level) => element('span', { class: 'line' }, null, slowest(level))]], rows);
}

function showRest(id) {
  table('memory', [['Command', (row) => row.command], ['Ring', (row) => mib(row.ring_bytes), true],
    ['Scratch', (row) => mib(row.scratch_bytes), true],
    ['Room for', (row) => ({ all: 'all that nodes may allocate', part: 'a part of what nodes may allocate', steps: 'what ' + plural(row.steps, 'step') + ' can take' })[row.fit]],
    ['Counts', (row) => row.not_counted ? 'not counted: ' + row.not_counted : 'of ' + plural(row.counted_executions, 'execution')]],
  selected().filter((row) => row.graph === id));
  table('findings', [['What', (row) => element('span', { class: 'line' }, null, row.id)], ['Severity', (row) => row.severity], ['Records', (row) => number(row.records), true],
    ['Message', (row) => row.text]], report.findings, (row) => row.severity === 'info' ? '' : 'bad');
  // Before anything else, if something is wrong.
  if (report.findings.some((row) => row.severity !== 'info')) document.querySelector('main').prepend(byId('findings').closest('section'));
  table('settings', [['Setting', (row) => row[0]], ['Value', (row) => row[1]]], Object.entries(report.settings));
}
