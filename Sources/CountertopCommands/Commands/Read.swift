// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CounterServer
internal import PCSC

/// `read`
struct Read: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read passes from one tap.",
        discussion: """
            Each pass is asked for in order, in one tap. What the phone hands out is opened with the key that it was
            sealed for; what no key opens is shown as it is. A phone without the pass is a result, not an error.
            With --max-age, exit status 1 when the pass data is not fresh.

            EXAMPLES:
              countertop read --pass pass.com.example.club --key club.pem
              countertop read --pass pass.com.example.club,https://example.com/join --reader pcsc:ACR122
              countertop read --pass pass.com.example.club --key club.pem --reader emulated:phone.json --json
            """.flowing)

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var reader: ReaderOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(visibility: .hidden) var free: FreeWords

    func validate() throws { try reading.passes.require() }

    func perform(_ talk: Talk) async throws {
        let job = try reading.passJob((free.passes, free.keys))
        let opened = try await OpenedReader.open(
            try reader.choice(talk.console), wakingPhone: reader.wakesPhone(talk.console) ? .vasOnly : nil)
        await opened.introduce(talk)
        try await reading.readOnce(opened, CounterRun.Setting(wait: reader.wait), job, talk)
    }
}
