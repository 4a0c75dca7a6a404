// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Tells the service manager how the process is (sd_notify(3)): datagrams to the socket that `NOTIFY_SOCKET` names.
///
/// Without that variable nothing is sent. What goes wrong is nobody's business: a service must not fail because its
/// manager does not listen.
public struct SystemdNotifier: Sendable {
    /// The socket: a path, or `@` and a name in the abstract namespace.
    private let address: [UInt8]?
    /// How often the manager wants to hear from us; nil for never.
    public let watchdog: Duration?

    /// A notifier from the variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    public init(environment: [String: String], process: Int32 = ProcessInfo.processInfo.processIdentifier) {
        let name = environment["NOTIFY_SOCKET"] ?? ""
        let isUsable = (name.hasPrefix("/") || name.hasPrefix("@")) && name.utf8.count > 1
        address = isUsable ? Array(name.utf8) : nil
        let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = isUsable && isMeant ? microseconds.map { .microseconds($0) } : nil
    }

    /// The service does its work now.
    public func ready(_ status: String) {
        send("READY=1\nSTATUS=\(Self.line(status))\nMAINPID=\(ProcessInfo.processInfo.processIdentifier)")
    }
    /// One line for `systemctl status`.
    public func status(_ text: String) { send("STATUS=\(Self.line(text))") }
    /// The service is ending.
    public func stopping() { send("STOPPING=1\nSTATUS=Ending") }
    /// The service is alive.
    public func alive() { send("WATCHDOG=1") }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func send(_ message: String) {
        guard let address else { return }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        guard address.count < MemoryLayout.size(ofValue: socketAddress.sun_path) else { return }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { path in
            path.copyBytes(from: address)
            // A leading null byte is what the abstract namespace has (unix(7)).
            if address.first == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let descriptor = Self.open()
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, bytes, bytes.count, 0, target, length)
            }
        }
    }

    private static func open() -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
            let kind = SOCK_DGRAM
        #endif
        return socket(AF_UNIX, kind, 0)
    }
}
