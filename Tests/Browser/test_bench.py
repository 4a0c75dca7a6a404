# SPDX-License-Identifier: Apache-2.0
"""The list of taps: live, filtered, kept in the address."""

import json
import time
import unittest

from support import By, Keys, MEMBER, World, wait


def row_ids():
    return World.browser.run("return [...document.querySelectorAll('.taps tbody tr')].map((row) => row.dataset.id)")


def open_bench(query=""):
    World.browser.open(World.counter.url + "/" + query)
    World.browser.find("#live[data-live=live]")


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        World.browser.look()
        World.counter.phone()
        World.counter.tap()
        World.counter.phone(locked=True)
        World.counter.tap(409)
        World.counter.phone()
        open_bench()

    def test_a_tap_made_elsewhere_appears_within_a_second(self):
        for _ in range(3):
            tap = World.counter.tap()
            began = time.monotonic()
            wait(lambda: row_ids()[:1] == [tap["id"]], "the new tap is on top", 1.0)
            self.assertLess(time.monotonic() - began, 1.0)

    def test_the_rows_say_what_happened(self):
        tap = World.counter.tap()
        line = f"tr[data-id='{tap['id']}']"
        World.browser.find(line)
        # Asked by selector each time: a row is drawn anew when its delivery comes.
        wait(lambda: "com.example.club" in World.browser.text(line), "the pass")
        wait(lambda: " ms" in World.browser.text(line), "how long it took")
        self.assertNotIn(MEMBER, World.browser.text("body"))
        wait(lambda: "delivered" in World.browser.text(line), "delivered")
        failed = World.browser.find("tr.failed")
        self.assertIn("no event", failed.text)

    def test_the_list_is_the_servers(self):
        expected = [tap["id"] for tap in reversed(World.counter.taps())]
        wait(lambda: row_ids() == expected[:200], "the same taps in the same order")

    def test_filters_stand_in_the_address(self):
        browser = World.browser
        browser.find("#filter-result").send_keys("failed")
        wait(lambda: "result=failed" in browser.driver.current_url, "the address has the filter")
        shown = browser.all(".taps tbody tr")
        self.assertTrue(shown)
        self.assertTrue(all("failed" in row.get_attribute("class") for row in shown))
        open_bench("?result=failed")
        self.assertEqual(browser.find("#filter-result").get_attribute("value"), "failed")
        wait(lambda: browser.all(".taps tbody tr"), "rows")
        self.assertFalse(browser.all(".taps tbody tr.read"))
        open_bench("?q=nothing-has-this")
        wait(lambda: browser.text(".foot").startswith("0 of"), "no row matches")
        browser.find("#filter-q").send_keys(Keys.CONTROL, "a", Keys.DELETE)
        wait(lambda: browser.all(".taps tbody tr"), "rows again")

    def test_a_filter_follows_what_becomes_of_a_tap(self):
        browser, receiver = World.browser, World.receiver
        receiver.status = 500
        try:
            open_bench("?delivery=retrying")
            tap = World.counter.tap()["id"]
            browser.find(f"tr[data-id='{tap}']")
            receiver.status = 200
            wait(lambda: tap not in row_ids(), "it is delivered, and no longer in the list", 20)
            open_bench("?delivery=delivered")
            browser.find(f"tr[data-id='{tap}']")
        finally:
            receiver.status = 200
            open_bench()

    def test_the_list_does_not_grow_without_end(self):
        browser = World.browser
        open_bench()
        wait(row_ids, "rows")
        longest = browser.await_js("""
            const { TapList } = await import('/assets/tap-list.js');
            const { Taps } = await import('/assets/taps.js');
            const box = document.getElementById('list-box');
            const kept = [...box.childNodes];
            const taps = new Taps((change) => list.update(change));
            taps.cursor = '0';
            const list = new TapList(taps, () => {});
            for (let number = 0; number < 3000; number += 1) {
                taps.merge([{ id: String(number).padStart(26, '0'), time: '2026-11-21T00:00:00Z', reader: 'r', wallet: 'apple',
                    mode: 'vas', result: 'read', latencyMs: 1, passes: [], events: [], deliveries: [] }]);
            }
            const numbers = [list.body.childElementCount, list.rows.size, list.body.firstElementChild.dataset.id];
            box.replaceChildren(...kept);
            return numbers;""")
        self.assertEqual(longest, [200, 200, "00000000000000000000002999"])

    def test_rows_can_be_saved_as_json_lines(self):
        browser = World.browser
        open_bench()
        wait(row_ids, "rows")
        text = browser.await_js("""
            const made = URL.createObjectURL; let blob = null;
            URL.createObjectURL = (value) => { blob = value; return made.call(URL, value); };
            HTMLAnchorElement.prototype.click = () => {};
            document.getElementById('jsonl').click();
            URL.createObjectURL = made;
            return blob.text();""")
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual([line["id"] for line in lines], row_ids())

    def test_readers_and_sinks_are_shown(self):
        browser = World.browser
        open_bench()
        wait(lambda: "emulated" in browser.text("#readers").lower(), "the reader")
        wait(lambda: "crm" in browser.text("#sinks"), "the sink")
        self.assertEqual(browser.text("#counter-state"), "Ready")
        browser.click("#sink-crm-test")
        wait(lambda: "took a test event" in browser.text("#sinks"), "the sink took the test event")

    def check_width(self, name):
        fits = World.browser.run("""
            const box = document.getElementById('list-box');
            return document.documentElement.scrollWidth <= innerWidth && box.scrollWidth <= box.clientWidth;""")
        self.assertTrue(fits, f"{name}: nothing is cut off or scrolls sideways")

    def test_pictures(self):
        browser = World.browser
        for name, width, height, dark in (("light", 1440, 900, False), ("dark", 1440, 900, True), ("phone", 390, 844, False)):
            browser.look(width, height, dark)
            open_bench()
            wait(row_ids, "rows")
            wait(lambda: browser.all("#sinks li"), "sinks")
            browser.shot(f"bench-{name}")
            self.check_width(name)
        for width in (1920, 1280, 1100, 1000, 900, 768, 600, 360):
            browser.look(width, 800)
            self.check_width(width)
        browser.look()
        self.assertEqual(browser.driver.find_element(By.TAG_NAME, "html").get_attribute("lang"), "en")
