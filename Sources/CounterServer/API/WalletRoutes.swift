// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import LoyaltyFeed
internal import WalletCrypto

/// The emulated phone, and readers.
extension CounterRoutes {
    var wallet: [Route] {
        [
            Route(.get, "/v1/readers") { _ throws(Problem) in
                .json(.object(["readers": .array(await control.readers().map(CounterViews.json))]))
            },
            Route(.get, "/v1/wallet") { _ throws(Problem) in
                do throws(ControlError) { return .json(CounterViews.json(try control.wallet())) } catch {
                    throw Self.problem(error)
                }
            },
            Route(.patch, "/v1/wallet", change).with(body: .json(4096)),
            Route(.post, "/v1/wallet/tap", tapNow).with(body: .optionalJSON(1024)),
        ]
    }

    @Sendable private func change(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let change = try WalletChange(
            request.object(allowing: [
                "locked", "chosen", "leavesFieldAt", "answerDelayMs", "paymentArmed", "reload",
            ]))
        do throws(ControlError) {
            let wallet = try await control.changeWallet(change)
            wallets.ring()
            return .json(CounterViews.json(wallet))
        } catch { throw Self.problem(error) }
    }

    /// 200 says that what was read is on the disk.
    @Sendable private func tapNow(_ request: APIRequest) async throws(Problem) -> APIResponse {
        let outcome: TapOutcome
        do throws(ControlError) { outcome = try await control.tapOnce() } catch { throw Self.problem(error) }
        if outcome.events.isEmpty {
            let reason = outcome.failure ?? TapReason("noEvent", "the tap gave no event")
            throw Problem(409, reason.code, reason.text, hint: reason.hint)
        }
        guard let tap = try await kept({ outbox throws(OutboxError) in try await outbox.tap(outcome.id) }) else {
            throw Problem.noTap
        }
        return .json(CounterViews.json(tap))
    }
}

extension WalletChange {
    /// A change as a merge patch has it: null takes a value away (RFC 7396).
    init(_ json: JSONValue) throws(Problem) {
        self.init()
        isLocked = try Self.flag(json, "locked")
        isPaymentArmed = try Self.flag(json, "paymentArmed")
        reloads = try Self.flag(json, "reload") ?? false
        answerDelayMilliseconds = json["answerDelayMs"] == .null ? 0 : try Self.number(json, "answerDelayMs")
        switch json["chosen"] {
        case nil: break
        case .null: chosen = Setting.none
        case .string(let text): chosen = .to(text)
        default: throw Self.wrong("chosen", "a string, or null")
        }
        switch json["leavesFieldAt"] {
        case nil: break
        case .null: leavesFieldAt = Setting.none
        default: leavesFieldAt = try Self.number(json, "leavesFieldAt").map { .to($0) }
        }
    }

    private static func wrong(_ name: String, _ what: String) -> Problem {
        Problem(422, "invalidBody", "`\(name)` is \(what)")
    }

    private static func flag(_ json: JSONValue, _ name: String) throws(Problem) -> Bool? {
        guard let value = json[name] else { return nil }
        guard let flag = value.flag else { throw wrong(name, "true or false") }
        return flag
    }

    private static func number(_ json: JSONValue, _ name: String) throws(Problem) -> Int? {
        guard let value = json[name] else { return nil }
        guard case .number(let text) = value, let number = Int(text) else { throw wrong(name, "a whole number") }
        return number
    }
}
