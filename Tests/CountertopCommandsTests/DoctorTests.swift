// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import PCSC
import Testing

@testable import CountertopCommands

@Suite struct DoctorTests {
    private func diagnosis(
        _ bench: Bench, modules: String = "usbhid 1 0\n", socket: String,
        names: @escaping @Sendable () async throws(PCSCError) -> [String] = { () throws(PCSCError) in [] }
    ) throws -> Diagnosis {
        try bench.write("modules", Array(modules.utf8))
        var diagnosis = Diagnosis(environment: ["PCSCLITE_CSOCK_NAME": socket])
        diagnosis.modulesFile = bench.path("modules")
        diagnosis.daemons = [bench.path("pcscd")]
        diagnosis.polkitPolicy = bench.path("policy")
        diagnosis.readerNames = names
        return diagnosis
    }

    private func check(_ list: CheckList, _ id: String) throws -> Check {
        try #require(list.checks.first { $0.id == id })
    }

    @Test func noService() async throws {
        let bench = try Bench()
        let missing = await (try diagnosis(bench, socket: bench.path("none"))).run()
        #expect(try check(missing, "service").verdict == .fail)
        #expect(try check(missing, "service").text == "pcscd is not installed")
        #expect(try check(missing, "service").fix == "sudo apt-get install pcscd")
        #expect(try check(missing, "access").verdict == .skipped)
        #expect(try check(missing, "readers").verdict == .skipped)
        #expect(!missing.ok)
        try bench.write("pcscd", [], mode: 0o755)
        let stopped = await (try diagnosis(bench, socket: bench.path("none"))).run()
        #expect(try check(stopped, "service").text.hasPrefix("pcscd does not run"))
        #expect(try check(stopped, "service").fix?.contains("systemctl enable --now pcscd.socket") == true)
        let long = await (try diagnosis(bench, socket: String(repeating: "x", count: 300))).run()
        #expect(try check(long, "service").verdict == .fail)
    }

    @Test func modulesThatHoldReaders() async throws {
        let bench = try Bench()
        let cases: [(String, Check.Verdict, String?)] = [
            ("usbhid 1 0\n", .pass, nil), ("", .pass, nil), ("nfc 1 0\n", .pass, nil),
            ("pn533_usb 1 0\npn533 1 1 pn533_usb\nnfc 1 1\n", .fail, "sudo modprobe -r pn533_usb pn533 nfc"),
            ("pn533 1 0\n", .fail, "sudo modprobe -r pn533"),
        ]
        for (modules, verdict, fix) in cases {
            let list = await (try diagnosis(bench, modules: modules, socket: bench.path("none"))).run()
            #expect(try check(list, "modules").verdict == verdict, "\(modules)")
            if let fix { #expect(try check(list, "modules").fix?.hasPrefix(fix) == true) }
        }
        var unreadable = try diagnosis(bench, socket: bench.path("none"))
        unreadable.modulesFile = bench.path("no-modules")
        #expect(try check(await unreadable.run(), "modules").verdict == .skipped)
    }

    @Test(.enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"))
    func refusalsReadersAndRoutes() async throws {
        let bench = try Bench()
        let daemon = try PrivatePCSCD()
        let refused: @Sendable () async throws(PCSCError) -> [String] = { () throws(PCSCError) in
            throw PCSCError(rawCode: 0x8010_006A)
        }
        try bench.write("policy", [])
        let polkit = await (try diagnosis(bench, socket: daemon.socketPath, names: refused)).run()
        #expect(try check(polkit, "service").verdict == .pass)
        #expect(try check(polkit, "access").verdict == .fail)
        #expect(try check(polkit, "access").fix?.contains("org.debian.pcsc-lite.access_pcsc") == true)
        let none = await (try diagnosis(bench, socket: daemon.socketPath)).run()
        #expect(try check(none, "readers").verdict == .fail)
        #expect(try check(none, "readers").fix?.contains("plug one in") == true)
        let plain = await
            (try diagnosis(
                bench, modules: "pn533_usb 1 0\n", socket: daemon.socketPath,
                names: { () throws(PCSCError) in ["Plain Reader 00 00"] })).run()
        #expect(plain.ok)
        #expect(try check(plain, "modules").verdict == .warn)
        #expect(try check(plain, "polling").verdict == .warn)
        #expect(try check(plain, "polling").text.contains("cannot wake the phone"))
    }
}
