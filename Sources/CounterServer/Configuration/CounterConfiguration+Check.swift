// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed
internal import ProximityReader

/// What settings must be together.
extension CounterConfiguration {
    func check(_ resolver: inout SettingResolver) {
        checkReading(&resolver)
        checkPayment(&resolver)
        checkService(&resolver)
        checkNames(passes.map(\.id), "pass", "id", &resolver)
        checkNames(sinks.map(\.name), "sink", "name", &resolver)
        checkSinks(&resolver)
    }

    private func checkReading(_ resolver: inout SettingResolver) {
        if resolver.has("counter.tap"), case .every = counter.tap, !counter.reader.isEmulatedFile {
            resolver.report(
                .invalidValue, "counter.tap", "only an emulated phone taps on its own",
                hint: "leave it out, or set reader = \"emulated:FILE\"")
        }
        let isFaulty = resolver.problems.contains { $0.key?.hasPrefix("pass") ?? false }
        if counter.mode != .pay, passes.isEmpty, !isFaulty {
            resolver.report(
                .missingKey, "pass", "no pass is asked for",
                hint: "add [[pass]] with id = \"pass.…\" and key = \"FILE\"")
        }
        let given = Set(resolver.resolved.map(\.key))
        for prefix in passes.indices.map({ "pass[\($0)]" })
        where given.contains("\(prefix).key") && given.contains("\(prefix).keys") {
            resolver.report(.invalidValue, "\(prefix).keys", "key and keys are both there", hint: "keep one of them")
        }
    }

    private func checkPayment(_ resolver: inout SettingResolver) {
        let needed: [(key: String, isThere: Bool)] = [
            ("counter.amount", counter.amount != nil), ("counter.currency", counter.currency != nil),
            ("counter.psp_key", counter.pspKey != nil),
        ]
        for (key, isThere) in needed {
            if counter.mode != .vas, !isThere, !resolver.isFaulty(key) {
                resolver.report(.missingKey, key, "is missing: mode \(counter.mode.rawValue) reads payment cards")
            }
            // The variable may be meant for other commands.
            if counter.mode == .vas, isThere, resolver.source(of: key).isFile, !resolver.isFaulty("counter.mode") {
                resolver.report(
                    .invalidValue, key, "mode vas reads no payment card",
                    hint: "set mode = \"vasAndPay\", or leave it out")
            }
        }
    }

    private func checkService(_ resolver: inout SettingResolver) {
        if (http.tlsCertificate == nil) != (http.tlsKey == nil) {
            let missing = http.tlsKey == nil ? "http.tls_key" : "http.tls_certificate"
            if !resolver.isFaulty(missing) {
                resolver.report(.missingKey, missing, "is missing: certificate and key belong together")
            }
        }
        guard !http.listen.isLoopback else { return }
        for (key, isThere) in [("token_file", http.tokenFile != nil), ("tls_certificate", http.tlsCertificate != nil)]
        where !isThere && !resolver.isFaulty("http.\(key)") {
            resolver.report(
                .missingKey, "http.\(key)", "is missing: others can reach \(http.listen)",
                hint: "set it, or listen at 127.0.0.1")
        }
    }

    private func checkNames(_ names: [String], _ table: String, _ key: String, _ resolver: inout SettingResolver) {
        var seen: Set<String> = []
        for (index, name) in names.enumerated() where !name.isEmpty && !seen.insert(name).inserted {
            resolver.report(
                .invalidValue, "\(table)[\(index)].\(key)", "there is another [[\(table)]] with this \(key)")
        }
    }

    private func checkSinks(_ resolver: inout SettingResolver) {
        let types = SinkFactory.types.map(\.name)
        for (index, sink) in sinks.enumerated() where !sink.type.isEmpty && !types.contains(sink.type) {
            let near = NearestWord.find(sink.type, among: types).map { "did you mean \"\($0)\"?" }
            resolver.report(
                .invalidValue, "sink[\(index)].type", "there is no such type of sink",
                hint: near ?? "there are \(types.joined(separator: ", "))")
        }
    }
}

extension SettingResolver {
    /// Whether somebody gave the setting a value.
    func has(_ key: String) -> Bool { resolved.contains { $0.key == key && $0.origin != .fallback } }

    /// Whether something is wrong with it already.
    func isFaulty(_ key: String) -> Bool { problems.contains { $0.key == key } }
}

extension ReaderChoice {
    /// Whether a phone from a file taps.
    fileprivate var isEmulatedFile: Bool { if case .emulated = self { true } else { false } }
}
