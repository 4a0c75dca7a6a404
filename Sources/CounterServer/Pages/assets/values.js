// SPDX-License-Identifier: Apache-2.0
// What values say, in words, beyond the bits of the dictionary.

import { isPrintable, toASCII, toHex } from './hex.js';
import { readDOL } from './tlv.js';

const LISTS = new Set(['8C', '8D', '97', '9F38', '9F49', '9F4F', '9F69']);
const NAMES = new Set(['4F', '84', '9F06']);
const AMOUNTS = new Set(['9F02', '9F03']);
const DATES = new Set(['5F24', '5F25', '9A']);

/** Bits of the last byte of 9F23 (kormax/apple-vas README; proxmark3 `cmdhfvas.c`). */
const CAPABILITIES = [
  [0x20, 'payment ready'], [0x10, 'payment may be skipped'], [0x08, 'VAS supported'], [0x04, 'VAS may be skipped'],
  [0x02, 'encrypted data'], [0x01, 'plaintext data'],
];
const MODES = ['VAS or payment', 'VAS and payment', 'VAS only', 'payment only'];

/**
 * The words for one value.
 * @param {string} tag
 * @param {string} context The dictionary's context: `vas`, `emv`, `k2` …
 * @param {Uint8Array} bytes
 * @param {import('./dictionary.js').Dictionary} dictionary
 * @returns {string[]}
 */
export function valueWords(tag, context, bytes, dictionary) {
  if (context === 'vas') return vasWords(tag, bytes);
  if (LISTS.has(tag)) return listWords(bytes, context, dictionary);
  if (NAMES.has(tag)) return applicationWords(bytes, dictionary);
  if (tag === '94') return fileWords(bytes);
  if (tag === '8E') return methodWords(bytes);
  if (AMOUNTS.has(tag)) return /^\d+$/.test(toHex(bytes)) ? [`${BigInt(toHex(bytes))} minor units`] : [];
  if (DATES.has(tag) && bytes.length === 3) return [`20${toHex(bytes.subarray(0, 1))}-${toHex(bytes.subarray(1), '-')}`];
  if (tag === '9F36' && bytes.length === 2) return [String(bytes[0] * 256 + bytes[1])];
  const bits = dictionary.bitWords(tag, context, bytes);
  if (bits.length) return bits;
  const format = dictionary.entry(tag, context)?.format ?? '';
  return ['an', 'ans', 'ascii'].includes(format) && isPrintable(bytes) ? [`“${toASCII(bytes)}”`] : [];
}

function vasWords(tag, bytes) {
  switch (tag) {
    case '50': case '9F29': return isPrintable(bytes) ? [`“${toASCII(bytes)}”`] : [];
    case '84': return isPrintable(bytes) ? [`“${toASCII(bytes)}”`] : [];
    case '9F21': case '9F22': return bytes.length === 2 ? [`${bytes[0]}.${bytes[1]}`] : [];
    case '9F23': return bytes.length === 4 ? CAPABILITIES.filter(([mask]) => bytes[3] & mask).map(([, text]) => text) : [];
    case '9F25': return [bytes.length === 32 ? 'SHA-256 of the pass type identifier' : 'not 32 bytes'];
    case '9F26': return bytes.length === 4
      ? [`mode ${bytes[3] & 3}: ${MODES[bytes[3] & 3]}`, bytes[3] & 0x80 ? 'more commands follow' : 'last command']
      : ['not 4 bytes'];
    case '9F27': return bytes.length > 56
      ? [`encrypted for key ${toHex(bytes.subarray(0, 4)).toLowerCase()}`, `message of ${bytes.length - 56} bytes`] : [];
    default: return [];
  }
}

function listWords(bytes, context, dictionary) {
  return (readDOL(bytes) ?? []).map((entry) =>
    `${entry.tag} ${dictionary.entry(entry.tag, context)?.name ?? '?'}, ${entry.length} bytes`);
}

function applicationWords(bytes, dictionary) {
  if (bytes.length > 5 && isPrintable(bytes)) return [`“${toASCII(bytes)}”`];
  const provider = dictionary.provider(toHex(bytes));
  return provider ? [provider.name] : [];
}

/** Application file locator (EMV Book 3, 10.2). */
function fileWords(bytes) {
  const lines = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const [sfi, first, last, signed] = bytes.subarray(at, at + 4);
    lines.push(`SFI ${sfi >> 3}, ${first === last ? `record ${first}` : `records ${first}-${last}`}, ${signed} authenticated`);
  }
  return lines;
}

/** Methods of cardholder verification (EMV Book 3, Annex C3). */
const METHODS = {
  0x00: 'fail', 0x01: 'plaintext PIN, by the card', 0x02: 'enciphered PIN, online', 0x03: 'plaintext PIN, and signature',
  0x04: 'enciphered PIN, by the card', 0x05: 'enciphered PIN, and signature', 0x1e: 'signature', 0x1f: 'no CVM required',
  0x20: 'no CVM', 0x3f: 'no CVM performed',
};

function methodWords(bytes) {
  const lines = [];
  for (let at = 8; at + 2 <= bytes.length; at += 2) {
    const [method, condition] = bytes.subarray(at, at + 2);
    const after = method & 0x40 ? 'else the next rule' : 'else fail';
    lines.push(`${METHODS[method & 0x3f] ?? `method ${method & 0x3f}`}, condition ${condition}, ${after}`);
  }
  return lines;
}
