// SPDX-License-Identifier: Apache-2.0
// Two traces side by side: exchanges aligned, what is new at every tap greyed, what else differs marked.

import { get } from './api.js';
import { Decoder } from './decode.js';
import { download, fill, h } from './dom.js';
import { hexByte } from './hex.js';
import { dateAndTime, t } from './i18n.js';
import { readTrace } from './trace-file.js';

/** Values that are new at every tap although nothing changed (kormax/apple-vas README; EMV Book 3, Annex A). */
const VARYING = {
  vas: new Set(['9F24', '9F27', '9F28']),
  payment: new Set(['9F37', '9F26', '9F36', '9F4B', '9F4C', '9A', '9F21', '9F10', '57']),
};
/** The key id at the beginning of a pass's cryptogram stays the same. */
const KEY_ID_LENGTH = 4;
/** Longer traces are paired in order. */
const MAX_ALIGNED = 400;

/**
 * The tab in which another tap, or a trace file, is chosen.
 * @param {object} tap
 * @param {string} apdu The tap's trace.
 * @param {{taps: import('./taps.js').Taps, dictionary: () => import('./dictionary.js').Dictionary}} bench
 */
export function comparePanel(tap, apdu, bench) {
  const result = h('div.comparison', { role: 'region', 'aria-label': t('compare.result'), tabindex: '0' });
  const said = h('p.note', { role: 'status' });
  const others = bench.taps.newestFirst().filter((each) => each.id !== tap.id && each.hasTrace).slice(0, 200);
  const show = (text) => {
    const left = readTrace(apdu);
    const right = readTrace(text);
    const comparison = compare(left, right, bench.dictionary());
    fill(said, t(comparison.equal ? 'compare.equal' : 'compare.differs', { count: comparison.differences }));
    fill(result, table(comparison));
  };
  const attempt = async (work) => {
    try {
      show(await work());
    } catch (error) {
      fill(said, error.message);
    }
  };
  const choose = h('select', { id: 'compare-with', onchange: (event) => event.target.value && attempt(
    async () => (await get(`/v1/taps/${encodeURIComponent(event.target.value)}/trace`)).apdu) },
  h('option', { value: '' }, t('compare.choose')),
  others.map((each) => h('option', { value: each.id }, `${dateAndTime(each.time)} · ${t(`result.${each.result}`)} · ${each.id.slice(-6)}`)));
  const file = h('input.off-screen', { type: 'file', accept: '.apdu,.txt', id: 'compare-file', onchange: (event) => event.target.files[0] && attempt(() => event.target.files[0].text()) });
  return h('div.pad', {},
    h('p.compare-choice', {}, h('label', { for: 'compare-with' }, t('compare.with')), ' ', choose, ' ', h('label.button.file', {}, t('compare.file'), file), ' ',
      h('button', { type: 'button', onclick: () => download(`${tap.id}.apdu`, apdu) }, t('compare.save'))), said, result);
}

/** Commands and answers with the bytes that vary. */
function items(trace, dictionary) {
  const decoder = new Decoder(dictionary);
  return trace.taps.flat().map((exchange) => {
    const command = decoder.command(exchange.command);
    const answer = exchange.response ? decoder.response(exchange.response) : null;
    const [left, right] = [marked(command), answer && marked(answer)];
    return { title: command.title, command: left, answer: right, key: blank(left) };
  });
}

/** Which bytes of a frame vary. */
function marked(frame) {
  const varying = new Set();
  const tags = frame.context === 'vas' ? VARYING.vas : VARYING.payment;
  const walk = (node) => {
    if (tags.has(node.label)) {
      const from = frame.context === 'vas' && node.label === '9F27' ? node.valueStart + KEY_ID_LENGTH : node.valueStart;
      for (let at = from; at < node.end; at += 1) varying.add(at);
    }
    node.children.forEach(walk);
  };
  frame.nodes.forEach(walk);
  return { bytes: frame.bytes, varying };
}

const blank = ({ bytes, varying }) => Array.from(bytes, (value, at) => (varying.has(at) ? '..' : hexByte(value))).join('');

/**
 * Aligns two traces by their commands.
 * @returns {{equal: boolean, differences: number, rows: object[]}}
 */
export function compare(left, right, dictionary) {
  const [a, b] = [items(left, dictionary), items(right, dictionary)];
  const rows = align(a, b).map(([x, y]) => {
    const kind = !y ? 'onlyLeft' : !x ? 'onlyRight'
      : x.key !== y.key ? 'command' : Boolean(x.answer) !== Boolean(y.answer) ? 'lost'
      : x.answer && blank(x.answer) !== blank(y.answer) ? 'answer' : 'same';
    return { kind, left: x ?? null, right: y ?? null };
  });
  const differences = rows.filter((row) => row.kind !== 'same').length;
  return { equal: differences === 0, differences, rows };
}

/** Longest common sequence of commands; what stands between is paired in order. */
function align(a, b) {
  if (a.length > MAX_ALIGNED || b.length > MAX_ALIGNED) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => [a[index], b[index]]);
  }
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      best[i][j] = a[i].key === b[j].key ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].key === b[j].key) pairs.push([a[i++], b[j++]]);
    else if (i < a.length && j < b.length && a[i].title === b[j].title) pairs.push([a[i++], b[j++]]);
    else if (j >= b.length || (i < a.length && best[i + 1][j] >= best[i][j + 1])) pairs.push([a[i++], undefined]);
    else pairs.push([undefined, b[j++]]);
  }
  return pairs;
}

function table({ rows }) {
  const side = (item, other) => h('td', {}, item ? [
    bytesOf('→', item.command, other?.command), item.answer ? bytesOf('←', item.answer, other?.answer) : h('p.lost', {}, h('span', {}, t('ladder.lost')))] : h('span.note', {}, t('compare.missing')));
  return h('table.compare', {},
    h('thead', {}, h('tr', {}, ['step', 'left', 'right'].map((name) => h('th', { scope: 'col' }, t(`compare.${name}`))))),
    h('tbody', {}, rows.map((row) => h('tr', { className: row.kind },
      h('th', { scope: 'row' }, (row.left ?? row.right).title, ' ', h('span.badge', { className: row.kind === 'same' ? 'good' : 'warn' }, t(`compare.kind.${row.kind}`))),
      side(row.left, row.right), side(row.right, row.left)))));
}

/** Hex in runs: varying ones grey, others that differ marked. */
function bytesOf(arrow, item, other) {
  const runs = [];
  item.bytes.forEach((value, at) => {
    const kind = item.varying.has(at) ? 'varying' : other && other.bytes[at] !== value ? 'differs' : '';
    if (runs.at(-1)?.kind !== kind) runs.push({ kind, text: '' });
    runs.at(-1).text += hexByte(value);
  });
  return h('p.run', {}, h('span', { 'aria-hidden': 'true' }, arrow), h('span', {}, runs.map((run) =>
    h(run.kind === 'differs' ? 'mark' : 'span', { className: run.kind, title: run.kind === 'varying' ? t('compare.varying') : null }, run.text))));
}
