// SPDX-License-Identifier: Apache-2.0

internal import CNATS
internal import WalletCrypto

/// One connection of libnats. It is never mended: who finds it dead makes another. For one thread at a time.
final class NATSConnection {
    let pointer: OpaquePointer
    /// The callbacks of the library point at it.
    private let credentials: NATSCredentials?

    /// Connects.
    init(_ options: NATSOptions) throws(BrokerError) {
        let settings = try NATSSettings()
        credentials = try settings.apply(options)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, settings.pointer)
        guard status == NATS_OK, let connection else {
            throw BrokerError(nats: status, "cannot connect to \(options.servers.joined(separator: ", "))")
        }
        pointer = connection
    }

    deinit { natsConnection_Destroy(pointer) }

    /// Whether it still stands, as far as the library knows.
    var isConnected: Bool { natsConnection_Status(pointer) == NATS_CONN_STATUS_CONNECTED }

    /// What the server complained about last, such as a subject that is not ours.
    var complaint: String? {
        var text: UnsafePointer<CChar>?
        guard natsConnection_GetLastError(pointer, &text) != NATS_OK, let text else { return nil }
        let words = String(cString: text)
        return words.isEmpty ? nil : String(words.prefix(200))
    }

    /// Sends a message without waiting for anything.
    func publish(_ message: NATSMessage) throws(BrokerError) {
        let status = natsConnection_PublishMsg(pointer, message.pointer)
        guard status == NATS_OK else { throw BrokerError(nats: status, "cannot publish") }
    }

    /// Waits until the server has all that was sent so far.
    func flush(milliseconds: Int64) throws(BrokerError) {
        let status = natsConnection_FlushTimeout(pointer, milliseconds)
        guard status == NATS_OK else { throw BrokerError(nats: status, "the server does not answer") }
    }

    /// A subject of its own, for answers.
    func makeInbox() throws(BrokerError) -> String {
        var inbox: UnsafeMutablePointer<CChar>?
        let status = natsInbox_Create(&inbox)
        guard status == NATS_OK, let inbox else { throw BrokerError(nats: status, "no subject for answers") }
        defer { natsInbox_Destroy(inbox) }
        return String(cString: inbox)
    }

    /// Subscribes to a subject.
    func subscribe(_ subject: String) throws(BrokerError) -> NATSSubscription {
        var subscription: OpaquePointer?
        let status = natsConnection_SubscribeSync(&subscription, pointer, subject)
        guard status == NATS_OK, let subscription else { throw BrokerError(nats: status, "cannot subscribe") }
        // The answers to a whole batch may wait at once.
        natsSubscription_SetPendingLimits(subscription, -1, -1)
        return NATSSubscription(subscription)
    }
}

/// A subscription whose messages are asked for.
final class NATSSubscription {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { natsSubscription_Destroy(pointer) }

    /// The next message; nil when none came in time.
    func next(milliseconds: Int64) throws(BrokerError) -> NATSMessage? {
        var message: OpaquePointer?
        let status = natsSubscription_NextMsg(&message, pointer, milliseconds)
        if status == NATS_TIMEOUT { return nil }
        if status == NATS_NO_RESPONDERS { throw BrokerError(.notFound, "nobody listens at the subject") }
        guard status == NATS_OK, let message else { throw BrokerError(nats: status, "the connection was lost") }
        return NATSMessage(message)
    }
}

/// A message, received or to be sent.
final class NATSMessage {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// A message to send.
    init(subject: String, reply: String?, headers: [(String, String)], body: [UInt8]) throws(BrokerError) {
        var message: OpaquePointer?
        guard let count = Int32(exactly: body.count) else {
            throw BrokerError(.invalidData, "the message is too long")
        }
        let status = body.withUnsafeBytes { bytes in
            natsMsg_Create(&message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
        }
        guard status == NATS_OK, let message else { throw BrokerError(nats: status, "no message could be made") }
        pointer = message
        for (name, value) in headers {
            let status = natsMsgHeader_Set(message, name, value)
            guard status == NATS_OK else { throw BrokerError(nats: status, "no header could be set") }
        }
    }

    deinit { natsMsg_Destroy(pointer) }

    var subject: String { natsMsg_GetSubject(pointer).map { String(cString: $0) } ?? "" }

    var body: [UInt8] {
        let count = Int(natsMsg_GetDataLength(pointer))
        guard count > 0, let data = natsMsg_GetData(pointer) else { return [] }
        return Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    /// The value of a header; nil when it is not there.
    func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
        return String(cString: value)
    }

    /// Where the message stands in its stream; nil for one that comes from no stream.
    var streamSequence: UInt64? {
        var metaData: UnsafeMutablePointer<jsMsgMetaData>?
        guard natsMsg_GetMetaData(&metaData, pointer) == NATS_OK, let metaData else { return nil }
        defer { jsMsgMetaData_Destroy(metaData) }
        return metaData.pointee.Sequence.Stream
    }

    /// Tells the stream that the message is done with. Sent without waiting.
    func acknowledge() { natsMsg_Ack(pointer, nil) }
    /// Tells the stream never to send the message again.
    func terminate() { natsMsg_Term(pointer, nil) }
    /// Tells the stream that the work takes longer.
    func holdOn() { natsMsg_InProgress(pointer, nil) }
}

extension BrokerError {
    /// An error of libnats (its status.h).
    init(nats status: natsStatus, _ what: String) {
        let words = natsStatus_GetText(status).map { String(cString: $0).lowercased() } ?? "error \(status.rawValue)"
        self.init(Self.natsCodes[status.rawValue] ?? .unreachable, "\(what): \(words)")
    }

    private static let natsCodes: [natsStatus.RawValue: Code] = [
        NATS_CONNECTION_AUTH_FAILED.rawValue: .denied, NATS_NOT_PERMITTED.rawValue: .denied,
        NATS_SECURE_CONNECTION_WANTED.rawValue: .denied, NATS_SECURE_CONNECTION_REQUIRED.rawValue: .denied,
        NATS_SSL_ERROR.rawValue: .denied, NATS_NOT_FOUND.rawValue: .notFound, NATS_TIMEOUT.rawValue: .timedOut,
        NATS_MAX_PAYLOAD.rawValue: .invalidData, NATS_INVALID_ARG.rawValue: .invalidSetting,
        NATS_ADDRESS_MISSING.rawValue: .invalidSetting, NATS_INVALID_SUBJECT.rawValue: .invalidSetting,
    ]
}
