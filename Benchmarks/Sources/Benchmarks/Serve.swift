// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import LoyaltyFeed
import Synchronization
import WalletCrypto

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// From the tap of the emulated phone, asked for over HTTP, to the verified webhook at a receiver: the real program as a
/// process, everything on loopback. Then the same program with nothing to do. `COUNTERTOP_TOOL` names the binary.
func benchmarkServe(taps: Int, idle: Duration) async throws -> [Row] {
    let name = "serve: tap to webhook received, p99 of \(taps)"
    guard let tool = ProcessInfo.processInfo.environment["COUNTERTOP_TOOL"] else {
        return [Row(name: name, figure: "COUNTERTOP_TOOL is not set", target: "under 20 ms", holds: nil)]
    }
    let arrivals = Arrivals()
    let secret = "whsec_" + Data(RandomBytes.generate(32)).base64EncodedString()
    let verifier = WebhookVerifier(keys: [try WebhookVerificationKey(secret)])
    let webhooks = try WebhookReceiver(verifier: verifier, onWebhook: { arrivals.add($0.id) })
    let receiver = try await HTTPReceiver { webhooks.answer($0) }
    let counter = try ServedCounter(tool, secret: secret, port: receiver.port)
    defer { counter.end() }
    let url = try await counter.url()
    let rows = [try await idleRows(counter, idle)].flatMap { $0 }
    // Connections, caches, the first pages of the database.
    _ = try await delays(of: min(200, taps), at: url, arrivals)
    let start = ContinuousClock.now
    let delays = try await delays(of: taps, at: url, arrivals)
    let perSecond = Double(taps) / (start.duration(to: .now) / .seconds(1))
    let p99 = delays[min(delays.count - 1, delays.count * 99 / 100)] / .milliseconds(1)
    let middle = delays[delays.count / 2] / .milliseconds(1)
    return [
        Row(
            name: name, figure: String(format: "%.2f ms (median %.2f, %.0f taps/s)", p99, middle, perSecond),
            target: "under 20 ms", holds: p99 < 20)
    ] + rows
}

/// Sorted times from the request for a tap to its webhook, one tap after the other.
private func delays(of count: Int, at url: URL, _ arrivals: Arrivals) async throws -> [Duration] {
    var request = URLRequest(url: url.appending(path: "v1/wallet/tap"))
    request.httpMethod = "POST"
    var delays: [Duration] = []
    for _ in 0..<count {
        let start = ContinuousClock.now
        let (data, _) = try await URLSession.shared.data(for: request)
        guard let tap = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let id = ((tap["events"] as? [[String: Any]])?.first)?["id"] as? String
        else { throw BenchmarkFailure("no event: \(String(decoding: data, as: UTF8.self))") }
        delays.append(start.duration(to: try await arrivals.time(of: id)))
    }
    return delays.sorted()
}

/// Memory and processor time of the program while nothing happens.
private func idleRows(_ counter: ServedCounter, _ idle: Duration) async throws -> [Row] {
    try await Task.sleep(for: .seconds(3))
    let (before, start) = (counter.cpuSeconds, ContinuousClock.now)
    try await Task.sleep(for: idle)
    let share = (counter.cpuSeconds - before) / (start.duration(to: .now) / .seconds(1)) * 100
    let memory = Double(counter.residentKiB) / 1024
    return [
        Row(
            name: "serve: idle, resident", figure: String(format: "%.1f MB", memory), target: "under 40 MB",
            holds: memory < 40),
        Row(
            name: "serve: idle, processor", figure: String(format: "%.3f %%", share), target: "under 0.5 %",
            holds: share < 0.5),
    ]
}

/// When each webhook came.
private final class Arrivals: Sendable {
    private struct State {
        var times: [String: ContinuousClock.Instant] = [:]
        var waiting: [String: CheckedContinuation<ContinuousClock.Instant, Never>] = [:]
    }

    private let state = Mutex(State())

    func add(_ id: String) {
        let now = ContinuousClock.now
        let waiting = state.withLock { state in
            state.times[id] = now
            return state.waiting.removeValue(forKey: id)
        }
        waiting?.resume(returning: now)
    }

    func time(of id: String) async throws -> ContinuousClock.Instant {
        await withCheckedContinuation { continuation in
            let time = state.withLock { state in
                if state.times[id] == nil { state.waiting[id] = continuation }
                return state.times.removeValue(forKey: id)
            }
            if let time { continuation.resume(returning: time) }
        }
    }
}

/// `countertop serve` with an emulated phone and one webhook, in a folder of its own.
private final class ServedCounter {
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countertop-\(UUID().uuidString)")
    private var log: URL { folder.appending(path: "log") }

    init(_ tool: String, secret: String, port: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = try P256PrivateKey.generate()
        try write("pass.pem", Data(key.pkcs8PEM().withUnsafeBytes { Array($0) }))
        try write("shop.secret", Data((secret + "\n").utf8))
        let publicKey = Data(key.publicKey.subjectPublicKeyInfo()).base64EncodedString()
        let phone =
            #"{"passes": [{"passTypeIdentifier": "pass.com.example.club", "#
            + #""nfc": {"message": "M-1", "encryptionPublicKey": "\#(publicKey)"}}]}"#
        try write("phone.json", Data(phone.utf8))
        let configuration = """
            [counter]
            id = "c1"
            reader = "emulated:phone.json"
            tap = "manual"
            state = "state"
            [[pass]]
            id = "pass.com.example.club"
            key = "pass.pem"
            [http]
            listen = "127.0.0.1:0"
            [[sink]]
            name = "shop"
            type = "webhook"
            url = "http://127.0.0.1:\(port)/"
            secret_file = "shop.secret"

            """
        try write("counter.toml", Data(configuration.utf8))
        try write("log", Data())
        process.executableURL = URL(filePath: tool)
        process.arguments = ["serve", "--config", folder.appending(path: "counter.toml").path()]
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
    }

    private func write(_ name: String, _ data: Data) throws {
        let path = folder.appending(path: name).path()
        guard FileManager.default.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600])
        else { throw BenchmarkFailure("\(path) cannot be written") }
    }

    func url() async throws -> URL {
        for _ in 0..<500 {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if let match = text.firstMatch(of: /bench is at (http:[^ \n]+)/), let url = URL(string: String(match.1)) {
                return url
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchmarkFailure("countertop serve does not start")
    }

    /// User and system time (proc(5), fields 14 and 15 of /proc/PID/stat).
    var cpuSeconds: Double {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        let fields = (text.split(separator: ")").last ?? "").split(separator: " ")
        guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12]) else { return .nan }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    var residentKiB: Int {
        let path = "/proc/\(process.processIdentifier)/status"
        let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
