// SPDX-License-Identifier: Apache-2.0
// A tree of data objects beside its bytes: pointing at one shows the other.

import { focusAmong, h } from './dom.js';
import { hexByte, toASCII } from './hex.js';
import { maybe, t } from './i18n.js';

const MAX_ROWS = 800;
const MAX_BYTES = 4_096;
const PER_ROW = 16;
let serial = 0;

/**
 * Builds the view of one frame.
 * @param {import('./decode.js').Frame} frame
 * @param {{redacted?: boolean, masked?: boolean, stacked?: boolean, quiet?: boolean}} [options] `redacted`: card data was
 *   replaced when it was recorded; `masked`: card data is shown as dots; `stacked`: bytes above the tree; `quiet`: no hint.
 * @returns {HTMLElement}
 */
export function byteView(frame, options = {}) {
  serial += 1;
  const view = new ByteView(frame, options, `bytes${serial}`);
  return view.element;
}

class ByteView {
  constructor(frame, options, id) {
    Object.assign(this, { frame, options, id });
    this.rows = [];
    this.owners = new Array(Math.min(frame.bytes.length, MAX_BYTES)).fill(null);
    this.secret = new Set();
    this.tree = h('ul.tree', { role: 'tree', 'aria-label': t('bytes.tree') }, frame.nodes.map((node) => this.row(node, 1, null)));
    this.bytes = this.byteGrid();
    this.pointed = h('p.pointed', { 'aria-live': 'polite' }, this.hint());
    const boxes = [h('div.tree-box', {}, this.tree, this.cut()), h('div.grid-box', {}, this.bytes, this.pointed)];
    this.element = h('div.byte-view', { id, className: options.stacked ? 'stacked' : '' }, options.stacked ? boxes.reverse() : boxes);
    if (this.rows[0]) this.rows[0].element.tabIndex = 0;
    this.listen();
  }

  hint() {
    return this.options.quiet ? '' : t('bytes.hint');
  }

  cut() {
    return this.rows.length >= MAX_ROWS ? h('p.note', {}, t('bytes.cut', { count: MAX_ROWS })) : null;
  }

  /** One node and what is inside it. */
  row(node, depth, parent) {
    if (node.label === 'SW' && node.name === 'status word') node.lines = [statusWords(this.frame.status, this.frame.context)];
    if (this.rows.length >= MAX_ROWS) return null;
    const row = { node, parent, element: null, index: this.rows.length };
    this.rows.push(row);
    for (let at = node.start; at < Math.min(node.end, this.owners.length); at += 1) this.owners[at] = row;
    if (node.sensitive && !node.children.length) {
      for (let at = node.valueStart; at < Math.min(node.end, this.owners.length); at += 1) this.secret.add(at);
    }
    const hasChildren = node.children.length > 0;
    row.line = h('div.line', { id: `${this.id}-${row.index}` },
      h('span.twist', { 'aria-hidden': 'true' }, hasChildren ? '▾' : ''),
      h('span.tag', {}, node.label), ' ', node.name ? h('span.name', { lang: 'en' }, node.name) : null,
      h('span.length', {}, ` ${t('bytes.length', { count: node.end - node.valueStart })}`),
      this.value(node), node.fault ? h('span.problem', {}, ` ${faultText(node.fault)}`) : null);
    row.element = h('li', {
      role: 'treeitem', tabindex: '-1', 'aria-level': depth, 'aria-expanded': hasChildren ? 'true' : null, 'data-row': row.index,
      'aria-labelledby': `${this.id}-${row.index}`,
    }, row.line, hasChildren ? h('ul', { role: 'group' }, node.children.map((child) => this.row(child, depth + 1, row))) : null);
    return row.element;
  }

  value(node) {
    const parts = [];
    if (node.value !== null && node.value !== '') {
      const hidden = node.sensitive && this.options.masked;
      const text = hidden ? '•'.repeat(Math.min(32, node.value.length)) : shorten(node.value);
      parts.push(' ', h('code.value', {}, text));
    }
    if (node.sensitive) parts.push(' ', h('span.badge.secret', { title: t('bytes.why') }, t(this.options.redacted ? 'bytes.redacted' : 'bytes.sensitive')));
    if (node.lines.length === 1) parts.push(' ', h('span.meaning', { lang: node.label === 'SW' ? null : 'en' }, node.lines[0]));
    else if (node.lines.length) parts.push(h('ul.meanings', { lang: 'en' }, node.lines.map((line) => h('li', {}, line))));
    return parts;
  }

  /** Offsets, bytes and characters, sixteen in a row. */
  byteGrid() {
    const { bytes } = this.frame;
    const shown = Math.min(bytes.length, MAX_BYTES);
    const rows = [];
    this.cells = [];
    for (let from = 0; from < shown; from += PER_ROW) {
      const to = Math.min(shown, from + PER_ROW);
      const cells = [];
      for (let at = from; at < to; at += 1) {
        const hidden = this.options.masked && this.secret.has(at);
        const cell = h('span.byte', { 'data-at': at, tabindex: '-1', className: hidden ? 'hidden-byte' : '' },
          hidden ? '••' : hexByte(bytes[at]));
        this.cells.push(cell);
        cells.push(cell);
      }
      const characters = Array.from(toASCII(bytes.subarray(from, to)),
        (character, index) => (this.options.masked && this.secret.has(from + index) ? '•' : character)).join('');
      rows.push(h('div.byte-row', {},
        h('span.offset', { 'aria-hidden': 'true' }, from.toString(16).toUpperCase().padStart(4, '0')),
        h('span.cells', {}, cells), h('span.characters', { 'aria-hidden': 'true' }, characters)));
    }
    if (this.cells[0]) this.cells[0].tabIndex = 0;
    const rest = bytes.length > shown ? h('p.note', {}, t('bytes.more', { count: bytes.length - shown })) : null;
    return h('div.grid', { role: 'group', 'aria-label': t('bytes.grid') }, rows, rest);
  }

  listen() {
    const rowOf = (target) => this.rows[target.closest?.('[role=treeitem]')?.dataset.row];
    const cellOf = (target) => target.closest?.('.byte');
    for (const kind of ['mouseover', 'focusin']) {
      this.tree.addEventListener(kind, (event) => this.point(rowOf(event.target)));
      this.bytes.addEventListener(kind, (event) => {
        const cell = cellOf(event.target);
        if (cell) this.point(this.owners[cell.dataset.at], Number(cell.dataset.at), kind === 'focusin');
      });
    }
    this.element.addEventListener('mouseleave', () => this.restore());
    this.tree.addEventListener('click', (event) => this.click(event, rowOf(event.target)));
    this.tree.addEventListener('keydown', (event) => this.treeKey(event, rowOf(event.target)));
    this.bytes.addEventListener('keydown', (event) => this.gridKey(event));
    this.bytes.addEventListener('click', (event) => {
      const cell = cellOf(event.target);
      if (cell) focusAmong(this.cells, cell);
    });
  }

  /** When the mouse leaves, what has the focus is pointed at again. */
  restore() {
    const focused = document.activeElement;
    if (this.tree.contains(focused)) this.point(this.rows[focused.dataset.row]);
    else if (this.bytes.contains(focused)) this.point(this.owners[focused.dataset.at], Number(focused.dataset.at));
    else this.point(null);
  }

  /** Lights up a node and its bytes. Nothing scrolls under a mouse that only passes over. */
  point(row, at = null, scroll = false) {
    if (this.lit === row && at === this.litAt) return;
    for (const element of this.element.querySelectorAll('.lit, .lit-value, .lit-one')) element.classList.remove('lit', 'lit-value', 'lit-one');
    [this.lit, this.litAt] = [row, at];
    if (!row) {
      this.pointed.textContent = this.hint();
      return;
    }
    row.line.classList.add('lit');
    const { start, valueStart, end } = row.node;
    for (let index = start; index < Math.min(end, this.cells.length); index += 1) {
      this.cells[index].classList.add(index < valueStart ? 'lit' : 'lit-value');
    }
    if (at !== null) this.cells[at]?.classList.add('lit-one');
    if (scroll) row.line.scrollIntoView({ block: 'nearest' });
    this.pointed.textContent = t('bytes.pointed', {
      tag: row.node.label, name: row.node.name, from: start, to: Math.max(start, end - 1), count: end - start,
    });
  }

  click(event, row) {
    if (!row) return;
    if (event.target.classList.contains('twist')) this.toggle(row);
    this.focusRow(row);
  }

  toggle(row, open = null) {
    const element = row.element;
    if (!element.hasAttribute('aria-expanded')) return;
    const isOpen = element.getAttribute('aria-expanded') === 'true';
    const next = open ?? !isOpen;
    element.setAttribute('aria-expanded', String(next));
    row.line.querySelector('.twist').textContent = next ? '▾' : '▸';
  }

  focusRow(row) {
    for (const each of this.rows) each.element.tabIndex = each === row ? 0 : -1;
    row.element.focus();
  }

  /** Rows that are not inside a closed one. */
  visible() {
    return this.rows.filter((row) => {
      for (let up = row.parent; up; up = up.parent) {
        if (up.element.getAttribute('aria-expanded') === 'false') return false;
      }
      return true;
    });
  }

  /** The keys of a tree (WAI-ARIA Authoring Practices, tree view). */
  treeKey(event, row) {
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = this.visible();
    const at = rows.indexOf(row);
    const isOpen = row.element.getAttribute('aria-expanded');
    const go = {
      ArrowDown: () => rows[at + 1], ArrowUp: () => rows[at - 1], Home: () => rows[0], End: () => rows.at(-1),
      ArrowRight: () => (isOpen === 'false' ? this.toggle(row, true) : isOpen === 'true' ? rows[at + 1] : null),
      ArrowLeft: () => (isOpen === 'true' ? this.toggle(row, false) : row.parent),
      Enter: () => this.toggle(row), ' ': () => this.toggle(row),
    }[event.key];
    if (!go) return;
    event.preventDefault();
    const next = go();
    if (next) this.focusRow(next);
  }

  gridKey(event) {
    const at = Number(event.target.dataset?.at);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: PER_ROW, ArrowUp: -PER_ROW }[event.key];
    if (Number.isNaN(at) || step === undefined || !this.cells[at + step]) return;
    event.preventDefault();
    focusAmong(this.cells, this.cells[at + step]);
  }
}

const shorten = (hex) => (hex.length > 96 ? `${hex.slice(0, 88)}… ` : hex);

/** A fault in words, with where it is. */
export function faultText(fault) {
  const words = maybe(`fault.${fault.code}`) ?? fault.code;
  const place = fault.line ? t('fault.line', { line: fault.line, offset: fault.offset }) : t('fault.at', { offset: fault.offset });
  return `${words.replace('{detail}', fault.detail ?? '')} (${place})`;
}

/** What a status word means: to a pass, to a payment, or in general. */
export function statusWords(status, context) {
  if (status === null || status === undefined) return t('sw.none');
  const hex = status.toString(16).toUpperCase().padStart(4, '0');
  const own = context === 'vas' ? maybe(`sw.vas.${hex}`) : context ? maybe(`sw.pay.${hex}`) : null;
  const family = { 0x61: 'sw.61', 0x6c: 'sw.6C', 0x62: 'sw.62', 0x63: 'sw.63' }[status >> 8];
  return own ?? maybe(`sw.${hex}`) ?? (family ? t(family, { count: status & 0xff }) : t('sw.unknown'));
}
