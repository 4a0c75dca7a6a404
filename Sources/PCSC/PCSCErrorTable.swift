// SPDX-License-Identifier: Apache-2.0

import ISO7816

/// One return code of the PC/SC API.
struct PCSCErrorRow: Sendable {
    let code: UInt32
    let name: String
    /// What it means, in our words.
    let meaning: String
    /// What the person can do.
    var hint: String?
    /// What it is to a `CardReader`.
    var channel: CardChannelError.Code = .other

    init(_ code: UInt32, _ name: String, _ meaning: String, hint: String? = nil, _ channel: CardChannelError.Code) {
        (self.code, self.name, self.meaning, self.hint, self.channel) = (code, name, meaning, hint, channel)
    }
}

extension PCSCErrorRow {
    static let startService = "start it: sudo systemctl start pcscd.socket (Debian package pcscd)"
    static let otherProgram = "close the other program that uses the card, or wait until it is done"
    static let putBack = "put the card or phone back on the reader and hold it still"
    static let plugReader = "plug the reader in; `pcsc_scan` shows what pcscd sees"

    /// Every code that pcsclite.h (pcsc-lite 1.9.9) defines. Source of numbers and names: that header;
    /// PC/SC part 5, and winerror.h for 0x80100022 and 0x80100032 upwards.
    static let all: [PCSCErrorRow] = [
        .init(0x0000_0000, "SCARD_S_SUCCESS", "no error", .other),
        .init(0x8010_0001, "SCARD_F_INTERNAL_ERROR", "an internal check of pcscd failed", hint: startService, .other),
        .init(0x8010_0002, "SCARD_E_CANCELLED", "the wait was cancelled", .cancelled),
        .init(0x8010_0003, "SCARD_E_INVALID_HANDLE", "the handle is not valid any more", .serviceGone),
        .init(0x8010_0004, "SCARD_E_INVALID_PARAMETER", "a parameter is wrong", .other),
        .init(0x8010_0005, "SCARD_E_INVALID_TARGET", "the start-up information is missing or wrong", .other),
        .init(0x8010_0006, "SCARD_E_NO_MEMORY", "pcscd is out of memory or contexts", .serviceGone),
        .init(0x8010_0007, "SCARD_F_WAITED_TOO_LONG", "an internal timer of pcscd ran out", .timedOut),
        .init(0x8010_0008, "SCARD_E_INSUFFICIENT_BUFFER", "the answer is longer than the buffer", .unsupported),
        .init(0x8010_0009, "SCARD_E_UNKNOWN_READER", "there is no reader by that name", hint: plugReader, .readerGone),
        .init(0x8010_000A, "SCARD_E_TIMEOUT", "time is up", .timedOut),
        .init(
            0x8010_000B, "SCARD_E_SHARING_VIOLATION", "another program has the card for itself", hint: otherProgram,
            .interfered),
        .init(0x8010_000C, "SCARD_E_NO_SMARTCARD", "there is no card in the reader", hint: putBack, .noCard),
        .init(0x8010_000D, "SCARD_E_UNKNOWN_CARD", "the card's name is not known", .other),
        .init(0x8010_000E, "SCARD_E_CANT_DISPOSE", "the card cannot be released in that way", .other),
        .init(
            0x8010_000F, "SCARD_E_PROTO_MISMATCH", "the card and we have no protocol in common", .unsupported),
        .init(0x8010_0010, "SCARD_E_NOT_READY", "the reader or the card is not ready", hint: putBack, .cardGone),
        .init(0x8010_0011, "SCARD_E_INVALID_VALUE", "a parameter has a wrong value", .other),
        .init(0x8010_0012, "SCARD_E_SYSTEM_CANCELLED", "the system cancelled the action", .serviceGone),
        .init(
            0x8010_0013, "SCARD_F_COMM_ERROR", "the connection to pcscd broke", hint: startService, .serviceGone),
        .init(0x8010_0014, "SCARD_F_UNKNOWN_ERROR", "pcscd reports an unknown error", .other),
        .init(0x8010_0015, "SCARD_E_INVALID_ATR", "the card's answer to reset is not valid", .other),
        .init(
            0x8010_0016, "SCARD_E_NOT_TRANSACTED", "the card did not take the command: it left the field",
            hint: putBack, .cardGone),
        .init(
            0x8010_0017, "SCARD_E_READER_UNAVAILABLE", "the reader cannot be used now", hint: plugReader,
            .readerGone),
        .init(0x8010_0018, "SCARD_P_SHUTDOWN", "pcscd is shutting down", hint: startService, .serviceGone),
        .init(0x8010_0019, "SCARD_E_PCI_TOO_SMALL", "the protocol structure is too small", .other),
        .init(0x8010_001A, "SCARD_E_READER_UNSUPPORTED", "the reader's driver does not do what is needed", .other),
        .init(0x8010_001B, "SCARD_E_DUPLICATE_READER", "more than one reader goes by that name", .readerGone),
        .init(0x8010_001C, "SCARD_E_CARD_UNSUPPORTED", "the card does not do what is needed", .unsupported),
        .init(
            0x8010_001D, "SCARD_E_NO_SERVICE", "the smart card service pcscd is not running", hint: startService,
            .serviceGone),
        .init(0x8010_001E, "SCARD_E_SERVICE_STOPPED", "pcscd has stopped", hint: startService, .serviceGone),
        .init(
            0x8010_001F, "SCARD_E_UNEXPECTED",
            "an unexpected card error, or a feature that the reader does not have", .other),
        .init(0x8010_0020, "SCARD_E_ICC_INSTALLATION", "no provider for the card", .other),
        .init(0x8010_0021, "SCARD_E_ICC_CREATEORDER", "objects created in the wrong order", .other),
        .init(0x8010_0022, "SCARD_E_UNSUPPORTED_FEATURE", "the reader does not have this feature", .unsupported),
        .init(0x8010_0023, "SCARD_E_DIR_NOT_FOUND", "no such directory on the card", .other),
        .init(0x8010_0024, "SCARD_E_FILE_NOT_FOUND", "no such file on the card", .other),
        .init(0x8010_0025, "SCARD_E_NO_DIR", "the path is no directory of the card", .other),
        .init(0x8010_0026, "SCARD_E_NO_FILE", "the path is no file of the card", .other),
        .init(0x8010_0027, "SCARD_E_NO_ACCESS", "access to the file is denied", .other),
        .init(0x8010_0028, "SCARD_E_WRITE_TOO_MANY", "the card has no room for that", .other),
        .init(0x8010_0029, "SCARD_E_BAD_SEEK", "a seek in the card's file failed", .other),
        .init(0x8010_002A, "SCARD_E_INVALID_CHV", "the PIN is wrong", .other),
        .init(0x8010_002B, "SCARD_E_UNKNOWN_RES_MNG", "a layer below gave an unknown error", .other),
        .init(0x8010_002C, "SCARD_E_NO_SUCH_CERTIFICATE", "no such certificate", .other),
        .init(0x8010_002D, "SCARD_E_CERTIFICATE_UNAVAILABLE", "the certificate cannot be had", .other),
        .init(0x8010_002E, "SCARD_E_NO_READERS_AVAILABLE", "there is no reader", hint: plugReader, .readerGone),
        .init(
            0x8010_002F, "SCARD_E_COMM_DATA_LOST", "data between reader and card was lost", hint: putBack, .cardGone),
        .init(0x8010_0030, "SCARD_E_NO_KEY_CONTAINER", "no such key container on the card", .other),
        .init(0x8010_0031, "SCARD_E_SERVER_TOO_BUSY", "pcscd is too busy", .serviceGone),
        .init(0x8010_0032, "SCARD_E_PIN_CACHE_EXPIRED", "the remembered PIN is too old", .other),
        .init(0x8010_0033, "SCARD_E_NO_PIN_CACHE", "the PIN cannot be remembered", .other),
        .init(0x8010_0034, "SCARD_E_READ_ONLY_CARD", "the card cannot be written", .other),
        .init(
            0x8010_0065, "SCARD_W_UNSUPPORTED_CARD", "the reader cannot talk to this kind of card", .unsupported),
        .init(
            0x8010_0066, "SCARD_W_UNRESPONSIVE_CARD", "the card does not answer", hint: putBack, .cardGone),
        .init(0x8010_0067, "SCARD_W_UNPOWERED_CARD", "the card has no power", hint: putBack, .cardGone),
        .init(
            0x8010_0068, "SCARD_W_RESET_CARD", "another program reset the card", hint: otherProgram, .interfered),
        .init(0x8010_0069, "SCARD_W_REMOVED_CARD", "the card left the field", hint: putBack, .cardGone),
        .init(
            0x8010_006A, "SCARD_W_SECURITY_VIOLATION", "pcscd refuses us",
            hint: "polkit may forbid it, or pcscd has all the clients it takes (200): log in locally, or add a "
                + "polkit rule for org.debian.pcsc-lite.access_pcsc and access_card", .serviceGone),
        .init(0x8010_006B, "SCARD_W_WRONG_CHV", "the PIN is wrong", .other),
        .init(0x8010_006C, "SCARD_W_CHV_BLOCKED", "the PIN is blocked", .other),
        .init(0x8010_006D, "SCARD_W_EOF", "the card's file ends", .other),
        .init(0x8010_006E, "SCARD_W_CANCELLED_BY_USER", "the user cancelled", .cancelled),
        .init(0x8010_006F, "SCARD_W_CARD_NOT_AUTHENTICATED", "no PIN was given to the card", .other),
    ]

    static let byCode: [UInt32: PCSCErrorRow] = Dictionary(all.map { ($0.code, $0) }) { first, _ in first }
}
