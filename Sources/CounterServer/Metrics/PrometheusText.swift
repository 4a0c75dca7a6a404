// SPDX-License-Identifier: Apache-2.0

/// The words of the exposition format (prometheus.io, "Exposition formats").
enum PrometheusText {
    /// What our own metrics mean.
    static let help = [
        "countertop_apdu_exchanges_total": "Commands that were answered, by status word.",
        "countertop_build_info": "Always 1, with the version.",
        "countertop_decrypt_failures_total": "Pass data that did not open, by reason.",
        "countertop_deliveries_total": "Attempts to deliver an event, by sink and outcome.",
        "countertop_outbox_depth": "Events that some sink still waits for.",
        "countertop_outbox_oldest_seconds": "Age of the oldest of these events.",
        "countertop_outbox_parked": "Passes that wait for their key.",
        "countertop_reader_connected": "Whether the reader is there.",
        "countertop_reader_recoveries_total": "How often the reader came back.",
        "countertop_sink_depth": "Events that a sink waits for.",
        "countertop_tap_duration_seconds": "From the first command of a tap to its result.",
        "countertop_taps_total": "Taps, by wallet and result.",
        "countertop_unknown_key_total": "Passes sealed for a key that is not here.",
        "process_open_fds": "Open file descriptors.",
        "process_resident_memory_bytes": "Resident memory.",
        "process_start_time_seconds": "Start of the process, Unix time.",
    ]

    /// A name of letters, digits, underscores and colons, not beginning with a digit.
    static func name(_ label: String) -> String {
        let text = String(label.unicodeScalars.map { isWord($0) || $0 == ":" ? Character($0) : "_" })
        return text.first?.isNumber ?? true ? "_" + text : text
    }

    /// `a="1",b="2"`, sorted; the same labels in another order are the same series.
    static func labels(_ dimensions: [(String, String)]) -> String {
        let pairs = dimensions.map { key, value in
            let name = String(key.unicodeScalars.map { isWord($0) ? Character($0) : "_" })
            return (key: name.first?.isNumber ?? true ? "_" + name : name, value: escaped(value))
        }
        return pairs.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_")
    }

    /// Backslash, quotation mark and line feed are escaped; a value that runs on is cut.
    static func escaped(_ value: String) -> String {
        String(value.prefix(100)).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
            "\n", with: "\\n")
    }

    /// Whole numbers without a point.
    static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
