// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing

@testable import CounterServer

@Suite struct TOMLOutlineTests {
    static let document = """
        # a comment with [brackets] and = signs
        top = 1
        [counter]  # another
        id = "c1"
          reader = 'a # b'
        text = \"\"\"
        [not.a.table]
        key = 2 \"\"\"\"\"
        list = [
          "x = 1", # ]
          [1, 2],
        ]
        "quoted key" = true
        [[sink]]
        name = "a"
        headers.accept = "b"
        [sink.more]
        deep = 1
        [[sink]]
        name = "b" ; type = "c"
        [ http . tls ]
        key = '''
        name = 3'''
        last = { a = 1, b = { c = 2 } }
        ü = 1
        """

    @Test(arguments: [
        ("top", 2, 1), ("counter", 3, 1), ("counter.id", 4, 1), ("counter.reader", 5, 3), ("counter.text", 6, 1),
        ("counter.list", 9, 1), ("counter.quoted key", 13, 1), ("sink[0]", 14, 1), ("sink[0].name", 15, 1),
        ("sink[0].headers.accept", 16, 1), ("sink[0].more", 17, 1), ("sink[0].more.deep", 18, 1), ("sink[1]", 19, 1),
        ("sink[1].name", 20, 1), ("http.tls", 21, 1), ("http.tls.key", 22, 1), ("http.tls.last", 24, 1),
    ])
    func `a key stands where it is written`(key: String, line: Int, column: Int) throws {
        let outline = try TOMLOutline(Array(Self.document.utf8))
        #expect(outline.place(of: key) == TOMLOutline.Place(line: line, column: column))
    }

    @Test(arguments: [
        ("counter.missing", 3), ("sink[1].url", 19), ("sink[0].more.other", 17), ("counter.not.a.table", 3),
        ("http.tls.last.b.c", 24), ("sink[7]", nil), ("other", nil), ("", nil),
    ])
    func `what is not there stands where its table does`(key: String, line: Int?) throws {
        let outline = try TOMLOutline(Array(Self.document.utf8))
        #expect(outline.place(of: key)?.line == line)
    }

    @Test(arguments: [
        ("a = 1\nb = \"x\u{0}y\"", 2, "NUL"), ("\u{0}", 1, "NUL"), (#"a = "x\u0000""#, 1, "NUL"),
        (#"a = """\#nx\U00000000""""#, 2, "NUL"), ("a = " + String(repeating: "[", count: 40), 1, "deep"),
        ("\na = " + String(repeating: "{b=", count: 40), 2, "deep"),
        (Array(repeating: "a", count: 20).joined(separator: ".") + " = 1", 1, "parts"),
        ("[" + Array(repeating: "a", count: 20).joined(separator: ".") + "]", 1, "parts"),
        ("x = { " + Array(repeating: "a", count: 20).joined(separator: " . ") + " = 1 }", 1, "parts"),
    ])
    func `what the parser would not bear is refused before`(text: String, line: Int, word: String) {
        #expect {
            try TOMLOutline(Array(text.utf8))
        } throws: { error in
            guard let refusal = error as? TOMLOutline.Refusal else { return false }
            return refusal.place.line == line && refusal.reason.contains(word)
        }
    }

    @Test(arguments: ["\\\\u0000", "0.5, 1.5", "a.b.c.d"]) func `what only looks like it is not`(text: String) throws {
        _ = try TOMLOutline(Array("a = \"\(text)\"\nb = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 1.0]".utf8))
    }

    @Test func `any bytes have an outline or a refusal`() throws {
        var random = SeededRandom(seed: 41)
        let letters = Array("[]{}\"'=.,#\n\r\t \\u0ab".utf8)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0
            }
            _ = try? TOMLOutline(bytes)
        }
    }
}
