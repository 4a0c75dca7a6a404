// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// Clients that begin a request and never end it.
struct SlowClients: Sendable {
    /// How many try to connect.
    private static let most = 16

    private let channels: [any Channel]
    /// How many are connected.
    var count: Int { channels.count }

    /// Connects them; each sends the beginning of a request, over TLS the first byte of a handshake.
    init(_ issuer: IssuerURL) async {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(5))
        var channels: [any Channel] = []
        for _ in 0..<Self.most {
            guard let channel = try? await bootstrap.connect(host: issuer.host, port: issuer.port).get() else { break }
            let text = issuer.isSecure ? "\u{16}" : "POST / HTTP/1.1\r\nHost: slow.example\r\nX-Slow: "
            try? await channel.writeAndFlush(ByteBuffer(string: text))
            channels.append(channel)
        }
        self.channels = channels
    }

    /// Ends their connections.
    func leave() async { for channel in channels { try? await channel.close() } }
}
