// SPDX-License-Identifier: Apache-2.0
// The exchanges of a tap as a ladder between counter and phone, beside the bytes of the one that is chosen.

import { byteView, statusWords } from './byte-view.js';
import { Decoder } from './decode.js';
import { fill, focusAmong, h, roving } from './dom.js';
import { parseHex, toHex } from './hex.js';
import { duration, language, t } from './i18n.js';
import { readTrace } from './trace-file.js';

/**
 * @param {{apdu: string, exchanges: object[]}} trace As `/v1/taps/{id}/trace` has it.
 * @param {object} tap
 * @param {import('./dictionary.js').Dictionary} dictionary
 * @returns {HTMLElement}
 */
export function ladder(trace, tap, dictionary) {
  const redacted = /^# REDACTED:/m.test(trace.apdu);
  const decoder = new Decoder(dictionary);
  const recorded = recordedBytes(trace);
  const steps = [];
  const box = h('div.chosen', { id: 'chosen', 'aria-live': 'off' });
  const rows = trace.exchanges.map((exchange, index) => {
    const bytes = recorded[index];
    const command = decoder.command(bytes.command);
    const answer = bytes.response ? decoder.response(bytes.response) : null;
    const lost = !answer;
    const add = (frame, className, content) => {
      const step = h('button.arrow', {
        type: 'button', className, tabindex: '-1', 'data-exchange': index,
        onclick: () => choose(step),
      }, content);
      steps.push(step);
      step.frame = frame;
      step.heading = frame.kind === 'command' ? exchange.name || frame.title : answerTitle(exchange, frame);
      return step;
    };
    const name = exchange.name && command.title.length <= exchange.name.length ? exchange.name : command.title;
    return h('li.exchange', {},
      h('span.at', {}, clock(exchange.atMs)),
      add(command, 'to-phone', [h('span.label', {}, h('span.number', {}, `${index + 1}`), ' ', name), h('span.count', {}, t('ladder.bytes', { count: command.bytes.length }))]),
      h('span.at.took', {}, exchange.durationMs === null || exchange.durationMs === undefined ? '' : `+${duration(exchange.durationMs)}`),
      lost ? h('p.lost', {}, h('span', {}, t('ladder.lost')))
        : add(answer, `to-counter ${isGood(answer) ? '' : 'bad'}`, [h('span.label', {}, answerTitle(exchange, answer)), h('span.count', {}, t('ladder.bytes', { count: answer.bytes.length }))]));
  });
  const choose = (step, focus = true) => {
    for (const each of steps) each.setAttribute('aria-pressed', String(each === step));
    if (focus) focusAmong(steps, step);
    else steps.forEach((each) => { each.tabIndex = each === step ? 0 : -1; });
    const { frame } = step;
    fill(box, h('h3', {}, h('span', { 'aria-hidden': 'true' }, frame.kind === 'command' ? '→ ' : '← '), step.heading, ' ',
      frame.context ? h('span.badge', {}, t(`context.${frame.context}`)) : null), byteView(frame, { redacted, stacked: true }));
  };
  const list = h('ol.ladder', { 'aria-label': t('tab.exchanges') }, rows);
  roving(list, () => steps);
  const element = h('div.exchanges', {},
    h('div.ladder-box', {}, h('div.ends', { 'aria-hidden': 'true' }, h('span', {}, t('ladder.counter')), h('span', {}, t('ladder.phone'))), list,
      steps.length ? null : h('p.note', {}, t('ladder.none')), redacted ? h('p.note', {}, t('ladder.redacted')) : null), box);
  const first = steps.findLast((step) => tap.result === 'failed' && step.frame.kind === 'response') ?? steps.at(-1);
  if (first) choose(first, false);
  return element;
}

/** The bytes of each exchange: the trace's own, since the list may have account numbers as stars. */
function recordedBytes({ apdu, exchanges }) {
  const all = readTrace(apdu).taps.flat();
  if (all.length === exchanges.length) return all;
  const bytes = (hex) => (hex ? parseHex(hex.replaceAll('*', '0')) : null);
  return exchanges.map((exchange) => ({ command: bytes(exchange.command), response: bytes(exchange.response) }));
}

const isGood = (frame) => frame.status === 0x9000 || (frame.status >> 8) === 0x61;

/** The status word in words: the server's in English, the table's in another language. */
function answerTitle(exchange, frame) {
  const status = frame.status === null ? '' : toHex([frame.status >> 8, frame.status & 0xff]);
  const words = language() === 'en' && exchange.statusText ? exchange.statusText : statusWords(frame.status, frame.context);
  return `${status} ${words}`;
}

const clock = (ms) => (ms === null || ms === undefined ? '' : duration(ms));
