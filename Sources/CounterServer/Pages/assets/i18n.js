// SPDX-License-Identifier: Apache-2.0
// Two languages: one table each. The choice is `?lang=`, else the last one, else what the server's page says, else the
// browser's.

import { en } from './texts-en.js';
import { de } from './texts-de.js';

const TABLES = { en, de };
const KEY = 'countertop-language';

function choose() {
  const asked = new URLSearchParams(location.search).get('lang');
  if (TABLES[asked]) {
    remember(asked);
    return asked;
  }
  const stored = localStorage.getItem(KEY);
  if (TABLES[stored]) return stored;
  const served = document.documentElement.dataset.language;
  if (TABLES[served]) return served;
  return navigator.language?.startsWith('de') ? 'de' : 'en';
}

function remember(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // A browser that keeps nothing still shows the page.
  }
}

let current = choose();
const listeners = [];

/** The language in use: `en` or `de`. */
export const language = () => current;

/** Calls back after the language changed. */
export const onLanguage = (listener) => listeners.push(listener);

/**
 * The text for a key, with `{name}` replaced.
 * @param {string} key
 * @param {Object<string, string|number>} [values]
 */
export function t(key, values = {}) {
  const text = TABLES[current][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The text for a key, or null when the table has none. */
export const maybe = (key) => TABLES[current][key] ?? null;

/** Changes the language of the whole page; the address keeps it, so that a link shows the same. */
export function setLanguage(next) {
  if (!TABLES[next] || next === current) return;
  current = next;
  remember(next);
  const url = new URL(location.href);
  if (url.searchParams.has('lang')) {
    url.searchParams.set('lang', next);
    history.replaceState(history.state, '', url);
  }
  translate();
  for (const listener of listeners) listener(next);
}

/**
 * Puts the texts into elements with `data-t` (content), `data-t-label`, `data-t-title` and `data-t-placeholder`.
 * @param {ParentNode} [root]
 */
export function translate(root = document) {
  if (root === document) document.documentElement.lang = current;
  for (const element of root.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
  const attributes = { tLabel: 'aria-label', tTitle: 'title', tPlaceholder: 'placeholder' };
  for (const [key, attribute] of Object.entries(attributes)) {
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    for (const element of root.querySelectorAll(`[data-${name}]`)) element.setAttribute(attribute, t(element.dataset[key]));
  }
}

/** A time of day, with milliseconds when asked. */
export function timeOfDay(iso, withMilliseconds = false) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso ?? '';
  const options = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
  if (withMilliseconds) options.fractionalSecondDigits = 3;
  return new Intl.DateTimeFormat(current === 'de' ? 'de-DE' : 'en-GB', options).format(date);
}

/** Date and time. */
export function dateAndTime(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso ?? '';
  return new Intl.DateTimeFormat(current === 'de' ? 'de-DE' : 'en-GB', { dateStyle: 'medium', timeStyle: 'medium' }).format(date);
}

/** Milliseconds for people. */
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  const digits = ms < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(current === 'de' ? 'de-DE' : 'en-GB', { maximumFractionDigits: digits }).format(ms)} ms`;
}
