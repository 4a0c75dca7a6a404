# SPDX-License-Identifier: Apache-2.0
"""One tap: ladder, bytes and objects, why it failed, replay, comparison."""

import tempfile
import unittest
from pathlib import Path

from selenium.webdriver.support.ui import Select
from support import Keys, World, wait
from test_bench import open_bench


def open_tap(identifier, tab=""):
    World.browser.look()
    open_bench(f"?tap={identifier}{f'&tab={tab}' if tab else ''}")
    World.browser.find("#tab-exchanges")


class Tap(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        counter = World.counter
        counter.phone()
        cls.first, cls.second = counter.tap()["id"], counter.tap()["id"]
        counter.phone(locked=True)
        counter.tap(409)
        cls.locked = counter.taps()[-1]["id"]
        counter.phone(leavesFieldAt=2)
        counter.call("POST", "/v1/wallet/tap")
        cls.torn = counter.taps()[-1]["id"]
        counter.phone()

    def test_a_row_opens_its_tap(self):
        browser = World.browser
        open_bench()
        browser.click(f"tr[data-id='{self.first}'] button.open")
        wait(lambda: self.first in browser.text("#detail"), "the tap is shown")
        self.assertIn(f"tap={self.first}", browser.driver.current_url)

    def test_ladder(self):
        browser = World.browser
        open_tap(self.first)
        wait(lambda: browser.all(".ladder .arrow"), "the ladder")
        exchanges = World.counter.call("GET", f"/v1/taps/{self.first}/trace")[1]["exchanges"]
        self.assertEqual(len(browser.all(".ladder .exchange")), len(exchanges))
        self.assertEqual(len(browser.all(".ladder .to-phone")), len(exchanges))
        text = browser.text(".ladder")
        for words in ("SELECT OSE.VAS.01", "GET VAS DATA", "SELECT 2PAY.SYS.DDF01", "9000", "ms", "success"):
            self.assertIn(words, text)
        browser.shot("tap-exchanges-light")
        browser.look(dark=True)
        browser.shot("tap-exchanges-dark")
        browser.look(390, 844)
        open_bench(f"?tap={self.first}")
        browser.find(".ladder .arrow")
        browser.shot("tap-exchanges-phone")
        self.assertTrue(browser.run("return document.documentElement.scrollWidth <= innerWidth"))

    def lit(self):
        return World.browser.run("""
            const at = (kind) => [...document.querySelectorAll(`#chosen .byte.${kind}`)].map((cell) => Number(cell.dataset.at));
            return { node: document.querySelector('#chosen .line.lit .tag')?.textContent ?? null, head: at('lit'), value: at('lit-value') };""")

    def test_objects_and_bytes_light_up_each_other(self):
        browser = World.browser
        open_tap(self.first)
        wait(lambda: browser.all(".ladder .to-counter"), "the ladder")
        browser.click(".ladder li:first-child .to-counter")
        rows = {row.find_element("css selector", ".tag").text: row for row in browser.all("#chosen [role=treeitem] > .line")}
        self.assertIn("9F24", rows)
        self.assertNotIn("Payment Account Reference", browser.text("#chosen"), "9F24 is a nonce here, not EMV's reference")
        browser.hover(rows["9F24"])
        lit = self.lit()
        self.assertEqual(lit["node"], "9F24")
        self.assertEqual(len(lit["value"]), 4)
        self.assertEqual(len(lit["head"]), 3)
        self.assertEqual(lit["head"][-1] + 1, lit["value"][0])
        browser.shot("tap-highlight")
        browser.hover(browser.all("#chosen .byte")[-1])
        self.assertEqual(self.lit()["node"], "SW")
        value = browser.find(f"#chosen .byte[data-at='{lit['value'][0]}']")
        browser.hover(value)
        self.assertEqual(self.lit(), lit)
        self.assertIn("9F24", browser.text("#chosen .pointed"))

    def test_the_same_with_the_keyboard(self):
        browser = World.browser
        open_tap(self.first)
        wait(lambda: browser.all(".ladder .to-counter"), "the ladder")
        browser.click(".ladder li:first-child .to-counter")
        browser.run("document.querySelector('#chosen [role=treeitem][tabindex=\"0\"]').focus()")
        browser.keys(Keys.DOWN)
        self.assertEqual(self.lit()["node"], "50")
        browser.keys(Keys.UP, Keys.LEFT)
        self.assertEqual(browser.focused().get_attribute("aria-expanded"), "false")
        browser.keys(Keys.DOWN)
        self.assertEqual(self.lit()["node"], "SW", "what is folded is passed over")
        browser.keys(Keys.UP, Keys.RIGHT, Keys.RIGHT)
        self.assertEqual(self.lit()["node"], "50")
        browser.run("document.querySelector('#chosen .byte[tabindex=\"0\"]').focus()")
        self.assertEqual(self.lit()["node"], "6F")
        browser.keys(Keys.RIGHT, Keys.RIGHT)
        self.assertEqual(self.lit()["node"], "50")
        browser.keys(Keys.DOWN)
        self.assertEqual(browser.focused().get_attribute("data-at"), "18")

    def test_replaced_card_data_is_said_so(self):
        browser = World.browser
        open_tap(self.first)
        wait(lambda: browser.all(".ladder .to-counter"), "the ladder")
        self.assertIn("replaced", browser.text(".ladder-box"))
        browser.click(".ladder li:last-child .to-counter")
        self.assertTrue(browser.all("#chosen .badge.secret"))

    def test_why_it_failed(self):
        browser = World.browser
        for identifier, word in ((self.locked, "lock"), (self.torn, "field")):
            open_tap(identifier)
            why = wait(lambda: browser.text(".failure"), "the reason")
            self.assertIn(word, why.lower())
            self.assertIn("What to do:", why)
        self.assertTrue(browser.all(".lost"), "the ladder shows where the phone went")
        browser.shot("tap-torn")
        open_tap(self.locked)
        browser.find(".ladder .bad")
        browser.shot("tap-locked")

    def test_replay(self):
        browser = World.browser
        open_tap(self.first)
        before = len(World.counter.call("GET", "/v1/events?limit=1000")[1]["events"])
        wait(lambda: browser.all(".ladder .arrow"), "the ladder")
        browser.click("#do-replay")
        wait(lambda: "same result" in browser.text(".replay-result"), "the replay ends as the tap did")
        self.assertEqual(len(World.counter.call("GET", "/v1/events?limit=1000")[1]["events"]), before)

    def test_compare_two_taps(self):
        browser = World.browser
        open_tap(self.first, "compare")
        choice = browser.find("#compare-with")
        Select(choice).select_by_value(self.second)
        wait(lambda: "Both say the same" in browser.text("#tab-panel"), "two reads of one pass are the same")
        self.assertTrue(browser.all(".run .varying"), "what is new at every tap is grey")
        self.assertFalse(browser.all(".run mark"))
        Select(browser.find("#compare-with")).select_by_value(self.locked)
        wait(lambda: "They differ" in browser.text("#tab-panel"), "a locked phone answers otherwise")
        self.assertTrue(browser.all(".run mark"))
        browser.shot("tap-compare")

    def test_compare_with_a_trace_file(self):
        browser = World.browser
        open_tap(self.first, "compare")
        apdu = World.counter.call("GET", f"/v1/taps/{self.second}/trace")[1]["apdu"]
        with tempfile.TemporaryDirectory() as folder:
            golden = Path(folder) / "golden.apdu"
            golden.write_text(apdu)
            browser.find("#compare-file").send_keys(str(golden))
            wait(lambda: "Both say the same" in browser.text("#tab-panel"), "the golden trace fits")
