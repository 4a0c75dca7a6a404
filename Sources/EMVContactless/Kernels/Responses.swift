// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// Objects of a template: every primitive one, however deep.
enum Objects {
    static func leaves(_ bytes: some Collection<UInt8>, in what: String) throws(EMVError) -> [TLV] {
        do {
            return try TLVTree.leaves(Array(bytes), rules: .lenient)
        } catch {
            throw EMVError(error, in: what)
        }
    }

    static func read(_ bytes: ArraySlice<UInt8>, in what: String) throws(EMVError) -> [TLV] {
        do {
            return try TLV.read(bytes, rules: .lenient)
        } catch {
            throw EMVError(error, in: what)
        }
    }
}

/// An application's answer to SELECT (EMV Contactless Book B, table 3-4).
struct FileControlInformation {
    /// DF name, tag 84.
    let name: [UInt8]
    /// Everything in it.
    let objects: [TLV]

    /// The PDOL's bytes.
    var pdol: [UInt8]? { objects.first(0x9F38)?.bytes }

    init(_ data: [UInt8]) throws(EMVError) {
        let templates = try Objects.read(data[...], in: "the answer to SELECT")
        guard templates.count == 1, let template = templates.first, template.tag == 0x6F else {
            throw EMVError(.malformedCardData, "the answer to SELECT is not one FCI template", offset: 0)
        }
        objects = try Objects.leaves(template.value, in: "the answer to SELECT")
        guard let name = objects.first(0x84)?.bytes, (5...16).contains(name.count) else {
            throw EMVError(.malformedCardData, "the answer to SELECT has no application name")
        }
        self.name = name
    }
}

/// How a response is written: format 1 (80) has fixed places, format 2 (77) has tags (EMV Book 3, 6.5.5.4, 6.5.8.4).
public enum ResponseFormat: String, Hashable, Sendable {
    /// Template 80.
    case format1 = "80"
    /// Template 77.
    case format2 = "77"
}

/// The answer to GET PROCESSING OPTIONS.
struct ProcessingOptions {
    let format: ResponseFormat
    /// What it gives: AIP and AFL, and whatever else a format 2 answer has.
    let objects: [(tag: TLVTag, value: ArraySlice<UInt8>)]

    init(_ data: [UInt8]) throws(EMVError) {
        let what = "the answer to GET PROCESSING OPTIONS"
        let templates = try Objects.read(data[...], in: what)
        guard templates.count == 1, let template = templates.first else {
            throw EMVError(.malformedCardData, "\(what) is not one template", offset: 0)
        }
        switch template.tag {
        case 0x77:
            format = .format2
            objects = try Objects.leaves(template.value, in: what).map { ($0.tag, $0.value) }
        case 0x80:
            format = .format1
            guard template.value.count >= 6 else {
                throw EMVError(.malformedCardData, "\(what) is too short for format 1")
            }
            objects = [(0x82, template.value.prefix(2)), (0x94, template.value.dropFirst(2))]
        default: throw EMVError(.malformedCardData, "\(what) is neither format 1 nor 2", offset: 0)
        }
    }
}

/// The answer to GENERATE AC.
struct GeneratedCryptogram {
    let format: ResponseFormat
    let objects: [(tag: TLVTag, value: ArraySlice<UInt8>)]
    /// The objects as they came, without the signature: what CDA hashes (EMV Book 2, 6.6.1).
    let signedObjects: [UInt8]

    init(_ data: [UInt8]) throws(EMVError) {
        let what = "the answer to GENERATE AC"
        let templates = try Objects.read(data[...], in: what)
        guard templates.count == 1, let template = templates.first else {
            throw EMVError(.malformedCardData, "\(what) is not one template", offset: 0)
        }
        switch template.tag {
        case 0x77:
            format = .format2
            let contents = try Objects.read(template.value, in: what)
            objects = try Objects.leaves(template.value, in: what).map { ($0.tag, $0.value) }
            signedObjects = contents.filter { $0.tag != 0x9F4B }.flatMap { data[$0.offset..<$0.value.endIndex] }
        case 0x80:
            format = .format1
            let value = template.value
            guard value.count >= 11 else { throw EMVError(.malformedCardData, "\(what) is too short for format 1") }
            let fixed: [(TLVTag, ArraySlice<UInt8>)] = [
                (0x9F27, value.prefix(1)), (0x9F36, value.dropFirst().prefix(2)),
                (0x9F26, value.dropFirst(3).prefix(8)),
            ]
            objects = value.count > 11 ? fixed + [(0x9F10, value.dropFirst(11))] : fixed
            signedObjects = []
        default: throw EMVError(.malformedCardData, "\(what) is neither format 1 nor 2", offset: 0)
        }
    }
}

/// One record of the application's files (EMV Book 3, 6.5.11.4 and 7.5).
struct ApplicationRecord {
    /// The objects in it; empty for files 11 to 30, whose records are only hashed.
    let objects: [TLV]
    /// What offline data authentication hashes: the template's value for files 1 to 10, the whole record above.
    let signedBytes: ArraySlice<UInt8>

    init(_ data: [UInt8], sfi: UInt8) throws(EMVError) {
        guard sfi <= 10 else {
            (objects, signedBytes) = ([], data[...])
            return
        }
        let templates = try Objects.read(data[...], in: "a record")
        guard templates.count == 1, let template = templates.first, template.tag == 0x70 else {
            throw EMVError(.malformedCardData, "a record of files 1 to 10 is not one template", offset: 0)
        }
        objects = try Objects.leaves(template.value, in: "a record")
        signedBytes = template.value
    }
}
