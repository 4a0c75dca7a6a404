// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import PCSC
import Testing

@Suite("Waking a phone while waiting", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct WakeTests {
    /// vpcd's driver refuses escape commands, as the CCID driver does until it is told otherwise: a wait must not
    /// suffer from that.
    @Test("A reader that refuses the frames still finds the card", .timeLimit(.minutes(10)))
    func refusedFrames() async throws {
        try await PrivatePCSCD.exclusive(readerName: "ACS ACR122U PICC Interface") { daemon in
            var options = PCSCReader.Options()
            options.wakesPhone = .vasOnly
            options.wakeInterval = .milliseconds(50)
            let reader = try await PCSCReader.first(matching: "acr122", options: options)
            guard case .automatic(let route) = await reader.polling else {
                Issue.record("frames are sent, so the phone may wake by itself")
                return
            }
            #expect(route.contains("never tried on hardware"))
            await #expect(throws: CardChannelError.self) {
                _ = try await reader.waitForCard(timeout: .milliseconds(200))
            }
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            _ = try await reader.waitForCard(timeout: .seconds(5))
            #expect(try await exchange(reader) == echoed)
        }
    }

    @Test("Nothing is sent unless it was asked for")
    func offByDefault() async {
        #expect(PCSCReader.Options().wakesPhone == nil)
        let reader = PCSCReader(name: "ACS ACR122U PICC Interface 00 00")
        guard case .manual(let advice) = await reader.polling else {
            Issue.record("no frame is sent, so the person must open the pass")
            return
        }
        #expect(advice.contains("open the pass"))
    }
}
