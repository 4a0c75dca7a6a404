# SPDX-License-Identifier: Apache-2.0
"""The emulated phone's controls on the bench."""

import time
import unittest

from selenium.webdriver.support.ui import Select
from support import Keys, OTHER_PASS, World, wait
from test_bench import open_bench, row_ids


class Phone(unittest.TestCase):
    def setUp(self):
        World.counter.phone()
        World.counter.tap()
        World.browser.look()
        open_bench()
        World.browser.find("#tap-now")
        wait(row_ids, "rows")

    def tearDown(self):
        World.counter.phone()

    def tap(self):
        """Taps with the button and returns the row that appears."""
        before = row_ids()[0]
        began = time.monotonic()
        World.browser.click("#tap-now")
        wait(lambda: row_ids()[0] != before, "a new row", 5)
        self.took = time.monotonic() - began
        # The row is drawn anew when its deliveries go on.
        return wait(lambda: World.browser.find(f"tr[data-id='{row_ids()[0]}']").text, "the row says something")

    def changed(self, **state):
        wait(lambda: all(World.counter.call("GET", "/v1/wallet")[1].get(key) == value for key, value in state.items()), f"{state}")

    def test_tap_now_appears_within_a_second(self):
        self.tap()
        # The tap itself takes what it takes; the row is there within a second of it.
        self.assertLess(self.took, 1.0 + World.counter.taps()[-1]["latencyMs"] / 1000)
        wait(lambda: "safe" in World.browser.text("#phone-said"), "the answer")

    def test_lock_and_unlock(self):
        World.browser.click("#phone-locked")
        self.changed(locked=True)
        self.assertIn("locked", self.tap())
        World.browser.click("#phone-locked")
        self.changed(locked=False)
        self.assertIn("com.example.club", self.tap())

    def test_choose_a_pass(self):
        select = Select(World.browser.find("#phone-pass"))
        self.assertEqual(select.first_selected_option.get_attribute("value"), "", "any pass, until one is chosen")
        index = next(i for i, option in enumerate(select.options) if "cafe" in option.text)
        select.select_by_index(index)
        wait(lambda: World.counter.call("GET", "/v1/wallet")[1].get("chosen"), "chosen")
        self.tap()
        tap = World.counter.taps()[-1]
        read = [each["passTypeIdentifier"] for each in tap["passes"] if each["result"] == "read"]
        self.assertEqual(read, [OTHER_PASS])

    def test_leave_the_field(self):
        field = World.browser.find("#phone-leavesFieldAt")
        field.send_keys("2", Keys.ENTER)
        self.changed(leavesFieldAt=2)
        self.tap()
        self.assertEqual(World.counter.taps()[-1]["result"], "failed")
        World.browser.find("#phone-leavesFieldAt").send_keys(Keys.BACKSPACE, Keys.ENTER)
        self.changed(leavesFieldAt=None)

    def test_slow_answers(self):
        World.browser.find("#phone-answerDelayMs").send_keys("120", Keys.ENTER)
        self.changed(answerDelayMs=120)
        self.tap()
        self.assertGreater(self.took, 0.24)
