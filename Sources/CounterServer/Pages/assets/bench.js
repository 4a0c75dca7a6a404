// SPDX-License-Identifier: Apache-2.0
// The bench: puts the parts together and keeps them live through server restarts.

import { follow, get } from './api.js';
import { Dictionary } from './dictionary.js';
import { byId } from './dom.js';
import { setUpFrame } from './frame.js';
import { onLanguage, t } from './i18n.js';
import { showReaders, showSinks } from './panels.js';
import { PhonePanel } from './phone-panel.js';
import { TapDetail } from './tap-detail.js';
import { reasonShort, TapList } from './tap-list.js';
import { Taps } from './taps.js';

let dictionary = new Dictionary();
let counterState = 'away';

const taps = new Taps((change) => {
  list.update(change);
  for (const tap of change.updated) detail.updated(tap);
  if (change.added.length) announce(change.added.at(-1));
});
setUpFrame();
const detail = new TapDetail({
  taps,
  dictionary: () => dictionary,
  closed: (id) => { list.select(null); list.focus(id); },
});
const list = new TapList(taps, (id) => open(id));
const phone = new PhonePanel();

async function open(id, tab) {
  list.select(id);
  await detail.open(id, tab);
}

/** Says to screen readers what came in; not more often than they can speak. */
let announced = 0;
function announce(tap) {
  if (Date.now() - announced < 2_000) return;
  announced = Date.now();
  byId('announcer').textContent = t('list.announce', { result: tap.result === 'read' ? t('result.read') : reasonShort(tap) });
}

function showLive(state) {
  byId('live').dataset.live = state;
  byId('live-text').textContent = t(`live.${state}`);
}

/** `text` is for the person behind the counter: what the reader waits for, or why there is none. */
function showState(state, text = '') {
  counterState = state;
  if (text !== null) byId('counter-text').textContent = text;
  const element = byId('counter-state');
  element.dataset.state = state;
  element.textContent = t(`counter.${state}`);
}

/** Calls again soon, but once for many events. */
function soon(work, delay = 150) {
  let timer = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      work().catch(() => {});
    }, delay);
  };
}
const sinksSoon = soon(showSinks, 300);
const readersSoon = soon(showReaders);

/** After the stream opened: everything that may have changed meanwhile. */
async function catchUp() {
  if (dictionary.isEmpty) dictionary = new Dictionary(await get('/v1/dictionary').catch(() => ({})));
  await Promise.allSettled([taps.refresh(), phone.show(), showReaders(), showSinks()]);
}

const handlers = {
  state: (data) => showState(data.state, data.text),
  tap: (data) => taps.received(data),
  delivery: (data) => {
    const tap = taps.delivered(data);
    if (tap) detail.updated(tap);
    sinksSoon();
  },
  refresh: () => catchUp(),
  reader: () => readersSoon(),
  wallet: () => phone.show().catch(() => {}),
};

showLive('connecting');
showState('away');
follow('/v1/live', {
  opened: async () => {
    await catchUp();
    showLive('live');
    // A tap may have come after the answer and before the stream knew where to begin.
    setTimeout(() => taps.catchUp().catch(() => {}), 1_500);
    await detail.reconnected();
    const asked = new URLSearchParams(location.search);
    if (asked.get('tap') && !detail.id) await open(asked.get('tap'), asked.get('tab') ?? undefined);
  },
  closed: (error) => {
    showLive(error?.status === 401 ? 'refused' : 'away');
    showState('away');
  },
  event: ({ type, data }) => handlers[type]?.(JSON.parse(data)),
});

onLanguage(() => {
  showLive(byId('live').dataset.live);
  showState(counterState, null);
  list.rebuild();
  phone.draw();
  Promise.allSettled([showReaders(), showSinks()]);
  if (detail.id) open(detail.id, detail.tab);
});
