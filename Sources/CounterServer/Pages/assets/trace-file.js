// SPDX-License-Identifier: Apache-2.0
// `.apdu` traces, as apdu-traces/README.md has them: command and response as alternating lines of hex.

import { HexError, parseHex } from './hex.js';

/**
 * @typedef {{command: Uint8Array, response: Uint8Array|null, ms: number|null, line: number, comments: string[]}} Exchange
 * @typedef {{header: {key: string, text: string}[], taps: Exchange[][], fault: {code: string, line: number, offset: number}|null}} Trace
 */

/** Longer lines are no APDU (an extended command has 65,544 bytes). */
const MAX_LINE = 262_144;

/**
 * Reads a trace; what stands before a fault is kept.
 * @param {string} text
 * @returns {Trace}
 */
export function readTrace(text) {
  const trace = { header: [], taps: [[]], fault: null };
  const state = { inHeader: true, comments: [], open: null };
  let number = 0;
  let offset = 0;
  for (const line of text.split('\n')) {
    number += 1;
    const fault = readLine(line.trim(), number, trace, state);
    if (fault) {
      trace.fault = { ...fault, line: number, offset: offset + fault.offset };
      break;
    }
    offset += line.length + 1;
  }
  if (state.open) trace.taps.at(-1).push(state.open);
  if (!trace.taps.at(-1).length && trace.taps.length > 1) trace.taps.pop();
  return trace;
}

function readLine(line, number, trace, state) {
  if (line === '') {
    if (trace.header.length) state.inHeader = false;
    return null;
  }
  if (line.startsWith('#')) return comment(line.slice(1).trim(), number, trace, state);
  if (line.length > MAX_LINE) return { code: 'lineLong', offset: 0 };
  state.inHeader = false;
  let bytes;
  try {
    bytes = parseHex(line);
  } catch (error) {
    if (error instanceof HexError) return { code: error.code, offset: error.offset, detail: error.detail };
    throw error;
  }
  if (!state.open) {
    if (bytes.length < 4) return { code: 'commandShort', offset: 0 };
    state.open = { command: bytes, response: null, ms: state.ms ?? null, line: number, comments: state.comments };
    state.comments = [];
    state.ms = null;
  } else {
    if (bytes.length < 2) return { code: 'responseShort', offset: 0 };
    state.open.response = bytes;
    trace.taps.at(-1).push(state.open);
    state.open = null;
  }
  return null;
}

function comment(text, number, trace, state) {
  const header = /^([A-Z][A-Z0-9-]*):\s*(.*)$/.exec(text);
  const time = /^(\d+(?:\.\d+)?)\s*ms$/.exec(text);
  if (header && header[1] === 'FIELD') {
    if (trace.taps.at(-1).length) trace.taps.push([]);
  } else if (header && header[1] === 'LOST') {
    return readLost(header[2], number, trace);
  } else if (header && state.inHeader) {
    trace.header.push({ key: header[1], text: header[2] });
  } else if (time) {
    const last = state.open ?? trace.taps.at(-1).at(-1);
    if (last && last.ms === null) last.ms = Number(time[1]);
    else state.ms = Number(time[1]);
  } else if (text) {
    state.comments.push(text);
  }
  return null;
}

function readLost(text, number, trace) {
  try {
    trace.taps.at(-1).push({ command: parseHex(text), response: null, ms: null, line: number, comments: [] });
    return null;
  } catch (error) {
    return { code: error.code ?? 'hexCharacter', offset: 8 + (error.offset ?? 0) };
  }
}

/**
 * Whether text is meant as a trace rather than as one string of hex: it has comments, or lines of command and response.
 * @param {string} text
 */
export function looksLikeTrace(text) {
  const lines = text.slice(0, 20_000).split('\n').map((line) => line.trim()).filter(Boolean);
  if (lines.some((line) => line.startsWith('#'))) return true;
  if (lines.length < 2) return false;
  return /^(00|80)\s*(A4|CA|A8|B2)/i.test(lines[0]) && /(9000|6[0-9A-F]{3})$/i.test(lines[1].replace(/[\s:]/g, ''));
}
