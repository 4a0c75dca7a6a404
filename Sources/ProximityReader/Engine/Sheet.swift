// SPDX-License-Identifier: Apache-2.0

internal import HostSystem

/// What an iPhone shows during a read; here, the events that come with it, each after its delay.
struct Sheet: Sendable {
    let core: ReaderCore
    let handler: Unguarded?

    func show(_ event: PaymentCardReader.Event) async {
        let delay = core.counter.delays.before(event)
        if delay > .zero { await core.counter.configuration.time.sleep(delay) }
        core.send(event)
        handler?.call(event)
    }
}
