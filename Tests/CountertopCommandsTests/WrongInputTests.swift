// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct WrongInputTests {
    /// Hex as people mistype it, and what is said about it.
    static let hex = [("6F1", "half a byte"), ("xyz", "not a hex digit"), ("0x6F00", "not a hex digit")]

    @Test(arguments: hex) func hexIsRefused(_ hex: String, _ words: String) async throws {
        let bench = try Bench()
        let lines: [(line: String, status: Int32)] = [
            ("decode \(hex)", 65), ("decrypt --pass p --key @key.pem \(hex)", 65),
            ("apdu \(hex) --reader emulated:@phone.json", 64),
        ]
        for (line, status) in lines {
            let outcome = await bench.run(line)
            #expect(outcome.status == status, "\(line)")
            #expect(outcome.error.contains(words), "\(line): \(outcome.error)")
            expectComplaint(outcome, line)
        }
    }

    @Test(arguments: ["", "\n", "  \r\n\t"]) func emptyInputIsSaid(_ input: String) async throws {
        let bench = try Bench()
        for line in ["decode -", "decrypt --pass p --key @key.pem -"] {
            let outcome = await bench.run(line, input: input)
            #expect(outcome.status == 65)
            #expect(outcome.error.contains("there is no hex to read"))
            expectComplaint(outcome, line)
        }
    }

    /// Values that no option takes: all are wrong command lines, with the command's own help as the hint.
    static let values = [
        "read --pass p --timeout -1", "read --pass p --timeout nan", "read --pass p --timeout inf",
        "read --pass p --timeout 1e300", "read --pass p --timeout", "read --pass p --timeout ten",
        "read --pass ,", "read --pass", "read --pass a,http://x,http://y", "read --pass https://example.com",
        "read --pass p --color blue", "read --pass p --frob", "read --pass p --max-age -1",
        "read --pass p --max-age x", "read --pass p --clock-skew 5", "read --pass p --max-age 5 --clock-skew nan",
        "watch --pass p --count 0", "watch --pass p --count -1", "watch --pass p --count x",
        "watch --pass p --count 99999999999999999999", "record --pass p", "replay", "trace", "trace diff one",
        "decrypt --pass p 00 --max-age", "apdu", "apdu 00", "apdu 00A40400=", "apdu 00A40400=90",
        "apdu 00A40400=9000=1",
        "apdu 00A40400=90G0", "token --expires-in x", "token --expires-in 99999999999999", "key new x", "key show",
        "conditions x", "readers x", "doctor --frob", "emulate", "verify-pass", "decode", "decode 00 --as frob", "-",
    ].filter { $0 != "trace" }

    @Test(arguments: values) func valuesAreRefused(_ line: String) async throws {
        let bench = try Bench()
        let outcome = await bench.run(line, environment: ["COUNTERTOP_READER": "emulated:" + bench.path("phone.json")])
        #expect(outcome.status == 64, "\(outcome.output)\(outcome.error)")
        #expect(outcome.output.isEmpty)
        expectComplaint(outcome, line)
        #expect(outcome.error.contains("--help`"), "\(outcome.error)")
    }

    static let conditions = [
        "x=y", "deviceBanned=zzz", "slowPreparation=-5", "unknown=99999999999999999999", "nope",
    ]

    @Test(arguments: conditions) func conditionsAreRefused(_ condition: String) async throws {
        let bench = try Bench()
        for line in ["read", "watch"] {
            let option = "\(line) --pass pass.x --reader emulated:@phone.json"
            let outcome = await bench.run("\(option) --conditions \(condition)")
            #expect(outcome.status == 64, "\(outcome.error)")
            expectComplaint(outcome, condition)
            let variable = await bench.run(option, environment: ["COUNTERTOP_CONDITIONS": condition])
            #expect(variable.status == 78, "\(variable.error)")
            expectComplaint(variable, condition)
        }
    }

    /// Places where nothing can be written are refused before the tap, not after it.
    static let outputs: [(String, Int32)] = [
        ("", 64), ("none/tap.apdu", 74), ("folder", 77), ("folder --force", 74), ("key.pem", 77),
    ]

    @Test(arguments: outputs) func outputsAreRefusedBeforeTheTap(_ place: String, _ status: Int32) async throws {
        let bench = try Bench()
        try bench.makeFolder("folder")
        let output = place.isEmpty ? "--output=" : "--output @\(place)"
        let outcome = await bench.run("record --pass pass.x --reader emulated:@phone.json \(output)")
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(!outcome.error.contains("readyForTap"))
        #expect(outcome.output.isEmpty)
        expectComplaint(outcome, place)
        guard !place.contains("--force") else { return }
        let key = await bench.run("key new \(output)")
        #expect(key.status == status, "\(key.error)")
        #expect(key.output.isEmpty)
        expectComplaint(key, place)
    }

    @Test func aFullDiskLosesNoResult() async throws {
        let bench = try Bench()
        let outcome = await bench.run(
            "record --pass \(Bench.passID) --reader emulated:@phone.json --output /dev/full --force --json")
        #expect(outcome.status == 74)
        #expect(outcome.error.contains("No space left on device"))
        // The pass was read: it is shown, as the one object, before the trace cannot be written.
        #expect(try outcome.object()["entries"] is [Any])
    }

    /// With `--json` standard output holds one object, also when a check fails after it.
    @Test(arguments: [
        "apdu 00A404000A4F53452E5641532E303100=6A82 --reader emulated:@phone.json --json",
        "read --pass \(Bench.passID) --key @key.pem --reader emulated:@phone.json --max-age 0 --json",
        "verify-pass @not.json --json", "decrypt --pass p --key @key.pem 00 --json",
    ]) func oneObject(_ line: String) async throws {
        let outcome = await (try Bench()).run(line)
        #expect(outcome.status == 1)
        #expect(try outcome.object().isEmpty == false)
    }
}
