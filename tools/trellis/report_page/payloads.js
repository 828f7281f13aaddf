// SPDX-License-Identifier: Apache-2.0
// Payloads that the report holds, decoded.
const bytesOf = (text) => Uint8Array.from(text.match(/../g) || [], (digits) => parseInt(digits, 16));

function halfOf(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24
    : exponent === 31 ? (fraction ? NaN : Infinity) : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

// Text, because numbers of 64 bits do not fit into a number. Empty behind the payload's end.
function scalarOf(view, { offset, type, bits }) {
  if (offset + bits / 8 > view.byteLength) return '';
  if (type === 'float')
    return String(bits === 16 ? halfOf(view.getUint16(offset, true)) : bits === 64 ? view.getFloat64(offset, true)
      : Math.fround(view.getFloat32(offset, true)).toPrecision(7).replace(/\.?0+($|e)/, '$1'));
  if (type === 'bool') return String(view.getUint32(offset, true) !== 0);
  const read = (type === 'int' ? 'getInt' : 'getUint') + bits;
  return String((bits === 64 ? view['getBig' + read.slice(3)] : view[read]).call(view, offset, true));
}

// One row for each payload of the graph's dispatches that are selected.
function payloadsOf(graph) {
  const rows = [];
  for (const dispatch of selected().filter((each) => each.graph === graph.id))
    for (const dump of dispatch.payloads) {
      const node = graph.nodes[graph.slots[dump.slot].node];
      dump.payloads.forEach((hex, rank) => {
        const bytes = bytesOf(hex);
        const view = new DataView(bytes.buffer);
        rows.push({ node, level: dump.level, rank, hex, bytes,
          values: node.scalars.map((scalar) => [scalar.name, scalarOf(view, scalar)]) });
      });
    }
  return rows;
}

// An array of the payloads' words, in C and in GLSL alike.
function asArray(rows) {
  const lines = rows.map((row) => {
    const words = [];
    for (let at = 0; at < row.bytes.length; at += 4)
      words.push('0x' + [3, 2, 1, 0].map((i) => (row.bytes[at + i] || 0).toString(16).padStart(2, '0')).join('') + 'u');
    return '  ' + words.join(', ') + ',  // ' + row.values.map(([name, value]) => name + ' = ' + value).join(', ');
  });
  const words = rows.reduce((sum, row) => sum + Math.ceil(row.bytes.length / 4), 0);
  return 'const uint payloads[' + words + '] = {\n' + lines.join('\n') + '\n};\n';
}

function showPayloads(graph) {
  const label = (node) => node.name + '[' + node.index + ']';
  const all = payloadsOf(graph);
  byId('payload-tools').hidden = all.length === 0;
  const wanted = byId('payload-filter').value.toLowerCase();
  const text = (row) => (label(row.node) + ' level ' + row.level + ' ' + row.values.map((pair) => pair.join('=')).join(' ') + ' ' + row.hex).toLowerCase();
  const rows = all.filter((row) => (state.node === null || state.node === row.node.name || state.node.startsWith(label(row.node)) ||
    state.node.startsWith(row.node.name + '|')) && text(row).includes(wanted));
  byId('payload-count').textContent = number(rows.length) + ' of ' + number(all.length);
  table('payloads', [['Node', (row) => label(row.node)], ['Level', (row) => row.level, true], ['Payload', (row) => row.rank, true],
    ['Members', (row) => row.values.map(([name, value]) => name + ' = ' + value).join(', ') || 'no names'],
    ['Bytes', (row) => element('code', {}, null, row.hex)]], rows);
  byId('copy').onclick = () => {
    const source = asArray(rows);
    byId('copied').value = source;
    byId('copied').hidden = false;
    byId('copied').select();
    if (navigator.clipboard) navigator.clipboard.writeText(source).catch(() => {});
  };
}
