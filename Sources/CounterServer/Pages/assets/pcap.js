// SPDX-License-Identifier: Apache-2.0
// Captures of ISO/IEC 14443 frames (pcap, link type 264), as `countertop trace export` writes and Wireshark reads them.

const LINK_ISO14443 = 264;
/** Events of the pseudo header (kaiser.cx, "pcap for ISO 14443"): data to and from the card, with and without check bytes. */
const TO_CARD = new Set([0xfe, 0xfa]);
const FROM_CARD = new Set([0xff, 0xfb]);

/** Whether these are the first bytes of a pcap file. */
export const isPcap = (bytes) =>
  bytes.length >= 24 && ['a1b2c3d4', 'd4c3b2a1', 'a1b23c4d', '4d3cb2a1'].includes(hex(bytes.subarray(0, 4)));

const hex = (bytes) => Array.from(bytes, (value) => value.toString(16).padStart(2, '0')).join('');

/**
 * Commands and answers of a capture, as the text of a trace.
 * @param {Uint8Array} bytes
 * @returns {{text: string, fault: {code: string, offset: number}|null}}
 */
export function pcapToTrace(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = ['d4c3b2a1', '4d3cb2a1'].includes(hex(bytes.subarray(0, 4)));
  const fail = (code, offset, lines) => ({ text: lines.join('\n'), fault: { code, offset } });
  if (view.getUint32(20, little) !== LINK_ISO14443) return fail('pcapLink', 20, []);
  const lines = [];
  const chain = { direction: null, bytes: [] };
  let at = 24;
  while (at < bytes.length) {
    if (at + 16 > bytes.length) return fail('pcapShort', at, lines);
    const length = view.getUint32(at + 8, little);
    const from = at + 16;
    if (length > bytes.length - from) return fail('pcapShort', at + 8, lines);
    frame(bytes.subarray(from, from + length), chain, lines);
    at = from + length;
  }
  return { text: lines.join('\n'), fault: null };
}

/** One frame: 4 bytes of pseudo header (version, event, length), then the block (ISO/IEC 14443-4, 7.1). */
function frame(bytes, chain, lines) {
  if (bytes.length < 5) return;
  const event = bytes[1];
  const direction = TO_CARD.has(event) ? 'command' : FROM_CARD.has(event) ? 'response' : null;
  const block = bytes.subarray(4);
  const isInformation = (block[0] & 0xe2) === 0x02;
  if (!direction || !isInformation) return;
  const checked = event === 0xfe || event === 0xff ? 2 : 0;
  const head = 1 + (block[0] & 0x08 ? 1 : 0) + (block[0] & 0x04 ? 1 : 0);
  if (chain.direction !== direction) Object.assign(chain, { direction, bytes: [] });
  chain.bytes.push(...block.subarray(head, Math.max(head, block.length - checked)));
  if (block[0] & 0x10) return;
  if (chain.bytes.length >= (direction === 'command' ? 4 : 2)) lines.push(hex(chain.bytes).toUpperCase());
  Object.assign(chain, { direction: null, bytes: [] });
}
