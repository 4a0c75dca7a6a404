// SPDX-License-Identifier: Apache-2.0
// Bytes as people write them.

/** What was wrong with hex, and where: `offset` counts characters from 0. */
export class HexError extends Error {
  constructor(code, offset, detail = '') {
    super(code);
    this.code = code;
    this.offset = offset;
    this.detail = detail;
  }
}

const SKIPPED = new Set([' ', '\t', '\r', '\n', ':', '-', ',', ';', '\u00a0']);

/**
 * Bytes of hex text. Blanks, line ends, `:`, `-`, `,` and `0x` before a byte do not count.
 * @param {string} text
 * @returns {Uint8Array}
 * @throws {HexError} `hexCharacter` or `hexOdd`.
 */
export function parseHex(text) {
  const bytes = new Uint8Array(text.length >> 1);
  let count = 0;
  let high = -1;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (SKIPPED.has(character)) continue;
    if (character === '0' && high < 0 && (text[at + 1] === 'x' || text[at + 1] === 'X') && digitOf(text.charCodeAt(at + 2)) >= 0) {
      at += 1;
      continue;
    }
    const digit = digitOf(text.charCodeAt(at));
    if (digit < 0) throw new HexError('hexCharacter', at, character);
    if (high < 0) {
      high = digit;
    } else {
      bytes[count] = high * 16 + digit;
      count += 1;
      high = -1;
    }
  }
  if (high >= 0) throw new HexError('hexOdd', text.length);
  return bytes.slice(0, count);
}

function digitOf(code) {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}

const TABLE = Array.from({ length: 256 }, (_, value) => value.toString(16).toUpperCase().padStart(2, '0'));

/** One byte as two digits. */
export const hexByte = (value) => TABLE[value & 0xff];

/**
 * Bytes as upper-case hex.
 * @param {Uint8Array|number[]} bytes
 * @param {string} [between] What stands between two bytes.
 */
export const toHex = (bytes, between = '') => Array.from(bytes, hexByte).join(between);

/** Printable characters of bytes; others as a dot. */
export const toASCII = (bytes) =>
  Array.from(bytes, (value) => (value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : '·')).join('');

/** Whether all bytes are printable ASCII, and there is at least one. */
export const isPrintable = (bytes) => bytes.length > 0 && bytes.every((value) => value >= 0x20 && value < 0x7f);
