// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ProximityReader

/// One row: under this condition, this request ends so, with these events.
struct ConditionCase: Sendable, CustomTestStringConvertible {
    enum Call: Sendable { case identifier, linkCheck, link, relink, prepare, read }

    let condition: Condition
    let call: Call
    let error: String
    var events: [String] = []

    var testDescription: String { "\(condition) \(call) → \(error)" }

    init(_ condition: Condition, _ call: Call, _ error: String, _ events: [String] = []) {
        (self.condition, self.call, self.error, self.events) = (condition, call, error, events)
    }

    init(_ name: Condition.Name, _ call: Call, _ error: String, _ events: [String] = []) {
        self.init(Condition(name), call, error, events)
    }
}

@Suite("Every error of preparation, linking and reading by a named condition")
struct ConditionTests {
    static let requests: [ConditionCase] = [
        .init(.notAllowed, .identifier, "notAllowed"),
        .init(.notAllowed, .prepare, "notAllowed"),
        .init(.background, .prepare, "backgroundRequestNotAllowed"),
        .init(.background, .link, "backgroundRequestNotAllowed"),
        .init(.unsupported, .prepare, "unsupported"),
        .init(.osVersionNotSupported, .prepare, "osVersionNotSupported"),
        .init(.modelNotSupported, .prepare, "modelNotSupported"),
        .init(.passcodeDisabled, .prepare, "passcodeDisabled"),
        .init(.networkDown, .prepare, "networkError"),
        .init(.networkDown, .linkCheck, "networkError"),
        .init(.networkAuthentication, .prepare, "networkAuthenticationError"),
        .init(.serviceConnection, .prepare, "serviceConnectionError"),
        .init(.notReady, .prepare, "notReady"),
        .init(.emptyReaderToken, .prepare, "emptyReaderToken"),
        .init(.invalidReaderToken, .prepare, "invalidReaderToken"),
        .init(.prepareFailed("attestation"), .prepare, "prepareFailed"),
        .init(.prepareExpired, .prepare, "prepareExpired"),
        .init(.tokenExpired, .prepare, "tokenExpired"),
        .init(.deviceBanned(until: VirtualTime.start), .prepare, "deviceBanned"),
        .init(.memoryFull, .prepare, "readerMemoryFull"),
        .init(.readerBusy, .prepare, "readerBusy"),
        .init(.accountNotLinked, .prepare, "accountNotLinked"),
        .init(.accountNotLinked, .relink, "accountNotLinked"),
        .init(.accountAlreadyLinked, .link, "accountAlreadyLinked"),
        .init(.linkingFailed, .link, "accountLinkingFailed"),
        .init(.iCloudSignInRequired, .link, "accountLinkingRequiresiCloudSignIn"),
        .init(.linkingCancelled, .link, "accountLinkingCancelled"),
        .init(.linkingCancelled, .relink, "accountLinkingCancelled"),
        .init(.linkCheckFailed, .linkCheck, "accountLinkingCheckFailed"),
        .init(.merchantBlocked, .prepare, "merchantBlocked"),
        .init(.accountDeactivated, .prepare, "accountDeactivated"),
        .init(.invalidMerchant, .prepare, "invalidMerchant"),
        .init(.unknown(code: 42), .prepare, "unknown"),
        .init(.requestInterrupted, .prepare, "requestInterrupted"),
        .init(.requestInterrupted, .link, "requestInterrupted"),
    ]

    static let reads: [ConditionCase] = [
        .init(.notAllowed, .read, "readNotAllowed"),
        .init(.readNotAllowed, .read, "readNotAllowed"),
        .init(.background, .read, "readFromBackgroundError", ["notReady"]),
        .init(.serviceConnection, .read, "readerServiceConnectionError"),
        .init(.readerServiceError, .read, "readerServiceError"),
        .init(.sessionLost, .read, "noReaderSession", ["notReady"]),
        .init(.sessionExpired, .read, "readerSessionExpired"),
        .init(.tokenExpired, .read, "readerTokenExpired"),
        .init(.networkDown, .read, "readerSessionNetworkError"),
        .init(.networkAuthentication, .read, "readerSessionAuthenticationError"),
        .init(.sessionBusy, .read, "readerSessionBusy"),
        .init(.readCancelled, .read, "readCancelled", Sequence.cancelled),
        .init(.nfcDisabled, .read, "nfcDisabled", ["readNotCompleted", "userInterfaceDismissed"]),
        .init(.callInProgress, .read, "readNotAllowedDuringCall"),
        .init(.passcodeDisabled, .read, "passcodeDisabled"),
        .init(.cardReadFailed, .read, "cardReadFailed", Sequence.failedTap),
        .init(.vasReadFail, .read, "vasReadFail", Sequence.failedTap),
        .init(.cardNotSupported, .read, "cardNotSupported", Sequence.failedTap),
        .init(.invalidVASMerchants, .read, "invalidVASMerchants"),
        .init(.invalidVASRequestParameters, .read, "invalidVASRequestParameters"),
        .init(.unknown(code: 42), .read, "unknown"),
        .init(.readerNotAvailable, .read, "readerNotAvailable"),
        .init(.readerInitializationFailed, .read, "readerInitializationFailed"),
    ]

    /// On a payment read alone; the others are the same on both.
    static let payments: [ConditionCase] = [
        .init(.invalidAmount, .read, "invalidAmount"),
        .init(.invalidCurrencyCode, .read, "invalidCurrencyCode"),
        .init(.invalidPreferredAID, .read, "invalidPreferredAID"),
        .init(.paymentReadFailed, .read, "paymentReadFailed", Sequence.failedTap),
        .init(.paymentCardDeclined, .read, "paymentCardDeclined", Sequence.failedTap),
    ]

    @Test("A condition stops a payment read", arguments: reads + payments)
    func payment(_ row: ConditionCase) async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([Flow.both])
        }
        let token = try bench.bench.token()
        let (result, events) = await bench.bench.run { reader in
            let session = try await reader.prepare(using: token)
            bench.bench.counter.conditions = [row.condition]
            return try await session.readPaymentCard(PaymentBench.purchase)
        }
        #expect(caseName(result) == row.error)
        #expect(events == row.events)
    }

    @Test("The conditions about payments leave a loyalty read alone")
    func paymentsAlone() async throws {
        let bench = try Bench()
        let token = try bench.token()
        let (result, _) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            bench.counter.conditions = [Condition(.paymentReadFailed), Condition(.paymentCardDeclined)]
            return try await session.readVAS(Bench.request(Bench.club))
        }
        #expect(caseName(result) == nil)
    }

    @Test("A condition stops a request", arguments: requests)
    func request(_ row: ConditionCase) async throws {
        let bench = try Bench { _ in
        } set: {
            $0.conditions = [row.condition]
        }
        let token = try bench.token { $0.mayRelink = true }
        let (result, events) = await bench.run { reader in
            switch row.call {
            case .identifier: _ = try await reader.readerIdentifier
            case .linkCheck: _ = try await reader.isAccountLinked(using: token)
            case .link: try await reader.linkAccount(using: token)
            case .relink: try await reader.relinkAccount(using: token)
            case .prepare, .read: _ = try await reader.prepare(using: token)
            }
        }
        #expect(caseName(result) == row.error)
        #expect(events == row.events)
    }

    @Test("A condition stops a read", arguments: reads)
    func read(_ row: ConditionCase) async throws {
        let bench = try Bench()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            bench.counter.conditions = [row.condition]
            return try await session.readVAS(Bench.request(Bench.club))
        }
        #expect(caseName(result) == row.error)
        #expect(events == row.events)
    }

    @Test("Together the rows name every case that belongs here, and every condition")
    func complete() {
        let rows = Self.requests + Self.reads + Self.payments
        // PINs, and store and forward, have tables of their own.
        func isElsewhere(_ name: String) -> Bool { name.hasPrefix("pin") || name.hasPrefix("store") }
        let all = Set(PaymentCardReaderError.texts.keys).union(PaymentCardReaderSession.ReadError.texts.keys)
        #expect(Set(rows.map(\.error)) == all.filter { !isElsewhere($0) })
        let used = Set(rows.map(\.condition.name)).union([.slowPreparation])
        #expect(used == Set(Condition.Name.allCases.filter { !isElsewhere($0.rawValue) }))
    }

    @Test("Payloads arrive in the errors")
    func payloads() async throws {
        let bench = try Bench()
        let token = try bench.token()
        func error(_ condition: Condition) async -> String {
            bench.counter.conditions = [condition]
            let (result, _) = await bench.run { _ = try await $0.prepare(using: token) }
            guard case .failure(let error) = result else { return "none" }
            return "\(error)"
        }
        #expect(await error(.prepareFailed("attestation -2023")).contains("attestation -2023"))
        #expect(await error(.unknown(code: 42)) == "unknown(code: 42)")
        #expect(await error(.deviceBanned(until: nil)) == "deviceBanned(nil)")
        bench.counter.conditions = [.deviceBanned(until: VirtualTime.start)]
        await #expect { try await PaymentCardReader(counter: bench.counter).prepare(using: token) } throws: { error in
            guard case .deviceBanned(let date?) = error as? PaymentCardReaderError else { return false }
            return date == VirtualTime.start
        }
    }

    @Test("Slow preparation tells of every percent and takes its time")
    func slowPreparation() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.conditions = [.slowPreparation(.seconds(60))]
        }
        let token = try bench.token()
        let percents = Percents()
        let (result, events) = await bench.run { reader in
            _ = try await reader.prepare(using: token) { event in
                if case .progress(let percent) = event { percents.list.append(percent) }
            }
        }
        #expect(caseName(result) == nil)
        #expect(events == Array(repeating: "updateProgress", count: 100))
        #expect(percents.list == Array(1...100))
        #expect(bench.time.slept == .seconds(60))
    }

    private final class Percents { var list: [Int] = [] }

    @Test("An interrupted preparation stops midway")
    func interruptedPreparation() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.conditions = [.slowPreparation(.seconds(1)), Condition(.requestInterrupted)]
        }
        let token = try bench.token()
        let (result, events) = await bench.run { _ = try await $0.prepare(using: token) }
        #expect(caseName(result) == "requestInterrupted")
        #expect(events == Array(repeating: "updateProgress", count: 50))
    }

    @Test("An account is linked once, and relinked with permission only")
    func linking() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.conditions = [Condition(.accountNotLinked)]
        }
        let token = try bench.token()
        let relinking = try bench.token { $0.mayRelink = true }
        let other = try bench.token { $0.merchantID = "merchant.other" }
        let (result, events) = await bench.run { reader in
            #expect(try await !reader.isAccountLinked(using: token))
            try await reader.linkAccount(using: token)
            #expect(try await reader.isAccountLinked(using: token))
            #expect(try await !reader.isAccountLinked(using: other))
            _ = try await reader.prepare(using: token)
            try await reader.relinkAccount(using: relinking)
            await #expect { try await reader.relinkAccount(using: token) } throws: {
                ($0 as? PaymentCardReaderError)?.errorName == "notAllowed"
            }
            try await reader.linkAccount(using: token)
        }
        #expect(caseName(result) == "accountAlreadyLinked")
        #expect(events.isEmpty)
    }
}
