// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Stand-in for Core Graphics' class: a picture as a file has it. Nothing is drawn or decoded; size and transparency
/// are read from a PNG's header, and a PDF's size is unknown.
public final class CGImage: Sendable, Hashable {
    /// The file's bytes; empty for a picture without a file.
    public let data: Data
    /// Pixels from left to right; 0 when unknown.
    public let width: Int
    /// Pixels from top to bottom; 0 when unknown.
    public let height: Int
    /// Whether the file says that pixels may be transparent; nil when unknown.
    public let hasAlpha: Bool?

    /// A picture from a file's bytes, PNG or PDF; nil for anything else.
    public init?(data: Data) {
        let head = [UInt8](data.prefix(26))
        let isPDF = head.starts(with: Array("%PDF-".utf8))
        guard isPDF || head.starts(with: Self.signature) && head.count == 26 else { return nil }
        self.data = data
        // W3C PNG, 11.2.2: IHDR is the first chunk; width and height at 16 and 20, bit depth at 24, colour type at 25.
        width = isPDF ? 0 : Self.number(head[16..<20])
        height = isPDF ? 0 : Self.number(head[20..<24])
        hasAlpha = isPDF ? nil : head[25] & 4 != 0
    }

    /// A picture of a size, without pixels.
    public init(width: Int, height: Int, hasAlpha: Bool = false) {
        (data, self.width, self.height, self.hasAlpha) = (Data(), max(0, width), max(0, height), hasAlpha)
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// Whether two pictures have the same bytes and size.
    public static func == (one: CGImage, other: CGImage) -> Bool {
        one.data == other.data && one.width == other.width && one.height == other.height
    }

    /// Hashes bytes and size.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(data)
        hasher.combine(width)
        hasher.combine(height)
    }
}

/// Stand-in for UIKit's class: something that has a ``CGImage``.
public final class UIImage: Sendable {
    /// The picture; never nil here.
    public let cgImage: CGImage?

    /// A picture from a file's bytes, PNG or PDF.
    public init?(data: Data) {
        guard let image = CGImage(data: data) else { return nil }
        cgImage = image
    }

    /// A picture as Core Graphics has it.
    public init(cgImage: CGImage) { self.cgImage = cgImage }

    /// One of the system's symbols. There are none here: every name gives an empty square of 64 pixels.
    public init?(systemName name: String) {
        guard !name.isEmpty else { return nil }
        cgImage = CGImage(width: 64, height: 64, hasAlpha: true)
    }

    /// A picture of the app's bundle or asset catalogue: a PNG or PDF file of that name in the main bundle.
    public convenience init?(named name: String) {
        let files = [name, name + ".png", name + ".pdf"]
        let data = files.lazy.compactMap { try? Data(contentsOf: Bundle.main.bundleURL.appendingPathComponent($0)) }
        guard let first = data.first else { return nil }
        self.init(data: first)
    }
}
