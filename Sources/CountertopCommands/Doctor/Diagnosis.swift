// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import PCSC

/// The system as far as readers are concerned. The places to look at can be replaced by a test.
struct Diagnosis {
    var environment: [String: String]
    /// Loaded kernel modules, one a line with the name first (proc(5)).
    var modulesFile = "/proc/modules"
    /// Where packages put the daemon.
    var daemons = ["/usr/sbin/pcscd", "/usr/bin/pcscd", "/sbin/pcscd"]
    /// The actions that polkit asks about when pcscd was built with it.
    var polkitPolicy = "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy"
    /// The readers, as pcscd has them.
    var readerNames: @Sendable () async throws(PCSCError) -> [String] = PCSCReader.readerNames

    /// pcscd's socket (pcsc-lite, pcscd(8)); another by `PCSCLITE_CSOCK_NAME`.
    private var socket: String {
        environment["PCSCLITE_CSOCK_NAME"].flatMap { $0.isEmpty ? nil : $0 } ?? "/run/pcscd/pcscd.comm"
    }

    func run() async -> CheckList {
        var list = CheckList()
        list.add("library", .pass, "libpcsclite is loaded")
        let isListening = checkService(&list)
        let names = await checkAccess(isListening, &list)
        checkModules(hasReaders: names?.isEmpty == false, &list)
        checkReaders(names, &list)
        return list
    }

    private func checkService(_ list: inout CheckList) -> Bool {
        switch SocketProbe.connect(socket) {
        case 0:
            list.add("service", .pass, "pcscd listens at \(socket)")
            return true
        case EACCES, EPERM:
            list.add(
                "service", .fail, "no permission for pcscd's socket \(socket)",
                fix: "run as a user who may use it: ls -l \(socket)")
        case let error:
            let isInstalled = daemons.contains { access($0, X_OK) == 0 }
            let why = String(cString: strerror(error))
            list.add(
                "service", .fail, isInstalled ? "pcscd does not run (\(socket): \(why))" : "pcscd is not installed",
                fix: isInstalled
                    ? "sudo systemctl enable --now pcscd.socket (in a container: sudo pcscd)"
                    : "sudo apt-get install pcscd")
        }
        return false
    }

    private func checkAccess(_ isListening: Bool, _ list: inout CheckList) async -> [String]? {
        guard isListening else {
            list.add("access", .skipped, "pcscd cannot be reached")
            return nil
        }
        do {
            let names = try await readerNames()
            list.add("access", .pass, "pcscd answers us")
            return names
        } catch {
            let hasPolkit = access(polkitPolicy, F_OK) == 0
            list.add(
                "access", .fail, error.description,
                fix: hasPolkit
                    ? "let polkit allow org.debian.pcsc-lite.access_pcsc and .access_card for this user"
                    : error.hint)
            return nil
        }
    }

    /// Modules that take USB readers away from pcscd.
    private static let rivals = ["pn533_usb", "pn533", "nfc"]

    private func checkModules(hasReaders: Bool, _ list: inout CheckList) {
        guard let text = FileManager.default.contents(atPath: modulesFile).map({ String(decoding: $0, as: UTF8.self) })
        else { return list.add("modules", .skipped, "\(modulesFile) cannot be read") }
        let loaded = Set(text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) })
        let found = Self.rivals.filter(loaded.contains)
        guard found.contains("pn533_usb") || found.contains("pn533") else {
            return list.add("modules", .pass, "no kernel module holds a reader")
        }
        list.add(
            "modules", hasReaders ? .warn : .fail,
            "the kernel's \(found.joined(separator: ", ")) may hold the reader, so that pcscd does not see it",
            fix: "sudo modprobe -r \(found.joined(separator: " ")); "
                + "echo blacklist pn533_usb | sudo tee /etc/modprobe.d/countertop.conf")
    }

    private func checkReaders(_ names: [String]?, _ list: inout CheckList) {
        guard let names else { return list.add("readers", .skipped, "pcscd cannot be asked") }
        guard !names.isEmpty else {
            return list.add("readers", .fail, "there is no reader", fix: "plug one in, then see `lsusb`")
        }
        list.add("readers", .pass, names.joined(separator: ", "))
        for name in names {
            let support = PollingRoute.route(forReaderNamed: name).support
            list.add("polling", support.isAutomatic ? .pass : .warn, "\(name): \(support.text)")
        }
    }
}

/// Whether somebody listens at a socket.
enum SocketProbe {
    /// 0, or the error number of connect(2).
    static func connect(_ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? 0 : errno
    }
}
