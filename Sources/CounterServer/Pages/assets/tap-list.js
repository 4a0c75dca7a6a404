// SPDX-License-Identifier: Apache-2.0
// The list of taps: newest first, one line each, with filters that stand in the address.

import { append, byId, download, fill, h, roving } from './dom.js';
import { duration, t, timeOfDay } from './i18n.js';
import { deliveryState, matches } from './taps.js';

const STEP = 200;
const FILTERS = ['q', 'result', 'delivery', 'wallet', 'reader'];
const CHOICES = {
  result: ['read', 'failed'],
  delivery: ['delivered', 'pending', 'retrying', 'dead', 'parked', 'none'],
};
const TONES = { delivered: 'good', pending: '', retrying: 'warn', dead: 'bad', parked: 'warn', none: '', unsent: '' };

/** The class of a delivery's badge. */
export const tone = (state) => TONES[state] ?? '';

/** The list with its filters. */
export class TapList {
  /** @param {import('./taps.js').Taps} taps @param {(id: string) => void} open */
  constructor(taps, open) {
    Object.assign(this, { taps, open, limit: STEP, selected: null, rows: new Map() });
    this.filters = readFilters();
    this.buildFilters();
    this.body = h('tbody');
    roving(this.body, () => [...this.body.querySelectorAll('button.open')]);
    this.draw();
  }

  /** Builds everything again, as after a change of the language. */
  rebuild() {
    this.buildFilters();
    this.draw();
  }

  buildFilters() {
    const select = (name, values) => h('label', {}, h('span', {}, t(`filter.${name}`)),
      h('select', { name, id: `filter-${name}` }, h('option', { value: '' }, t('filter.all')),
        values.map((value) => h('option', { value, selected: this.filters[name] === value },
          CHOICES[name] ? t(`${name}.${value}`) : value))));
    const known = (key) => [...new Set([this.filters[key], ...this.taps.newestFirst().map((tap) => tap[key])])].filter(Boolean).sort();
    this.knownWallets = known('wallet').join();
    fill(byId('filters'),
      h('label', {}, h('span', {}, t('filter.q')), h('input', { type: 'search', name: 'q', id: 'filter-q', value: this.filters.q ?? '' })),
      select('result', CHOICES.result), select('delivery', CHOICES.delivery), select('wallet', known('wallet')),
      h('button', { type: 'button', id: 'jsonl', title: t('list.jsonlTitle'), onclick: () => this.save() }, 'JSONL'));
    byId('filters').oninput = (event) => this.filter(event.target);
    byId('filters').onsubmit = (event) => event.preventDefault();
  }

  filter(field) {
    this.filters[field.name] = field.value.trim();
    this.limit = STEP;
    writeFilters(this.filters);
    this.draw();
  }

  /** The rows as shown, all of them. */
  matching() {
    return this.taps.newestFirst().filter((tap) => matches(tap, this.filters));
  }

  save() {
    download('taps.jsonl', this.matching().map((tap) => `${JSON.stringify(tap)}\n`).join(''), 'application/jsonl');
  }

  /** @param {{added: object[], updated: object[], reset: boolean}} change */
  update(change) {
    const wallets = [...new Set(this.taps.newestFirst().map((tap) => tap.wallet))].filter(Boolean).sort().join();
    if (wallets !== this.knownWallets && !byId('filters').contains(document.activeElement)) this.buildFilters();
    if (change.reset || change.added.length > 20 || !this.body.isConnected || !this.rows.size) {
      this.draw();
      return;
    }
    // With a filter, a tap can come into the list or leave it by what becomes of it.
    if (change.updated.some((tap) => matches(tap, this.filters) !== this.rows.has(tap.id) && this.isWithin(tap))) {
      this.draw();
      return;
    }
    for (const tap of change.updated) {
      const old = this.rows.get(tap.id);
      if (old) this.replace(old, tap);
    }
    for (const tap of change.added) {
      if (matches(tap, this.filters)) this.body.prepend(this.row(tap, true));
    }
    this.trim();
    this.count();
    this.tabStop();
  }

  /** Whether a tap's row would be among those that are shown: one beyond the limit has none. */
  isWithin(tap) {
    const last = this.body.lastElementChild?.dataset.id ?? '';
    return this.body.childElementCount < this.limit || tap.id >= last;
  }

  /** The oldest rows beyond the limit go, except one that has the focus. */
  trim() {
    for (let row = this.body.lastElementChild; row && this.body.childElementCount > this.limit;) {
      const older = row;
      row = row.previousElementSibling;
      if (older.contains(document.activeElement)) continue;
      this.rows.delete(older.dataset.id);
      older.remove();
    }
  }

  /** A row drawn anew keeps the focus. */
  replace(old, tap) {
    const hadFocus = old.contains(document.activeElement);
    const row = this.row(tap);
    old.replaceWith(row);
    if (hadFocus) row.querySelector('button.open').focus();
  }

  draw() {
    const all = this.matching();
    const focused = document.activeElement?.closest?.('tr')?.dataset.id;
    this.rows.clear();
    const columns = ['time', 'reader', 'wallet', 'pass', 'member', 'payment', 'latency', 'delivery'];
    fill(this.body, all.slice(0, this.limit).map((tap) => this.row(tap)));
    const table = h('table.taps', {},
      h('thead', {}, h('tr', {}, columns.map((name) => h('th', { scope: 'col', className: `col-${name}` }, t(`column.${name}`))))), this.body);
    this.footer = h('p.note.foot');
    fill(byId('list-box'), this.taps.byId.size ? table : h('p.empty', {}, t(this.taps.cursor === null ? 'loading' : 'list.empty')), this.footer);
    this.count();
    this.tabStop();
    if (focused) this.rows.get(focused)?.querySelector('button.open').focus();
  }

  count() {
    const total = this.matching().length;
    const shown = this.body.childElementCount;
    fill(this.footer, this.taps.byId.size ? t('list.count', { shown: total, total: this.taps.byId.size }) : '');
    if (total > shown) append(this.footer, [' ', h('button', { type: 'button', onclick: () => { this.limit += STEP; this.draw(); } }, t('list.more'))]);
  }

  /** One row is in the tab order: the selected one, else the newest. */
  tabStop() {
    const buttons = [...this.body.querySelectorAll('button.open')];
    const stop = buttons.find((each) => each.closest('tr').dataset.id === this.selected) ?? buttons[0];
    for (const each of buttons) each.tabIndex = each === stop || each === document.activeElement ? 0 : -1;
  }

  row(tap, isNew = false) {
    const [pass] = tap.passes;
    const state = deliveryState(tap);
    const isSelected = tap.id === this.selected;
    const row = h('tr', {
      'data-id': tap.id, className: [tap.result, isNew ? 'new' : '', isSelected ? 'selected' : ''].join(' '),
      onclick: (event) => { if (!event.target.closest('a')) this.open(tap.id); },
    },
    h('td.col-time', {}, h('button.open', { type: 'button', 'aria-current': isSelected ? 'true' : null, 'aria-label': t('list.open', { time: timeOfDay(tap.time) }) }, timeOfDay(tap.time))),
    h('td.col-reader', { title: tap.reader }, shortReader(tap.reader)),
    h('td.col-wallet', {}, walletName(tap.wallet)),
    h('td.col-pass', {}, pass ? [shortPass(pass.passTypeIdentifier), tap.passes.length > 1 ? h('span.more', {}, ` +${tap.passes.length - 1}`) : null] : '–'),
    h('td.col-member', {}, tap.result === 'failed' ? h('span.problem', {}, reasonShort(tap)) : memberOf(tap)),
    h('td.col-payment', {}, tap.payment ? `${tap.payment.scheme ?? ''} ${outcomeName(tap.payment.outcome)}`.trim() : '–'),
    h('td.col-latency', {}, duration(tap.latencyMs)),
    h('td.col-delivery', {}, h(`span.badge`, { className: tone(state) }, t(`delivery.${state}`))));
    this.rows.set(tap.id, row);
    return row;
  }

  /** Marks the open tap. */
  select(id) {
    this.selected = id;
    for (const [each, row] of this.rows) {
      row.classList.toggle('selected', each === id);
      const button = row.querySelector('button.open');
      if (each === id) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
    this.tabStop();
  }

  /** Puts the focus on a tap's row. */
  focus(id) {
    this.rows.get(id)?.querySelector('button.open').focus();
  }
}

const outcomeName = (outcome) => (outcome ? t(`payment.${outcome}`).replace(/^payment\./, '') : '');

/** The wallet's name for people. */
export const walletName = (wallet) => (wallet ? t(`wallet.${wallet}`).replace(/^wallet\./, '') : '–');

/** A reader's name without the folders of its file. */
export const shortReader = (name) => (name ?? '').replace(/^(\w+:).*\//, '$1');

/** `pass.com.example.club` without what all have. */
export const shortPass = (identifier) => identifier.replace(/^pass\./, '');

/** Why a tap failed, in few words. */
export function reasonShort(tap) {
  const code = tap.reason?.code ?? 'failed';
  const text = t(`reason.${code}`);
  return text === `reason.${code}` ? tap.reason?.text ?? code : text;
}

function memberOf(tap) {
  const members = tap.passes.map((pass) => pass.member).filter(Boolean);
  if (members.length) return members.join(', ');
  const pass = tap.passes.find((each) => each.result !== 'read');
  return pass ? t(`pass.${pass.result}`) : '–';
}

function readFilters() {
  const parameters = new URLSearchParams(location.search);
  return Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? '']));
}

function writeFilters(filters) {
  const url = new URL(location.href);
  for (const name of FILTERS) {
    if (filters[name]) url.searchParams.set(name, filters[name]);
    else url.searchParams.delete(name);
  }
  history.replaceState(history.state, '', url);
}
