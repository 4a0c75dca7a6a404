// SPDX-License-Identifier: Apache-2.0
// Small helpers to build the pages: no markup is ever made from text, so nothing that a card says can become markup.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element.
 * @param {string} name Its tag, with classes after dots: `div.row.wide`.
 * @param {Object<string, *>} [attributes] Attributes; `on…` functions are listeners, null and false are left out.
 * @param {...(Node|string|number|null|undefined|Array)} children What is inside; strings become text.
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag || 'div');
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'className') element.className += ` ${value}`;
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/** Adds children to an element; nested lists are taken apart, null is left out. */
export function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/** Replaces what is inside an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Makes an SVG element. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  append(element, children);
  return element;
}

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * Lets the arrow keys move the focus among the items of a group; only one of them is in the tab order.
 * @param {HTMLElement} group The container that gets the key presses.
 * @param {() => HTMLElement[]} items The items, in order.
 * @param {{next?: string[], previous?: string[]}} [keys] Which keys move on and back.
 */
export function roving(group, items, keys = {}) {
  const next = keys.next ?? ['ArrowDown', 'ArrowRight'];
  const previous = keys.previous ?? ['ArrowUp', 'ArrowLeft'];
  group.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const all = items();
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    const to = next.includes(event.key) ? at + 1
      : previous.includes(event.key) ? at - 1
      : event.key === 'Home' ? 0
      : event.key === 'End' ? all.length - 1 : null;
    if (to === null) return;
    event.preventDefault();
    focusAmong(all, all[Math.max(0, Math.min(all.length - 1, to))]);
  });
}

/** Makes `item` the one of its group that the tab key reaches, and focuses it. */
export function focusAmong(all, item) {
  for (const each of all) each.tabIndex = each === item ? 0 : -1;
  item?.focus();
}

/** Offers text as a file to keep. */
export function download(name, text, type = 'text/plain') {
  const link = h('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Puts text on the clipboard; true when it worked. Plain HTTP on another host has no clipboard: a selection is used. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { readonly: true, className: 'off-screen' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
