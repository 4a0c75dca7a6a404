// SPDX-License-Identifier: Apache-2.0
// The counter's API (`/openapi.json`): requests with the bearer token where one is asked for, and server-sent events
// read with `fetch`, since `EventSource` cannot send a token.

const TOKEN = 'countertop-token';

/** What went wrong with a request: `status` 0 means that the server did not answer. */
export class APIError extends Error {
  constructor(status, problem = {}) {
    super([problem.detail || problem.title || `HTTP ${status}`, problem.hint].filter(Boolean).join(' → '));
    this.status = status;
    this.problem = problem;
  }
}

/** Asks the person for a token; a page with such a dialogue puts its own function here. */
export const tokenPrompt = { ask: async (_wasWrong) => null };

let asking = null;
/** The person closed the dialogue: it comes back when they do something, not by itself. */
let isDeclined = false;
for (const type of ['pointerdown', 'keydown']) addEventListener(type, () => { isDeclined = false; }, true);

function headers(extra = {}) {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { ...extra, authorization: `Bearer ${token}` } : extra;
}

/** Asks once, however many requests were refused at the same time. */
async function renewToken(refused) {
  if (sessionStorage.getItem(TOKEN) !== refused) return true;
  if (isDeclined) return false;
  asking ??= tokenPrompt.ask(refused !== null).finally(() => { asking = null; });
  const token = await asking;
  isDeclined = !token;
  if (token) sessionStorage.setItem(TOKEN, token);
  return Boolean(token);
}

/**
 * Sends a request; asks for a token when the answer is 401, until it is right or the person gives up.
 * @returns {Promise<Response>} With a status below 300.
 * @throws {APIError}
 */
async function send(path, options = {}) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    let response;
    try {
      response = await fetch(path, { cache: 'no-store', ...options, headers: headers(options.headers) });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new APIError(0, { title: 'unreachable' });
    }
    if (response.ok) return response;
    if (response.status === 401 && await renewToken(token)) continue;
    throw new APIError(response.status, await response.json().catch(() => ({})));
  }
}

/** The JSON at a path. */
export const get = async (path, options) => (await send(path, options)).json();

/** The text at a path. */
export const getText = async (path) => (await send(path, { headers: { accept: 'text/plain' } })).text();

/** Sends JSON; gives back the JSON of the answer, or null when there is none. */
export async function post(path, body = null, method = 'POST') {
  const response = await send(path, {
    method,
    headers: body === null ? {} : { 'content-type': 'application/json' },
    body: body === null ? null : JSON.stringify(body),
  });
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/**
 * Takes server-sent events apart (WHATWG HTML, 9.2.6), however the text is cut.
 * @param {(event: {type: string, data: string, id: string|null}) => void} emit
 * @returns {(chunk: string) => void}
 */
export function eventParser(emit) {
  let rest = '';
  let event = { type: 'message', data: [], id: null };
  return (chunk) => {
    const lines = (rest + chunk).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (event.data.length) emit({ ...event, data: event.data.join('\n') });
        event = { type: 'message', data: [], id: null };
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') event.data.push(value);
      else if (field === 'event') event.type = value;
      else if (field === 'id') event.id = value;
    }
  };
}

/** Longer without a byte (the server sends a comment every 15 s) means that the connection is dead. */
const SILENCE = 40_000;
const FIRST_DELAY = 250;
const LONGEST_DELAY = 5_000;

/**
 * Follows a stream of events for as long as the page lives, through server restarts.
 * @param {string} path
 * @param {{opened?: () => void, closed?: (error: Error|null) => void, event: (event: object) => void}} listener
 * @returns {() => void} Ends it.
 */
export function follow(path, listener) {
  let ended = false;
  let controller = null;
  let delay = FIRST_DELAY;
  const once = async () => {
    controller = new AbortController();
    const response = await send(path, { headers: { accept: 'text/event-stream' }, signal: controller.signal });
    delay = FIRST_DELAY;
    listener.opened?.();
    const parse = eventParser(listener.event);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const silence = setTimeout(() => controller.abort(), SILENCE);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      parse(value);
    }
  };
  // A page that the browser keeps for the back button must not keep its connection: there are only six for a host.
  let isHidden = false;
  addEventListener('pagehide', () => {
    isHidden = true;
    controller?.abort();
  });
  const shown = () => (isHidden ? new Promise((resolve) => {
    addEventListener('pageshow', () => { isHidden = false; resolve(); }, { once: true });
  }) : null);
  (async () => {
    while (!ended) {
      await shown();
      let failure = null;
      try {
        await once();
      } catch (error) {
        failure = error;
      }
      if (ended) return;
      if (isHidden) continue;
      listener.closed?.(failure);
      await new Promise((resolve) => { setTimeout(resolve, delay * (0.75 + Math.random() / 2)); });
      delay = Math.min(LONGEST_DELAY, delay * 1.6);
    }
  })();
  return () => {
    ended = true;
    controller?.abort();
  };
}
