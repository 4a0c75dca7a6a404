// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// The objects of an answer as far as they can be read, and where that stopped.
struct LenientObjects {
    /// What could be read, in order.
    private(set) var objects: [TLV] = []
    /// The first fault, or nil when every byte was read.
    private(set) var fault: TLVError?

    /// Reads `bytes`; objects inside a template with one of the tags in `opening` are listed in its place.
    ///
    /// An object whose value the data cuts off is given up, but a template that is cut off is still looked into.
    init(_ bytes: ArraySlice<UInt8>, opening templates: Set<TLVTag>) {
        read(bytes, opening: templates, depthLeft: 4)
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, opening templates: Set<TLVTag>, depthLeft: Int) {
        let (found, error) = Self.readable(bytes)
        for object in found {
            if depthLeft > 0, templates.contains(object.tag) {
                read(object.value, opening: templates, depthLeft: depthLeft - 1)
            } else {
                objects.append(object)
            }
        }
        guard let error else { return }
        if fault == nil { fault = error }
        if depthLeft > 0, error.code == .truncatedValue, error.offset > bytes.startIndex, error.offset < bytes.endIndex,
            let tag = error.tag.flatMap({ TLVTag(hex: $0) }), templates.contains(tag)
        {
            read(bytes[error.offset...], opening: templates, depthLeft: depthLeft - 1)
        }
    }

    /// All whole objects before the first fault.
    private static func readable(_ bytes: ArraySlice<UInt8>) -> ([TLV], TLVError?) {
        do {
            return (try TLV.read(bytes, rules: .lenient), nil)
        } catch {
            // The faulty object's header begins at most nine bytes before the offset of the fault: 4 tag, 5 length.
            let latest = min(max(error.offset, bytes.startIndex), bytes.endIndex)
            for end in stride(from: latest, through: max(bytes.startIndex, latest - 9), by: -1) {
                if let objects = try? TLV.read(bytes[..<end], rules: .lenient) { return (objects, error) }
            }
            return ([], error)
        }
    }

    /// Takes the first object with this tag out of the list and returns its value.
    mutating func take(_ tag: TLVTag) -> [UInt8]? {
        guard let index = objects.firstIndex(where: { $0.tag == tag }) else { return nil }
        return objects.remove(at: index).bytes
    }
}
