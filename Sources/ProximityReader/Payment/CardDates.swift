// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import EMVContactless

/// Whether a card is valid on a day, by its own dates 5F25 and 5F24.
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
        case nil: expiration = .unknown
        case let bytes?: expiration = EMVDate(bcd: bytes).map { $0 < today ? .expired : .notExpired } ?? .invalid
        }
    }
}
