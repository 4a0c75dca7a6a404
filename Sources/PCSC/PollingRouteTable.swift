// SPDX-License-Identifier: Apache-2.0

extension PollingRoute {
    /// All routes, the most particular first; ``none`` is not among them.
    public static let all: [PollingRoute] = [acsVAS, pn532, transparent]

    /// No way known: the person opens the pass by hand.
    public static let none = PollingRoute(
        id: "none", title: "none", namePatterns: [], transport: .escape, steps: [], triedOnHardware: false,
        note: "VAS works without polling frames when the pass is opened by hand (kormax)")

    /// ACS readers whose firmware polls for VAS by itself, once told so.
    public static let acsVAS = PollingRoute(
        id: "acs-vas", title: "ACS VAS firmware",
        namePatterns: [["ACR1255U-J1"], ["FloBLE"], ["ACR1311U"], ["WalletMate"]], transport: .escape,
        steps: [
            step("ECP version 1", [0xE0, 0x00, 0x00, 0x3B, 0x03, 0x01, 0x01, 0x01], flomio),
            step("terminal type VAS", [0xE0, 0x00, 0x00, 0x3B, 0x03, 0x01, 0x02, 0x00], flomio),
            Step(
                purpose: "terminal mode", bytes: { [0xE0, 0x00, 0x00, 0x3B, 0x03, 0x01, 0x03, $0.rawValue] },
                source: flomio + " (02 = VAS only; the other modes by analogy with the frame's last byte)",
                successSuffix: [], isRepeated: false, isCleanUp: false),
            step("poll for type A and VAS", [0xE0, 0x00, 0x00, 0x20, 0x01, 0x45], flomio),
        ],
        triedOnHardware: false,
        note: "the firmware polls from then on; WalletMate II polls for VAS by default")

    /// NXP PN532 behind the ACR122U: pseudo APDUs that carry PN532 commands.
    ///
    /// The CCID driver refuses escape commands unless DRIVER_OPTION_CCID_EXCHANGE_AUTHORIZED is set in its Info.plist.
    public static let pn532 = PollingRoute(
        id: "pn532", title: "PN532 behind ACR122U", namePatterns: [["ACR122"]], transport: .escape,
        steps: [
            Step(
                purpose: "automatic polling off", bytes: { _ in [0xFF, 0x00, 0x51, 0x7F, 0x00] },
                source: "ACR122U API, 6.5 (set PICC operating parameter); its answer is 90 and the new parameter",
                successSuffix: [0x90, 0x7F], isRepeated: false, isCleanUp: false),
            Step(
                purpose: "frames of whole bytes", bytes: { _ in pseudoAPDU([0xD4, 0x08, 0x63, 0x3D, 0x00]) },
                source: "PN532 user manual, WriteRegister CIU_BitFraming; as kormax/apple-home-key-reader has it; "
                    + "wrapper from the ACR122U API (direct transmit)",
                successSuffix: [0x90, 0x00], isRepeated: true, isCleanUp: false),
            Step(
                // The PN532 reports a time-out (D5 43 01): that is the normal answer, nothing replies to the frame.
                purpose: "polling frame", bytes: { pseudoAPDU([0xD4, 0x42] + frameWithCRC($0)) },
                source: "PN532 user manual, InCommunicateThru; frame from kormax/apple-home-key-reader and proxmark3",
                successSuffix: [0x90, 0x00], isRepeated: true, isCleanUp: false),
            Step(
                purpose: "look for a phone", bytes: { _ in pseudoAPDU([0xD4, 0x4A, 0x01, 0x00]) },
                source: "PN532 user manual, InListPassiveTarget, 106 kbps type A; kormax/apple-home-key-reader",
                successSuffix: [0x90, 0x00], isRepeated: true, isCleanUp: false),
            Step(
                purpose: "automatic polling on again", bytes: { _ in [0xFF, 0x00, 0x51, 0xFF, 0x00] },
                source: "ACR122U API, 6.5: FF is the default parameter", successSuffix: [], isRepeated: false,
                isCleanUp: true),
        ],
        triedOnHardware: false,
        note: "composed from the PN532 bytes and the ACR122U wrapper, not a capture; needs the CCID driver's escape "
            + "option")

    /// Readers with the transparent session of PC/SC part 3 (amendment), such as ACS ACR1252U.
    public static let transparent = PollingRoute(
        id: "transparent", title: "PC/SC part 3 transparent session", namePatterns: [["ACR1252"], ["ACM1252"]],
        transport: .escape,
        steps: [
            step("start a session", [0xFF, 0xC2, 0x00, 0x00, 0x02, 0x81, 0x00], part3, [0x90, 0x00]),
            step("field on", [0xFF, 0xC2, 0x00, 0x00, 0x02, 0x84, 0x00], part3, [0x90, 0x00]),
            step("type A, raw", [0xFF, 0xC2, 0x00, 0x02, 0x04, 0x8F, 0x02, 0x00, 0x00], part3, [0x90, 0x00]),
            Step(
                // 90 flags 0010, 91 no bits in a last byte, 93 the bytes to send; the reader adds the CRC.
                purpose: "polling frame",
                bytes: {
                    [0xFF, 0xC2, 0x00, 0x01, 0x0E, 0x90, 0x02, 0x00, 0x10, 0x91, 0x01, 0x00, 0x93, 0x05] + frame($0)
                },
                source: "composed from the object numbers of " + part3 + "; the frame from kormax and proxmark3",
                successSuffix: [0x90, 0x00], isRepeated: true, isCleanUp: false),
            Step(
                purpose: "end the session", bytes: { _ in [0xFF, 0xC2, 0x00, 0x00, 0x02, 0x82, 0x00] }, source: part3,
                successSuffix: [], isRepeated: false, isCleanUp: true),
        ],
        triedOnHardware: false,
        note: "object numbers are confirmed by three public sources; the polling command is composed from them")

    private static let flomio = "Flomio JS SDK (ACS VAS readers)"
    private static let part3 = "PC/SC part 3, amendment 1 (transparent exchange)"

    private static func step(
        _ purpose: String, _ bytes: [UInt8], _ source: String, _ success: [UInt8] = []
    ) -> Step {
        Step(
            purpose: purpose, bytes: { _ in bytes }, source: source, successSuffix: success, isRepeated: false,
            isCleanUp: false)
    }

    /// ACR122U API, direct transmit: FF 00 00 00, length, PN532 command.
    private static func pseudoAPDU(_ command: [UInt8]) -> [UInt8] {
        [0xFF, 0x00, 0x00, 0x00, UInt8(truncatingIfNeeded: command.count)] + command
    }
}
