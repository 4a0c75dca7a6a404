// SPDX-License-Identifier: Apache-2.0
// The panels beside the list: readers and sinks.

import { get, post } from './api.js';
import { byId, fill, h } from './dom.js';
import { t } from './i18n.js';
import { shortReader } from './tap-list.js';

const SINK_TONES = { active: 'good', ok: 'good', idle: 'good', delivering: 'good', retrying: 'warn', waiting: 'warn', held: 'warn', disabled: 'bad', failing: 'warn' };

/** A word from the table, or the server's own. */
function word(prefix, value) {
  const text = t(`${prefix}.${value}`);
  return text === `${prefix}.${value}` ? value : text;
}

/** Fills an element without taking the focus away from a button in it. */
function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : '';
  fill(element, ...children);
  if (focused) byId(focused)?.focus();
}

/** Shows the readers. */
export async function showReaders() {
  const { readers } = await get('/v1/readers');
  const tone = (reader) => (reader.connected === false ? 'bad' : 'good');
  refill(byId('readers'), readers.length ? h('ul.things', {}, readers.map((reader) => h('li', {},
    h('span', { title: reader.name }, shortReader(reader.name)), ' ',
    h('span.badge', { className: tone(reader) }, word('reader', reader.state ?? (reader.connected === false ? 'gone' : 'connected'))),
    reader.recoveries ? h('p.note', {}, t('reader.recoveries', { count: reader.recoveries })) : null,
    reader.wakesPhone === false ? h('p.note', {}, t('reader.noPolling')) : null,
    reader.detail ? h('p.note', { lang: 'en' }, reader.detail) : null))) : h('p.note', {}, t('readers.none')));
}

let turn = 0;

/** Shows the sinks. */
export async function showSinks() {
  turn += 1;
  const mine = turn;
  const { sinks } = await get('/v1/sinks');
  // An answer that was overtaken by a later one tells nothing.
  if (mine !== turn) return;
  const box = byId('sinks');
  const said = box.querySelector('[role=status]') ?? h('p.note', { role: 'status' });
  const act = async (work) => {
    try {
      fill(said, await work());
    } catch (error) {
      fill(said, error.message);
    }
    await showSinks().catch(() => {});
  };
  refill(box, sinks.length ? h('ul.things', {}, sinks.map((sink) => sinkItem(sink, act))) : h('p.note', {}, t('sinks.none')), said);
}

function sinkItem(sink, act) {
  const path = `/v1/sinks/${encodeURIComponent(sink.name)}`;
  const button = (key, work) => h('button', { type: 'button', id: `sink-${sink.name}-${key}`, onclick: () => act(work) }, t(`sink.${key}`, { count: sink.dead ?? 0 }));
  return h('li', {},
    h('span', {}, h('strong', {}, sink.name)), ' ',
    h('span.badge', { className: SINK_TONES[sink.state] ?? '' }, word('sink', sink.state)),
    h('p.note', {}, [t('sink.position', { cursor: sink.cursor, depth: sink.depth }), sink.dead ? t('sink.deadCount', { count: sink.dead }) : null].filter(Boolean).join(' · ')),
    sink.reason ? h('p.problem', { lang: 'en' }, sink.reason) : null,
    h('p.buttons', {},
      button('test', async () => testSentence(sink.name, await post(`${path}/test`))),
      sink.state === 'disabled' ? button('enable', async () => { await post(`${path}/enable`); return t('sink.enabled', { name: sink.name }); }) : null,
      sink.dead === 0 ? null : button('resendDead', async () => t('delivery.resent',
        { count: (await post('/v1/deliveries/resend', { sink: sink.name, dead: true })).resent }))));
}

function testSentence(name, answer) {
  const outcome = answer?.ok ?? answer?.delivered ?? (answer?.state ? answer.state === 'delivered' : answer?.outcome === 'delivered');
  const detail = [answer?.status, answer?.detail].filter(Boolean).join(' ');
  return `${t(outcome ? 'sink.testGood' : 'sink.testBad', { name })}${detail ? `: ${detail}` : ''}`;
}
