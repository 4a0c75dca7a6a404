// SPDX-License-Identifier: Apache-2.0

internal import CNATS

/// JetStream's API on a connection.
final class JetStream {
    let pointer: OpaquePointer
    private let connection: NATSConnection

    init(_ connection: NATSConnection) throws(BrokerError) {
        var context: OpaquePointer?
        let status = natsConnection_JetStream(&context, connection.pointer, nil)
        guard status == NATS_OK, let context else { throw BrokerError(nats: status, "JetStream does not start") }
        (self.connection, pointer) = (connection, context)
    }

    deinit { jsCtx_Destroy(pointer) }

    /// Makes the stream unless it is there. One that is there stays as it is: it belongs to who made it.
    func makeStream(_ options: NATSStreamOptions) throws(BrokerError) {
        guard try !hasStream(options.name) else { return }
        let strings = CStrings(options.subjects)
        var subjects = strings.pointers
        let status = options.name.withCString { name in
            subjects.withUnsafeMutableBufferPointer { subjects in
                var configuration = jsStreamConfig()
                jsStreamConfig_Init(&configuration)
                configuration.Name = name
                configuration.Subjects = subjects.baseAddress
                configuration.SubjectsLen = Int32(clamping: subjects.count)
                configuration.Storage = js_FileStorage
                configuration.Retention = js_LimitsPolicy
                configuration.MaxAge = options.maximumAge.wholeNanoseconds
                configuration.MaxBytes = options.maximumBytes.map { Int64($0) } ?? -1
                configuration.Replicas = Int64(options.replicas)
                // The server refuses a window that is longer than the messages live.
                configuration.Duplicates = min(options.duplicateWindow, options.maximumAge).wholeNanoseconds
                return js_AddStream(nil, pointer, &configuration, nil, nil)
            }
        }
        withExtendedLifetime(strings) {}
        // Another counter may have made it meanwhile.
        if status != NATS_OK, try !hasStream(options.name) {
            throw BrokerError(
                nats: status, "the stream \(options.name) cannot be made",
                hint: "is the server started with JetStream (nats-server -js), and may we make streams?")
        }
    }

    /// Whether there is a stream of this name.
    func hasStream(_ name: String) throws(BrokerError) -> Bool {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        let status = js_GetStreamInfo(&info, pointer, name, nil, nil)
        jsStreamInfo_Destroy(info)
        switch status {
        case NATS_OK: return true
        case NATS_NOT_FOUND: return false
        case NATS_NO_RESPONDERS:
            throw BrokerError(
                .unreachable, "JetStream does not answer",
                hint: "is the server started with JetStream (nats-server -js)?")
        default: throw BrokerError(nats: status, "the stream \(name) cannot be looked up")
        }
    }
}

extension BrokerError {
    /// An error of libnats, with what to do.
    init(nats status: natsStatus, _ what: String, hint: String) {
        let error = BrokerError(nats: status, what)
        self.init(error.code, error.reason, hint: hint)
    }
}
