// SPDX-License-Identifier: Apache-2.0

/// Names of entries in a package.
enum PassEntryName {
    /// The name without a folder's final slash.
    ///
    /// - Throws: ``WalletError`` for names that lead out of the package, and for folders inside folders.
    static func checked(_ name: String) throws(WalletError) -> String {
        let trimmed = name.hasSuffix("/") ? String(name.dropLast()) : name
        let parts = trimmed.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe =
            !trimmed.isEmpty && trimmed.utf8.count <= 255 && !parts.contains { ["", ".", ".."].contains($0) }
            && trimmed.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x5C && $0 != 0x7F }
        guard isSafe else {
            throw WalletError(
                .unsafePath, "an entry's name is not one of a pass: `\(printable(name))`",
                hint: "names are relative, without `..`, backslash and control characters")
        }
        guard parts.count <= 2 else {
            throw WalletError(
                .nestedFolder, "`\(trimmed)` is a folder inside a folder",
                hint: "a pass has its files at the top, and one level of `.lproj` folders")
        }
        return trimmed
    }

    /// Shortened, control characters replaced, so that an error text cannot play with a terminal.
    private static func printable(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
