// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One address of a name.
struct ResolvedAddress: Hashable, Sendable {
    /// 4 or 16 bytes.
    let bytes: [UInt8]
    /// As `inet_ntop` writes it.
    let text: String
}

/// Looks names up, beside the tasks: the system's resolver blocks.
enum Resolver {
    /// Why a name has no address.
    struct Failure: Error, Hashable, Sendable {
        let reason: String
    }

    private static let queue = DispatchQueue(label: "countertop.resolver", attributes: .concurrent)

    /// The addresses of a host name or of an address's own text, in the system's order of preference.
    static func addresses(of host: String) async throws(Failure) -> [ResolvedAddress] {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: look(host)) }
        }
        return try result.get()
    }

    /// The address that `text` is; nil when it is a name.
    static func literal(_ text: String) -> ResolvedAddress? {
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &v4) == 1 { return address(AF_INET, of: bytes(v4)) }
        if inet_pton(AF_INET6, text, &v6) == 1 { return address(AF_INET6, of: bytes(v6)) }
        return nil
    }

    /// What a name has that AI_ADDRCONFIG leaves no address of. After any other error, such as a server that does not
    /// answer, a second look would only take as long again.
    #if os(Linux)
        // EAI_NODATA and EAI_ADDRFAMILY of <netdb.h>, which shows them to GNU sources only.
        static let hiddenByAddressConfiguration: Set<Int32> = [Int32(EAI_NONAME), -5, -9]
    #else
        static let hiddenByAddressConfiguration: Set<Int32> = [
            Int32(EAI_NONAME), Int32(EAI_NODATA), Int32(EAI_ADDRFAMILY),
        ]
    #endif

    private static func look(_ host: String) -> Result<[ResolvedAddress], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        var status = getaddrinfo(host, nil, &hints, &list)
        if hiddenByAddressConfiguration.contains(status) {
            // Without any network but loopback, AI_ADDRCONFIG hides even that.
            hints.ai_flags = 0
            status = getaddrinfo(host, nil, &hints, &list)
        }
        guard status == 0 else { return .failure(Failure(reason: String(cString: gai_strerror(status)))) }
        defer { freeaddrinfo(list) }
        var found: [ResolvedAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = address(entry), !found.contains(address) { found.append(address) }
            next = entry.ai_next
        }
        return found.isEmpty ? .failure(Failure(reason: "it has no address")) : .success(found)
    }

    private static func address(_ entry: addrinfo) -> ResolvedAddress? {
        guard let pointer = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                address(AF_INET, of: bytes($0.pointee.sin_addr))
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                address(AF_INET6, of: bytes($0.pointee.sin6_addr))
            }
        default: return nil
        }
    }

    private static func address(_ family: Int32, of bytes: [UInt8]) -> ResolvedAddress? {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return ResolvedAddress(
            bytes: bytes, text: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private static func bytes(_ address: in_addr) -> [UInt8] { withUnsafeBytes(of: address, Array.init) }
    private static func bytes(_ address: in6_addr) -> [UInt8] { withUnsafeBytes(of: address, Array.init) }
}
