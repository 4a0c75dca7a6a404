// SPDX-License-Identifier: Apache-2.0
// Commands and answers (ISO/IEC 7816-3, 12.1; 7816-4, 5.1 and 5.6).

/**
 * @typedef {{code: string, offset: number}} Fault
 * @typedef {{cla: number, ins: number, p1: number, p2: number, lc: [number, number]|null, data: [number, number],
 *   le: [number, number]|null, ne: number|null}} Command Ranges are [from, to) in the command's bytes.
 */

/**
 * Takes a command apart.
 * @param {Uint8Array} bytes
 * @returns {{command: Command|null, error: Fault|null}}
 */
export function readCommand(bytes) {
  const n = bytes.length;
  if (n < 4) return { command: null, error: { code: 'commandShort', offset: n } };
  const [cla, ins, p1, p2] = bytes;
  const make = (lc, data, le, ne) => ({ command: { cla, ins, p1, p2, lc, data, le, ne }, error: null });
  if (n === 4) return make(null, [4, 4], null, null);
  if (n === 5) return make(null, [4, 4], [4, 5], bytes[4] || 256);
  if (bytes[4] !== 0) return shortCase(bytes, make);
  return extendedCase(bytes, make);
}

function shortCase(bytes, make) {
  const end = 5 + bytes[4];
  if (bytes.length === end) return make([4, 5], [5, end], null, null);
  if (bytes.length === end + 1) return make([4, 5], [5, end], [end, end + 1], bytes[end] || 256);
  return { command: null, error: { code: 'commandLength', offset: 4, detail: `${bytes[4]}` } };
}

function extendedCase(bytes, make) {
  const n = bytes.length;
  if (n === 7) return make(null, [4, 4], [4, 7], bytes[5] * 256 + bytes[6] || 65536);
  const count = n > 7 ? bytes[5] * 256 + bytes[6] : 0;
  const end = 7 + count;
  if (count > 0 && n === end) return make([4, 7], [7, end], null, null);
  if (count > 0 && n === end + 2) return make([4, 7], [7, end], [end, end + 2], bytes[end] * 256 + bytes[end + 1] || 65536);
  return { command: null, error: { code: 'commandLength', offset: 4, detail: `${count}` } };
}

/**
 * Commands by their first bytes; `null` takes any. Names as ISO/IEC 7816-4, EMV Book 3 and kormax/apple-vas have them.
 * `form` says what the data field is: TLV, a name, or values without tags.
 */
const COMMANDS = [
  { header: [0x00, 0xa4], name: 'SELECT', form: 'name' },
  { header: [0x80, 0xca, 0x01, 0x01], name: 'GET VAS DATA', form: 'tlv', part: 'vas' },
  { header: [0x80, 0xca, 0x01, 0x00], name: 'GET VAS DATA (URL only)', form: 'tlv', part: 'vas' },
  { header: [0x80, 0xa8, 0x00, 0x00], name: 'GET PROCESSING OPTIONS', form: 'tlv' },
  { header: [0x00, 0xb2], name: 'READ RECORD' },
  { header: [0x80, 0xae], name: 'GENERATE AC', form: 'cdol' },
  { header: [0x80, 0x2a, 0x8e, 0x80], name: 'COMPUTE CRYPTOGRAPHIC CHECKSUM' },
  { header: [0x80, 0xea, 0x00, 0x00], name: 'EXCHANGE RELAY RESISTANCE DATA' },
  { header: [0x80, 0xd0, 0x00, 0x00], name: 'RECOVER AC' },
  { header: [0x80, 0xca], name: 'GET DATA' },
  { header: [0x80, 0xda], name: 'PUT DATA' },
  { header: [0x00, 0x88, 0x00, 0x00], name: 'INTERNAL AUTHENTICATE' },
  { header: [0x00, 0x82, 0x00, 0x00], name: 'EXTERNAL AUTHENTICATE' },
  { header: [0x00, 0x84, 0x00, 0x00], name: 'GET CHALLENGE' },
  { header: [0x00, 0x20, 0x00], name: 'VERIFY' },
  { header: [0x00, 0xc0, 0x00, 0x00], name: 'GET RESPONSE' },
];

/** The row for a command; null for one that is not known. */
export function commandRow(bytes) {
  if (bytes.length < 4) return null;
  return COMMANDS.find((row) => row.header.every((value, index) => value === bytes[index])) ?? null;
}

/** What the parameters say beyond the name, or ''. */
export function parameterWords(bytes, command) {
  if (command.ins === 0xb2 && (command.p2 & 7) === 4) return `SFI ${command.p2 >> 3}, record ${command.p1}`;
  if (command.ins === 0xae) {
    const type = ['AAC', 'TC', 'ARQC', 'RFU'][command.p1 >> 6];
    return command.p1 & 0x10 ? `${type}, CDA` : type;
  }
  if (command.ins === 0xca && command.cla === 0x80 && command.p1 !== 1) {
    return Array.from(bytes.subarray(2, 4), (v) => v.toString(16).toUpperCase().padStart(2, '0')).join('');
  }
  return '';
}

/** The status word of an answer: its last two bytes as a number; null when there are none. */
export const statusOf = (bytes) =>
  (bytes.length < 2 ? null : bytes[bytes.length - 2] * 256 + bytes[bytes.length - 1]);
