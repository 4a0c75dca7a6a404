// SPDX-License-Identifier: Apache-2.0
// The decoder page: what is pasted or dropped stays in the page; the address keeps it behind `#`, which no browser sends.

import { get } from './api.js';
import { byteView, faultText, statusWords } from './byte-view.js';
import { commandRow } from './apdu.js';
import { Decoder } from './decode.js';
import { Dictionary } from './dictionary.js';
import { byId, copy, fill, h } from './dom.js';
import { setUpFrame } from './frame.js';
import { HexError, parseHex, toHex } from './hex.js';
import { duration, maybe, onLanguage, t } from './i18n.js';
import { isPcap, pcapToTrace } from './pcap.js';
import { readTLV } from './tlv.js';
import { looksLikeTrace, readTrace } from './trace-file.js';

/** More text than this is decoded, but neither put into the address nor shown in the field, which would be slow. */
const MAX_LINK = 48_000;
/** More than this is no conversation with a card. */
const MAX_TEXT = 8_000_000;
const MAX_FRAMES = 400;
const CONTEXTS = ['vas', 'emv', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'interac'];

const EXAMPLE = `# WHAT: a pass is read
# SOURCE: synthetic
00A404000A4F53452E5641532E303100
6F1D50084170706C655061799F210201009F24047B6EB30A9F23040000003E9000
# 12ms
80CA0101369F220201009F2804010203049F2604008000029F252099E75ACA679B3CBB9DE229EF3D80B01A2A33A38AD4F5A58E7C21B0B083CA47FF00
6287
# 9ms`;

let dictionary = new Dictionary();
/** The whole text when the field shows only its beginning. */
let held = null;

/** Puts text into the field, or its beginning when it is long. */
function put(text) {
  const field = byId('input');
  held = text.length > MAX_LINK ? text : null;
  field.value = held ? `${text.slice(0, 2_000)}\n…` : text;
  field.readOnly = held !== null;
}

/** Decodes what is in the field and shows it. */
function decode() {
  const text = held ?? byId('input').value;
  byId('message').classList.remove('problem');
  say(held ? t('decoder.held', { count: held.length }) : '');
  writeFragment(text);
  if (!text.trim()) return fill(byId('result'));
  if (text.length > MAX_TEXT) return complain(t('decoder.tooLong'));
  const context = byId('context').value || null;
  const kind = byId('kind').value;
  try {
    if (kind === 'trace' || (kind === 'auto' && looksLikeTrace(text))) return showTrace(readTrace(text), context);
    return showBytes(parseHex(text), kind, context);
  } catch (error) {
    if (!(error instanceof HexError)) throw error;
    return complain(faultText(error));
  }
}

function complain(text) {
  byId('message').classList.add('problem');
  say(text);
  fill(byId('result'));
}

const say = (text) => { byId('message').textContent = text; };
const add = (text) => say([byId('message').textContent, text].filter(Boolean).join(' '));

function showBytes(bytes, kind, context) {
  const chosen = kind === 'auto' ? guess(bytes) : kind;
  const decoder = new Decoder(dictionary, context);
  const frame = chosen === 'command' ? decoder.command(bytes) : chosen === 'response' ? decoder.response(bytes) : decoder.objects(bytes);
  add(t('decoder.taken', { kind: t(`decoder.${chosen === 'tlv' ? 'objects' : chosen}`), count: bytes.length })
    + (frame.context ? t('decoder.takenContext', { context: t(`context.${frame.context}`) }) : ''));
  fill(byId('result'), frameBox(frame, null, true));
}

/** A command by its header, an answer by its last two bytes, else TLV. */
function guess(bytes) {
  if (commandRow(bytes) && !new Decoder(dictionary).command(bytes).fault) return 'command';
  const status = bytes.length >= 2 ? bytes[bytes.length - 2] * 256 + bytes[bytes.length - 1] : 0;
  const isKnown = maybe(`sw.${status.toString(16).toUpperCase().padStart(4, '0')}`) !== null;
  // Two bytes at the end that could be an object are more often a status word.
  if (bytes.length > 2 && isKnown && !readTLV(bytes, 0, bytes.length - 2).error) return 'response';
  const objects = readTLV(bytes);
  if (!objects.error && objects.nodes.length) return 'tlv';
  return bytes.length === 2 || isKnown ? 'response' : 'tlv';
}

function showTrace(trace, context) {
  if (trace.fault) {
    byId('message').classList.add('problem');
    add(faultText(trace.fault));
  }
  const redacted = trace.header.some((row) => row.key === 'REDACTED');
  const parts = [];
  if (trace.header.length) {
    parts.push(h('dl.trace-header', {}, trace.header.map((row) => [h('dt', {}, row.key), h('dd', {}, row.text)])));
  }
  let shown = 0;
  trace.taps.forEach((exchanges, index) => {
    if (trace.taps.length > 1) parts.push(h('h3.tap-title', {}, t('decoder.tap', { number: index + 1 })));
    const decoder = new Decoder(dictionary, context);
    exchanges.forEach((exchange) => {
      if (shown >= MAX_FRAMES) return;
      shown += 1;
      parts.push(frameBox(decoder.command(exchange.command), null, shown <= 6, { redacted, quiet: shown > 1 }));
      if (exchange.response) parts.push(frameBox(decoder.response(exchange.response), exchange.ms, shown <= 6, { redacted, quiet: true }));
      else parts.push(h('p.problem', {}, t('ladder.lost')));
    });
  });
  const total = trace.taps.reduce((sum, tap) => sum + tap.length, 0);
  if (total > shown) parts.push(h('p.note', {}, t('decoder.cut', { shown, total })));
  fill(byId('result'), parts);
}

/** One frame: closed ones are built when they are opened, so that long traces stay quick. */
function frameBox(frame, ms, open, { redacted = false, quiet = false } = {}) {
  const arrow = { command: '→', response: '←', objects: '' }[frame.kind];
  const status = frame.kind === 'response' && frame.status !== null
    ? `${toHex([frame.status >> 8, frame.status & 0xff])} ${statusWords(frame.status, frame.context)}` : '';
  const summary = h('summary', {},
    h('span.arrow', { 'aria-hidden': 'true' }, arrow),
    h('span', {}, frame.kind === 'command' ? frame.title : t(`decoder.${frame.kind}`)),
    status ? h('span.status', {}, status) : null,
    frame.context ? h('span.badge', {}, t(`context.${frame.context}`)) : null,
    ms === null ? null : h('span.note', {}, duration(ms)),
    frame.fault ? h('span.problem.fault', {}, faultText(frame.fault)) : null);
  const box = h('details.frame', { open }, summary);
  const build = () => {
    if (box.open && !box.querySelector('.byte-view')) box.append(byteView(frame, { redacted, quiet, masked: byId('masked').checked }));
  };
  box.addEventListener('toggle', build);
  build();
  return box;
}

/** The fragment is never sent to the server. */
function writeFragment(text) {
  const parameters = new URLSearchParams();
  if (text && text.length <= MAX_LINK) parameters.set('hex', text);
  if (byId('kind').value !== 'auto') parameters.set('as', byId('kind').value);
  if (byId('context').value) parameters.set('context', byId('context').value);
  const fragment = parameters.toString();
  const url = new URL(location.href);
  url.hash = fragment;
  if (url.href !== location.href) history.replaceState(null, '', url);
  byId('link').disabled = !text || text.length > MAX_LINK;
}

function readFragment() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (!location.hash) return;
  put(parameters.get('hex') ?? '');
  if (parameters.get('as')) byId('kind').value = parameters.get('as');
  byId('context').value = CONTEXTS.includes(parameters.get('context')) ? parameters.get('context') : '';
}

async function take(file) {
  if (file.size > MAX_TEXT) return complain(t('decoder.tooLong'));
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isPcap(bytes)) {
    const { text, fault } = pcapToTrace(bytes);
    put(text);
    byId('kind').value = 'trace';
    decode();
    return fault ? complain(faultText(fault)) : undefined;
  }
  const isText = bytes.every((value) => value >= 0x20 || value === 0x09 || value === 0x0a || value === 0x0d);
  put(isText ? new TextDecoder().decode(bytes) : toHex(bytes));
  byId('kind').value = 'auto';
  return decode();
}

function fillContexts() {
  for (const context of CONTEXTS) {
    byId('context').append(h('option', { value: context, 'data-t': `context.${context}` }, t(`context.${context}`)));
  }
}

function listen() {
  let timer = null;
  byId('input').addEventListener('input', () => {
    clearTimeout(timer);
    // At once, before the browser lays the long text out.
    if (byId('input').value.length > MAX_LINK) put(byId('input').value);
    timer = setTimeout(decode, 120);
  });
  byId('input').addEventListener('paste', (event) => {
    const text = event.clipboardData.getData('text');
    if (text.length <= MAX_LINK) return;
    event.preventDefault();
    put(text);
    decode();
  });
  for (const id of ['kind', 'context', 'masked']) byId(id).addEventListener('change', decode);
  byId('file').addEventListener('change', (event) => event.target.files[0] && take(event.target.files[0]));
  byId('example').addEventListener('click', () => { put(EXAMPLE); byId('kind').value = 'auto'; decode(); });
  byId('clear').addEventListener('click', () => { put(''); decode(); byId('input').focus(); });
  byId('link').addEventListener('click', async () => say(t(await copy(location.href) ? 'copied' : 'notCopied')));
  addEventListener('hashchange', () => { readFragment(); decode(); });
  const section = document.querySelector('.input');
  addEventListener('dragover', (event) => { event.preventDefault(); section.classList.add('drop'); });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) section.classList.remove('drop'); });
  addEventListener('drop', (event) => {
    event.preventDefault();
    section.classList.remove('drop');
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  });
}

setUpFrame();
fillContexts();
readFragment();
listen();
onLanguage(decode);
decode();
try {
  dictionary = new Dictionary(await get('/v1/dictionary'));
  decode();
} catch {
  if (!byId('message').textContent) say(t('decoder.noDictionary'));
}
