// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning

/// The folder of an app's project: a target is a folder in it that has an `Info.plist`, entitlements, or both.
struct AppFolder {
    private static let mostFiles = 20_000
    /// Folders of tools, and bundles of other people.
    private static let passedOver: Set = [".build", ".git", "Pods", "Carthage", "DerivedData", "node_modules", "build"]

    private let path: String
    private var infos: [String: String] = [:]
    private var entitlements: [String: String] = [:]

    /// Looks for property lists.
    init(_ path: String) throws(ToolError) {
        self.path = path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue,
            let files = FileManager.default.enumerator(atPath: path)
        else { throw ToolError(.noInput, "\(path): no such folder") }
        var count = 0
        while let file = files.nextObject() as? String, count < Self.mostFiles {
            count += 1
            let (folder, name) = Self.split(file)
            if Self.passedOver.contains(name) {
                files.skipDescendants()
            } else if name.hasSuffix("Info.plist") {
                infos[folder] = file
            } else if name.hasSuffix(".entitlements") {
                entitlements[folder] = file
            }
        }
        guard !infos.isEmpty || !entitlements.isEmpty else {
            throw ToolError(
                .data, "\(path): there is no Info.plist and no .entitlements",
                hint: "--app takes the folder of the app's project")
        }
    }

    private static func split(_ file: String) -> (folder: String, name: String) {
        let parts = file.split(separator: "/").map(String.init)
        return (parts.dropLast().joined(separator: "/"), parts.last ?? "")
    }

    /// The targets, in the order of their folders.
    func targets(_ talk: Talk) throws -> [AppTarget] {
        try Set(infos.keys).union(entitlements.keys).sorted().map { folder in
            let target = try AppTarget(
                place: folder.isEmpty ? path : folder, info: try read(infos[folder]),
                entitlements: try read(entitlements[folder]))
            talk.detail("\(target.place): \(target.extensionPoint ?? "an app")")
            return target
        }
    }

    private func read(_ file: String?) throws(ToolError) -> [UInt8]? {
        guard let file else { return nil }
        return try InputFile.read("\(path)/\(file)", limit: 1 << 20)
    }
}
