// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import InAppProvisioning
import PassKit
import Testing

@Suite("Stand-ins for UIKit and Core Graphics")
@MainActor
struct StandInTests {
    final class Screen: UIViewController {
        var loads = 0
        override func viewDidLoad() {
            super.viewDidLoad()
            loads += 1
        }
    }

    @Test("Presenting and dismissing, from either side")
    func presentation() {
        let (below, above) = (UIViewController(), Screen())
        var calls = 0
        below.present(above, animated: true) { calls += 1 }
        #expect(below.presentedViewController === above)
        #expect(above.presentingViewController === below)
        above.dismiss(animated: true) { calls += 1 }
        #expect(below.presentedViewController == nil)
        above.dismiss(animated: false) { calls += 1 }
        below.present(above, animated: false)
        below.dismiss(animated: false)
        #expect(above.presentingViewController == nil)
        #expect(calls == 3)
        #expect(above.loads == 1)
    }

    @Test("A second sheet on a controller that presents one is not presented, and named")
    func secondSheet() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate { _, _ in }
        let presenter = UIViewController()
        let first = try bench.sheet(delegate)
        presenter.present(first, animated: true)
        presenter.present(try bench.sheet(delegate), animated: true)
        #expect(bench.wallet.findings.ids == ["P-one-sheet"])
        await bench.pass(.seconds(20))
        _ = await first.ended()
    }

    @Test("Buttons run their actions for their events")
    func buttons() {
        let button = UIButton(type: .system)
        var taps = 0
        button.addAction(UIAction { _ in taps += 1 }, for: .touchUpInside)
        button.sendActions(for: .primaryActionTriggered)
        button.sendActions(for: .touchUpInside)
        #expect(taps == 1)
        #expect(button.buttonType == .system)
    }

    /// The head of a PNG file of this size and colour type.
    static func png(_ width: Int, _ height: Int, colour: UInt8) -> Data {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        return Data(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + number(13) + Array("IHDR".utf8) + number(width)
                + number(height) + [8, colour, 0, 0, 0])
    }

    @Test("Pictures: size and transparency of a PNG, a PDF, and nothing else")
    func pictures() throws {
        let picture = try #require(CGImage(data: Self.png(1536, 969, colour: 2)))
        #expect(picture.width == 1536 && picture.height == 969)
        #expect(picture.hasAlpha == false)
        #expect(CGImage(data: Self.png(1, 1, colour: 6))?.hasAlpha == true)
        let pdf = try #require(UIImage(data: Data("%PDF-1.7".utf8))?.cgImage)
        #expect(pdf.width == 0 && pdf.height == 0)
        #expect(pdf.hasAlpha == nil)
        #expect(CGImage(data: Data("GIF89a".utf8)) == nil)
        #expect(UIImage(systemName: "creditcard")?.cgImage != nil)
        #expect(UIImage(named: "not-there-at-all") == nil)
        #expect(UIImage(cgImage: picture).cgImage == picture)
    }

    @Test("No bytes trap the picture's reader")
    func neverTraps() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<2_000 {
            _ = CGImage(data: Data(random.mutate([UInt8](Self.png(1, 1, colour: 6)))))
            _ = CGImage(data: Data(random.bytes(Int.random(in: 0..<40, using: &random))))
        }
    }

    @Test("Requests and opened cards never print what they hold")
    func concealed() {
        let request = PKAddPaymentPassRequest()
        request.encryptedPassData = Data(repeating: 0xAB, count: 643)
        request.wrappedKey = Data([1, 2, 3])
        #expect(request.description.contains("encryptedPassData: 643 bytes"))
        var dumped = ""
        dump(request, to: &dumped)
        for text in [String(describing: request), String(reflecting: request), dumped] {
            #expect(!text.contains("171"))
        }
    }
}
