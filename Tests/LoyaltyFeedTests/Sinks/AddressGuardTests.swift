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
        ("::7f00:1", "unspecified"),
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

    private func endpoint(_ url: String, _ answers: [[String]]) throws -> HTTPEndpoint {
        let list = Answers(answers)
        let options = try HTTPOptions(
            SinkSettings(
                name: "a", type: "webhook", context: testContext,
                values: ["timeout": .string("20s"), "allow_http": .boolean(true)]))
        return HTTPEndpoint(origin: try SinkURL(url, key: "url", allowHTTP: true), options: options) {
            _ throws(Resolver.Failure) in list.next()
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
