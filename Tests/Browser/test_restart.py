# SPDX-License-Identifier: Apache-2.0
"""The server goes and comes back: no reload, no tap twice, none missing."""

import signal
import unittest

from support import World, wait
from test_bench import open_bench, row_ids


class Restart(unittest.TestCase):
    def test_bench(self):
        browser, counter = World.browser, World.counter
        browser.look()
        counter.phone()
        counter.tap()
        open_bench()
        wait(row_ids, "rows")
        browser.run("window.same = true")
        for number in (signal.SIGTERM, signal.SIGKILL):
            counter.stop(number)
            browser.find("#live[data-live=away]")
            self.assertEqual(browser.text("#counter-state"), "Away")
            counter.start()
            # Taps before the page is back: nobody tells it of these.
            for _ in range(3):
                counter.tap()
            browser.find("#live[data-live=live]", 15)
            counter.tap()
            expected = [tap["id"] for tap in reversed(counter.taps())][:200]
            wait(lambda: row_ids()[:len(expected)] == expected, "all taps once, in order")
            self.assertEqual(len(row_ids()), len(set(row_ids())))
        self.assertTrue(browser.run("return window.same"), "without a reload")
        wait(lambda: browser.text("#counter-state") in ("Ready", "Done"), "the state is back")

    def test_an_open_tap(self):
        """What could not be fetched while the server was away is fetched when it is back; other taps are not spoilt."""
        browser, counter = World.browser, World.counter
        browser.look()
        counter.phone()
        taps = [counter.tap()["id"] for _ in range(2)]
        open_bench()
        for tap in taps:
            browser.find(f"tr[data-id='{tap}']")
        counter.stop()
        browser.find("#live[data-live=away]")
        browser.click(f"tr[data-id='{taps[0]}'] button.open")
        browser.find("#tab-panel .problem")
        counter.start()
        browser.find("#live[data-live=live]", 15)
        wait(lambda: not browser.all("#tab-panel .problem") and "SELECT" in browser.text("#tab-panel"), "its exchanges")
        browser.click(f"tr[data-id='{taps[1]}'] button.open")
        wait(lambda: "SELECT" in browser.text("#tab-panel"), "the other's exchanges")

    def test_counter_screen(self):
        browser, counter = World.browser, World.counter
        browser.look()
        browser.open(counter.url + "/counter")
        state = lambda: browser.run("return document.body.dataset.state")
        wait(lambda: state() == "ready", "ready")
        browser.run("window.same = true")
        counter.stop(signal.SIGKILL)
        wait(lambda: state() == "away", "away")
        browser.shot("counter-away")
        counter.start()
        wait(lambda: state() == "ready", "ready again by itself", 15)
        self.assertTrue(browser.run("return window.same"))
