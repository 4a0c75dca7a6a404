// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing

@testable import EMVContactless

/// The conformance vectors that stand beside the checkout; absent ones are empty.
enum Vectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].map { $0 + "/emv/" }
    static let isAvailable = folder != nil

    static func load(_ path: String) -> JSON {
        guard let folder, let data = FileManager.default.contents(atPath: folder + path) else { return .null }
        return (try? JSONDecoder().decode(JSON.self, from: data)) ?? .null
    }

    static func text(_ path: String) -> String {
        guard let folder, let data = FileManager.default.contents(atPath: folder + path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    static func files(_ path: String) -> [String] {
        guard let folder else { return [] }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder + path)) ?? []).sorted()
    }
}

/// Any JSON value.
enum JSON: Decodable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    subscript(key: String) -> JSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    var isNull: Bool { if case .null = self { true } else { false } }
    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var int: Int? { if case .number(let number) = self { Int(number) } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The bytes a hex string spells.
    var hex: [UInt8]? { string.flatMap { try? Hex.decode($0) } }
}

/// Bytes from hex; a typing mistake in a test gives none.
func hex(_ text: String) -> [UInt8] { (try? Hex.decode(text)) ?? [] }

/// One exchange of a script or trace; an empty command stands for any.
struct Exchange: Sendable {
    let command: [UInt8]
    let response: [UInt8]

    init(_ command: [UInt8], _ response: [UInt8]) { (self.command, self.response) = (command, response) }

    init(_ json: JSON) { self.init(json["c"].hex ?? [], json["r"].hex ?? []) }
}

/// Answers from recorded exchanges. Loose by default: instruction and, for SELECT and READ RECORD, what they name.
final class ScriptChannel: CardChannel {
    private let exchanges: [Exchange]
    private let otherwise: [UInt8]
    private let cut: Int
    private(set) var sent: [[UInt8]] = []
    private var position = 0

    /// - Parameters:
    ///   - otherwise: the answer when nothing fits.
    ///   - cut: after this many commands the card is gone.
    init(_ exchanges: [Exchange], otherwise: [UInt8] = [0x6D, 0x00], cut: Int = .max) {
        (self.exchanges, self.otherwise, self.cut) = (exchanges, otherwise, cut)
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard sent.count < cut else { throw CardChannelError(.cardGone, reason: "the card left the field") }
        sent.append(command)
        guard let index = exchanges[position...].firstIndex(where: { fits($0.command, command) }) else {
            return otherwise
        }
        position = index + 1
        return exchanges[index].response
    }

    private func fits(_ recorded: [UInt8], _ command: [UInt8]) -> Bool {
        guard recorded.count >= 4, command.count >= 4 else { return recorded.isEmpty }
        guard recorded[1] == command[1] else { return false }
        switch recorded[1] {
        case 0xA4: return recorded.dropFirst(4) == command.dropFirst(4)
        case 0xB2, 0xC0: return recorded.dropFirst(2) == command.dropFirst(2)
        default: return true
        }
    }
}

/// A generator that repeats.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    // SplitMix64 (Steele, Lea, Flood 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: counts, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

/// Set-ups that the tests share.
enum Setup {
    static let allKernels: [KernelID: Kernel] = Kernel.standard.mapValues { kernel in
        var kernel = kernel
        kernel.requiresQualifiersInPDOL = false
        return kernel
    }

    /// Every provider under its default kernel, selected by the provider's five bytes.
    static func everyProvider(qualifiers: String = "20004000") -> [Combination] {
        let rids = [
            "A000000003", "A000000004", "A000000025", "A000000065", "A000000152", "A000000324", "A000000333",
            "A000000277", "A000000042", "A123456789",
        ]
        return rids.compactMap { rid in
            guard let aid = try? AID(hex(rid)) else { return nil }
            let kernel = KernelID.byDefault(for: aid.bytes) ?? 3
            var combination = Combination(
                aid: aid, kernel: kernel, qualifiers: TerminalTransactionQualifiers(hex(qualifiers)))
            combination.floorLimit = 0
            return combination
        }
    }

    static func configuration(_ combinations: [Combination]? = nil) -> EMVConfiguration {
        EMVConfiguration(
            terminal: TerminalProfile(country: 276), combinations: combinations ?? everyProvider(),
            kernels: allKernels)
    }

    static func transaction(_ amount: UInt64 = 1250) -> EMVTransaction {
        EMVTransaction(
            amount: amount, currency: 978, date: EMVDate(year: 2026, month: 8, day: 5),
            unpredictableNumber: hex("52BF4585"))
    }
}
