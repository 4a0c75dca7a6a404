// SPDX-License-Identifier: Apache-2.0
// One tap: what happened and why, its exchanges, its deliveries, and what it has in common with another one.

import { get, post } from './api.js';
import { comparePanel } from './compare.js';
import { DeliveryPanel } from './deliveries.js';
import { byId, download, fill, h, roving } from './dom.js';
import { dateAndTime, duration, maybe, t } from './i18n.js';
import { ladder } from './ladder.js';
import { reasonShort, shortPass, shortReader, walletName } from './tap-list.js';

const TABS = ['exchanges', 'deliveries', 'compare'];

/** The pane under the list. */
export class TapDetail {
  /**
   * @param {{taps: import('./taps.js').Taps, dictionary: () => import('./dictionary.js').Dictionary,
   *   closed: (id: string) => void}} bench
   */
  constructor(bench) {
    this.bench = bench;
    this.element = byId('detail');
    this.id = null;
    this.tab = 'exchanges';
    this.deliveries = new DeliveryPanel();
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  /** Shows a tap. */
  async open(id, tab = 'exchanges') {
    this.id = id;
    this.tab = TABS.includes(tab) ? tab : 'exchanges';
    this.trace = null;
    this.traceError = null;
    this.element.hidden = false;
    this.writeAddress();
    let tap = this.bench.taps.get(id);
    try {
      tap ??= await get(`/v1/taps/${encodeURIComponent(id)}`);
    } catch (error) {
      return this.fail(error);
    }
    if (this.id !== id) return undefined;
    this.tap = tap;
    this.draw();
    await this.fetchTrace(id);
    // On a narrow screen the tap is below the list.
    if (this.id === id && matchMedia('(max-width: 62rem)').matches) this.element.scrollIntoView();
    return undefined;
  }

  async fetchTrace(id) {
    if (!this.tap.hasTrace) return this.showTab();
    try {
      const trace = await get(`/v1/taps/${encodeURIComponent(id)}/trace`);
      if (this.id !== id) return undefined;
      this.trace = trace;
    } catch (error) {
      if (this.id !== id) return undefined;
      this.traceError = error;
    }
    this.drawWhy();
    return this.showTab();
  }

  fail(error) {
    fill(this.element, h('div.detail-head', {}, h('h2', { id: 'detail-title' }, t('detail.title')), this.closeButton()),
      h('p.problem.pad', {}, error.status === 404 ? t('detail.gone') : error.message));
  }

  close() {
    const { id } = this;
    this.id = null;
    this.element.hidden = true;
    fill(this.element);
    this.writeAddress();
    this.bench.closed(id);
  }

  writeAddress() {
    const url = new URL(location.href);
    if (this.id) url.searchParams.set('tap', this.id);
    else url.searchParams.delete('tap');
    if (this.id && this.tab !== 'exchanges') url.searchParams.set('tab', this.tab);
    else url.searchParams.delete('tab');
    history.replaceState(history.state, '', url);
  }

  /** Live news about the tap. */
  updated(tap) {
    if (tap.id !== this.id || !this.tap) return;
    this.tap = tap;
    this.drawWhy();
    if (this.tab === 'deliveries') this.deliveries.refresh(tap);
  }

  /** After a pause: what could not be fetched is fetched now. */
  async reconnected() {
    if (!this.id || !this.tap || !this.traceError) return;
    this.traceError = null;
    await this.fetchTrace(this.id);
  }

  closeButton() {
    return h('button.plain.close', { type: 'button', 'aria-label': t('detail.close'), title: t('detail.close'), onclick: () => this.close() }, '✕');
  }

  draw() {
    const { tap } = this;
    const button = (key, action, disabled = false) => h('button', { type: 'button', id: `do-${key}`, disabled, onclick: action }, t(`detail.${key}`));
    this.why = h('div.why');
    this.result = h('div.replay-result', { role: 'status' });
    this.panel = h('div.tab-panel', { role: 'tabpanel', id: 'tab-panel', tabindex: '-1' });
    fill(this.element,
      h('div.detail-head', {},
        h('h2', { id: 'detail-title', tabindex: '-1' }, t('detail.title'), ' ', h('span.when', {}, dateAndTime(tap.time))),
        h('span.badge', { className: tap.result === 'read' ? 'good' : 'bad' }, t(`result.${tap.result}`)),
        h('span.gap'), button('replay', () => this.replay(), !tap.hasTrace),
        button('save', () => this.save(), !tap.hasTrace), this.closeButton()),
      h('p.facts', {}, [
        h('code', {}, tap.id), walletName(tap.wallet), shortReader(tap.reader), tap.mode ? t(`mode.${tap.mode}`) : null, duration(tap.latencyMs),
      ].filter(Boolean).flatMap((part, index) => (index ? [' · ', part] : [part]))),
      this.why, this.result, this.tabs(), this.panel);
    this.drawWhy();
  }

  /** Passes with their results, and the sentence that explains a failure. */
  drawWhy() {
    const { tap } = this;
    const passes = tap.passes.map((pass) => h('li', {},
      h('strong', {}, shortPass(pass.passTypeIdentifier)), ' ',
      h('span.badge', { className: { read: 'good', parked: 'warn' }[pass.result] ?? 'bad' }, t(`pass.${pass.result}`)), ' ',
      pass.member ? h('span', {}, pass.member) : null, ' ',
      h('span.note', {}, [pass.statusWord, pass.keyId ? t('pass.key', { key: pass.keyId }) : null].filter(Boolean).join(' · ')),
      passReason(pass)));
    const said = (this.trace?.explanation ?? []).map((line) => h('li', { lang: 'en' }, sentence(line.text), line.hint ? h('span.fix', {}, ` → ${sentence(line.hint)}`) : null));
    fill(this.why,
      tap.reason ? failure(tap) : null,
      passes.length ? h('ul.passes', {}, passes) : null,
      said.length ? h('details.said', { open: tap.result === 'failed' && !tap.reason }, h('summary', {}, t('detail.story')), h('ul', {}, said)) : null);
  }

  tabs() {
    const tab = (name) => h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'tab-panel', 'aria-selected': String(this.tab === name),
      tabindex: this.tab === name ? '0' : '-1', onclick: () => this.chooseTab(name),
    }, t(`tab.${name}`));
    const list = h('div.tabs', { role: 'tablist', 'aria-label': t('detail.tabs') }, TABS.map(tab));
    roving(list, () => [...list.children]);
    list.addEventListener('focusin', (event) => event.target.id !== `tab-${this.tab}` && this.chooseTab(event.target.id.slice(4)));
    return list;
  }

  chooseTab(name) {
    this.tab = name;
    for (const each of TABS) {
      byId(`tab-${each}`).setAttribute('aria-selected', String(each === name));
      byId(`tab-${each}`).tabIndex = each === name ? 0 : -1;
    }
    this.writeAddress();
    this.showTab();
  }

  showTab() {
    if (!this.id) return;
    this.panel.setAttribute('aria-labelledby', `tab-${this.tab}`);
    if (this.tab === 'deliveries') this.deliveries.show(this.panel, this.tap);
    else if (this.traceError) fill(this.panel, h('p.problem.pad', {}, this.traceError.message));
    else if (!this.tap.hasTrace) fill(this.panel, h('p.note.pad', {}, t('detail.noTrace')));
    else if (!this.trace) fill(this.panel, h('p.note.pad', {}, t('loading')));
    else if (this.tab === 'compare') fill(this.panel, comparePanel(this.tap, this.trace.apdu, this.bench));
    else fill(this.panel, ladder(this.trace, this.tap, this.bench.dictionary()));
  }

  save() {
    if (this.trace) download(`${this.id}.apdu`, this.trace.apdu);
  }

  /** Runs the recorded exchanges through the reading code again; nothing is sent to any sink. */
  async replay() {
    fill(this.result, h('p.note', {}, t('loading')));
    try {
      const answer = await post(`/v1/taps/${encodeURIComponent(this.id)}/replay`);
      fill(this.result,
        h('p', {}, h('span.badge', { className: answer.same ? 'good' : 'bad' }, t(answer.same ? 'replay.same' : 'replay.differs')), ' ', t('replay.note')),
        answer.lines?.length ? h('ul.lines', { lang: 'en' }, answer.lines.map((line) => h('li', {}, h('code', {}, line)))) : null);
    } catch (error) {
      fill(this.result, h('p.problem', {}, error.message));
    }
  }
}

/** A failure in a sentence with the fix: the table's, else the server's. */
function failure(tap) {
  const { code, text, hint } = tap.reason;
  const [own, fix] = [maybe(`why.${code}`), maybe(`fix.${code}`)];
  return h('div.failure', { role: 'note', 'data-code': code },
    h('h3', {}, t('detail.why')),
    own ? h('p', {}, own) : h('p', { lang: 'en' }, sentence(text) || reasonShort(tap)),
    fix || hint ? h('p.fix', {}, h('strong', {}, t('detail.fix')), ' ', fix ?? h('span', { lang: 'en' }, sentence(hint))) : null);
}

/** The server writes without a capital and a full stop. */
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}` : '');

function passReason(pass) {
  if (!pass.reason) return null;
  const reason = typeof pass.reason === 'string' ? { text: pass.reason } : pass.reason;
  return h('p.note', { lang: 'en' }, sentence(reason.text ?? reason.code));
}
