// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The socket of pcscd, looked at without libpcsclite.
enum ServiceSocket {
    /// Where libpcsclite looks (pcsc-lite, PCSCLITE_CSOCK_NAME; the default is that of Debian).
    static var path: String {
        getenv("PCSCLITE_CSOCK_NAME").map { String(cString: $0) } ?? "/run/pcscd/pcscd.comm"
    }

    /// Whether somebody listens at the socket: then pcscd runs, whatever it said to libpcsclite. Never blocks.
    static var hasListener: Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
            guard bytes.count < target.count else { return false }
            target.copyBytes(from: bytes)
            return true
        }
        guard fits else { return false }
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // EAGAIN: the queue of the listener is full (unix(7)).
        return status == 0 || errno == EAGAIN
    }
}

extension PCSCError {
    /// `SCARD_E_NO_SERVICE` of a pcscd that runs: it takes 200 clients at most and hangs up on more, sometimes before
    /// it has said so (pcsc-lite 1.9.9).
    static let refusedByService = PCSCError(
        rawCode: noService, reason: "the smart card service pcscd runs, but hung up on us",
        hint: "it may have all the clients it takes (200): close programs that use readers, or restart it: "
            + "sudo systemctl restart pcscd")
}
