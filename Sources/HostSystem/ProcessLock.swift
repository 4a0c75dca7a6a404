// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A process's right to something, kept until this object is released; the system takes it back when the process ends,
/// however it ends (flock(2)).
package final class ProcessLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock of a file, which is made (0600) when it is not there.
    ///
    /// - Throws: `busy` when another has it.
    package init(_ path: String) throws(HostFileError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw HostFileError(path, "cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let other = HostFileError(path, "cannot be locked")
            close(descriptor)
            throw isTaken ? HostFileError(.busy, "another process has \(path)") : other
        }
    }

    deinit { close(descriptor) }
}
