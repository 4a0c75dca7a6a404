// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Synchronization
import Testing

/// Somebody who listens at a broker, and comes back to it when it was away.
final class MQTTSubscriber: Sendable {
    struct Message: Hashable, Sendable {
        var topic: String
        var body: String
        var isRetained: Bool
        var contentType: String?
    }

    private nonisolated(unsafe) let pointer: OpaquePointer
    private let seen = Mutex<[Message]>([])
    private let subscribed = Mutex(0)
    private let stopped = Mutex(false)

    var messages: [Message] { seen.withLock { $0 } }
    /// How often the broker has confirmed the subscription.
    var subscriptions: Int { subscribed.withLock { $0 } }

    init(port: UInt16, topic: String) throws {
        _ = mosquitto_lib_init()
        pointer = try #require(mosquitto_new("subscriber-\(UUID().uuidString)", true, nil))
        mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)
        mosquitto_user_data_set(pointer, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_subscribe_v5_callback_set(pointer) { _, object, _, _, _, _ in
            MQTTSubscriber.of(object)?.subscribed.withLock { $0 += 1 }
        }
        mosquitto_message_v5_callback_set(pointer) { _, object, message, properties in
            guard let message = message?.pointee else { return }
            var type: UnsafeMutablePointer<CChar>?
            mosquitto_property_read_string(properties, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), &type, false)
            defer { free(type) }
            let body = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            let seen = Message(
                topic: String(cString: message.topic), body: String(decoding: body, as: UTF8.self),
                isRetained: message.retain, contentType: type.map { String(cString: $0) })
            MQTTSubscriber.of(object)?.seen.withLock { $0.append(seen) }
        }
        Thread.detachNewThread { self.run(port, topic) }
    }

    deinit { mosquitto_destroy(pointer) }

    func stop() { stopped.withLock { $0 = true } }

    private func run(_ port: UInt16, _ topic: String) {
        while !stopped.withLock({ $0 }) {
            guard mosquitto_connect_bind_v5(pointer, "127.0.0.1", Int32(port), 20, nil, nil) == 0 else {
                usleep(50_000)
                continue
            }
            mosquitto_subscribe_v5(pointer, nil, topic, 1, 0, nil)
            while !stopped.withLock({ $0 }), mosquitto_loop(pointer, 50, 1) == 0 {}
        }
    }

    private static func of(_ object: UnsafeMutableRawPointer?) -> MQTTSubscriber? {
        object.map { Unmanaged<MQTTSubscriber>.fromOpaque($0).takeUnretainedValue() }
    }
}
