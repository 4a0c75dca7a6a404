// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import AppleVAS

@Suite("GET VAS DATA")
struct CommandTests {
    private let nonce: [UInt8] = [0xC5, 0x26, 0x6B, 0x6E]

    private func hex(_ merchant: VASMerchant, _ capabilities: VASTerminalCapabilities) throws -> String {
        Hex.encode(try VASCommand(merchant, capabilities: capabilities, nonce: nonce).apdu().bytes)
    }

    @Test("a full command has version, nonce, capabilities and merchant in this order, and Le")
    func fullCommand() throws {
        let merchant = VASMerchant(passTypeIdentifier: Sample.passType)
        let command = try hex(merchant, VASTerminalCapabilities(mode: .vasOnly))
        let id = Hex.encode(merchant.merchantID)
        #expect(command == "80CA0101369F220201009F2804C5266B6E9F2604008000029F2520\(id)00")
    }

    @Test("filter and URL follow the merchant")
    func filterAndURL() throws {
        let merchant = VASMerchant(
            passTypeIdentifier: Sample.passType, url: "https://example.com", filter: [1, 0, 0, 0, 0])
        let command = try VASCommand(merchant, capabilities: .init(mode: .vasOnly), nonce: nil).apdu()
        let objects = try TLV.read(command.data)
        #expect(objects.map(\.tag) == [0x9F22, 0x9F26, 0x9F25, 0x9F2B, 0x9F29])
        #expect(objects.last?.bytes == Array("https://example.com".utf8))
        #expect(command.p1 == 1)
        #expect(command.p2 == 1)
        #expect(command.ne == 256)
    }

    @Test("an empty URL is none")
    func emptyURL() throws {
        let merchant = VASMerchant(passTypeIdentifier: Sample.passType, url: "")
        #expect(merchant.problems.isEmpty)
        let command = try VASCommand(merchant, capabilities: .init(mode: .vasOnly), nonce: nil).apdu()
        #expect(try TLV.read(command.data).first(0x9F29) == nil)
    }

    @Test("a URL-only command has P2 00, no merchant and no filter")
    func urlOnly() throws {
        let merchant = VASMerchant(
            passTypeIdentifier: Sample.passType, url: "https://a.example", filter: [1, 0, 0, 0, 0], urlOnly: true)
        let url = "9F2911" + Hex.encode(Array("https://a.example".utf8))
        let command = try hex(merchant, VASTerminalCapabilities(mode: .vasAndPayment))
        #expect(command == "80CA0100279F220201009F2804C5266B6E9F260400800001\(url)00")
    }

    @Test("the last byte of 9F26 is the mode, with bit 8 while more follow", arguments: VASMode.allCases)
    func capabilities(mode: VASMode) {
        #expect(VASTerminalCapabilities(mode: mode).bytes == [0, 0x80, 0, mode.rawValue])
        #expect(VASTerminalCapabilities(mode: mode, moreFollows: true).bytes == [0, 0x80, 0, 0x80 | mode.rawValue])
        #expect(VASTerminalCapabilities(mode: mode, terminalType: 0).bytes == [0, 0, 0, mode.rawValue])
    }

    @Test("a URL over 127 bytes gets a long length, up to what Lc takes")
    func longURL() throws {
        let longest = VASMerchant(passTypeIdentifier: "p", url: "https://" + String(repeating: "a", count: 189))
        let command = try VASCommand(longest, capabilities: .init(mode: .vasOnly), nonce: nonce).apdu()
        #expect(command.data.count == 255)
        #expect(!command.isExtended)
        #expect(try TLV.read(command.data).last?.value.count == 197)
        #expect(longest.problems.map(\.code) == [.longURL])
        let longer = VASMerchant(passTypeIdentifier: "p", url: "https://" + String(repeating: "a", count: 190))
        #expect(longer.problems.map(\.code) == [.longURL, .tooLong])
        let error = #expect(throws: VASError.self) {
            try VASCommand(longer, capabilities: .init(mode: .vasOnly), nonce: nonce).apdu()
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.cause == nil)
    }

    @Test("each problem of a merchant is named, and only some are fatal")
    func problems() {
        func codes(_ merchant: VASMerchant) -> [VASMerchantProblem.Code] { merchant.problems.map(\.code) }
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", url: "https://example.com")).isEmpty)
        #expect(codes(VASMerchant(passTypeIdentifier: "")) == [.missingPassType])
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", url: "", urlOnly: true)) == [.missingURL])
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.é")) == [.unusualPassType])
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", urlOnly: true)) == [.missingURL])
        #expect(codes(VASMerchant(passTypeIdentifier: "", url: "https://example.com", urlOnly: true)).isEmpty)
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", url: "http://example.com")) == [.unusualURL])
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", url: "https://é.com")) == [.unusualURL])
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", filter: [2, 0, 0, 0, 0])) == [.unusualFilter])
        #expect(codes(VASMerchant(passTypeIdentifier: "pass.a", filter: [1, 0, 0, 0, 0, 0])) == [.unusualFilter])
        let fatal: [VASMerchantProblem.Code] = [.missingPassType, .missingURL, .tooLong]
        let all = [VASMerchant(passTypeIdentifier: ""), VASMerchant(passTypeIdentifier: "pass.é", urlOnly: true)]
        for problem in all.flatMap(\.problems) {
            #expect(problem.isFatal == fatal.contains(problem.code))
            #expect(problem.description == problem.text)
        }
    }

    @Test("64 characters of URL are within the documented limit, 65 are not")
    func urlLimit() {
        func problems(_ count: Int) -> [VASMerchantProblem] {
            VASMerchant(passTypeIdentifier: "p", url: "https://" + String(repeating: "a", count: count - 8)).problems
        }
        #expect(problems(64).isEmpty)
        #expect(problems(65).map(\.isFatal) == [false])
    }
}
