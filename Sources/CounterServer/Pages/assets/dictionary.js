// SPDX-License-Identifier: Apache-2.0
// Names of tags and meanings of bits, as `/v1/dictionary` serves them.

/**
 * What the server sends.
 * @typedef {{tag: string, context: string, name: string, format: string, source?: string, sensitive?: boolean}} TagRow
 * @typedef {{byte: number, bit?: number, set?: boolean, equals?: number, high?: number, low?: number}} Condition
 * @typedef {{tag: string, context: string, name: string, rules: {conditions: Condition[], meaning: string}[]}} BitField
 * @typedef {{rid: string, name: string, context?: string}} Application
 */

/** Action codes have the bits of the terminal verification results (EMV Book 3, 10.7). */
const LIKE_TVR = new Set(['9F0D', '9F0E', '9F0F', 'DF8120', 'DF8121', 'DF8122']);

/** Registered application providers and the kernel each means by default (EMV Contactless Book B, 3.3.2.5). */
const PROVIDERS = [
  { rid: 'A000000003', name: 'Visa', context: 'k3' }, { rid: 'A000000004', name: 'Mastercard', context: 'k2' },
  { rid: 'A000000025', name: 'American Express', context: 'k4' }, { rid: 'A000000065', name: 'JCB', context: 'k5' },
  { rid: 'A000000152', name: 'Discover', context: 'k6' }, { rid: 'A000000324', name: 'Discover (ZIP)', context: 'k6' },
  { rid: 'A000000333', name: 'UnionPay', context: 'k7' }, { rid: 'A000000277', name: 'Interac', context: 'interac' },
  { rid: 'A000000042', name: 'Cartes Bancaires', context: 'emv' }, { rid: 'A000000359', name: 'girocard', context: 'emv' },
];

/** Tags by context: EMV's meaning holds where a kernel has none of its own; VAS stands alone. */
export class Dictionary {
  /** @param {{tags?: TagRow[], bitFields?: BitField[], applications?: Application[]}} [data] */
  constructor(data = {}) {
    this.tags = group(data.tags ?? []);
    this.fields = group(data.bitFields ?? []);
    this.providers = data.applications?.length ? data.applications : PROVIDERS;
    this.isEmpty = this.tags.size === 0;
  }

  /** The row for a tag in a context, or null. */
  entry(tag, context) {
    return pick(this.tags.get(tag), context);
  }

  /** The rows of a tag in any context. */
  meanings(tag) {
    return this.tags.get(tag) ?? [];
  }

  /** Whether a value must not be shown: cardholder data or a cryptogram. */
  isSensitive(tag, context) {
    if (context === 'vas') return false;
    return this.meanings(tag).some((row) => row.sensitive && row.context !== 'vas');
  }

  /** The bits of a value in words. */
  bitWords(tag, context, bytes) {
    const field = pick(this.fields.get(LIKE_TVR.has(tag) ? '95' : tag), context);
    if (!field) return [];
    const shared = tag === '82' && field.context === 'emv' && !['emv', 'k2', 'k4'].includes(context);
    const seen = shared ? bytes.subarray(0, 1) : bytes;
    return field.rules.map((rule) => ruleWords(rule, seen)).filter(Boolean);
  }

  /** Provider and context of an application identifier, or null. */
  provider(aid) {
    return this.providers.find((row) => aid.startsWith(row.rid)) ?? null;
  }
}

function group(rows) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row.tag)) groups.set(row.tag, []);
    groups.get(row.tag).push(row);
  }
  return groups;
}

function pick(rows, context) {
  if (!rows) return null;
  if (!context) return rows.length === 1 ? rows[0] : rows.find((row) => row.context === 'emv') ?? rows[0];
  const own = rows.find((row) => row.context === context);
  return own ?? (context === 'vas' ? null : rows.find((row) => row.context === 'emv') ?? null);
}

/** The meaning when all conditions hold; a range of bits adds its number. Bytes count from 1, bit 8 is the highest. */
function ruleWords(rule, bytes) {
  let number = null;
  for (const condition of rule.conditions) {
    if (condition.byte < 1 || condition.byte > bytes.length) return null;
    const value = bytes[condition.byte - 1];
    if (condition.high !== undefined && condition.high !== null) {
      number ??= (value >> (condition.low - 1)) & ((1 << (condition.high - condition.low + 1)) - 1);
    } else if (condition.equals !== undefined && condition.equals !== null) {
      if (value !== condition.equals) return null;
    } else if (((value >> (condition.bit - 1)) & 1) !== (condition.set === false ? 0 : 1)) {
      return null;
    }
  }
  return number === null ? rule.meaning : `${rule.meaning} = ${number}`;
}
