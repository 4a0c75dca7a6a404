// SPDX-License-Identifier: Apache-2.0

/// An object with the objects inside it, all the way down.
public struct TLVTree: Hashable, Sendable {
    /// The object itself.
    public let object: TLV
    /// What is inside a constructed object, in order; empty for a primitive one.
    public let children: [TLVTree]

    /// How deep ``read(_:rules:maximumDepth:)`` goes by default; real card data nests four or five levels.
    public static let defaultMaximumDepth = 16

    /// Reads all of `bytes` as a forest of objects.
    ///
    /// - Parameters:
    ///   - bytes: all of them must belong to objects.
    ///   - rules: how forgiving to be.
    ///   - maximumDepth: levels of nesting that are taken; one more is an error with code `tooDeep`, so that hostile
    ///     data cannot exhaust the stack.
    public static func read(
        _ bytes: [UInt8], rules: TLVRules = .strict, maximumDepth: Int = defaultMaximumDepth
    ) throws(TLVError) -> [TLVTree] {
        try read(bytes[...], rules: rules, depthLeft: maximumDepth)
    }

    private static func read(
        _ bytes: ArraySlice<UInt8>, rules: TLVRules, depthLeft: Int
    ) throws(TLVError) -> [TLVTree] {
        var trees: [TLVTree] = []
        var reader = TLVReader(bytes, rules: rules)
        // Depth first, so that an error names the first place that makes no sense.
        while let object = try reader.next() {
            guard depthLeft > 0 else {
                throw TLVError(.tooDeep, part: .tag, tag: object.tag.description, offset: object.offset)
            }
            let children =
                object.tag.isConstructed ? try read(object.value, rules: rules, depthLeft: depthLeft - 1) : []
            trees.append(TLVTree(object: object, children: children))
        }
        return trees
    }
}
