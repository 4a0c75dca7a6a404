// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import LoyaltyFeed

@Suite struct AddressGuardTests {
    static let refused = [
        ("0.0.0.0", "unspecified"), ("10.1.2.3", "private"), ("100.64.0.1", "carrier-private"),
        ("127.0.0.1", "loopback"), ("127.255.0.9", "loopback"), ("169.254.1.1", "link-local"),
        ("169.254.169.254", "cloud metadata"), ("172.16.0.1", "private"), ("172.31.255.255", "private"),
        ("192.168.0.1", "private"), ("198.18.0.1", "benchmarking"), ("224.0.0.1", "multicast"),
        ("239.255.255.250", "multicast"), ("255.255.255.255", "reserved"), ("::", "unspecified"), ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"), ("::ffff:10.0.0.1", "private"), ("64:ff9b::a00:1", "private"),
        ("2002:a00:1::", "private"), ("fc00::1", "private"), ("fd00:ec2::254", "private"), ("fe80::1", "link-local"),
        ("febf::1", "link-local"), ("ff02::1", "multicast"), ("2001:db8::1", "documentation"),
        ("::7f00:1", "unspecified"), ("::ffff:0:127.0.0.1", "loopback"), ("::ffff:0:10.0.0.1", "private"),
        ("::ffff:0:a9fe:a9fe", "cloud metadata"),
    ]

    @Test(arguments: refused) func `addresses that are not the public internet`(_ text: String, _ name: String) throws {
        let address = try #require(Resolver.literal(text))
        #expect(AddressGuard.refusal(address.bytes, .publicOnly) == name)
        #expect((AddressGuard.refusal(address.bytes, .loopbackOnly) == nil) == (name == "loopback"))
    }

    @Test(arguments: [
        "8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "193.0.0.1", "2606:4700::1111", "::ffff:8.8.8.8",
        "64:ff9b::808:808", "2002:808:808::",
    ]) func `addresses that are`(_ text: String) throws {
        #expect(AddressGuard.refusal(try #require(Resolver.literal(text)).bytes, .publicOnly) == nil)
    }

    @Test func `every network but those that nobody is in, when the table allows it`() throws {
        for text in ["10.0.0.1", "169.254.169.254", "fe80::1", "127.0.0.1", "8.8.8.8"] {
            #expect(AddressGuard.refusal(try #require(Resolver.literal(text)).bytes, .anyNetwork) == nil)
        }
        for text in ["224.0.0.1", "0.0.0.0", "ff02::1"] {
            #expect(AddressGuard.refusal(try #require(Resolver.literal(text)).bytes, .anyNetwork) != nil)
        }
    }

    @Test func `other spellings of loopback are no names`() async throws {
        // The system's resolver takes numbers in many forms; what it makes of them is what is checked.
        for host in ["2130706433", "0x7f.1", "127.1", "localhost"] {
            guard let found = try? await Resolver.addresses(of: host) else { continue }
            #expect(found.allSatisfy { AddressGuard.refusal($0.bytes, .publicOnly) == "loopback" }, "\(host)")
        }
    }

    private func endpoint(
        _ url: String, _ answers: [[String]], values: [String: SettingValue] = [:], pause: Duration = .zero
    ) throws -> HTTPEndpoint {
        let list = Answers(answers)
        let fixed: [String: SettingValue] = ["timeout": .string("20s"), "allow_http": .boolean(true)]
        let options = try HTTPOptions(
            SinkSettings(
                name: "a", type: "webhook", context: testContext,
                values: fixed.merging(values) { $1 }))
        return HTTPEndpoint(origin: try SinkURL(url, key: "url", allowHTTP: true), options: options) {
            _ throws(Resolver.Failure) in
            try? await Task.sleep(for: pause)
            return list.next()
        }
    }

    /// The client finds the checked address by the host as the URL writes it.
    @Test(arguments: ["PINNED.example", "pinned.EXAMPLE"]) func `capitals in a host do not lead past the check`(
        _ host: String
    ) async throws {
        let requests = Requests()
        let receiver = try await HTTPReceiver { request in
            requests.add(request)
            return ReceiverAnswer(200)
        }
        let endpoint = try endpoint(
            "HTTP://\(host):\(receiver.port)/Path?Query=A", [["127.0.0.1"]], values: ["allow_private": .boolean(true)])
        #expect(endpoint.origin.text == "http://pinned.example:\(receiver.port)/Path?Query=A")
        // As a template makes it, from its own text.
        let url = SinkURL(endpoint.origin, text: "http://\(host):\(receiver.port)/Other")
        for url in [endpoint.origin, url] {
            let request = EndpointRequest(method: "POST", url: url, headers: [], body: [1])
            guard case .success(let answer) = await endpoint.send(request) else {
                Issue.record("the address that was checked was not used")
                return
            }
            #expect(answer.status == 200)
        }
        #expect(requests.all.map(\.target) == ["/Path?Query=A", "/Other"])
        await endpoint.close()
        await receiver.close()
    }

    @Test(arguments: [
        "https://ex%61mple.com/", "https://example.com:0443/", "https://example.com:/", "https://[fe80::1%25lo]/",
        "https://example.com\\@127.0.0.1/",
    ]) func `a host that can be written in two ways is refused`(_ url: String) {
        #expect(throws: SettingError.self) { try SinkURL(url, key: "url", allowHTTP: false) }
    }

    @Test(arguments: [
        "https://example.com", "https://xn--bcher-kva.example/x", "https://example.com?a=b",
        "https://[2606:4700::1111]:8443/", "https://example.com:8443/a:b@c",
    ]) func `hosts as they mostly are`(_ url: String) throws {
        #expect(try SinkURL(url, key: "url", allowHTTP: false).text == url)
        #expect(try !SinkURL(url, key: "url", allowHTTP: false).host.contains("ü"))
    }

    /// Its queue of connections is full, so it swallows more of them, as a firewall does.
    @Test func `who swallows the request for a connection is nobody`() async throws {
        let port = try SwallowingPort()
        let request = { (endpoint: HTTPEndpoint) in
            EndpointRequest(method: "POST", url: endpoint.origin, headers: [], body: [1])
        }
        // The limit for connecting ends it; then, after a slow look for the name, the one for the whole.
        for (timeout, pause) in [("1s", Duration.zero), ("2s", .milliseconds(1_800))] {
            let endpoint = try endpoint(
                "http://swallow.example:\(port.number)/", [["127.0.0.1"]],
                values: ["timeout": .string(timeout), "allow_private": .boolean(true)], pause: pause)
            guard case .failure(let failure) = await endpoint.send(request(endpoint)) else {
                Issue.record("there was an answer")
                continue
            }
            #expect(failure.isUnreachable && failure.mayTryNext, "\(failure)")
            #expect(failure.detail.contains("did not take the connection in time"), "\(failure)")
            await endpoint.close()
        }
    }

    @Test func `behind an address that swallows it there is time for the next one`() async throws {
        let port = try SwallowingPort()
        let receiver = try await HTTPReceiver(host: "127.0.0.2", port: Int(port.number)) { _ in ReceiverAnswer(200) }
        let endpoint = try endpoint(
            "http://two.example:\(port.number)/", [["127.0.0.1", "127.0.0.2"]],
            values: ["timeout": .string("4s"), "allow_private": .boolean(true)])
        let request = EndpointRequest(method: "POST", url: endpoint.origin, headers: [], body: [1])
        guard case .success(let answer) = await endpoint.send(request) else {
            Issue.record("the second address had no turn")
            return
        }
        #expect(answer.status == 200)
        await endpoint.close()
        await receiver.close()
    }

    @Test func `a name that is not answered for is not waited for beyond the limit`() async throws {
        let gate = Gate()
        let options = try HTTPOptions(
            SinkSettings(
                name: "a", type: "webhook", context: testContext, values: ["timeout": .string("300ms")]))
        let endpoint = HTTPEndpoint(
            origin: try SinkURL("https://slow.example/", key: "url", allowHTTP: false), options: options
        ) { _ throws(Resolver.Failure) in
            // As getaddrinfo does, it does not care about cancelling.
            await gate.wait()
            return []
        }
        let request = EndpointRequest(method: "POST", url: endpoint.origin, headers: [], body: [1])
        guard case .failure(let failure) = await endpoint.send(request) else {
            Issue.record("there was an answer")
            return
        }
        #expect(failure.isUnreachable && failure.detail.contains("was not resolved in time"))
        let work = Task { await within(.now + .seconds(3600)) { await gate.wait() } }
        work.cancel()
        #expect(await work.value == nil)
        gate.open()
        #expect(await within(.now + .seconds(3600)) { 5 } == 5)
        await endpoint.close()
    }

    @Test func `only a name that AI_ADDRCONFIG may hide is looked for twice`() {
        #expect(Resolver.hiddenByAddressConfiguration.contains(Int32(EAI_NONAME)))
        for other in [EAI_AGAIN, EAI_FAIL, EAI_MEMORY, EAI_SYSTEM] {
            #expect(!Resolver.hiddenByAddressConfiguration.contains(Int32(other)))
        }
    }

    @Test func `a public name with an address of this machine is not connected to`() async throws {
        let receiver = try await HTTPReceiver { _ in ReceiverAnswer(200) }
        let port = receiver.port
        let endpoint = try endpoint("http://rebinding.example:\(port)/", [["127.0.0.1"]])
        let request = EndpointRequest(
            method: "POST", url: endpoint.origin, headers: [], body: Array("M-10023".utf8))
        guard case .failure(let failure) = await endpoint.send(request) else {
            Issue.record("a private address was connected to")
            return
        }
        #expect(failure.isUnreachable && failure.detail.contains("loopback address"))
        await endpoint.close()
        await receiver.close()
    }

    @Test func `a name for the machine itself may have two addresses, of which one answers`() async throws {
        let receiver = try await HTTPReceiver { _ in ReceiverAnswer(200) }
        let endpoint = try endpoint("http://localhost:\(receiver.port)/", [["::1", "127.0.0.1"]])
        let request = EndpointRequest(method: "POST", url: endpoint.origin, headers: [], body: [1])
        guard case .success(let answer) = await endpoint.send(request) else {
            Issue.record("the second address was not tried")
            return
        }
        #expect(answer.status == 200)
        await endpoint.close()
        await receiver.close()
    }

    @Test func `localhost that is somewhere else is not connected to`() async throws {
        let endpoint = try endpoint("http://localhost:9/", [["192.168.1.1"]])
        let request = EndpointRequest(method: "POST", url: endpoint.origin, headers: [], body: [1])
        guard case .failure(let failure) = await endpoint.send(request) else {
            Issue.record("it was connected to")
            return
        }
        #expect(failure.detail.contains("private address"))
        await endpoint.close()
    }
}

/// Addresses, look after look; the last ones stay.
private final class Answers: Sendable {
    private let list: Mutex<[[ResolvedAddress]]>

    init(_ texts: [[String]]) { list = Mutex(texts.map { $0.compactMap(Resolver.literal) }) }

    func next() -> [ResolvedAddress] {
        list.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}

/// A port that listens, and whose queue of connections is full.
private final class SwallowingPort: Sendable {
    let number: UInt16
    private let sockets: [Int32]

    init() throws {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = Int32(SOCK_STREAM)
        #endif
        var sockets = [socket(AF_INET, kind, 0)]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(sockets[0], address, length) == 0 && listen(sockets[0], 0) == 0
                    && getsockname(sockets[0], address, &length) == 0
            }
        }
        try #require(bound)
        number = UInt16(bigEndian: address.sin_port)
        for _ in 0..<8 {
            let client = socket(AF_INET, kind, 0)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
            }
            sockets.append(client)
        }
        self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }
}

/// Waits until it is opened, whether the task is cancelled or not.
private final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
