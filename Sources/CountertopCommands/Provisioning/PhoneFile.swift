// SPDX-License-Identifier: Apache-2.0

internal import EmulatedWallet
internal import Foundation
internal import HostSystem

/// The file of an emulated phone that a provisioned card is added to.
struct PhoneFile {
    let path: String
    private var document: [String: Any]

    /// Reads the file, which need not be there yet.
    init(_ path: String) throws {
        self.path = path
        guard !path.isEmpty else { throw ToolError(.usage, "--phone needs a file name") }
        guard FileManager.default.fileExists(atPath: path) else {
            try OutputFile.check(path, overwriting: false)
            document = ["passes": [Any]()]
            return
        }
        let bytes = try InputFile.read(path, limit: InputFile.passLimit)
        let definition: PhoneDefinition
        do { definition = try PhoneDefinition(json: bytes) } catch { throw ToolError(error).naming(path) }
        let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        guard definition.plastic == nil, let object, object["passTypeIdentifier"] == nil else {
            throw ToolError(
                .data, "\(path): this is no phone that a card can be added to",
                hint: "a phone's file is {\"passes\": […]}; `countertop emulate --help` says more")
        }
        document = object
        try OutputFile.check(path, overwriting: true)
    }

    /// Puts the card into the phone, in the place of another one, ready to pay; everything else stays as it was.
    func add(_ card: PaymentCard) throws {
        var phone = PhoneDefinition()
        phone.paymentCard = card
        let written = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(phone)) as? [String: Any]
        var members = written?["paymentCard"] as? [String: Any] ?? [:]
        members["armed"] = true
        var document = document
        document["paymentCard"] = members
        document["paymentAuthenticated"] = nil
        let bytes = try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys])
        try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            do throws(HostFileError) { try StateFile.replace(path, with: bytes) } catch {
                throw ToolError(.inputOutput, error.description)
            }
        }
    }
}
