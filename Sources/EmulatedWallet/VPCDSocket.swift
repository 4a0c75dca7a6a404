// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A pipe whose reading end becomes readable once somebody wants a thread to stop waiting.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends every wait from now on.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Blocks for so many milliseconds.
    ///
    /// - Returns: whether it was woken.
    func wait(milliseconds: Int) -> Bool {
        var poller = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, Int32(clamping: milliseconds)) > 0
    }
}

/// One TCP connection to vpcd. Belongs to one thread; every wait ends when the pipe wakes it.
///
/// Frames are a two-byte big-endian length and that many bytes (vsmartcard, `virtualsmartcard/src/vpcd/vpcd.c`).
struct VPCDSocket: ~Copyable {
    private let descriptor: Int32
    private let wake: WakePipe

    /// Connects.
    ///
    /// - Throws: ``WalletError`` with code `unreachable`.
    init(connectingTo address: VPCDAddress, wake: WakePipe) throws(WalletError) {
        self.wake = wake
        descriptor = try Self.connect(address, wake)
    }

    deinit { close(descriptor) }

    /// The next frame; nil when the connection ended or somebody wants to stop.
    func receive() -> [UInt8]? {
        guard let header = read(2) else { return nil }
        acknowledgeAtOnce()
        return read(Int(header[0]) << 8 | Int(header[1]))
    }

    /// Sends a frame of at most 65,535 bytes.
    ///
    /// - Returns: whether all of it went out.
    func send(_ frame: [UInt8]) -> Bool {
        let count = UInt16(clamping: frame.count)
        var rest = ([UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)] + frame)[...]
        while !rest.isEmpty {
            guard isReady(POLLOUT) else { return false }
            // MSG_NOSIGNAL: a closed connection is a result here, not a SIGPIPE.
            let sent = rest.withUnsafeBytes { Self.write(descriptor, $0) }
            guard sent > 0 || (sent < 0 && errno == EINTR) else { return false }
            rest = rest.dropFirst(max(0, sent))
        }
        return true
    }

    /// vpcd writes length and command apart and keeps the second until the first is acknowledged (RFC 896); left to
    /// itself the kernel takes 40 ms for that. The option lasts for one time only (tcp(7)).
    private func acknowledgeAtOnce() {
        #if os(Linux)
            var on: Int32 = 1
            _ = setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            guard isReady(POLLIN) else { return nil }
            let start = filled
            let got = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start, 0)
            }
            guard got > 0 || (got < 0 && errno == EINTR) else { return nil }
            filled += max(0, got)
        }
        return bytes
    }

    private func isReady(_ events: some BinaryInteger) -> Bool {
        while true {
            var pollers = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&pollers, 2, -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, pollers[1].revents == 0 else { return false }
            return pollers[0].revents != 0
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #endif
    }
}

extension VPCDSocket {
    private static func connect(_ address: VPCDAddress, _ wake: WakePipe) throws(WalletError) -> Int32 {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(address.host, String(address.port), &hints, &list)
        guard result == 0 else {
            throw WalletError(
                .unreachable, "\(address): \(gai_strerror(result).map { String(cString: $0) } ?? "unknown host")",
                hint: "check the host's name; the virtual reader is usually on localhost")
        }
        defer { freeaddrinfo(list) }
        var reason = ECONNREFUSED
        var candidate = list
        while let info = candidate?.pointee {
            let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
            if descriptor >= 0 {
                if Self.connect(descriptor, info, wake) { return descriptor }
                reason = errno
                close(descriptor)
            }
            candidate = info.ai_next
        }
        throw WalletError(
            .unreachable, "\(address): \(String(cString: strerror(reason)))",
            hint: "is pcscd running, with vpcd (Debian: vsmartcard-vpcd) on that port, and no other card in it?")
    }

    /// How long a host that does not answer is waited for, in milliseconds; the kernel would take two minutes.
    private static let patience: Int32 = 10_000

    private static func connect(_ descriptor: Int32, _ info: addrinfo, _ wake: WakePipe) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return false }
        #if canImport(Glibc)
            let connected = Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0
        #else
            let connected = Darwin.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0
        #endif
        guard connected || (errno == EINPROGRESS && completes(descriptor, wake)) else { return false }
        guard fcntl(descriptor, F_SETFL, flags) == 0 else { return false }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Two small writes per exchange must not wait for each other.
        var on: Int32 = 1
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return true
    }

    /// Waits for a connection that was begun (connect(2), EINPROGRESS); leaves the reason in `errno` when it fails.
    private static func completes(_ descriptor: Int32, _ wake: WakePipe) -> Bool {
        var pollers = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&pollers, 2, patience)
        guard count > 0, pollers[1].revents == 0 else {
            errno = count == 0 ? ETIMEDOUT : EINTR
            return false
        }
        var problem: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size) == 0, problem != 0 else { return true }
        errno = problem
        return false
    }
}
