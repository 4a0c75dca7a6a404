// SPDX-License-Identifier: Apache-2.0
// The taps that the bench knows. The order is the server's: what is new is always fetched with the cursor, and live
// events only say that there is something, so that nothing is missing or there twice after a restart.

import { APIError, get } from './api.js';

/** Taps kept in the page; the server has the others. */
const KEPT = 2_000;
const FIRST = 200;
const PAGE = 500;

/** Taps by arrival, oldest first. */
export class Taps {
  /** @param {(change: {added: object[], updated: object[], reset: boolean}) => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.byId = new Map();
    this.cursor = null;
    this.running = null;
    this.again = false;
    /** What live events said since the oldest answer that is still under way was asked for. */
    this.news = [];
    this.asking = 0;
  }

  /** Asks, and lets live events that came meanwhile have the last word over an older answer. */
  async ask(path, use) {
    this.asking += 1;
    const from = this.news.length;
    try {
      const answer = await get(path);
      use(answer);
      for (const told of this.news.slice(from)) told();
      return answer;
    } finally {
      this.asking -= 1;
      if (this.asking === 0) this.news = [];
    }
  }

  /** Does what a live event says, now and after answers that may be older. */
  told(work) {
    if (this.asking > 0) this.news.push(work);
    return work();
  }

  /** Newest first. */
  newestFirst() {
    return [...this.byId.values()].reverse();
  }

  get(id) {
    return this.byId.get(id) ?? null;
  }

  /** Fetches what is new; calls while one is under way are one more round. */
  catchUp() {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.rounds().finally(() => { this.running = null; });
    return this.running;
  }

  async rounds() {
    do {
      this.again = false;
      if (this.cursor === null) await this.first();
      else await this.rest();
    } while (this.again);
  }

  async first() {
    await this.ask(`/v1/taps?latest=${FIRST}`, ({ taps, cursor }) => {
      this.cursor = cursor;
      this.byId = new Map(taps.map((tap) => [tap.id, tap]));
      this.changed({ added: [], updated: [], reset: true });
    });
  }

  async rest() {
    for (;;) {
      let page;
      let isNews = false;
      try {
        page = await this.ask(`/v1/taps?after=${encodeURIComponent(this.cursor)}&limit=${PAGE}`, ({ taps, cursor }) => {
          isNews = cursor !== this.cursor;
          this.cursor = cursor;
          this.merge(taps);
        });
      } catch (error) {
        // Another state directory: its cursors are not ours.
        if (!(error instanceof APIError) || error.status !== 410) throw error;
        return this.first();
      }
      if (!isNews || page.taps.length < PAGE) return undefined;
    }
  }

  /** After a pause: rows that changed meanwhile, then what is new. */
  async refresh() {
    // More than one answer has: any of them may have changed.
    if (this.byId.size > FIRST) this.cursor = null;
    if (this.cursor !== null) {
      await this.ask(`/v1/taps?latest=${FIRST}`, ({ taps, cursor }) => {
        // A counter with fewer taps than we have seen is another one, or began anew.
        if (Number(cursor) < Number(this.cursor)) this.cursor = null;
        else this.merge(taps.filter((tap) => this.byId.has(tap.id)));
      });
    }
    await this.catchUp();
  }

  /** A live event's tap: new ones are fetched in order. */
  received(tap) {
    if (this.byId.has(tap.id)) this.told(() => this.merge([tap]));
    else this.catchUp().catch(() => {});
  }

  /** A live event's delivery. */
  delivered(delivery) {
    return this.told(() => this.setDelivery(delivery));
  }

  setDelivery({ event, sink, state }) {
    for (const tap of this.byId.values()) {
      const delivery = tap.deliveries.find((each) => each.event === event && each.sink === sink);
      if (delivery) {
        if (delivery.state === state) return tap;
        delivery.state = state;
        this.changed({ added: [], updated: [tap], reset: false });
        return tap;
      }
      if (tap.events.some((each) => each.id === event)) {
        tap.deliveries.push({ event, sink, state });
        this.changed({ added: [], updated: [tap], reset: false });
        return tap;
      }
    }
    return null;
  }

  merge(taps) {
    const [added, updated] = [[], []];
    for (const tap of taps) {
      (this.byId.has(tap.id) ? updated : added).push(tap);
      this.byId.set(tap.id, tap);
    }
    for (const id of this.byId.keys()) {
      if (this.byId.size <= KEPT) break;
      this.byId.delete(id);
    }
    if (added.length || updated.length) this.changed({ added, updated, reset: false });
  }
}

/** One word for all deliveries of a tap: the worst counts. */
export function deliveryState(tap) {
  const states = new Set(tap.deliveries.map((each) => each.state));
  if (!tap.events.length) return 'none';
  for (const state of ['dead', 'retrying', 'pending']) if (states.has(state)) return state;
  if (tap.events.some((event) => event.position === null || event.position === undefined)) return 'parked';
  return states.has('delivered') ? 'delivered' : 'unsent';
}

/**
 * Whether a tap is shown under these filters.
 * @param {object} tap
 * @param {{q?: string, result?: string, delivery?: string, wallet?: string, reader?: string}} filters
 */
export function matches(tap, filters) {
  if (filters.result && tap.result !== filters.result) return false;
  if (filters.delivery && deliveryState(tap) !== filters.delivery) return false;
  if (filters.wallet && (tap.wallet ?? '') !== filters.wallet) return false;
  if (filters.reader && tap.reader !== filters.reader) return false;
  if (!filters.q) return true;
  const text = [tap.id, tap.reader, tap.wallet, tap.reason?.code, tap.reason?.text, tap.payment?.scheme,
    ...tap.passes.flatMap((pass) => [pass.passTypeIdentifier, pass.member, pass.keyId, pass.statusWord])];
  const wanted = filters.q.toLowerCase();
  return text.some((each) => each && String(each).toLowerCase().includes(wanted));
}
