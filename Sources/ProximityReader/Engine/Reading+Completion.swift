// SPDX-License-Identifier: Apache-2.0

internal import HostSystem
internal import ISO7816
internal import Logging

extension Reading {
    /// The counter's owner has the result first. Without that there is none: the event `readCompleted` means that it is
    /// kept.
    func completed(_ outcome: ReadOutcome) async throws(Failure) -> ReadOutcome {
        if let hook = counter.configuration.beforeCompletion {
            let tap = lastTap ?? TapReport(began: time.now(), readerName: reader.name, ending: .answered)
            let read = CompletedRead(passes: outcome.passes, payment: outcome.payment, tap: tap)
            // A task of its own: a card was detected, so it is too late to cancel.
            let kept = await Task { try await hook(read) }.result
            if case .failure(let error) = kept {
                counter.configuration.logger.error("the read could not be completed", metadata: ["reason": "\(error)"])
                throw .readerServiceError
            }
        }
        await sheet.show(.readCompleted)
        return outcome
    }
}
