// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing
import WalletCrypto

@Suite struct JSONTests {
    @Test(arguments: [
        "null", "true", "[]", "{}", "0", "-0", "1.5e+10", #""""#, #""a\u00e9\ud83d\ude00\/""#, " [1 , 2]\n",
        #"{"a":{"b":[null,false]}}"#,
    ]) func `what Foundation reads is read`(text: String) throws {
        let value = try JSONReader.read(Array(text.utf8))
        let again = try JSONReader.read(value.utf8)
        #expect(again == value)
        #expect(try JSONReader.read(Array(value.lines().utf8)) == value)
        let options: JSONSerialization.ReadingOptions = .fragmentsAllowed
        let ours = try JSONSerialization.jsonObject(with: Data(value.utf8), options: options) as? NSObject
        let theirs = try JSONSerialization.jsonObject(with: Data(text.utf8), options: options) as? NSObject
        #expect(ours == theirs)
    }

    @Test(arguments: [
        "", " ", "nul", "tru", "[1,]", "[1 2]", "{", #"{"a"}"#, #"{"a":}"#, "{a:1}", "01", "1.", ".5", "+1", "1e", "-",
        #"""#, #""\x""#, #""\u12""#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, "\"\n\"", "1 2", "\u{FEFF}1",
        #"{"a":1,"a":2}"#, "'a'", "NaN", #""\u+123""#,
    ]) func `what is not JSON is refused with the place`(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
        #expect(error?.reason.isEmpty == false && error?.offset != nil)
    }

    @Test func `levels, size and bytes that are not UTF-8 are bounded`() {
        for bytes in [
            [UInt8](repeating: 0x5B, count: 10_000), Array(String(repeating: "{\"a\":", count: 10_000).utf8),
            [UInt8](repeating: 0x20, count: (1 << 20) + 1), [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
        ] {
            #expect(throws: JSONError.self) { try JSONReader.read(bytes) }
        }
    }

    @Test func `never traps, and what is read is written back to the same`() throws {
        var random = SeededRandom(seed: 9)
        let alphabet = Array("{}[]\",:\\u0d8e1.-+ tfn\u{e9}".utf8)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<24, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let value = try? JSONReader.read(bytes) else { continue }
            #expect(try JSONReader.read(value.utf8) == value)
        }
    }

    @Test func `levels are counted as each use wants them`() throws {
        let nested = { (count: Int) in
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        for depth in [0, 15, 32] {
            let limits = JSONReader.Limits(depth: depth)
            _ = try JSONReader.read(nested(depth + 1), limits: limits)
            let error = #expect(throws: JSONError.self) { try JSONReader.read(nested(depth + 2), limits: limits) }
            #expect(error?.reason == "The JSON text has more than \(depth) levels" && error?.offset == depth + 1)
        }
    }

    @Test func `a string is written as RFC 8259 wants it`() {
        #expect(JSONString.quoted("a\"\\/\n\r\t\u{1}\u{1f}\u{7f}é🧀") == #""a\"\\/\n\r\t\u0001\u001f\u007fé🧀""#)
        #expect(JSONValue.number("12").integer == 12 && JSONValue.number("1.5").integer == nil)
        #expect("\(JSONValue.string("secret"))".contains("secret") == false, "may hold card data")
    }
}
