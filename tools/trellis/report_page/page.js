// SPDX-License-Identifier: Apache-2.0
'use strict';
// The report as it was written, and what is selected of it.
const report = JSON.parse(document.getElementById('data').textContent);
const state = { dispatch: -1, node: null };
const byId = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString('en');
const mib = (bytes) => bytes < 1048576 ? (bytes / 1024).toFixed(1) + ' KiB' : (bytes / 1048576).toFixed(1) + ' MiB';
const microseconds = (ns) => (ns / 1000).toFixed(1) + ' µs';
const hue = (text) => [...text].reduce((sum, c) => (sum * 31 + c.codePointAt(0)) % 360, 7);

const selected = () => report.dispatches.filter((_, i) => state.dispatch < 0 || i === state.dispatch);
const graphId = () => state.dispatch < 0
  ? (report.dispatches[0] || {}).graph ?? (report.graphs[0] || {}).id : report.dispatches[state.dispatch].graph;
const graphOf = (id) => report.graphs.find((graph) => graph.id === id);
const nameOf = (graph) => graph.name || 'graph ' + graph.id;
const timesOf = (id) => report.times.filter((time) => time.graph === id);

// Sums of one graph by slot, over the levels of the dispatches that are selected.
function countsBySlot(id) {
  const counts = new Map();
  for (const dispatch of selected().filter((each) => each.graph === id))
    for (const place of dispatch.slots) {
      const sum = counts.get(place.slot) || { records: 0, dropped: 0, max: 0 };
      sum.records += place.records;
      sum.dropped += place.dropped;
      sum.max = Math.max(sum.max, place.max_records);
      counts.set(place.slot, sum);
    }
  return counts;
}

// Boxes of the picture. Nodes of an array that enqueue alike are one box.
function boxesOf(graph) {
  const counts = countsBySlot(graph.id);
  const times = timesOf(graph.id);
  const boxes = new Map();
  const boxOfNode = [];
  graph.nodes.forEach((node, i) => {
    const likes = graph.nodes.filter((other) => other.name === node.name).length;
    const key = likes > 8 ? node.name + '|' + node.launch + '|' + node.outputs.map((o) => o.target).join() : node.name + '[' + node.index + ']';
    const box = boxes.get(key) || { key, name: node.name, nodes: [], records: 0, dropped: 0, max: 0, used: 0, time: 0, bytes: 0 };
    boxes.set(key, box);
    box.nodes.push(node);
    boxOfNode[i] = box;
    let records = 0;
    for (let slot = node.first_slot; slot < node.first_slot + node.slot_count; ++slot) {
      const sum = counts.get(slot);
      if (sum) {
        records += sum.records;
        box.dropped += sum.dropped;
        box.max = Math.max(box.max, sum.max);
        box.bytes += sum.records * graph.slots[slot].record_bytes;
      }
      for (const time of times) if (time.slot === slot) box.time += time.total_ns;
    }
    box.records += records;
    box.used += records > 0 ? 1 : 0;
  });
  for (const box of boxes.values()) {
    const indices = box.nodes.map((node) => node.index);
    box.label = indices.length === 1 ? box.name + '[' + indices[0] + ']'
      : box.name + '[' + Math.min(...indices) + '..' + Math.max(...indices) + ']';
  }
  return { boxes: [...boxes.values()], boxOfNode };
}

function edgesOf(graph, boxOfNode) {
  const edges = new Map();
  for (const edge of graph.edges) {
    const from = boxOfNode[graph.slots[edge.from].node];
    const to = boxOfNode[graph.slots[edge.to].node];
    const key = from.key + '\n' + to.key;
    const known = edges.get(key) || { from, to, most: 0 };
    known.most = Math.max(known.most, edge.max_payloads);
    edges.set(key, known);
  }
  return [...edges.values()];
}

function describeLaunch(node) {
  const grid = node.grid.join('×');
  const size = node.workgroup_size.join('×');
  if (node.launch === 'coalescing') return 'up to ' + node.coalesce + ' records a workgroup of ' + size;
  if (node.launch === 'static') return 'grid ' + grid + ' of ' + size;
  return (node.launch === 'mesh' ? 'mesh node, ' : 'grid from the payload, ') + 'workgroups of ' + size;
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
  const parts = [number(dropped) + ' payloads dropped', number(executions) + ' executions', mib(ring) + ' of ring'];
  if (slowest && all > 0) parts.push('slowest node: ' + slowest[0] + ' (' + Math.round(100 * slowest[1] / all) + ' %)');
  byId('verdict').textContent = parts.join('; ');
  byId('verdict').className = dropped > 0 ? 'bad' : '';
  const made = report.device;
  byId('device').textContent = made ? made.name + ', ' + report.generator + ', written ' +
    new Date(report.written * 1000).toISOString() + ' (' + report.reason + ')' : report.generator;
}

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
  ], rows, (row) => row.i === state.dispatch ? 'selected' : '');
}

function showNodes(boxes) {
  table('nodes', [
    ['Node', (box) => link(box.label, () => select(box.key))],
    ['Launch', (box) => describeLaunch(box.nodes[0])],
    ['Used', (box) => box.used + ' of ' + box.nodes.length, true],
    ['Records in', (box) => number(box.records), true],
    ['Most in one level', (box) => number(box.max), true],
    ['Bytes', (box) => number(box.bytes), true],
    ['Dropped', (box) => number(box.dropped), true],
    ['Declared outputs', (box) => box.nodes[0].outputs.map((o) => o.target + ': up to ' + o.max_payloads + ' a workgroup').join('; ') || 'none'],
    ['GPU time', (box) => box.time ? microseconds(box.time) : '', true],
  ], boxes, (box) => (box.key === state.node ? 'selected ' : '') + (box.dropped ? 'bad' : ''));
}

function showLevels(id) {
  const times = timesOf(id);
  const levels = new Map();
  const levelOf = (key) => levels.get(key) || levels.set(key, { level: key, records: 0, slots: 0, times: [] }).get(key);
  for (const dispatch of selected().filter((each) => each.graph === id))
    for (const place of dispatch.slots) {
      const level = levelOf(place.level);
      level.records += place.records;
      level.slots += place.records > 0 ? 1 : 0;
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
  table('levels', [['Level', (level) => level.level, true], ['Slots with records', (level) => level.slots, true],
    ['Records', (level) => number(level.records), true],
    ['GPU time', (level) => level.times.length ? microseconds(total(level)) : 'not timed', true], ['By step', bar]], rows);
}

function showRest(id) {
  table('memory', [['Command', (row) => row.command], ['Ring', (row) => mib(row.ring_bytes), true],
    ['Scratch', (row) => mib(row.scratch_bytes), true],
    ['Room for', (row) => ({ all: 'all that nodes may allocate', part: 'a part of what nodes may allocate', steps: 'all, in ' + row.steps + ' steps at most' })[row.fit]],
    ['Counts', (row) => row.not_counted ? 'not counted: ' + row.not_counted : 'of ' + number(row.counted_executions) + ' executions']],
  selected().filter((row) => row.graph === id));
  table('findings', [['What', (row) => row.id], ['Severity', (row) => row.severity], ['Records', (row) => number(row.records), true],
    ['Message', (row) => row.text]], report.findings, (row) => row.severity === 'info' ? '' : 'bad');
  table('settings', [['Setting', (row) => row[0]], ['Value', (row) => row[1]]], Object.entries(report.settings));
}
