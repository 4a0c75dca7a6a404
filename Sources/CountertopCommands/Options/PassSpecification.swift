// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A pass as the command line names it: `ID[,URL][,NAME]`.
struct PassSpecification: ExpressibleByArgument, Hashable, Sendable {
    /// The pass type identifier.
    let id: String
    /// Where a phone without the pass is sent.
    let url: String?
    /// What the person at the counter calls it.
    let name: String?

    /// Takes the parts after the identifier by their look: the one with a scheme is the URL, the rest the name.
    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard let id = parts.first, !id.isEmpty, !id.contains("://") else { return nil }
        let urls = parts.dropFirst().filter { $0.contains("://") }
        let names = parts.dropFirst().filter { !$0.contains("://") && !$0.isEmpty }
        guard urls.count <= 1 else { return nil }
        self.id = String(id)
        url = urls.first.map(String.init)
        name = names.isEmpty ? nil : names.joined(separator: ",")
    }
}
