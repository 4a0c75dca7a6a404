// SPDX-License-Identifier: Apache-2.0

package import WalletCrypto

extension JSONValue {
    /// Reads a whole JSON text: 1 MiB and 32 levels at most.
    /// - Throws: `invalidJSON` with the offset; never a byte of the text.
    package init(reading bytes: [UInt8]) throws(ProvisioningError) {
        do throws(JSONError) {
            self = try JSONReader.read(bytes)
        } catch {
            throw ProvisioningError(.invalidJSON, error.reason, offset: error.offset)
        }
    }
}
