// SPDX-License-Identifier: Apache-2.0

public import APDUTrace
import Foundation

/// Finds the traces of `apdu-traces/`, one case per file.
public enum TraceFiles {
    /// A trace with its file.
    public struct Case: Sendable, CustomStringConvertible {
        /// The file's name without `.apdu`.
        public let name: String
        /// The file.
        public let path: String
        /// What it says.
        public let trace: APDUTrace

        /// The name, as a test report shows it.
        public var description: String { name }
    }

    /// The folder `apdu-traces` of the package that this source file belongs to.
    public static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "apdu-traces").path(percentEncoded: false)

    /// All traces of a folder, by name. A file that is not a trace is an error.
    public static func discover(in folder: String = TraceFiles.folder) throws -> [Case] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".apdu") }.sorted().map {
            let path = folder + "/" + $0
            return Case(name: String($0.dropLast(5)), path: path, trace: try APDUTrace(file: path))
        }
    }
}
