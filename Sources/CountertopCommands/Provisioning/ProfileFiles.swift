// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning

/// Profiles by name or from files.
enum ProfileFiles {
    /// A built-in one by its name, else the one that a file describes.
    static func profile(_ argument: String) throws -> ProcessorProfile {
        if let profile = ProcessorProfile.named(argument) { return profile }
        guard argument.contains("/") || argument.contains(".") || FileManager.default.fileExists(atPath: argument)
        else {
            throw ToolError(
                .usage, "there is no profile \(argument)",
                hint: "there are \(names); or give a file, see `countertop profile --help`")
        }
        return try read(argument)
    }

    static let names = ProcessorProfile.builtIn.map(\.name).joined(separator: ", ")

    static func read(_ path: String) throws -> ProcessorProfile {
        let bytes = try InputFile.read(path, limit: InputFile.keyLimit)
        do { return try ProcessorProfile(file: bytes) } catch { throw ToolError(error).naming(path) }
    }

    /// Whether a profile can carry a request there and the blobs back.
    static func check(_ bytes: [UInt8]) -> CheckList {
        var list = CheckList()
        let profile: ProcessorProfile
        do { profile = try ProcessorProfile(file: bytes) } catch {
            list.add("file", .fail, error.reason, fix: error.hint)
            for id in ["request", "answer", "url", "path"] { list.add(id, .skipped, "the file cannot be read") }
            return list
        }
        list.add("file", .pass, "\(profile.name) (\(profile.title)): \(profile.method) \(profile.path)")
        checkRequest(profile, &list)
        checkAnswer(profile, &list)
        if profile.putsNonceInURL {
            list.add("url", .warn, "nonce and signature stand in the URL", fix: "let a body carry them, if you may")
        } else {
            list.add("url", .pass, "nonce and signature stand in the body")
        }
        let others = ProcessorProfile.builtIn.filter {
            $0.name != profile.name && $0.matches(method: profile.method, target: profile.path)
        }
        if let other = others.first {
            list.add(
                "path", .warn, "the built-in profile \(other.name) has the same method and path",
                fix: "name this one where you use it")
        } else {
            list.add("path", .pass, "no other profile has this method and path")
        }
        return list
    }

    private static func checkRequest(_ profile: ProcessorProfile, _ list: inout CheckList) {
        do {
            let request = try ProvisioningTestAuthority().makeIdentity(at: Date()).makeRequest()
            let seen = try profile.decode(profile.encode(request, card: "card-1")).request
            let same = seen.nonce == request.nonce && seen.nonceSignature == request.nonceSignature
            let leaf = seen.certificates.first == request.certificates.first
            guard same, leaf else {
                return list.add(
                    "request", .fail, "what is sent is not what is read again",
                    fix: "give every field a name of its own")
            }
            let count = seen.certificates.count
            list.add("request", .pass, "a request is read again as it was sent, with \(count) of 2 certificates")
        } catch {
            let error = ToolError(error)
            list.add("request", .fail, error.reason, fix: error.hint)
        }
    }

    private static func checkAnswer(_ profile: ProcessorProfile, _ list: inout CheckList) {
        let trio = ProvisioningTrio(
            encryptedPassData: Array(0...99), activationData: Array("ACTIVATION".utf8),
            ephemeralPublicKey: [4] + Array(0...63))
        do {
            let answer = try profile.decodeAnswer(profile.encode(trio).body)
            guard answer.trio == trio, answer.faults.isEmpty else {
                return list.add(
                    "answer", .fail, "the blobs are not read again as they were sent",
                    fix: answer.faults.first ?? "give every blob a name of its own")
            }
            list.add("answer", .pass, "the three blobs are read again as they were sent")
        } catch {
            list.add("answer", .fail, error.reason, fix: error.hint)
        }
    }
}
