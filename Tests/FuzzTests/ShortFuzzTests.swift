// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import FuzzTargets
import Testing

/// The short run of every fuzz target: its regression corpus, and changes of it that are the same in every run.
/// `make fuzz` is the long one, with libFuzzer and AddressSanitizer.
@Suite struct ShortFuzzTests {
    static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "FuzzCorpus")
    /// Inputs for each target beside the corpus.
    static let rounds = 400

    static func inputs(of name: String) throws -> [[UInt8]] {
        let files = try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: name), includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
    }

    @Test(arguments: fuzzTargets.keys.sorted())
    func `a target takes its corpus and what becomes of it`(name: String) throws {
        let target = try #require(fuzzTargets[name])
        let inputs = try Self.inputs(of: name)
        try #require(!inputs.isEmpty, "no corpus for \(name)")
        inputs.forEach(target)
        var random = SeededRandom(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        for round in 0..<Self.rounds { target(random.mutate(inputs[round % inputs.count])) }
    }

    @Test func `every corpus belongs to a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path())
        #expect(folders.sorted() == fuzzTargets.keys.sorted())
    }
}
