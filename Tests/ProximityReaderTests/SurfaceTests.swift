// SPDX-License-Identifier: Apache-2.0

import Foundation
// Without @testable: what an app can see, and nothing else.
import ProximityReader
import Testing

/// Apple's declarations, each used with its exact labels and types; that this file compiles is the test.
@Suite("The public surface")
struct SurfaceTests {
    typealias Reader = PaymentCardReader
    typealias Session = PaymentCardReaderSession

    @Test("Reader")
    func reader() {
        let make: (Reader.Options) -> Reader = Reader.init(options:)
        let isSupported: Bool = Reader.isSupported
        let id: KeyPath<Reader, String> = \.id
        let events: KeyPath<Reader, AsyncStream<Reader.Event>> = \.events
        let options: KeyPath<Reader, Reader.Options> = \.options
        let prepare: (Reader) -> (Reader.Token) async throws -> Session = Reader.prepare(using:)
        let old: (Reader) -> (Reader.Token, ((Reader.UpdateEvent) -> Void)?) async throws -> Session =
            Reader.prepare(using:updateHandler:)
        let linked: (Reader) -> (Reader.Token) async throws -> Bool = Reader.isAccountLinked(using:)
        let link: (Reader) -> (Reader.Token) async throws -> Void = Reader.linkAccount(using:)
        let relink: (Reader) -> (Reader.Token) async throws -> Void = Reader.relinkAccount(using:)
        let reader = make(.init())
        #expect(isSupported && !reader[keyPath: id].isEmpty && !reader[keyPath: options].returnReadResultImmediately)
        #expect(!Reader.Options().includeErrorInReadResult && Reader.Options().vasMerchants.isEmpty)
        _ = (events, prepare, old, linked, link, relink)
    }

    @Test("Session")
    func session() {
        let read: (Session) -> (VASRequest) async throws -> VASReadResult = Session.readVAS(_:)
        let old: (Session) -> (VASRequest, ((Session.Event) -> Void)?) async throws -> VASReadResult =
            Session.readVAS(_:eventHandler:)
        let cancel: (Session) -> () async throws -> Bool = Session.cancelRead
        let id: KeyPath<Session, String> = \.id
        let date: KeyPath<Session, Date?> = \.currentOSVersionDeprecationDate
        #expect(Session.PINToken(rawValue: "x") == Session.PINToken(rawValue: "x"))
        #expect(Set([Session.Event.completed, .retry]).count == 2)
        _ = (read, old, cancel, id, date)
    }

    @Test("Loyalty types")
    func loyalty() throws {
        let url = URL(string: "https://example.com")
        let merchant = VASRequest.Merchant(id: "pass.a", url: url, localizedName: "A")
        var named = VASRequest.Merchant(id: "pass.a")
        named.localizedName = "B"
        let request = VASRequest(vasMerchants: [merchant, named], localizedVASType: "Club")
        request.userInterfaceLanguage = Locale.Language(identifier: "de")
        #expect(request.vasMerchants.map(\.localizedName) == ["A", "B"] && request.localizedVASType == "Club")
        #expect(merchant.url == url && !merchant.shouldSendURLOnly && merchant.id == "pass.a")
        let result = VASReadResult(id: "1", entries: [])
        #expect(result.id == "1" && result.entries.isEmpty)
        let data: KeyPath<VASReadResult.ReadEntry, Data?> = \.customerVASData
        let status: KeyPath<VASReadResult.ReadEntry, VASReadResult.ReadEntry.Status> = \.status
        _ = (data, status)
    }

    @Test("Errors stay plain errors")
    func errors() {
        let values: [Any] = [
            Session.ReadError.readCancelled, PaymentCardReaderError.notReady, Reader.Event.readyForTap,
        ]
        for value in values { #expect(!(value is any LocalizedError) && !(value is any Equatable)) }
    }
}
