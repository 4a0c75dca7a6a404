// SPDX-License-Identifier: Apache-2.0

/// Which addresses a sink may connect to: those of the public internet, unless its table says otherwise. So a name
/// that somebody points at an internal service reaches nothing (server-side request forgery).
enum AddressGuard {
    /// A block of addresses that is not the public internet.
    struct Block: Sendable {
        let prefix: [UInt8]
        let bits: Int
        let name: String
        /// Cannot be the address of a receiver, whatever the settings say.
        var isNeverAllowed = false
        /// The IPv4 address inside counts, at this byte.
        var embedsIPv4At: Int?
    }

    /// IANA's IPv4 special-purpose registry (RFC 6890 and its updates) and multicast (RFC 5771).
    static let ipv4 = [
        Block(prefix: [0], bits: 8, name: "unspecified", isNeverAllowed: true),
        Block(prefix: [10], bits: 8, name: "private"),
        Block(prefix: [100, 64], bits: 10, name: "carrier-private"),
        Block(prefix: [127], bits: 8, name: "loopback"),
        Block(prefix: [169, 254, 169, 254], bits: 32, name: "cloud metadata"),
        Block(prefix: [169, 254], bits: 16, name: "link-local"),
        Block(prefix: [172, 16], bits: 12, name: "private"),
        Block(prefix: [192, 0, 0], bits: 24, name: "protocol assignment"),
        Block(prefix: [192, 0, 2], bits: 24, name: "documentation"),
        Block(prefix: [192, 88, 99], bits: 24, name: "6to4 relay"),
        Block(prefix: [192, 168], bits: 16, name: "private"),
        Block(prefix: [198, 18], bits: 15, name: "benchmarking"),
        Block(prefix: [198, 51, 100], bits: 24, name: "documentation"),
        Block(prefix: [203, 0, 113], bits: 24, name: "documentation"),
        Block(prefix: [224], bits: 4, name: "multicast", isNeverAllowed: true),
        Block(prefix: [240], bits: 4, name: "reserved", isNeverAllowed: true),
    ]

    /// IANA's IPv6 special-purpose registry, multicast (RFC 4291, 2.7) and the forms that carry an IPv4 address.
    static let ipv6 = [
        Block(prefix: loopback6, bits: 128, name: "loopback"),
        Block(prefix: zeros(10) + [0xFF, 0xFF], bits: 96, name: "IPv4-mapped", embedsIPv4At: 12),
        // RFC 2765, 2.1: what an IPv4/IPv6 translator takes for an IPv4 host.
        Block(prefix: zeros(8) + [0xFF, 0xFF, 0, 0], bits: 96, name: "IPv4-translated", embedsIPv4At: 12),
        Block(prefix: zeros(16), bits: 96, name: "unspecified", isNeverAllowed: true),
        Block(prefix: [0x00, 0x64, 0xFF, 0x9B] + zeros(8), bits: 96, name: "NAT64", embedsIPv4At: 12),
        Block(prefix: [0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], bits: 48, name: "private NAT64"),
        Block(prefix: [0x01, 0x00] + zeros(6), bits: 64, name: "discard"),
        Block(prefix: [0x20, 0x01, 0x00, 0x00], bits: 32, name: "Teredo"),
        Block(prefix: [0x20, 0x01, 0x0D, 0xB8], bits: 32, name: "documentation"),
        Block(prefix: [0x20, 0x02], bits: 16, name: "6to4", embedsIPv4At: 2),
        Block(prefix: [0xFC], bits: 7, name: "private"),
        Block(prefix: [0xFE, 0x80], bits: 10, name: "link-local"),
        Block(prefix: [0xFE, 0xC0], bits: 10, name: "site-local"),
        Block(prefix: [0xFF], bits: 8, name: "multicast", isNeverAllowed: true),
    ]

    /// What a sink's table allows beyond the public internet.
    enum Permission: Hashable, Sendable {
        case publicOnly
        /// The URL names the machine itself, so nothing else is meant.
        case loopbackOnly
        case anyNetwork
    }

    /// Why an address (4 or 16 bytes) is refused; nil when it may be connected to.
    static func refusal(_ address: [UInt8], _ permission: Permission) -> String? {
        let block = block(of: address)
        switch permission {
        case .publicOnly: return block?.name
        case .loopbackOnly: return block?.name == "loopback" ? nil : block?.name ?? "not loopback"
        case .anyNetwork: return block.flatMap { $0.isNeverAllowed ? $0.name : nil }
        }
    }

    /// The block that an address is in; nil for the public internet.
    static func block(of address: [UInt8]) -> Block? {
        let blocks = address.count == 4 ? ipv4 : ipv6
        guard let found = blocks.first(where: { matches(address, $0) }) else { return nil }
        guard let start = found.embedsIPv4At, address.count >= start + 4 else { return found }
        return block(of: Array(address[start..<(start + 4)]))
    }

    private static func matches(_ address: [UInt8], _ block: Block) -> Bool {
        (0..<block.bits).allSatisfy { bit in
            let (byte, shift) = (bit / 8, 7 - bit % 8)
            guard byte < address.count else { return false }
            let wanted = byte < block.prefix.count ? block.prefix[byte] : 0
            return (address[byte] ^ wanted) >> UInt8(shift) & 1 == 0
        }
    }

    private static let loopback6: [UInt8] = zeros(15) + [1]
    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
