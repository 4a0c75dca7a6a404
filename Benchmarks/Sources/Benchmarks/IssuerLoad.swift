// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import Synchronization

/// `countertop issuer serve` on one core under a steady load: latencies and memory. `COUNTERTOP_TOOL` names the binary.
///
/// Latency counts from the moment at which a request was due, so that a service that falls behind cannot hide it.
func benchmarkIssuer(seconds: Int, perSecond: Int) throws -> [Row] {
    let name = "issuer: \(perSecond) requests/s for \(seconds) s on one core"
    guard let tool = ProcessInfo.processInfo.environment["COUNTERTOP_TOOL"] else {
        return [Row(name: name, figure: "COUNTERTOP_TOOL is not set", target: "all answered", holds: nil)]
    }
    let service = try IssuerProcess(tool)
    defer { service.stop() }
    let identity = try ProvisioningTestAuthority().makeIdentity(at: Date())
    let load = Load(port: service.port, identity: identity, seconds: seconds, perSecond: perSecond)
    let (latencies, memory) = load.run { service.residentKiB }
    let sorted = latencies.sorted()
    func percentile(_ part: Double) -> Double {
        sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] / 1e6
    }
    let wanted = seconds * perSecond
    // The first tenth is warming up.
    let (early, late) = (memory.dropFirst(memory.count / 10).first ?? 0, memory.last ?? 0)
    return [
        Row(
            name: name, figure: "\(sorted.count) of \(wanted) answered with 200", target: "all, 99 % within 1 s",
            holds: sorted.count == wanted && percentile(0.99) < 1_000),
        Row(
            name: "issuer: latency",
            figure: String(format: "p50 %.2f ms, p99 %.2f ms", percentile(0.5), percentile(0.99)),
            target: "", holds: nil),
        Row(
            name: "issuer: memory", figure: "\(early / 1024) MiB, at the end \(late / 1024) MiB",
            target: "at most 4 MiB more", holds: late - early <= 4096),
    ]
}

/// The tool as an issuer in a process of its own, bound to one core.
private final class IssuerProcess {
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countertop-bench-\(UUID().uuidString)")
    let port: Int

    init(_ tool: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let cards = folder.appending(path: "cards.json").path()
        let text = """
            {"cards":[{"id":"card-1","primaryAccountNumber":"4111111111111111","expiration":"12/30","name":"A CARD"}]}
            """
        FileManager.default.createFile(
            atPath: cards, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        process.executableURL = URL(filePath: "/usr/bin/taskset")
        process.arguments = [
            "--cpu-list", "0", tool, "issuer", "serve", "--cards", cards, "--trust-test-root", "--listen",
            "127.0.0.1:0", "--audit", "/dev/null", "--json",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var said = Data()
        while !said.contains(UInt8(ascii: "]")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchmarkFailure("the issuer did not start") }
            said += more
        }
        let url = String(decoding: said, as: UTF8.self).firstMatch(of: /127\.0\.0\.1:([0-9]+)/)
        guard let port = url.flatMap({ Int($0.1) }) else { throw BenchmarkFailure("the issuer named no port") }
        self.port = port
    }

    /// proc(5), `VmRSS`; taskset has become the tool.
    var residentKiB: Int {
        let path = "/proc/\(process.processIdentifier)/status"
        let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Eight connections that take turns, each with a thread of its own.
private struct Load {
    static let connections = 8
    let port: Int
    let identity: WalletIdentity
    let seconds: Int
    let perSecond: Int

    /// Nanoseconds of each answer with status 200, and memory once a second.
    func run(memory: () -> Int) -> (latencies: [Double], memory: [Int]) {
        let results = Mutex<[Double]>([])
        let group = DispatchGroup()
        let start = DispatchTime.now().uptimeNanoseconds + 100_000_000
        for index in 0..<Self.connections {
            group.enter()
            let thread = Thread {
                let latencies = work(index, start)
                results.withLock { $0 += latencies }
                group.leave()
            }
            thread.start()
        }
        var samples: [Int] = []
        while group.wait(timeout: .now() + 1) == .timedOut { samples.append(memory()) }
        samples.append(memory())
        return (results.withLock { $0 }, samples)
    }

    private func work(_ index: Int, _ start: UInt64) -> [Double] {
        guard let plain = ProcessorProfile.named("plain"), let connection = Connection(port: port) else { return [] }
        var latencies: [Double] = []
        for number in stride(from: index, to: seconds * perSecond, by: Self.connections) {
            let due = start + UInt64(number) * 1_000_000_000 / UInt64(perSecond)
            let request = plain.encode(identity.makeRequest(), card: "card-1")
            let now = DispatchTime.now().uptimeNanoseconds
            if due > now { usleep(UInt32((due - now) / 1000)) }
            guard connection.ask(request) == 200 else { continue }
            latencies.append(Double(DispatchTime.now().uptimeNanoseconds - due))
        }
        return latencies
    }
}

/// HTTP/1.1 on one connection, no more of it than is needed here.
private final class Connection {
    private let descriptor: Int32

    init?(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var noDelay: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// The status of the answer, or nil.
    func ask(_ request: ProfileRequest) -> Int? {
        let head =
            "\(request.method) \(request.target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(request.body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + request.body
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            answer += buffer[..<count]
            guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
            let length = lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
            guard answer.count >= end.upperBound + length else { continue }
            return Int(lines.first?.split(separator: " ").dropFirst().first ?? "")
        }
    }
}
