// SPDX-License-Identifier: Apache-2.0
// Bytes of a conversation, taken apart into trees whose every node knows its bytes.

import { commandRow, parameterWords, readCommand, statusOf } from './apdu.js';
import { isPrintable, toASCII, toHex } from './hex.js';
import { find, readDOL, readTLV } from './tlv.js';
import { valueWords } from './values.js';

/**
 * One line of a tree. `start` and `end` are offsets into the frame's bytes.
 * @typedef {{label: string, name: string, start: number, end: number, valueStart: number, value: string|null,
 *   lines: string[], children: ViewNode[], sensitive: boolean, fault: object|null}} ViewNode
 * @typedef {{kind: 'command'|'response'|'objects', bytes: Uint8Array, title: string, context: string|null,
 *   status: number|null, nodes: ViewNode[], fault: {code: string, offset: number}|null}} Frame
 */

/** The application that loyalty passes are read from (Apple documentation; kormax/apple-vas README). */
const VAS_NAME = 'OSE.VAS.01';

/** Takes frames apart in the order of a conversation: what was selected before gives tags their meaning. */
export class Decoder {
  /** @param {import('./dictionary.js').Dictionary} dictionary @param {string|null} [context] Fixed, when given. */
  constructor(dictionary, context = null) {
    this.dictionary = dictionary;
    this.fixed = context;
    this.context = context;
    this.lists = {};
    this.last = null;
  }

  /** @param {Uint8Array} bytes @returns {Frame} */
  command(bytes) {
    const { command, error } = readCommand(bytes);
    const row = commandRow(bytes);
    this.last = { row, ins: bytes[1] };
    if (row?.part) this.context = this.fixed ?? 'vas';
    const frame = { kind: 'command', bytes, title: row?.name ?? '', context: this.context, status: null, nodes: [], fault: error };
    if (!command) {
      frame.nodes = [leaf('?', 'bytes', 0, bytes.length, bytes)];
      return frame;
    }
    if (row?.form === 'name') this.select(bytes.subarray(...command.data), command);
    frame.context = this.context;
    const words = parameterWords(bytes, command);
    frame.title = [row?.name ?? `INS ${toHex([command.ins])}`, this.selected(row, bytes, command) || words].filter(Boolean).join(' ');
    frame.nodes = this.commandNodes(bytes, command, row, words);
    return frame;
  }

  selected(row, bytes, command) {
    if (row?.form !== 'name') return '';
    const name = bytes.subarray(...command.data);
    return isPrintable(name) ? toASCII(name) : this.dictionary.provider(toHex(name))?.name ?? toHex(name);
  }

  select(name, command) {
    if (this.fixed || command.p1 !== 0x04) return;
    this.lists = {};
    if (isPrintable(name)) this.context = toASCII(name) === VAS_NAME ? 'vas' : 'emv';
    else this.context = this.dictionary.provider(toHex(name))?.context ?? 'emv';
  }

  commandNodes(bytes, command, row, words) {
    const nodes = [
      leaf('CLA', 'class', 0, 1, bytes), leaf('INS', 'instruction', 1, 2, bytes, row ? [row.name] : []),
      leaf('P1 P2', 'parameters', 2, 4, bytes, words ? [words] : []),
    ];
    if (command.lc) nodes.push(leaf('Lc', 'length of the data', ...command.lc, bytes, [`${command.data[1] - command.data[0]}`]));
    if (command.data[1] > command.data[0]) nodes.push(this.dataNode(bytes, command, row));
    if (command.le) nodes.push(leaf('Le', 'length expected', ...command.le, bytes, [`${command.ne}`]));
    return nodes;
  }

  dataNode(bytes, command, row) {
    const [from, to] = command.data;
    const node = leaf('Data', '', from, to, bytes);
    if (row?.form === 'tlv') {
      const { nodes, error } = readTLV(bytes, from, to);
      node.children = nodes.map((each) => this.view(bytes, each));
      node.fault = error;
      node.value = null;
    } else if (row?.form === 'cdol' && this.lists.cdol1) {
      node.children = this.fields(bytes, from, to, this.lists.cdol1);
      node.value = node.children.length ? null : node.value;
    } else if (row?.form === 'name') {
      node.lines = [this.selected(row, bytes, command)];
    }
    return node;
  }

  /** Values one after another, with the tags that a list asked for. */
  fields(bytes, from, to, list) {
    const total = list.reduce((sum, entry) => sum + entry.length, 0);
    if (total !== to - from) return [];
    let at = from;
    return list.map((entry) => {
      const node = this.leafOf(bytes, entry.tag, at, at, at + entry.length);
      at += entry.length;
      return node;
    });
  }

  /** @param {Uint8Array} bytes @returns {Frame} */
  response(bytes) {
    const status = statusOf(bytes);
    const end = Math.max(0, bytes.length - 2);
    const frame = {
      kind: 'response', bytes, title: '', context: this.context, status, nodes: [],
      fault: status === null ? { code: 'responseShort', offset: bytes.length } : null,
    };
    const { nodes, error } = readTLV(bytes, 0, end);
    this.context ??= guessContext(nodes);
    frame.context = this.context;
    frame.nodes = nodes.map((node) => this.view(bytes, node));
    if (error) {
      frame.fault = error;
      frame.nodes.push(leaf('?', 'not TLV', error.offset, end, bytes));
    }
    if (status !== null) frame.nodes.push(leaf('SW', 'status word', end, bytes.length, bytes));
    this.remember(nodes, bytes);
    return frame;
  }

  /** TLV data by itself. */
  objects(bytes) {
    const { nodes, error } = readTLV(bytes);
    this.context ??= guessContext(nodes);
    const views = nodes.map((node) => this.view(bytes, node));
    if (error && error.offset < bytes.length) views.push(leaf('?', 'not read', error.offset, bytes.length, bytes));
    return { kind: 'objects', bytes, title: 'TLV', context: this.context, status: null, nodes: views, fault: error };
  }

  /** Lists that a later command is filled by. */
  remember(nodes, bytes) {
    for (const [key, tag] of [['pdol', '9F38'], ['cdol1', '8C']]) {
      const node = find(nodes, tag);
      if (node) this.lists[key] = readDOL(bytes.subarray(node.valueStart, node.end));
    }
  }

  view(bytes, node) {
    const view = this.leafOf(bytes, node.tag, node.start, node.valueStart, node.end);
    view.fault = node.error;
    if (node.children) {
      view.children = node.children.map((child) => this.view(bytes, child));
      view.value = null;
      if (node.error) view.children.push(leaf('?', 'not read', node.error.offset, node.end, bytes));
    } else if (node.tag === '83' && this.context !== 'vas' && this.lists.pdol) {
      view.children = this.fields(bytes, node.valueStart, node.end, this.lists.pdol);
      if (view.children.length) view.value = null;
    }
    return view;
  }

  leafOf(bytes, tag, start, valueStart, end) {
    const entry = this.dictionary.entry(tag, this.context);
    const view = leaf(tag, entry?.name ?? '', start, end, bytes);
    const value = bytes.subarray(valueStart, end);
    view.valueStart = valueStart;
    view.value = toHex(value);
    view.sensitive = this.dictionary.isSensitive(tag, this.context ?? 'emv');
    view.lines = view.sensitive ? [] : valueWords(tag, this.context ?? entry?.context ?? 'emv', value, this.dictionary);
    return view;
  }
}

function leaf(label, name, start, end, bytes, lines = []) {
  return {
    label, name, start, end, valueStart: start, value: toHex(bytes.subarray(start, end)), lines,
    children: [], sensitive: false, fault: null,
  };
}

/** A wallet's answer to SELECT has its versions; pass data is longer than EMV's one byte (kormax/apple-vas README). */
function guessContext(nodes) {
  const first = nodes[0];
  if (!first) return null;
  if (first.tag === '6F' && ['9F21', '9F23'].some((tag) => find(nodes, tag))) return 'vas';
  const data = find(nodes, '9F27');
  if (first.tag === '70' && (find(nodes, '9F2A') || (data && data.end - data.valueStart > 1))) return 'vas';
  if (['9F25', '9F28'].every((tag) => find(nodes, tag))) return 'vas';
  return null;
}
