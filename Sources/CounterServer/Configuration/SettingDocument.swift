// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed
internal import TOMLKit

/// A configuration file as it was parsed: values, and where their keys stand.
struct SettingDocument: Sendable {
    /// More than any configuration has.
    static let sizeLimit = 1 << 20

    let file: String?
    let root: [String: SettingValue]
    let outline: TOMLOutline

    /// No file.
    init() { (file, root, outline) = (nil, [:], TOMLOutline()) }

    /// Parses TOML.
    /// - Throws: the one fault that ended the parser.
    init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        self.file = file
        guard bytes.count <= Self.sizeLimit else {
            throw Self.error(file, nil, "a configuration has at most \(Self.sizeLimit >> 20) MiB")
        }
        // RFC 3629, 3: a file may begin with a byte order mark; the parser skips it.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let place = Self.firstInvalid(bytes)
            throw Self.error(file, place, "this is not UTF-8", hint: "save the file as UTF-8")
        }
        do { outline = try TOMLOutline(bytes) } catch { throw Self.error(file, error.place, error.reason) }
        do {
            root = try Self.values(of: TOMLTable(string: text), [], outline, file)
        } catch let error as ConfigurationError { throw error } catch let error as TOMLParseError {
            let place = TOMLOutline.Place(line: error.source.begin.line, column: error.source.begin.column)
            throw Self.error(file, place, Self.manners(error.description))
        } catch { throw Self.error(file, nil, "this is not TOML") }
    }

    private static func error(
        _ file: String, _ place: TOMLOutline.Place?, _ reason: String, hint: String? = nil
    ) -> ConfigurationError {
        let origin = SettingOrigin.file(file, line: place?.line, column: place?.column)
        return ConfigurationError([.init(.invalidSyntax, at: origin, reason, hint: hint)])
    }

    /// The parser's own words; control characters of the file may stand in them.
    private static func manners(_ text: String) -> String {
        String(text.unicodeScalars.prefix(300).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }

    /// The place of the first byte that is no UTF-8.
    private static func firstInvalid(_ bytes: [UInt8]) -> TOMLOutline.Place {
        var (line, column) = (1, 1)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        return TOMLOutline.Place(line: line, column: column)
    }

    private static func values(
        of table: TOMLTable, _ path: [String], _ outline: TOMLOutline, _ file: String
    ) throws(ConfigurationError) -> [String: SettingValue] {
        var values: [String: SettingValue] = [:]
        for key in table.keys {
            guard let value = table[key] else { continue }
            values[key] = try converted(value, path + [key], outline, file)
        }
        return values
    }

    /// The outline bears no deeper nesting than ``TOMLOutline/depthLimit``, so this ends.
    private static func converted(
        _ value: any TOMLValueConvertible, _ path: [String], _ outline: TOMLOutline, _ file: String
    ) throws(ConfigurationError) -> SettingValue {
        if let table = value.table { return .table(try values(of: table, path, outline, file)) }
        if let array = value.array {
            var items: [SettingValue] = []
            for index in array.indices {
                let name = path.dropLast() + ["\(path.last ?? "")[\(index)]"]
                items.append(try converted(array[index], Array(name), outline, file))
            }
            return .array(items)
        }
        if let bool = value.bool { return .boolean(bool) }
        if let int = value.int { return .integer(int) }
        if let string = value.string { return .string(string) }
        if let double = value.double { return .double(double) }
        let key = path.joined(separator: ".")
        let place = outline.place(of: key)
        throw ConfigurationError([
            .init(
                .invalidValue, at: .file(file, line: place?.line, column: place?.column), key: key,
                "no setting is a date or a time of day", hint: "write it in quotes if it is a text")
        ])
    }
}
