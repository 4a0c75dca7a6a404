// SPDX-License-Identifier: Apache-2.0

internal import HummingbirdCore
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// Something whose news are told for as long as a client listens.
protocol EventSource: Sendable {
    /// Rings whenever there may be news. Ends when nothing more will come, or when its task is cancelled.
    func watch(_ ring: @escaping @Sendable () -> Void) async
    /// The next of the news there are; nothing when all are told.
    func next() async throws -> [ServerEvent]
}

/// One event as it is sent.
struct ServerEvent: Sendable {
    /// Where a client that comes back goes on.
    var id: String?
    let name: String
    let data: [UInt8]

    init(id: Int64? = nil, _ name: String, _ data: [UInt8]) {
        (self.id, self.name, self.data) = (id.map { String($0) }, name, data)
    }

    init(id: Int64? = nil, _ name: String, _ json: JSON) { self.init(id: id, name, Array(json.compact.utf8)) }
}

/// Server-sent events (HTML Standard, 9.2).
struct EventWriter {
    private var base: any ResponseBodyWriter

    init(_ base: any ResponseBodyWriter) { self.base = base }

    /// One event. Waits while the client takes nothing.
    mutating func send(_ event: ServerEvent) async throws {
        var buffer = ByteBuffer()
        if let id = event.id { buffer.writeString("id: \(id)\n") }
        buffer.writeString("event: \(event.name)\n")
        for line in event.data.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            buffer.writeString("data: ")
            buffer.writeBytes(line)
            buffer.writeString("\n")
        }
        buffer.writeString("\n")
        try await write(buffer)
    }

    /// A comment: nothing happened, and the stream is there.
    mutating func beat() async throws { try await write(ByteBuffer(string: ": \n\n")) }

    /// How long the client waits before it comes back.
    mutating func begin() async throws { try await write(ByteBuffer(string: "retry: 1000\n\n")) }

    private mutating func write(_ buffer: ByteBuffer) async throws { try await base.write(buffer) }

    consuming func finish() async throws { try await base.finish(nil) }
}

/// Runs event streams: until the client goes, takes nothing for too long, or the service ends.
final class EventStreams: Sendable {
    private let limits: ServerLimits
    private let open = Mutex(0)

    init(_ limits: ServerLimits) { self.limits = limits }

    /// Takes a place for one more stream; ``run(_:_:on:)`` gives it back, or ``leave()`` where it is not reached.
    /// - Throws: 503.
    func enter() throws(Problem) {
        let isFull = open.withLock { open in
            guard open < limits.streams else { return true }
            open += 1
            return false
        }
        guard isFull else { return }
        throw Problem(503, "tooManyStreams", "too many event streams are open").with("Retry-After", "5")
    }

    func leave() { open.withLock { $0 -= 1 } }

    func run(_ source: any EventSource, _ base: any ResponseBodyWriter, on channel: any Channel) async throws {
        defer { leave() }
        let (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        channel.closeFuture.whenComplete { _ in ring.finish() }
        var writer = EventWriter(base)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    await source.watch { ring.yield() }
                    ring.finish()
                }
                group.addTask { [limits] in
                    while (try? await Task.sleep(for: limits.heartbeat)) != nil { ring.yield() }
                }
                try await tell(source, bell, &writer)
            }
        } onGracefulShutdown: {
            ring.finish()
        }
        try await writer.finish()
    }

    private func tell(_ source: any EventSource, _ bell: AsyncStream<Void>, _ writer: inout EventWriter) async throws {
        try await writer.begin()
        _ = try await Self.drain(source, &writer)
        var last = ContinuousClock.now
        for await _ in bell {
            if try await !Self.drain(source, &writer) {
                guard ContinuousClock.now - last >= limits.heartbeat else { continue }
                try await writer.beat()
            }
            last = .now
        }
    }

    /// Writes all news; whether there were any.
    private static func drain(_ source: any EventSource, _ writer: inout EventWriter) async throws -> Bool {
        var events = try await source.next()
        let hasNews = !events.isEmpty
        while !events.isEmpty {
            for event in events { try await writer.send(event) }
            events = try await source.next()
        }
        return hasNews
    }
}
