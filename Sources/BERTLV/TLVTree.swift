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

    /// The primitive objects of `bytes`, however deep, in order: ``read(_:rules:maximumDepth:)`` without the trees.
    package static func leaves(_ bytes: [UInt8], rules: TLVRules = .strict) throws(TLVError) -> [TLV] {
        var leaves: [TLV] = []
        leaves.reserveCapacity(16)
        try collect(bytes[...], rules: rules, depthLeft: defaultMaximumDepth, into: &leaves)
        return leaves
    }

    private static func collect(
        _ bytes: ArraySlice<UInt8>, rules: TLVRules, depthLeft: Int, into leaves: inout [TLV]
    ) throws(TLVError) {
        var reader = TLVReader(bytes, rules: rules)
        while let object = try reader.next() {
            guard depthLeft > 0 else { throw tooDeep(object) }
            guard object.tag.isConstructed else {
                leaves.append(object)
                continue
            }
            try collect(object.value, rules: rules, depthLeft: depthLeft - 1, into: &leaves)
        }
    }

    private static func tooDeep(_ object: TLV) -> TLVError {
        TLVError(.tooDeep, part: .tag, tag: object.tag.description, offset: object.offset)
    }

    private static func read(
        _ bytes: ArraySlice<UInt8>, rules: TLVRules, depthLeft: Int
    ) throws(TLVError) -> [TLVTree] {
        var trees: [TLVTree] = []
        var reader = TLVReader(bytes, rules: rules)
        // Depth first, so that an error names the first place that makes no sense.
        while let object = try reader.next() {
            guard depthLeft > 0 else { throw tooDeep(object) }
            let children =
                object.tag.isConstructed ? try read(object.value, rules: rules, depthLeft: depthLeft - 1) : []
            trees.append(TLVTree(object: object, children: children))
        }
        return trees
    }
}
