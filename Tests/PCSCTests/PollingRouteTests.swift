// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing

@testable import PCSC

private let vectors = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"]

@Suite("Polling routes")
struct PollingRouteTests {
    private struct Vectors: Decodable {
        struct Frame: Decodable {
            let frame: String
            let crcA: String
            enum CodingKeys: String, CodingKey {
                case frame
                case crcA = "crc_a"
            }
        }
        struct Transport: Decodable {
            let reader: String
            let steps: [String]
        }
        let frames: [Frame]
        let transports: [Transport]
        enum CodingKeys: String, CodingKey {
            case frames = "ecp_frames"
            case transports = "ecp_transport"
        }
    }

    private func load() throws -> Vectors {
        let folder = try #require(vectors)
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/vas.json"))
        return try JSONDecoder().decode(Vectors.self, from: data)
    }

    @Test("CRC_A of the standard's own examples")
    func standard() {
        // ISO/IEC 14443-3, annex B: 0000 gives A01E, 1234 gives 26CF.
        #expect(CRCA.bytes(of: [0x00, 0x00]) == [0xA0, 0x1E])
        #expect(CRCA.bytes(of: [0x12, 0x34]) == [0x26, 0xCF])
    }

    @Test("CRC_A of known frames", .enabled(if: vectors != nil, "COUNTERTOP_VECTORS is not set"))
    func frames() throws {
        let vectors = try load()
        #expect(vectors.frames.count >= 15)
        for vector in vectors.frames {
            #expect(CRCA.bytes(of: try Hex.decode(vector.frame)) == (try Hex.decode(vector.crcA)))
        }
        let known = try vectors.frames.map { try Hex.decode($0.frame) }
        for mode in PollingRoute.Mode.allCases { #expect(known.contains(PollingRoute.frame(mode))) }
    }

    @Test("The routes' bytes for VAS only", .enabled(if: vectors != nil, "COUNTERTOP_VECTORS is not set"))
    func transports() throws {
        let vectors = try load()
        let pairs: [(String, PollingRoute)] = [
            ("ACR122U", .pn532), ("ACS VAS firmware", .acsVAS), ("PC/SC 2 part 3", .transparent),
        ]
        for (name, route) in pairs {
            let vector = try #require(vectors.transports.first { $0.reader.hasPrefix(name) })
            let sent = route.steps.map { $0.bytes(.vasOnly) }
            for step in vector.steps {
                let hex = step.prefix { $0 != "(" }.filter { $0 != " " }
                #expect(sent.contains(try Hex.decode(hex)), "\(name): \(step)")
            }
        }
    }

    @Test("Every step has a source, none was tried, names are told apart")
    func table() {
        #expect(Set(PollingRoute.all.map(\.id)).count == PollingRoute.all.count)
        for route in PollingRoute.all {
            #expect(!route.triedOnHardware)
            #expect(!route.steps.isEmpty && !route.namePatterns.isEmpty)
            #expect(route.steps.allSatisfy { !$0.source.isEmpty && !$0.purpose.isEmpty })
        }
        let names = [
            "ACS ACR122U PICC Interface 00 00": "pn532",
            "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00": "transparent",
            "ACS ACR1255U-J1 00 00": "acs-vas", "ACS WalletMate 1S CL Reader 00 00": "acs-vas",
            "Virtual PCD 00 00": "none", "HID Omnikey 5022 00 00": "none", "": "none",
        ]
        for (name, id) in names { #expect(PollingRoute.route(forReaderNamed: name).id == id, "\(name)") }
    }

    @Test("A route is run in rounds and leaves the reader as it was")
    func run() throws {
        var sent: [[UInt8]] = []
        let report = PollingRoute.pn532.run(mode: .vasOnly, rounds: 2) { bytes in
            sent.append(bytes)
            return bytes[2] == 0x51 ? [0x90, 0x7F] : [0xD5, 0x43, 0x01, 0x90, 0x00]
        }
        #expect(report == PollingRoute.Report(accepted: 7, refused: nil))
        #expect(sent.count == 8)
        #expect(sent.filter { $0 == [0xFF, 0, 0, 0, 9, 0xD4, 0x42, 0x6A, 1, 0, 0, 2, 0xE4, 0xD2] }.count == 2)
        #expect(sent.last == [0xFF, 0x00, 0x51, 0xFF, 0x00])
    }

    @Test("A refusal ends the run and is a value")
    func refusal() {
        var count = 0
        let report = PollingRoute.transparent.run(mode: .vasOrPayment) { _ in
            count += 1
            return count == 2 ? [0x6A, 0x81] : [0x90, 0x00]
        }
        #expect(report == PollingRoute.Report(accepted: 1, refused: "field on"))
        #expect(count == 3, "two steps and the clean-up")
    }

    @Test("A fault is thrown after the clean-up")
    func fault() {
        var sent: [[UInt8]] = []
        #expect(throws: PCSCError(rawCode: PCSCError.noService)) {
            _ = try PollingRoute.transparent.run(mode: .vasOnly) { bytes throws(PCSCError) -> [UInt8] in
                sent.append(bytes)
                if sent.count == 2 { throw PCSCError(rawCode: PCSCError.noService) }
                return [0x90, 0x00]
            }
        }
        #expect(sent.last == [0xFF, 0xC2, 0x00, 0x00, 0x02, 0x82, 0x00])
    }

    @Test("Without a route nothing is sent, and the person is told what to do")
    func none() async throws {
        let report = PollingRoute.none.run(mode: .vasOnly) { _ in [] }
        #expect(report == PollingRoute.Report())
        let reader = PCSCReader(name: "Unknown 00 00")
        #expect(try await reader.wakePhone(.vasOnly) == nil)
        guard case .manual(let advice) = await reader.polling else { return #expect(Bool(false)) }
        #expect(advice.contains("open the pass"))
    }
}
