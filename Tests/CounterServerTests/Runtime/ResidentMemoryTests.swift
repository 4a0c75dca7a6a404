// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import CounterServer

@Suite("Memory that is given back")
struct ResidentMemoryTests {
    @Test("Only code of files, as proc(5) writes it")
    func ranges() {
        let maps = """
            55d0c0a00000-55d0c0a10000 r--p 00000000 fe:00 131 /usr/bin/a program
            55d0c0a10000-55d0c0a30000 r-xp 00010000 fe:00 131 /usr/bin/a program
            55d0c0a30000-55d0c0a31000 rw-p 00030000 fe:00 131 /usr/bin/a program
            55d0c1b00000-55d0c1b21000 rw-p 00000000 00:00 0 [heap]
            7f0000000000-7f0000001000 r-xs 00000000 fe:00 9 /shared
            7f0000002000-7f0000003000 rwxp 00000000 fe:00 9 /writable
            7f0000004000-7f0000005000 r-xp 00000000 00:00 0
            7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0 [vdso]
            zz-7f0000009000 r-xp 00000000 fe:00 9 /x
            7f0000009000 r-xp 00000000 fe:00 9 /x
            7f0000009000-7f0000008000 r-xp 00000000 fe:00 9 /x
            """
        #expect(ResidentMemory.codeRanges(maps) == [0x55d0_c0a1_0000..<0x55d0_c0a3_0000])
        #expect(ResidentMemory.codeRanges("").isEmpty)
    }

    @Test("The process goes on afterwards, with less of it resident", .enabled(if: ProcessMetrics.residentBytes != nil))
    func givenBack() throws {
        // The program, and its libraries.
        #expect(ResidentMemory.ownCode().count > 20)
        let before = try #require(ProcessMetrics.residentBytes)
        ResidentMemory.giveBack()
        let after = try #require(ProcessMetrics.residentBytes)
        #expect(after < before)
        #expect((0..<1000).map { "\($0)" }.sorted().count == 1000)
    }

    @Test("Once after the start, then only after taps, when they are over")
    func rest() async {
        let log = Mutex((slept: 0, given: [Int]()))
        // The last tap at each look.
        let taps: [Int64] = [0, 0, 0, 5, 9, 9, 9, 9]
        let rest = Rest(
            lastTap: { log.withLock { taps[max(0, $0.slept - 1)] } },
            giveBack: { log.withLock { $0.given.append($0.slept) } },
            sleep: { _ in
                let isOver = log.withLock { log in
                    log.slept += 1
                    return log.slept > taps.count
                }
                if isOver { throw CancellationError() }
            })
        await rest.run()
        #expect(log.withLock { $0.given } == [1, 6])
    }
}
