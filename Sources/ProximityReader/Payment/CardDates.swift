// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import EMVContactless

/// Whether a card is valid on a day, by its own dates 5F25 and 5F24; a card that sends only track 2 has its expiry there.
struct CardDates: Sendable {
    let effective: PaymentCardReadResult.CardEffectiveState
    let expiration: PaymentCardReadResult.CardExpirationState

    init(_ data: CardData, on today: EMVDate) {
        let today = EMVDate(year: today.year, month: today.month, day: today.day)
        switch data.sensitiveBytes(of: 0x5F25) {
        case nil: effective = .unknown
        case let bytes?: effective = EMVDate(bcd: bytes).map { $0 <= today ? .active : .inactive } ?? .invalid
        }
        switch data.sensitiveBytes(of: 0x5F24) {
        case nil: expiration = Self.expiration(ofTrack: data, on: today)
        case let bytes?: expiration = EMVDate(bcd: bytes).map { $0 < today ? .expired : .notExpired } ?? .invalid
        }
    }

    /// YYMM, to the end of that month (ISO/IEC 7813).
    private static func expiration(
        ofTrack data: CardData, on today: EMVDate
    ) -> PaymentCardReadResult.CardExpirationState {
        guard let track = data.sensitiveBytes(of: 0x57).flatMap({ try? Track2($0) }), let expiry = track.expiry else {
            return .unknown
        }
        let digits = expiry.compactMap(\.wholeNumberValue).map(UInt8.init)
        guard digits.count == 4,
            let date = EMVDate(monthYear: [digits[2] << 4 | digits[3], digits[0] << 4 | digits[1]])
        else { return .invalid }
        return date < today ? .expired : .notExpired
    }
}
