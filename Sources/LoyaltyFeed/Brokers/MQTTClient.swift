// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import Dispatch
internal import Synchronization
internal import WalletCrypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One connection of libmosquitto, MQTT 5, with a thread of its own that ends with the connection. It is never mended:
/// who finds it dead makes another. ``publish(_:topic:retained:contentType:)`` and the waits are for one other thread.
///
/// The library's own thread interface would connect again by itself and send what was given up long ago.
final class MQTTClient: Sendable {
    private struct State {
        var isConnected = false
        /// Why the connection is no more.
        var ending: BrokerError?
        /// Reason codes of acknowledgements by packet identifier.
        var acknowledged: [Int32: Int32] = [:]
        /// Packet identifiers whose acknowledgement nobody asks for.
        var ignored: Set<Int32> = []
    }

    /// The library locks it.
    private nonisolated(unsafe) let pointer: OpaquePointer
    private let state = Mutex(State())
    private let changed = DispatchSemaphore(value: 0)
    private let stop = StopFlag()

    /// Begins to connect.
    init(_ options: MQTTOptions) throws(BrokerError) {
        _ = Self.library
        guard let pointer = mosquitto_new(options.clientID, true, nil) else {
            throw BrokerError(.invalidSetting, "libmosquitto does not take the client's name")
        }
        self.pointer = pointer
        try configure(options)
        mosquitto_user_data_set(pointer, Unmanaged.passUnretained(self).toOpaque())
        listen()
        // The thread keeps the client until its connection has ended.
        let queue = DispatchQueue(label: "countertop.mqtt.\(options.clientID)")
        queue.async { self.run(options) }
    }

    deinit { mosquitto_destroy(pointer) }

    /// mosquitto.h: to be called once, before all else.
    private static let library: Int32 = mosquitto_lib_init()

    /// Sends a message with QoS 1; ``acknowledgement(of:)`` has the answer to the number that is returned.
    func publish(_ body: [UInt8], topic: String, retained: Bool, contentType: String) throws(BrokerError) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        // MQTT 5.0, 3.3.2.3: content type, and that the payload is UTF-8.
        mosquitto_property_add_string(&properties, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), contentType)
        mosquitto_property_add_byte(&properties, Int32(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.rawValue), 1)
        var identifier: Int32 = 0
        let status = body.withUnsafeBytes {
            mosquitto_publish_v5(
                pointer, &identifier, topic, Int32(clamping: $0.count), $0.baseAddress, 1, retained, properties)
        }
        guard status == MOSQ_ERR_SUCCESS.rawValue else { throw BrokerError(mosquitto: status, "cannot publish") }
        return identifier
    }

    /// The reason code of a message's acknowledgement (MQTT 5.0, 3.4.2.1), once; nil while there is none.
    func acknowledgement(of identifier: Int32) -> Int32? {
        state.withLock { $0.acknowledged.removeValue(forKey: identifier) }
    }

    /// Nobody asks for this message's acknowledgement. Identifiers come again after 65,535 messages: one that was left
    /// lying here would then stand for a message that the broker never had.
    func disregard(_ identifier: Int32) {
        state.withLock { if $0.acknowledged.removeValue(forKey: identifier) == nil { $0.ignored.insert(identifier) } }
    }

    /// How many acknowledgements lie here that nobody has asked for yet.
    var unclaimed: Int { state.withLock { $0.acknowledged.count + $0.ignored.count } }

    /// Whether the broker has let us in; throws when there is no connection any more.
    func isConnected() throws(BrokerError) -> Bool {
        let (isConnected, ending) = state.withLock { ($0.isConnected, $0.ending) }
        if let ending { throw ending }
        return isConnected
    }

    /// Waits until something has changed, at most a slice of the deadline.
    func wait(_ deadline: Deadline) {
        _ = changed.wait(timeout: .now() + .milliseconds(Int(deadline.sliceMilliseconds)))
    }

    /// Takes leave, so that the broker does not send the last will; without it the broker does.
    func disconnect() { mosquitto_disconnect_v5(pointer, 0, nil) }

    /// Ends the thread.
    func abandon() { stop.set() }

    /// Closes the socket under the library, as a crash does.
    func cut() { _ = shutdown(mosquitto_socket(pointer), Int32(SHUT_RDWR)) }

    private func configure(_ options: MQTTOptions) throws(BrokerError) {
        try take(mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "MQTT 5")
        try take(mosquitto_threaded_set(pointer, true), "threads")
        if let user = options.user {
            let none = SecretBytes(copying: [])
            let status = (options.password ?? none).withText {
                mosquitto_username_pw_set(pointer, user, options.password == nil ? nil : $0)
            }
            try take(status, "user")
        }
        if options.usesTLS {
            let folder = options.authorityFile == nil ? "/etc/ssl/certs" : nil
            try take(mosquitto_tls_set(pointer, options.authorityFile, folder, nil, nil, nil), "ca_file")
        }
        let offline = Array("offline".utf8)
        let status = offline.withUnsafeBytes {
            mosquitto_will_set_v5(pointer, options.statusTopic, Int32($0.count), $0.baseAddress, 1, true, nil)
        }
        try take(status, "last will")
    }

    private func take(_ status: Int32, _ what: String) throws(BrokerError) {
        guard status == MOSQ_ERR_SUCCESS.rawValue else {
            let error = BrokerError(mosquitto: status, "the setting \(what) was not taken")
            throw BrokerError(.invalidSetting, error.reason)
        }
    }

    private func listen() {
        mosquitto_connect_v5_callback_set(pointer) { _, object, reason, _, _ in
            MQTTClient.of(object)?.change {
                if reason == 0 { $0.isConnected = true } else { $0.ending = $0.ending ?? BrokerError(connack: reason) }
            }
        }
        mosquitto_publish_v5_callback_set(pointer) { _, object, identifier, reason, _ in
            MQTTClient.of(object)?.change {
                if $0.ignored.remove(identifier) == nil { $0.acknowledged[identifier] = reason }
            }
        }
    }

    private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTClient? {
        object.map { Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed.signal()
    }

    private func run(_ options: MQTTOptions) {
        var status = mosquitto_connect_bind_v5(pointer, options.host, Int32(options.port), 20, nil, nil)
        let reached = status == MOSQ_ERR_SUCCESS.rawValue
        while status == MOSQ_ERR_SUCCESS.rawValue, !stop.isSet { status = mosquitto_loop(pointer, 200, 1) }
        let what = reached ? "the connection was lost" : "cannot connect to \(options.host):\(options.port)"
        change { $0.ending = $0.ending ?? BrokerError(mosquitto: status, what) }
    }
}

extension BrokerError {
    /// An error of libmosquitto.
    init(mosquitto status: Int32, _ what: String) {
        // mosquitto_strerror reads errno for this one, which has moved on since.
        let isSystem = status == MOSQ_ERR_ERRNO.rawValue || status == MOSQ_ERR_SUCCESS.rawValue
        let words = isSystem ? nil : mosquitto_strerror(status).map { String(cString: $0) }
        var text = words.map { ": \($0)" } ?? ""
        while text.hasSuffix(".") { text.removeLast() }
        self.init(Self.mosquittoCodes[status] ?? .unreachable, what + text)
    }

    /// What the broker answered to CONNECT (MQTT 5.0, 3.2.2.2).
    init(connack reason: Int32) {
        let words = mosquitto_reason_string(reason).map { String(cString: $0) } ?? "reason \(reason)"
        var text = words
        while text.hasSuffix(".") { text.removeLast() }
        self.init(.denied, "the broker does not let us in: \(text)")
    }

    private static let mosquittoCodes: [Int32: Code] = [
        Int32(MOSQ_ERR_INVAL.rawValue): .invalidSetting, Int32(MOSQ_ERR_PAYLOAD_SIZE.rawValue): .invalidData,
        Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue): .invalidData, Int32(MOSQ_ERR_MALFORMED_UTF8.rawValue): .invalidData,
        Int32(MOSQ_ERR_TLS.rawValue): .denied, Int32(MOSQ_ERR_TLS_HANDSHAKE.rawValue): .denied,
        Int32(MOSQ_ERR_AUTH.rawValue): .denied,
    ]
}
