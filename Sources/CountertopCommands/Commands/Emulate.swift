// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import EmulatedWallet

/// `emulate`
struct Emulate: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate", abstract: "Put an emulated phone or card into pcscd's virtual reader.",
        discussion: """
            FILE is a JSON file with the phone's state and passes in pass.json's own words, a .pkpass, or a folder of
            .pkpass files. Any PC/SC program then sees the phone. Each time the card is in the reader, a line with
            "ready" goes to standard error. Ctrl-C takes it out and ends with status 0.

            The virtual reader is vpcd (Debian: vsmartcard-vpcd), which pcscd loads by itself once it is installed.

            THE PHONE'S FILE holds "passes" and, each as you like:
              "locked": true             every pass answers 6287
              "unlocksAtTap": 2          its owner authenticates before that tap
              "chosenPass": "pass.…"     the pass on screen; the others answer 6A83
              "alreadyRead": ["pass.…"]  handed out before
              "paymentAuthenticated"     a payment card is armed
              "answerDelay": 300         milliseconds before each answer
              "leavesFieldAt": 2         gone at that command of a tap
              "leavesFieldTaps": 1       … in so many taps only
              "silentAt": 2              never answers that command
              "wallet": "AndroidPay"     or ApplePay, SamsungWallet, none, nonsense
              "statusWords": {"getVASData": "6984"}
              "answer": {"urlOnlyBody": "7000", "longFormLength": true}
              "paymentCard": {…}         the phone pays with it

            A PLASTIC CARD is a document of its own, {"plastic": {"network": "visa", …}}, with the keys answerDelay,
            leavesFieldAt, leavesFieldTaps, silentAt and answer beside it.

            A PAYMENT CARD holds "network" (visa, mastercard, amex, discover, unionpay, interac, jcb) and, as you like:
              "pan": "…", "expiry": "2035-12", "label": "…", "sequenceNumber": "01", "atc": 1
              "cryptogram": "ARQC"       or TC, AAC (declined)
              "authentication": "dynamic"  or static, none; "cvn": 18
              "data": {"9F07": "FF00"}   objects by tag; "others": [{"network": …}] more applications
              "statusWords": {"gpo": "6986"}  also ppse, select, record, generateAC; "statusWordTaps": 1
              "corrupt": ["signature"]   also issuerCertificate, iccCertificate, authorityIndex, cryptogram, …
              "mutate": {"tag": "9F10", "value": "00"}   or "remove"
              in a phone "armed": true, "armsAtTap": 2, "unarmed": "notFound" (seePhone, silent), "express": false,
              "cdcvm": true, "par": "…", "formFactor": "…"; in plastic "vasAnswer": "6D00"
            Account numbers are published test numbers. Certificates and cryptograms are made with keys that come with
            countertop: --ca-keys emulated makes a reader trust them.

            An unknown key is refused by name; the pages of PhoneDefinition and PaymentCard list them all.

            EXAMPLES:
              countertop emulate phone.json
              countertop emulate plastic.json
              countertop emulate club.pkpass --vpcd 127.0.0.1:35963
            """.flowing)

    @Argument(help: ArgumentHelp("The phone: JSON, .pkpass or a folder.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Where the virtual reader listens.", valueName: "host:port"))
    var vpcd = "localhost:35963"

    @OptionGroup var output: OutputOptions

    func perform(_ talk: Talk) async throws {
        let address = try VPCDAddress(parsing: vpcd)
        let phone = EmulatedPhone(try PhoneDefinition.load(path: file))
        let card = VPCDCard(phone, at: address) { event in Self.tell(event, address, talk) }
        try card.start()
        defer { card.stop() }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
    }

    private static func tell(_ event: VPCDCard.Event, _ address: VPCDAddress, _ talk: Talk) {
        switch event {
        // Scripts wait for this line, so --quiet keeps it.
        case .ready: talk.console.say("countertop: ready: the phone is in the reader at \(address)")
        case .leftField: talk.say("the phone left the field")
        case .disconnected: talk.say("the virtual reader is gone; trying again")
        case .answerRefused(let count): talk.say("an answer of \(count) bytes is too long for vpcd: 6F00 went instead")
        case .stopped: talk.detail("stopped")
        }
    }
}
