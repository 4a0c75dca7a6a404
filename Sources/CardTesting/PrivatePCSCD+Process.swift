// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts child processes that inherit exactly what they are given.
enum Spawn {
    /// Starts pcscd with `listener` as file descriptor 3. LISTEN_PID must be the number of the process that becomes
    /// pcscd (sd_listen_fds(3)): the shell writes its own and then turns into the daemon.
    static func daemon(
        listener: Int32, configuration: String, log: String, arguments: [String] = []
    ) throws -> pid_t {
        guard let path = PrivatePCSCD.daemonPath else { throw PrivatePCSCD.Failure(description: "no pcscd") }
        // At most 20 MiB of log (unit 512 bytes): a daemon that runs wild must not fill the disk.
        let script = """
            ulimit -f 40960
            conf=$1 log=$2
            shift 2
            LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" --foreground --info -c "$conf" "$@" >"$log" 2>&1 </dev/null
            """
        return try shell(script, [path, configuration, log] + arguments, descriptorThree: listener)
    }

    /// Runs a shell script; its `$0`, `$1`… are `arguments`, its only open descriptors 0 to 3.
    static func shell(_ script: String, _ arguments: [String], descriptorThree: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptorThree, 3)
        for descriptor in openDescriptors where descriptor > 3 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own: Ctrl-C at the terminal is for the test run, whose end the janitor sees.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let words = ["/bin/sh", "-c", script] + arguments
        let argv = words.map { strdup($0) } + [nil]
        let envp = [strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), nil]
        defer { for word in argv + envp { free(word) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, "/bin/sh", &actions, &attributes, argv, envp)
        guard status == 0 else { throw PrivatePCSCD.Failure(description: "cannot start /bin/sh: error \(status)") }
        return pid
    }

    private static var openDescriptors: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }
    }
}

/// A shell that waits for this process to let go of a pipe, by intent or by dying, and then kills the daemon and
/// removes its folder.
final class Janitor: Sendable {
    private let pipe: Int32
    private let pid: pid_t

    init(directory: String) throws {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw PrivatePCSCD.Failure(description: "no pipe: error \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let script = """
            last=0
            while read -r pid <&3; do last=$pid; done
            [ "$last" -gt 1 ] && kill -9 "$last"
            rm -rf -- "$0"
            """
        defer { close(ends[0]) }
        do {
            pid = try Spawn.shell(script, [directory], descriptorThree: ends[0])
        } catch {
            close(ends[1])
            throw error
        }
        pipe = ends[1]
    }

    /// Tells which process to kill at the end; 0 for none.
    func report(_ daemon: pid_t) {
        let line = Array("\(daemon)\n".utf8)
        _ = write(pipe, line, line.count)
    }

    deinit {
        close(pipe)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}
