// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import CardTesting
import EmulatedWallet
import Foundation
import HostSystem
import ISO7816
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@testable import ProximityReader

/// A time that passes only when somebody waits.
final class VirtualTime: Sendable {
    static let start = Date(timeIntervalSince1970: 1_767_268_800)
    private let elapsed = Mutex(Duration.zero)

    var slept: Duration { elapsed.withLock { $0 } }

    func advance(_ duration: Duration) { elapsed.withLock { $0 += duration } }

    var asCounterTime: HostTime {
        HostTime(
            now: { Self.start.addingTimeInterval(self.slept / .seconds(1)) }, uptime: { self.slept },
            sleep: {
                self.advance($0)
                await Task.yield()
            })
    }
}

/// A counter with an emulated phone, a token key and a virtual clock.
struct Bench: Sendable {
    static let club = "pass.com.example.club"
    static let cafe = "pass.com.example.cafe"

    var counter: Counter
    let time = VirtualTime()
    let tokenKey: P256PrivateKey
    let passKey: P256PrivateKey
    let phone: EmulatedPhone
    /// Where the counter keeps its files.
    let folder: TemporaryFolder

    init(
        _ phone: (inout PhoneDefinition) -> Void = { _ in }, reader: ((EmulatedPhone) -> any CardReader)? = nil,
        set: (inout Counter.Configuration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        tokenKey = try P256PrivateKey.generate()
        passKey = try P256PrivateKey.generate()
        var definition = PhoneDefinition(passes: [
            Self.pass(Self.club, "M-1", passKey), Self.pass(Self.cafe, "C-2", passKey),
        ])
        phone(&definition)
        let emulated = EmulatedPhone(definition)
        self.phone = emulated
        var configuration = Counter.Configuration(
            reader: reader.map { .custom($0(emulated)) } ?? .emulatedPhone(emulated))
        configuration.time = time.asCounterTime
        configuration.tokenKey = .key(tokenKey.publicKey)
        configuration.storeDirectory = folder.path("store")
        configuration.logger = SecretsGate.logger("countertop.reader")
        for key in [tokenKey, passKey] { key.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) } }
        set(&configuration)
        counter = Counter(configuration)
    }

    static func pass(_ id: String, _ message: String, _ key: P256PrivateKey) -> PhoneDefinition.Pass {
        .init(passTypeIdentifier: id, nfc: .init(message: message, encryptionPublicKey: key.publicKey))
    }

    func token(_ edit: (inout ReaderToken) -> Void = { _ in }) throws -> PaymentCardReader.Token {
        var token = ReaderToken(
            merchantID: "merchant.example", issuedAt: VirtualTime.start,
            expires: VirtualTime.start.addingTimeInterval(48 * 3600))
        edit(&token)
        return try token.signed(with: tokenKey)
    }

    static func request(_ ids: String...) -> VASRequest {
        VASRequest(vasMerchants: ids.map { .init(id: $0) }, localizedVASType: "Example Club")
    }

    /// What `body` brought or threw, and the names of all events of its reader, to the end of its life.
    func run<Result: Sendable>(
        options: PaymentCardReader.Options = .init(),
        _ body: (PaymentCardReader) async throws -> Result
    ) async -> (result: Swift.Result<Result, any Error>, events: [String]) {
        var reader: PaymentCardReader? = PaymentCardReader(options: options, counter: counter)
        let stream = reader?.events
        let collector = Task {
            var names: [String] = []
            if let stream { for await event in stream { names.append(event.name) } }
            return names
        }
        var result: Swift.Result<Result, any Error> = .failure(CancellationError())
        if let reader {
            do { result = .success(try await body(reader)) } catch { result = .failure(error) }
        }
        // The stream ends with the last reference.
        reader = nil
        let events = await collector.value
        SecretsGate.saw("event", events.joined(separator: " "))
        SecretsGate.saw("result", "\(result)")
        return (result, events)
    }

    /// A read from `prepare` to the result.
    func read(
        _ request: VASRequest = Bench.request(Bench.club), options: PaymentCardReader.Options = .init()
    ) async -> (result: Result<VASReadResult, any Error>, events: [String]) {
        await run(options: options) { reader in
            try await reader.prepare(using: token()).readVAS(request)
        }
    }

    /// Pass messages, decrypted, by merchant.
    func messages(_ result: Result<VASReadResult, any Error>) throws -> [String?] {
        var keys = VASKeyRing()
        keys.add(passKey)
        return try result.get().entries.map { entry in
            guard let opened = entry.decrypted(with: keys) else { return nil }
            return try opened.get().messageText
        }
    }
}

/// The error's case name, of either enum; nil for a success.
func caseName<Success>(_ result: Result<Success, any Error>) -> String? {
    switch result {
    case .success: nil
    case .failure(let error as PaymentCardReaderError): error.errorName
    case .failure(let error as PaymentCardReaderSession.ReadError): error.errorName
    case .failure(let error as PaymentCardReaderStore.StoreError): error.errorName
    case .failure(let error): "\(error)"
    }
}

/// Sequences of sheet 2.2's kind, as the article Choices has them.
enum Sequence {
    static let good = ["readyForTap", "cardDetected", "removeCard", "readCompleted", "userInterfaceDismissed"]
    static let cancelled = ["readyForTap", "readCancelled", "userInterfaceDismissed"]
    static let failedTap = ["readyForTap", "cardDetected", "readNotCompleted", "userInterfaceDismissed"]
    static let retry = ["readyForTap", "cardDetected", "readRetry"]
    static let notActivatedGone = retry + ["readyForTap", "readCompleted", "userInterfaceDismissed"]
}
