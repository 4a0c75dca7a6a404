# SPDX-License-Identifier: Apache-2.0
"""Counters with other settings: one that asks for a token, one that begins in German."""

import unittest

from support import Keys, World, wait

TOKEN = "a-token-of-the-browser-tests-0123456789"


class Token(unittest.TestCase):
    def test_wrong_and_right(self):
        browser = World.browser
        counter = World.make_counter("token", token=TOKEN)
        counter.start()
        try:
            browser.look()
            browser.open(counter.url + "/")
            field = browser.find("#token-field")
            browser.shot("token")
            field.send_keys("wrong", Keys.ENTER)
            wait(lambda: "did not take this token" in browser.text("dialog"), "asked again")
            self.assertEqual(len(browser.all("dialog")), 1, "one question for all requests")
            browser.find("#token-field").send_keys(TOKEN, Keys.ENTER)
            browser.find("#live[data-live=live]")
            tap = counter.tap()
            browser.find(f"tr[data-id='{tap['id']}']")
            self.assertFalse(browser.all("dialog"))
            self.assertNotIn(TOKEN, browser.driver.current_url)
            self.assertEqual(browser.run("return [sessionStorage.length, localStorage.length]"), [1, 0])
            browser.open(counter.url + "/counter")
            wait(lambda: browser.run("return document.body.dataset.state") == "ready", "the same session needs no second question")
        finally:
            counter.stop()


class Language(unittest.TestCase):
    def test_the_configuration_says_where_to_begin(self):
        browser = World.browser
        counter = World.make_counter("german", language="de")
        counter.start()
        try:
            browser.look()
            browser.open(counter.url + "/counter")
            wait(lambda: browser.text("#state") == "Bereit", "German, though the browser is English")
            browser.open(counter.url + "/counter?lang=en")
            wait(lambda: browser.text("#state") == "Ready", "the address says otherwise")
            browser.open(counter.url + "/counter")
            wait(lambda: browser.text("#state") == "Ready", "and is kept")
        finally:
            counter.stop()
