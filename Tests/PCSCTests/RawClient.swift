// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
import Foundation
import Glibc

/// Another program at the same daemon, in its rudest form: bare calls, no deadlines. For one thread at a time.
final class RawClient: @unchecked Sendable {
    private(set) var context = SCARDCONTEXT()
    private(set) var card = SCARDHANDLE()

    /// The code of a failed establish is kept in ``establishCode``.
    let establishCode: UInt32

    init() {
        var fresh = SCARDCONTEXT()
        let result = SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &fresh)
        (context, establishCode) = (fresh, UInt32(truncatingIfNeeded: result))
    }

    func connect(_ reader: String, exclusive: Bool = false) -> UInt32 {
        var active = DWORD()
        let share = exclusive ? SCARD_SHARE_EXCLUSIVE : SCARD_SHARE_SHARED
        let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
        return UInt32(truncatingIfNeeded: SCardConnect(context, reader, DWORD(share), protocols, &card, &active))
    }

    func begin() -> UInt32 { UInt32(truncatingIfNeeded: SCardBeginTransaction(card)) }
    func end() -> UInt32 { UInt32(truncatingIfNeeded: SCardEndTransaction(card, DWORD(SCARD_LEAVE_CARD))) }

    /// Resets the card under everybody.
    func reset() -> UInt32 {
        var active = DWORD()
        let protocols = DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1)
        return UInt32(
            truncatingIfNeeded: SCardReconnect(
                card, DWORD(SCARD_SHARE_SHARED), protocols, DWORD(SCARD_RESET_CARD), &active))
    }

    @discardableResult
    func disconnect(resetting: Bool = false) -> UInt32 {
        let disposition = resetting ? SCARD_RESET_CARD : SCARD_LEAVE_CARD
        return UInt32(truncatingIfNeeded: SCardDisconnect(card, DWORD(disposition)))
    }

    @discardableResult
    func release() -> UInt32 { UInt32(truncatingIfNeeded: SCardReleaseContext(context)) }
}

/// This process's connections to a daemon: the descriptors whose other end is bound to its socket path. Counts
/// contexts exactly, whatever other tests of the process open.
func clientDescriptors(of socketPath: String) -> Set<Int32> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return Set(
        names.compactMap { Int32($0) }.filter { descriptor in
            var address = sockaddr_un()
            var length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return false }
            let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return path == socketPath
        })
}

/// How many threads of this process have a name.
func threads(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.filter { task in
        let comm = FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm") ?? Data()
        return String(decoding: comm, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) == name
    }.count
}
