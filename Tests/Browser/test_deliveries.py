# SPDX-License-Identifier: Apache-2.0
"""Deliveries: attempts, retries, given up, sent again."""

import json
import unittest

from support import World, wait
from test_bench import open_bench
from test_tap import open_tap


class Deliveries(unittest.TestCase):
    def setUp(self):
        World.receiver.status = 200
        World.counter.phone()

    tearDown = setUp

    def test_delivered(self):
        browser = World.browser
        tap = World.counter.tap()["id"]
        open_tap(tap, "deliveries")
        wait(lambda: "delivered" in browser.text(".delivery"), "delivered")
        self.assertIn("200", browser.text(".attempts"))
        browser.click(f"#body-{tap}")
        body = json.loads(wait(lambda: browser.text(".body"), "the body"))
        self.assertEqual((body["id"], body["specversion"]), (tap, "1.0"))

    def test_resend_one(self):
        browser = World.browser
        tap = World.counter.tap()["id"]
        wait(lambda: World.receiver.ids.count(tap) == 1, "delivered once")
        open_tap(tap, "deliveries")
        browser.click(f"[id='resend-{tap}-crm']")
        wait(lambda: World.receiver.ids.count(tap) == 2, "delivered again")
        wait(lambda: len(browser.all(".event:first-child .delivery:nth-of-type(1) .attempts tbody tr")) == 2, "both attempts are shown")

    def test_given_up_and_all_sent_again(self):
        browser = World.browser
        World.receiver.status = 422
        tap = World.counter.tap()["id"]
        open_tap(tap, "deliveries")
        wait(lambda: "given up" in browser.text(".delivery"), "given up after the last step", 15)
        self.assertIn("422", browser.text(".attempts"))
        browser.shot("deliveries-given-up")
        wait(lambda: "given up" in browser.text(f"tr[data-id='{tap}']"), "the row says so")
        World.receiver.status = 200
        browser.click("#sink-crm-resendDead")
        wait(lambda: "delivered" in browser.text(f"tr[data-id='{tap}']"), "delivered in the end")
        wait(lambda: "delivered" in browser.text(".delivery h4"), "the panel follows")

    def test_waiting(self):
        browser = World.browser
        World.receiver.status = 503
        tap = World.counter.tap()["id"]
        open_bench()
        wait(lambda: any(word in browser.text(f"tr[data-id='{tap}']") for word in ("retrying", "waiting", "given up")), "not delivered")
        World.receiver.status = 200
        wait(lambda: "delivered" in browser.text(f"tr[data-id='{tap}']"), "delivered once it is back", 20)

    def test_a_sink_that_was_switched_off_is_switched_on(self):
        browser = World.browser
        World.receiver.status = 410
        tap = World.counter.tap()["id"]
        open_bench()
        wait(lambda: "switched off" in browser.text("#sinks"), "410 switches the sink off")
        browser.shot("sink-off")
        World.receiver.status = 200
        browser.click("#sink-crm-enable")
        wait(lambda: "active" in browser.text("#sinks"), "on again")
        wait(lambda: "delivered" in browser.text(f"tr[data-id='{tap}']"), "what waited is delivered", 20)

    def test_copy_as_curl(self):
        browser = World.browser
        tap = World.counter.tap()["id"]
        open_tap(tap, "deliveries")
        browser.find(f"[id='curl-{tap}-crm']")
        text = browser.await_js("""
            let copied = null;
            Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied = text; } }, configurable: true });
            document.getElementById(values[0]).click();
            for (let i = 0; i < 100 && copied === null; i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
            return copied;""", f"curl-{tap}-crm")
        self.assertIn(f"webhook-id: {tap}", text)
        self.assertIn('"specversion":"1.0"', text)
        self.assertNotIn("Bearer", text)
