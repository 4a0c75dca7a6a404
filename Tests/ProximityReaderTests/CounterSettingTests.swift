// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import ProximityReader

@Suite("Settings of the counter")
struct CounterSettingTests {
    @Test("Conditions by text, there and back")
    func conditions() throws {
        let list = try Condition.list(parsing: "nfcDisabled, callInProgress,deviceBanned=2030-01-01T00:00:00Z,,")
        #expect(list.map(\.name) == [.nfcDisabled, .callInProgress, .deviceBanned])
        #expect(list.map(\.description) == ["nfcDisabled", "callInProgress", "deviceBanned=2030-01-01T00:00:00Z"])
        #expect(list[2].date == Date(timeIntervalSince1970: 1_893_456_000))
        #expect(try Condition.list(parsing: "").isEmpty)
        #expect(try Condition.list(parsing: "unknown=-3").first?.code == -3)
        #expect(try Condition.list(parsing: "prepareFailed=attestation -2023").first?.value == "attestation -2023")
        for name in Condition.Name.allCases {
            #expect(try Condition.list(parsing: name.rawValue) == [Condition(name)])
        }
    }

    @Test(
        "Settings that cannot be read are named",
        arguments: [
            "nfcdisabled", "deviceBanned=tomorrow", "unknown=x", "slowPreparation=-1", "slowPreparation=nan", "=",
        ])
    func badConditions(_ text: String) {
        #expect(throws: CounterSettingError.self) { try Condition.list(parsing: text) }
    }

    @Test("Delays by text")
    func delays() throws {
        let delays = try Delays(parsing: "readyForTap=0.5, removeCard=2")
        #expect(delays[.readyForTap] == .milliseconds(500) && delays[.removeCard] == .seconds(2))
        #expect(delays[.cardDetected] == .zero)
        for text in ["readyForTap", "x=1", "removeCard=-1", "removeCard=x", "removeCard=inf"] {
            #expect(throws: CounterSettingError.self) { try Delays(parsing: text) }
        }
        // Each event of a read can be held up.
        for event in [
            "readyForTap", "cardDetected", "removeCard", "readCompleted", "readRetry", "readCancelled",
            "readNotCompleted", "userInterfaceDismissed",
        ] {
            #expect(Delays.Step(rawValue: event) != nil, "\(event)")
        }
    }

    @Test("Reader choices by text")
    func readers() {
        func name(_ text: String) -> String? { ReaderChoice(text).map { "\($0)" } }
        #expect(name("pcsc:ACR 122:0")?.contains("ACR 122:0") == true)
        #expect(name("pcsc")?.contains("nil") == true)
        #expect(name("emulated:/a:b")?.contains("/a:b") == true)
        #expect(name("replay:x.apdu")?.contains("x.apdu") == true)
        for text in ["", "emulated", "emulated:", "replay:", "usb:1", "PCSC:x"] {
            #expect(name(text) == nil, "\(text)")
        }
    }

    @Test("The environment sets up the process's counter")
    func environment() throws {
        let configuration = try Counter.Configuration(environment: [
            "COUNTERTOP_READER": "replay:a.apdu", "COUNTERTOP_CONDITIONS": "nfcDisabled",
            "COUNTERTOP_DELAYS": "linking=3", "COUNTERTOP_TOKEN_KEY": "/k.pem",
        ])
        guard case .replay("a.apdu") = configuration.reader, case .file("/k.pem") = configuration.tokenKey else {
            Issue.record("\(configuration.reader)")
            return
        }
        #expect(configuration.conditions == [Condition(.nfcDisabled)])
        #expect(configuration.delays[.linking] == .seconds(3))
        guard case .pcsc(nil) = try Counter.Configuration(environment: [:]).reader else {
            Issue.record("the default is the first PC/SC reader")
            return
        }
        for variable in ["COUNTERTOP_READER", "COUNTERTOP_CONDITIONS", "COUNTERTOP_DELAYS"] {
            #expect {
                try Counter.Configuration(environment: [variable: "nonsense"])
            } throws: {
                "\($0)".hasPrefix(variable + ": ")
            }
        }
    }

    @Test("A bad setting fails every preparation with its reason")
    func badEnvironment() async throws {
        let counter = Counter(standardFor: ["COUNTERTOP_READER": "usb:1"])
        await #expect {
            _ = try await PaymentCardReader(counter: counter).readerIdentifier
        } throws: { error in
            guard case .prepareFailed(let reason?) = error as? PaymentCardReaderError else { return false }
            return reason.contains("COUNTERTOP_READER")
        }
    }

    @Test("Taps are reported, and the reader can be wrapped")
    func hooks() async throws {
        let reports = Reports()
        let bench = try Bench { _ in
        } set: {
            $0.tapHandler = { report in reports.add(report.readerName) }
            $0.wrapReader = { LimitedReader($0, taps: 1) }
        }
        #expect(await bench.read().events == Sequence.good)
        #expect(caseName(await bench.read().result) == "cardReadFailed")
        #expect(reports.names == ["emulated"])
    }
}

private final class Reports: Sendable {
    private let list = Mutex<[String]>([])
    var names: [String] { list.withLock { $0 } }
    func add(_ name: String) { list.withLock { $0.append(name) } }
}
