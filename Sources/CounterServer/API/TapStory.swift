// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import AppleVAS
internal import EMVContactless
internal import ISO7816
internal import LoyaltyFeed

/// One tap, told for the page: each exchange with its name and its status in words, and why it ended as it did.
struct TapStory {
    private let stories: [Story]
    private let tap: StoredTap
    private var record: TapRecord { tap.record }

    init(_ trace: APDUTrace, of tap: StoredTap) {
        stories = trace.taps.map { Story($0, isRedacted: true) }
        self.tap = tap
    }

    func json(_ text: String) -> JSON {
        .object([
            "apdu": .string(text), "explanation": .array(explanation.map(\.json)), "exchanges": .array(exchanges),
        ])
    }

    // MARK: exchanges

    private var exchanges: [JSON] {
        var (time, asked, list): (Int, Int, [JSON]) = (0, 0, [])
        for step in stories.flatMap(\.steps) {
            let isPass = step.name.hasPrefix("GET VAS DATA")
            asked += isPass ? 1 : 0
            let name = isPass ? "GET VAS DATA #\(asked)" : step.name
            list.append(Self.json(step, index: list.count + 1, time, name))
            time += min(step.exchange.milliseconds ?? 0, 86_400_000)
        }
        return list
    }

    private static func json(_ step: Story.Step, index: Int, _ time: Int, _ name: String) -> JSON {
        let status = (try? ResponseAPDU(step.exchange.response))?.status
        return .object([
            "index": .number(index), "atMs": .number(time),
            "durationMs": step.exchange.milliseconds.map { .number($0) } ?? .null, "name": .string(name),
            "command": .string(CardholderMask.on.hex(step.exchange.command).text),
            "response": step.isLost ? .null : .string(CardholderMask.on.hex(step.exchange.response).text),
            "status": status.map { .string($0.description) } ?? .null,
            "statusText": .string(
                step.isLost
                    ? "the card left" : step.response?.statusText ?? status.map { "\(VASStatus($0).meaning)" } ?? ""),
            "context": step.response?.context.map { .string($0.tags.rawValue) } ?? .null,
        ])
    }

    // MARK: why

    /// A sentence, and what to do.
    struct Sentence: Hashable {
        let text: String
        let hint: String?

        var json: JSON { .object(["text": .string(text), "hint": hint.map { .string($0) } ?? .null]) }
    }

    var explanation: [Sentence] {
        var sentences = [headline] + passes
        for story in stories {
            if sentences.count == 1 { sentences += story.passes.map(Self.sentence) }
            if story.steps.contains(where: \.isLost) {
                sentences.append(
                    Sentence(text: "The phone left before it answered", hint: TapReason.hint(for: "torn")))
            }
            if let payment = story.payment { sentences += Self.sentences(payment) }
        }
        return sentences
    }

    private var headline: Sentence {
        let wallet = stories.compactMap(\.wallet).first.map { ", wallet \($0)" } ?? ""
        guard case .failed(let code, let text) = record.result else {
            return Sentence(text: "Read in \(Int(record.latencyMilliseconds.rounded())) ms\(wallet)", hint: nil)
        }
        return Sentence(text: "Not read\(wallet): \(text)", hint: TapReason.hint(for: code))
    }

    private var passes: [Sentence] {
        record.passes.enumerated().map { place, pass in
            let name = pass.passTypeIdentifier
            return switch pass.outcome {
            case .read(_, let keyID, _): Sentence(text: "\(name): read and opened with key \(keyID)", hint: nil)
            case .parked(_, let keyID) where tap.parked[place] == true:
                Sentence(text: "\(name): read, and opened later, when key \(keyID) had come", hint: nil)
            case .parked(_, let keyID):
                Sentence(
                    text: "\(name): read, and kept closed: there is no private key here for key id \(keyID)",
                    hint: TapReason.hint(for: "unknownKey"))
            case .failed(let code, let text): Sentence(text: "\(name): \(text)", hint: TapReason.hint(for: code))
            }
        }
    }

    private static func sentence(_ pass: Story.PassAnswer) -> Sentence {
        let merchant = pass.merchantID.map { "merchant \(Hex.encode($0.prefix(8)))…" } ?? "URL only"
        return Sentence(text: "\(merchant): \(pass.status)", hint: pass.status.advice)
    }

    private static func sentences(_ payment: PaymentReplay) -> [Sentence] {
        if let outcome = payment.result?.outcome {
            return [Sentence(text: "Payment: \(outcome.value.rawValue), \(outcome.reason)", hint: nil)]
        }
        return payment.failure.map { [Sentence(text: "Payment: no outcome: \($0)", hint: nil)] } ?? []
    }
}
