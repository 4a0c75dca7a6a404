// SPDX-License-Identifier: Apache-2.0
// The customer's screen: one state, nothing about the person.

import { follow } from './api.js';
import { byId } from './dom.js';
import { setUpFrame } from './frame.js';
import { onLanguage, t } from './i18n.js';

/** States as the server names them, and the one of the five pictures that shows each. */
const PICTURES = { starting: 'away', ready: 'ready', hold: 'hold', done: 'done', retry: 'retry', away: 'away', stopped: 'away' };
/** The server goes back to `ready` by itself; this is for one that stopped in between. */
const STALE = 15_000;

let state = 'away';
let stale = null;
let isSoundOn = false;
let audio = null;

/** Shows a state; one that is not known counts as away. */
function show(next) {
  state = PICTURES[next] ?? 'away';
  document.body.dataset.state = state;
  // Setting the same text again would make screen readers speak again.
  put(byId('state'), t(`state.${state}`));
  put(byId('what'), t(`state.${state}.what`));
}

function put(element, text) {
  element.dataset.t = '';
  element.removeAttribute('data-t');
  if (element.textContent !== text) element.textContent = text;
}

/** A state from the server. */
function received(next) {
  const changed = PICTURES[next] !== state;
  show(next);
  clearTimeout(stale);
  if (state === 'done' || state === 'retry') stale = setTimeout(() => show('ready'), STALE);
  if (changed) sound(state);
}

/** A short tone: high for done, low for try again. Off unless somebody switched it on. */
function sound(name) {
  const pitch = { done: [880, 1320], retry: [330, 220] }[name];
  if (!isSoundOn || !pitch) return;
  audio ??= new AudioContext();
  pitch.forEach((frequency, index) => {
    const at = audio.currentTime + index * 0.14;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.15, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.13);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.14);
  });
}

setUpFrame();
show('away');
onLanguage(() => show(state));

byId('sound').addEventListener('click', (event) => {
  isSoundOn = !isSoundOn;
  event.currentTarget.setAttribute('aria-pressed', String(isSoundOn));
  sound('done');
});

follow('/v1/live', {
  event: ({ type, data }) => {
    if (type === 'state') received(JSON.parse(data).state);
  },
  closed: () => received('away'),
});
