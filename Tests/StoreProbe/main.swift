// SPDX-License-Identifier: Apache-2.0
// A process of its own that stores reads, for tests that kill it, starve it, or stand in its way. `MODE DIRECTORY`.

import Foundation
import ProximityReader

/// A line that is out when this returns.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

func read(_ number: Int) -> StoredRead {
    StoredRead(
        id: "\(getpid())-\(number)", date: Date(timeIntervalSince1970: 1_767_268_800), issuer: "probe",
        merchant: "probe", paymentCardData: String(repeating: "QUJD", count: 300), generalCardData: "UA==")
}

/// Stores reads until something stops it, and tells each identifier as an app would get it.
func storeReads(in directory: String) async {
    do throws(StoreFailure) {
        let store = try StoreFile.open(directory, at: Date())
        for number in 1... {
            try await store.add(read(number))
            say(read(number).id)
        }
    } catch {
        say("failed \(error.kind) \(error.code)")
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
// Never longer than a test that waits for it.
alarm(120)
switch arguments[1] {
case "store": await storeReads(in: arguments[2])
case "starve":
    // A file may grow to so many bytes and no more, as on a full disk.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 1_000_000, rlim_max: 1_000_000)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    await storeReads(in: arguments[2])
case "hold":
    do {
        let store = try StoreFile.open(arguments[2], at: Date())
        say("held")
        _ = readLine()
        withExtendedLifetime(store) {}
    } catch {
        say("failed \(error.kind)")
    }
default: exit(64)
}
