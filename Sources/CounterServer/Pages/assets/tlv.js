// SPDX-License-Identifier: Apache-2.0
// BER-TLV as cards use it (ISO/IEC 7816-4, 5.2.2; EMV Book 3, Annex B).

/**
 * One data object. `start`, `valueStart` and `end` are offsets into the bytes that were read.
 * @typedef {{tag: string, start: number, valueStart: number, end: number, children: Node[]|null, error: Fault|null}} Node
 * @typedef {{code: string, offset: number}} Fault
 */

const MAX_DEPTH = 16;
/** More objects than this are no answer of a card; the rest is left unread. */
export const MAX_NODES = 5_000;

/**
 * Reads objects until the end or the first fault; what came before a fault is kept.
 * @param {Uint8Array} bytes
 * @param {number} [from]
 * @param {number} [to]
 * @returns {{nodes: Node[], error: Fault|null}}
 */
export function readTLV(bytes, from = 0, to = bytes.length) {
  return readLevel(bytes, from, to, 0, { left: MAX_NODES });
}

function readLevel(bytes, from, to, depth, budget) {
  const nodes = [];
  let at = from;
  while (at < to) {
    // Padding between objects (ISO/IEC 7816-4, 5.2.2.1).
    if (bytes[at] === 0x00 || bytes[at] === 0xff) {
      at += 1;
      continue;
    }
    if (budget.left <= 0) return { nodes, error: { code: 'tlvTooMany', offset: at } };
    budget.left -= 1;
    const head = readHead(bytes, at, to);
    if (head.error) return { nodes, error: head.error };
    const node = { tag: head.tag, start: at, valueStart: head.valueStart, end: head.end, children: null, error: null };
    if (bytes[at] & 0x20) openTemplate(bytes, node, depth, budget);
    nodes.push(node);
    at = head.end;
  }
  return { nodes, error: null };
}

/** A constructed object whose contents do not parse keeps what was read, and the fault. */
function openTemplate(bytes, node, depth, budget) {
  if (depth >= MAX_DEPTH) {
    node.error = { code: 'tlvTooDeep', offset: node.valueStart };
    return;
  }
  const inner = readLevel(bytes, node.valueStart, node.end, depth + 1, budget);
  node.children = inner.nodes;
  node.error = inner.error;
}

/** Tag and length at `at`. */
function readHead(bytes, at, to) {
  let next = at + 1;
  if ((bytes[at] & 0x1f) === 0x1f) {
    do {
      if (next >= to || next - at >= 4) return { error: { code: 'tlvTag', offset: at } };
      next += 1;
    } while (bytes[next - 1] & 0x80);
  }
  const tag = Array.from(bytes.subarray(at, next), (value) => value.toString(16).toUpperCase().padStart(2, '0')).join('');
  if (next >= to) return { error: { code: 'tlvNoLength', offset: next } };
  let length = bytes[next];
  const lengthAt = next;
  next += 1;
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4) return { error: { code: 'tlvLength', offset: lengthAt } };
    if (next + count > to) return { error: { code: 'tlvNoLength', offset: next } };
    length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + bytes[next + index];
    next += count;
  }
  if (length > to - next) return { error: { code: 'tlvShort', offset: lengthAt, detail: `${length} > ${to - next}` } };
  return { tag, valueStart: next, end: next + length, error: null };
}

/**
 * A data object list: tags with lengths, no values (EMV Book 3, 5.4).
 * @returns {{tag: string, length: number}[]|null} null when the bytes are none.
 */
export function readDOL(bytes) {
  const entries = [];
  let at = 0;
  while (at < bytes.length) {
    let next = at + 1;
    if ((bytes[at] & 0x1f) === 0x1f) {
      do {
        if (next >= bytes.length || next - at >= 4) return null;
        next += 1;
      } while (bytes[next - 1] & 0x80);
    }
    if (next >= bytes.length || bytes[next] >= 0x80) return null;
    const tag = Array.from(bytes.subarray(at, next), (v) => v.toString(16).toUpperCase().padStart(2, '0')).join('');
    entries.push({ tag, length: bytes[next] });
    at = next + 1;
  }
  return entries;
}

/** The first object with `tag`, at any depth. */
export function find(nodes, tag) {
  for (const node of nodes) {
    if (node.tag === tag) return node;
    const inner = node.children && find(node.children, tag);
    if (inner) return inner;
  }
  return null;
}
