// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning

/// Where a program leaves its report.
enum ReportPlace {
    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// Writes the report and ends the process: 0, 1 when a check failed, 74 when the report cannot be written.
    static func end(_ report: ConformanceReport) -> Never {
        let bytes = Data(report.json().utf8)
        if let path = variable("COUNTERTOP_EXTENSION_REPORT") {
            do { try bytes.write(to: URL(filePath: path)) } catch { exit(74) }
        } else {
            do { try FileHandle.standardOutput.write(contentsOf: bytes) } catch { exit(74) }
        }
        exit(report.isOK ? 0 : 1)
    }
}
