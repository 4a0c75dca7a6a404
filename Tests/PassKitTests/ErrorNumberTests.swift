// SPDX-License-Identifier: Apache-2.0

import Foundation
import PassKit
import Testing

@Suite("Error numbers")
struct ErrorNumberTests {
    @Test("PKPassKitError has Apple's domain and numbers")
    func passKitError() {
        let expected: [(PKPassKitError.Code, Int)] = [
            (.unknownError, -1), (.invalidDataError, 1), (.unsupportedVersionError, 2), (.invalidSignature, 3),
            (.notEntitledError, 4),
        ]
        #expect(expected.map(\.0) == PKPassKitError.Code.allCases)
        for (code, number) in expected {
            let error = PKPassKitError(code) as NSError
            #expect(error.domain == PKPassKitErrorDomain)
            #expect(error.code == number)
        }
    }

    @Test("PKAddPaymentPassError has Apple's numbers")
    func addPaymentPassError() {
        #expect(PKAddPaymentPassError.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(PKAddPaymentPassError.userCancelled.rawValue == 1)
    }
}
