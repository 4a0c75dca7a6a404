// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Files of a configuration as the system has them.
enum ConfigurationFile {
    /// All bytes of the configuration itself, which anybody may read.
    static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        do { return try bytes(path, limit: SettingDocument.sizeLimit) { _ in nil } } catch {
            throw ConfigurationError([
                .init(error.code, at: .file(path, line: nil, column: nil), error.reason, hint: error.hint)
            ])
        }
    }

    /// Why a file is not read.
    struct Failure: Error {
        let code: ConfigurationError.Code
        let reason: String
        var hint: String?
    }

    /// More than any key, token or certificate chain has.
    static let secretLimit = 1 << 20

    /// All bytes of a file with a secret, which nobody else may read or write.
    ///
    /// A systemd credential belongs to root and is readable for the service by an access control list, whose mask
    /// stands where the group's rights stand otherwise (systemd.exec(5), CREDENTIALS; acl(5)): only the rights of all
    /// others count there.
    static func secret(_ path: String, credentials: String?) throws(Failure) -> [UInt8] {
        let isCredential = credentials.map { path.hasPrefix("\($0)/") } ?? false
        return try bytes(path, limit: secretLimit) { mode in
            guard mode & (isCredential ? 0o027 : 0o077) != 0 else { return nil }
            return Failure(
                code: .filePermissions, reason: "\(path) can be read or written by other users",
                hint: "make it the service's alone: chmod 600 \(path)")
        }
    }

    /// All bytes of a file; `check` is given the mode of the file that is open, so that it cannot be exchanged between.
    static func bytes(_ path: String, limit: Int, check: (mode_t) -> Failure?) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(path, EISDIR) }
        // Pipes and devices (`<(…)`) have no mode of their own.
        if status.st_mode & S_IFMT == S_IFREG, let failure = check(status.st_mode) { throw failure }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        throw Failure(code: .unreadableFile, reason: "\(path) has more than \(limit >> 20) MiB")
    }

    private static func unreadable(_ path: String, _ error: Int32) -> Failure {
        Failure(
            code: .unreadableFile, reason: "\(path) cannot be read: \(String(cString: strerror(error)))",
            hint: error == ENOENT ? hint(path) : nil)
    }

    /// How files of the usual names are made.
    private static func hint(_ path: String) -> String? {
        if path.hasSuffix(".pem") || path.hasSuffix(".key") { return "make a key: countertop key new --output \(path)" }
        guard path.contains("secret") else { return nil }
        return "make a webhook secret: (umask 077; echo whsec_$(openssl rand -base64 32) > \(path))"
    }

    /// Where relative paths begin.
    static func paths(of file: String?, _ environment: [String: String]) -> SettingPaths {
        let working = FileManager.default.currentDirectoryPath
        let folder = file.map { $0.split(separator: "/", omittingEmptySubsequences: false).dropLast() } ?? []
        let relative = folder.joined(separator: "/")
        let isWhole = file?.hasPrefix("/") ?? false
        return SettingPaths(
            folder: isWhole ? relative : relative.isEmpty ? working : "\(working)/\(relative)", working: working,
            credentials: environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 },
            exists: { access($0, F_OK) == 0 })
    }
}

extension SettingResolver {
    /// The folder for state when no setting names one: systemd's, else the user's (XDG Base Directory Specification).
    mutating func defaultState() -> String {
        let choices: [(variable: String, suffix: String)] = [
            ("STATE_DIRECTORY", ""), ("XDG_STATE_HOME", "/countertop"), ("HOME", "/.local/state/countertop"),
        ]
        for choice in choices {
            // systemd.exec(5): several folders are divided by colons.
            guard let text = environment[choice.variable]?.split(separator: ":").first, text.hasPrefix("/") else {
                continue
            }
            return resolve(default: "\(text)\(choice.suffix)", "counter.state", .environment(choice.variable))
        }
        if problems.allSatisfy({ $0.key != "counter.state" }) {
            report(
                .missingKey, "counter.state", "is missing, and neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is set",
                at: origin(of: "counter.state"))
        }
        return ""
    }
}
