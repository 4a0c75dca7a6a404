# SPDX-License-Identifier: Apache-2.0
"""The modules under the pages, called in the browser: hex, TLV, commands, traces, captures, events."""

import unittest

from support import World


def call(body, *values):
    return World.browser.await_js(body, *values)


class Modules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        World.browser.open(World.counter.url + "/decoder")

    def test_hex(self):
        body = """const { parseHex, toHex } = await import('/assets/hex.js');
            try { return toHex(parseHex(values[0])); } catch (error) { return `${error.code}@${error.offset}`; }"""
        table = {"": "", "9000": "9000", " 90:00 ": "9000", "0x6F 0x1D": "6F1D", "6f1d\n50": "6F1D50", "900": "hexOdd@3",
                 "90 0G": "hexCharacter@4", "0x": "hexCharacter@1", "6F0X": "hexCharacter@3", "é": "hexCharacter@0", "9-0,0;0": "9000"}
        for text, expected in table.items():
            self.assertEqual(call(body, text), expected, text)

    def test_tlv(self):
        body = """const { parseHex } = await import('/assets/hex.js'); const { readTLV } = await import('/assets/tlv.js');
            const { nodes, error } = readTLV(parseHex(values[0]));
            const show = (list) => list.map((n) => `${n.tag}[${n.start}-${n.end}${n.children ? ` ${show(n.children)}` : ''}]${n.error ? `!${n.error.code}@${n.error.offset}` : ''}`).join(' ');
            return show(nodes) + (error ? ` !${error.code}@${error.offset}` : '');"""
        table = {
            "5004414243": " !tlvShort@1",
            "500141": "50[0-3]",
            "9F270180": "9F27[0-4]",
            "6F03500141": "6F[0-5 50[2-5]]",
            "0000500141FF": "50[2-5]",
            "5F": " !tlvTag@0",
            "50": " !tlvNoLength@1",
            "5080": " !tlvLength@1",
            "50820001": " !tlvShort@1",
            "50810141": "50[0-4]",
            "6F0350": " !tlvShort@1",
            "6F03500541": "6F[0-5 ]!tlvShort@3",
            "1F8181810100": " !tlvTag@0",
            "508500000000FF": " !tlvLength@1",
        }
        for text, expected in table.items():
            self.assertEqual(call(body, text), expected, text)

    def test_tlv_has_limits(self):
        body = """const { readTLV, MAX_NODES } = await import('/assets/tlv.js');
            const deep = new Uint8Array(200).fill(0x6f); for (let i = 1; i < 200; i += 2) deep[i] = Math.max(0, 200 - i - 1) & 0x7f;
            const many = new Uint8Array(200_000); for (let i = 0; i < many.length; i += 2) many[i] = 0x50;
            const { nodes, error } = readTLV(many); readTLV(deep);
            return [nodes.length === MAX_NODES, error.code];"""
        self.assertEqual(call(body), [True, "tlvTooMany"])

    def test_commands(self):
        body = """const { parseHex } = await import('/assets/hex.js'); const { readCommand } = await import('/assets/apdu.js');
            const { command, error } = readCommand(parseHex(values[0]));
            return error ? `${error.code}@${error.offset}` : [command.data[1] - command.data[0], command.ne].join();"""
        table = {"00A4": "commandShort@2", "00A40400": "0,", "00B2010C00": "0,256", "00A40400021122": "2,",
                 "00A4040002112200": "2,256", "00A404000211": "commandLength@4", "00CA0000000000": "0,65536",
                 "00A40400000002112233": "commandLength@4", "00A404000000021122": "2,", "00A4040000000211220100": "2,256"}
        for text, expected in table.items():
            self.assertEqual(call(body, text), expected, text)

    def test_traces(self):
        body = """const { readTrace } = await import('/assets/trace-file.js');
            const trace = readTrace(values[0]);
            return [trace.header.length, trace.taps.map((tap) => tap.map((x) => `${x.ms}${x.response ? '' : '!'}`).join()).join('/'),
                trace.fault ? `${trace.fault.code}:${trace.fault.line}` : ''].join(' ');"""
        table = {
            "": "0  ",
            "# WHAT: x\n\n00A40400\n9000\n# 12ms\n": "1 12 ",
            "# 5ms\n00A40400\n9000": "0 5 ",
            "00A40400\n# 7ms\n9000": "0 7 ",
            "00A40400\n9000\n# FIELD: off\n00A40400\n6A82\n": "0 null/null ",
            "00A40400\n9000\n# LOST: 00A40400\n": "0 null,null! ",
            "00A40400\n9G\n": "0 null! hexCharacter:2",
            "00A4\n": "0  commandShort:1",
            "# WHAT: x\r\n\r\n00 A4 04 00\r\n90 00\r\n": "1 null ",
        }
        for text, expected in table.items():
            self.assertEqual(call(body, text), expected, text)

    def test_captures(self):
        body = """const { pcapToTrace, isPcap } = await import('/assets/pcap.js'); const { parseHex } = await import('/assets/hex.js');
            const bytes = parseHex(values[0]); if (!isPcap(bytes)) return 'no capture';
            const { text, fault } = pcapToTrace(bytes); return text + (fault ? `!${fault.code}@${fault.offset}` : '');"""
        head = "D4C3B2A1020004000000000000000000FFFF0000"
        packet = lambda event, block: f"0000000000000000{len(block) // 2 + 4:02X}000000{len(block) // 2 + 4:02X}00000000{event}{len(block) // 2:04X}{block}"
        capture = head + "08010000" + packet("FE", "0200A404000000") + packet("FF", "0290000000")
        self.assertEqual(call(body, capture), "00A40400\n9000")
        self.assertEqual(call(body, head + "08010000" + packet("FE", "1200A40000") + packet("FF", "A20000") + packet("FE", "0304000000")), "00A40400")
        self.assertEqual(call(body, head + "01000000"), "!pcapLink@20")
        self.assertEqual(call(body, head + "0801000000"), "!pcapShort@24")
        self.assertEqual(call(body, capture[:-4]).split("!")[1], "pcapShort@59")
        self.assertEqual(call(body, "00"), "no capture")

    def test_event_streams_however_they_are_cut(self):
        body = """const { eventParser } = await import('/assets/api.js'); const events = [];
            const parse = eventParser((event) => events.push([event.type, event.data, event.id].join('|')));
            for (let at = 0; at < values[0].length; at += values[1]) parse(values[0].slice(at, at + values[1]));
            return events;"""
        stream = ": beat\n\nid: 7\nevent: tap\ndata: {\"a\":\ndata: 1}\n\ndata:x\r\n\r\nretry: 5\n\nevent: end\ndata: y\n\n"
        for size in (1, 2, 3, 7, 1_000):
            self.assertEqual(call(body, stream, size),
                             ["tap|{\"a\":\n1}|7", "message|x|", "end|y|"], size)

    def test_decoder_names_by_context(self):
        body = """const { Decoder } = await import('/assets/decode.js'); const { Dictionary } = await import('/assets/dictionary.js');
            const { parseHex } = await import('/assets/hex.js');
            const dictionary = new Dictionary(await (await fetch('/v1/dictionary')).json());
            const decoder = new Decoder(dictionary); const found = {};
            const walk = (node) => { found[node.label] = [node.name, ...node.lines].join('; '); node.children.forEach(walk); };
            for (const text of values) { const bytes = parseHex(text);
              const frame = text.endsWith('9000') ? decoder.response(bytes) : decoder.command(bytes); frame.nodes.forEach(walk); }
            return found;"""
        vas = call(body, "00A404000A4F53452E5641532E303100",
                   "6F1D50084170706C655061799F210201009F24047B6EB30A9F23040000003E9000")
        self.assertIn("once", vas["9F24"])
        self.assertIn("payment ready", vas["9F23"])
        emv = call(body, "00A4040007A000000003101000", "77099F2701809F360200019000")
        self.assertIn("Cryptogram Information Data", emv["9F27"])
        self.assertIn("ARQC", emv["9F27"])

    def test_taps_are_neither_lost_nor_there_twice(self):
        body = """
            const { Taps } = await import('/assets/taps.js');
            let all = [], asked = 0; const real = window.fetch;
            const tap = (n) => ({ id: `T${n}`, events: [], deliveries: [], passes: [] });
            window.fetch = async (path) => {
              asked += 1;
              const query = new URL(path, location).searchParams;
              await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
              const after = Number(query.get('after') ?? 0);
              const taps = query.has('latest') ? all.slice(-Number(query.get('latest'))) : all.slice(after, after + Number(query.get('limit')));
              const cursor = query.has('latest') ? all.length : Math.max(after, after + taps.length);
              return new Response(JSON.stringify({ taps, cursor: String(cursor) }));
            };
            try {
              const seen = []; const store = new Taps((change) => seen.push(...change.added.map((each) => each.id)));
              for (let n = 0; n < 300; n += 1) all.push(tap(n));
              await store.catchUp();
              const begun = store.byId.size;
              for (let n = 300; n < 2000; n += 1) { all.push(tap(n)); store.received(all[Math.floor(Math.random() * all.length)]); if (n % 97 === 0) await store.refresh(); }
              store.received(all.at(-1)); await store.refresh();
              const order = store.newestFirst().map((each) => each.id);
              const inOrder = order.every((id, index) => id === `T${1999 - index}`);
              all = [tap(5000)]; await store.refresh();
              return { begun, twice: seen.length - new Set(seen).size, added: seen.length, inOrder, anew: store.newestFirst().map((each) => each.id), few: asked < 2500 };
            } finally { window.fetch = real; }"""
        self.assertEqual(call(body), {"begun": 200, "twice": 0, "added": 1700, "inOrder": True, "anew": ["T5000"], "few": True})

    def test_a_stream_comes_back(self):
        body = """
            const { follow } = await import('/assets/api.js');
            let calls = 0; const real = window.fetch; const told = [];
            window.fetch = async () => {
              calls += 1;
              if (calls === 2) throw new TypeError('refused');
              return new Response(new Blob([`event: state\\ndata: ${calls}\\n\\nevent: half\\ndata: lost`]).stream());
            };
            try {
              let end; const done = new Promise((resolve) => { end = resolve; });
              const stop = follow('/v1/live', {
                opened: () => told.push('open'), closed: () => told.push('closed'),
                event: ({ type, data }) => { told.push(`${type} ${data}`); if (data === '3') end(); },
              });
              await done; stop();
              return told;
            } finally { window.fetch = real; }"""
        self.assertEqual(call(body), ["open", "state 1", "closed", "closed", "open", "state 3"])
