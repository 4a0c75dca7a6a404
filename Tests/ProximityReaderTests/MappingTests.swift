// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import ISO7816
import Testing

@testable import ProximityReader

@Suite("Faults and status words in Apple's words")
struct MappingTests {
    typealias Row = (code: CardChannelError.Code, error: String)

    static let fatal: [CardChannelError.Code: String] = [
        .serviceGone: "readerServiceConnectionError",
        .readerGone: "readerNotAvailable",
        .interfered: "readerNotAvailable",
        .mismatch: "cardReadFailed",
        .unsupported: "cardReadFailed",
        .other: "readerServiceError",
    ]

    @Test("A fault of the reader ends the read", arguments: FailingReader.Place.allCases)
    func faults(_ place: FailingReader.Place) async throws {
        for (code, error) in Self.fatal {
            let bench = try Bench { _ in
            } reader: { _ in
                FailingReader(place: place, code: code)
            }
            let (result, events) = await bench.read()
            #expect(caseName(result) == error, "\(code.rawValue)")
            let begin = place == .wait ? ["readyForTap"] : ["readyForTap", "cardDetected"]
            #expect(events == begin + ["readNotCompleted", "userInterfaceDismissed"], "\(code.rawValue)")
        }
    }

    @Test("A card that leaves is a torn tap", arguments: [CardChannelError.Code.cardGone, .timedOut, .noCard])
    func torn(_ code: CardChannelError.Code) async throws {
        let bench = try Bench { _ in
        } reader: { _ in
            FailingReader(place: .transmit, code: code)
        } set: {
            $0.policy.maximumTornTaps = 1
        }
        let (result, events) = await bench.read()
        #expect(caseName(result) == "cardReadFailed")
        #expect(events == Sequence.retry + Sequence.failedTap)
    }

    @Test("A reader that cannot be opened")
    func opening() async throws {
        for (choice, part) in [("emulated:/nonexistent", "/nonexistent"), ("replay:/nonexistent", "/nonexistent")] {
            let reader = try #require(ReaderChoice(choice))
            let bench = try Bench { _ in
            } set: {
                $0.reader = reader
            }
            let (result, events) = await bench.read()
            guard case .failure(PaymentCardReaderError.prepareFailed(let reason?)) = result else {
                Issue.record("\(choice): \(result)")
                continue
            }
            #expect(reason.contains(part))
            #expect(events.isEmpty)
        }
        let gone = CardChannelError(.readerGone, reason: "unplugged", hint: "plug it in")
        #expect(FaultMapping.opening(gone).errorName == "readerNotAvailable")
        let other = CardChannelError(.other, reason: "x")
        #expect(FaultMapping.opening(other).errorName == "readerInitializationFailed")
        #expect(FaultMapping.preparation(gone).errorDescription.contains("unplugged; plug it in"))
        let service = CardChannelError(.serviceGone, reason: "x")
        #expect(FaultMapping.preparation(service).errorName == "serviceConnectionError")
    }

    @Test("The eight words are themselves, others the nearest")
    func words() {
        for word in [0x9000, 0x6A83, 0x6287, 0x6B00, 0x6700, 0x6984, 0x6A80, 0x6340] as [UInt16] {
            #expect(StatusMapping.status(StatusWord(rawValue: word)).rawValue == Int(word))
            #expect(StatusMapping.isExact(StatusWord(rawValue: word)))
        }
        let nearest: [StatusWord: VASReadResult.ReadEntry.Status] = [
            0x6C10: .wrongCommandLength, 0x6B01: .wrongP1P2, 0x6982: .userInterventionRequired,
            0x6985: .userInterventionRequired, 0x6D00: .unsupportedApplicationVersion,
            0x6E00: .unsupportedApplicationVersion, 0x6F00: .incorrectData, 0x9100: .incorrectData,
        ]
        for (word, status) in nearest { #expect(StatusMapping.status(word) == status, "\(word)") }
    }

    @Test("A wallet that answers only words that are not the protocol's cannot be read", arguments: [0x6D00, 0x6F00])
    func strangeWord(_ word: UInt16) async throws {
        let bench = try Bench { _ in
        } reader: { _ in
            StatusReader(status: StatusWord(rawValue: word))
        }
        let (result, events) = await bench.read()
        #expect(caseName(result) == "vasReadFail")
        #expect(events == Sequence.failedTap)
    }

    @Test(
        "Each word of the protocol is an entry's status", arguments: [0x6A83, 0x6B00, 0x6700, 0x6984, 0x6A80, 0x6340])
    func word(_ word: UInt16) async throws {
        let bench = try Bench { _ in
        } reader: { _ in
            StatusReader(status: StatusWord(rawValue: word))
        }
        let (result, events) = await bench.read()
        #expect(try result.get().entries.map(\.status.rawValue) == [Int(word)])
        #expect(events == Sequence.good)
    }

    @Test("Success without pass data cannot be read")
    func emptySuccess() async throws {
        for data in [[], [0x70, 0x00], [0x70, 0x05, 0x9F, 0x27]] as [[UInt8]] {
            let bench = try Bench { _ in
            } reader: { _ in
                StatusReader(status: .success, data: data)
            }
            #expect(caseName(await bench.read().result) == "vasReadFail")
        }
    }

    @Test("A reader's identifier is stable and its own")
    func identifier() async throws {
        let one = try await PaymentCardReader(counter: Bench().counter).readerIdentifier
        let two = try await PaymentCardReader(counter: Bench().counter).readerIdentifier
        #expect(one == two && UUID(uuidString: one) != nil)
        #expect(ReaderCore.identifier(ofReaderNamed: "other") != one)
    }
}
