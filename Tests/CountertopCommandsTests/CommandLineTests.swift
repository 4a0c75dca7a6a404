// SPDX-License-Identifier: Apache-2.0

import Testing

/// One command line with what it must do.
struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let status: Int32
    var output = ""
    var error = ""
    var input = ""
    var environment: [String: String] = [:]
    var testDescription: String { line }
}

@Suite struct CommandLineTests {
    static let read = "read --pass \(Bench.passID)"

    static let good = [
        Case(line: "--version", status: 0, output: "0.1.0"),
        Case(line: "--help", status: 0, output: "EXIT STATUS"),
        Case(line: "read --help", status: 0, output: "EXAMPLES"),
        Case(line: "help decrypt", status: 0, output: "9F27"),
        Case(line: "decode 6A83", status: 0, output: "6A83: no pass of this type"),
        Case(line: "decode -", status: 0, output: "SELECT OSE.VAS.01", input: "00A404000A4F53452E5641532E303100\n"),
        Case(line: "decode 70039F2A00 --json", status: 0, output: "mobile token"),
        Case(line: "decode 6F 0A 50 08 41 70 70 6C 65 50 61 79 90 00", status: 0, output: "\"ApplePay\""),
        Case(line: "key show @key.pem", status: 0, output: "encryptionPublicKey: MDkw"),
        Case(line: "conditions", status: 0, output: "nfcDisabled"),
        Case(line: "token --key @key.pem", status: 0, output: "eyJ"),
        Case(line: "\(read) --reader emulated:@phone.json --key @key.pem", status: 0, output: Bench.message),
        Case(line: "\(read) --key @key.pem", status: 0, output: Bench.message, environment: [:]),
        Case(line: "\(read) -q --reader emulated:@phone.json", status: 0, output: "success (9000)"),
        Case(line: "read --pass pass.x --reader emulated:@phone.json", status: 0, output: "vasDataNotFound (6A83)"),
        Case(
            line: "\(read) --reader emulated:@phone.json --key @other.pem", status: 0, output: "error:     no key"),
        Case(
            line: "apdu 00A404000A4F53452E5641532E303100=90XX --reader emulated:@phone.json", status: 0,
            output: "< 6F1D"),
    ]

    static let bad = [
        Case(line: "frob", status: 64, error: "unexpected argument 'frob'"),
        Case(line: "read", status: 64, error: "see `countertop read --help`"),
        Case(line: "\(read) --timeout x", status: 64),
        Case(line: "\(read) --reader emulated:", status: 64, error: "names no reader"),
        Case(line: read, status: 78, error: "names no reader", environment: ["COUNTERTOP_READER": "replay:"]),
        Case(line: "\(read) --conditions nope --reader emulated:@phone.json", status: 64, error: "no condition"),
        Case(line: "\(read) --reader emulated:@none.json", status: 66, error: "no such file"),
        Case(line: "\(read) --reader emulated:@not.json", status: 65),
        Case(line: "\(read) --reader replay:@none.apdu", status: 66),
        Case(line: "\(read) --reader replay:@not.apdu", status: 65, error: "line 1"),
        Case(line: "\(read) --reader emulated:@phone.json --key @none.pem", status: 66, error: "cannot be read"),
        Case(line: "\(read) --reader emulated:@phone.json --key @not.pem", status: 65, error: "not.pem"),
        Case(line: "\(read) --reader emulated:@phone.json --key @open.pem", status: 77, error: "chmod 600"),
        Case(
            line: "\(read) --reader emulated:@phone.json --conditions nfcDisabled", status: 77,
            error: "nfcDisabled"),
        Case(line: "decode 6F1", status: 65, error: "half a byte"),
        Case(line: "decode xyz", status: 65, error: "not a hex digit at character 0"),
        Case(line: "decode 700512", status: 65),
        Case(line: "decrypt --pass p --key @key.pem zz", status: 65, error: "not a hex digit"),
        Case(line: "decrypt --pass p 00", status: 64, error: "--key"),
        Case(line: "decrypt --pass p --key @key.pem 00 --json", status: 1, output: "\"error\""),
        Case(line: "key show @none.pem", status: 66),
        Case(line: "key show @not.pem", status: 65),
        Case(line: "key new --output @key.pem", status: 77, error: "not overwritten"),
        Case(line: "key new --output @no/folder.pem", status: 74),
        Case(line: "emulate @phone.json --vpcd 127.0.0.1:1", status: 69, error: "refused"),
        Case(line: "emulate @phone.json --vpcd nonsense:x", status: 64),
        Case(line: "emulate @none.json", status: 66),
        Case(line: "replay @none.apdu --pass p", status: 66),
        Case(line: "trace show @not.apdu", status: 65, error: "line 1"),
        Case(line: "trace diff @none.apdu @not.apdu", status: 66),
        Case(line: "verify-pass @none.pkpass", status: 66),
        Case(line: "verify-pass @not.json", status: 1, output: "fail    archive"),
        Case(line: "record --pass p --reader emulated:@phone.json --output @key.pem", status: 77),
        Case(
            line: "apdu 00A404000A4F53452E5641532E303100=6A82 --reader emulated:@phone.json", status: 1,
            error: "the status word is 9000, not 6A82"),
        Case(line: "apdu 00A4=9 --reader emulated:@phone.json", status: 64),
    ]

    @Test(arguments: good + bad) func says(_ test: Case) async throws {
        let bench = try Bench()
        var environment = test.environment
        if environment.isEmpty { environment["COUNTERTOP_READER"] = "emulated:" + bench.path("phone.json") }
        let outcome = await bench.run(test.line, input: test.input, environment: environment)
        #expect(outcome.status == test.status, "\(outcome.output)\(outcome.error)")
        if !test.output.isEmpty { #expect(outcome.output.contains(test.output)) }
        if !test.error.isEmpty { #expect(outcome.error.contains(test.error)) }
    }

    @Test(arguments: bad) func errorsAreOneOrTwoLines(_ test: Case) async throws {
        let bench = try Bench()
        let environment = test.environment
        let outcome = await bench.run(test.line + " --quiet", input: test.input, environment: environment)
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.count <= 2)
        for line in lines {
            #expect(line.hasPrefix("countertop: "))
            #expect(!line.hasSuffix("."))
        }
    }
}
