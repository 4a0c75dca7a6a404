# SPDX-License-Identifier: Apache-2.0
"""The customer's screen."""

import threading
import unittest

from support import MEMBER, Keys, World, wait


def state():
    return World.browser.run("return document.body.dataset.state")


class CounterScreen(unittest.TestCase):
    def setUp(self):
        World.counter.phone()
        World.browser.look()
        World.browser.open(World.counter.url + "/counter?lang=en")
        wait(lambda: state() == "ready", "ready")

    def tearDown(self):
        World.counter.phone()

    def watch(self):
        """Keeps all states from now on, with what was on the screen."""
        World.browser.run("""
            window.seen = []; new MutationObserver(() => window.seen.push(document.body.dataset.state + ': ' + document.body.innerText))
              .observe(document.body, { attributes: true, subtree: true, childList: true, characterData: true });""")

    def seen(self):
        return World.browser.run("return window.seen")

    def test_states_of_a_tap(self):
        World.counter.phone(answerDelayMs=150)
        self.watch()
        threading.Thread(target=World.counter.tap).start()
        wait(lambda: state() == "hold", "hold still")
        World.browser.shot("counter-hold")
        wait(lambda: state() == "done", "done")
        self.assertEqual(World.browser.text("#state"), "Done")
        World.browser.shot("counter-done")
        wait(lambda: state() == "ready", "ready again", 15)
        World.browser.shot("counter-ready")
        self.assertFalse([text for text in self.seen() if MEMBER in text or "1234" in text], "nothing about the person")

    def test_try_again(self):
        World.counter.phone(locked=True)
        threading.Thread(target=World.counter.call, args=("POST", "/v1/wallet/tap")).start()
        wait(lambda: state() == "retry", "try again")
        World.browser.shot("counter-retry")
        World.browser.look(390, 844, dark=True)
        World.browser.shot("counter-retry-phone-dark")

    def test_readable_at_two_metres(self):
        # Ten minutes of arc at 2 m are 5.8 mm; on a 10 inch tablet of 1280 by 800 that is 35 pixels.
        for width, height in ((1280, 800), (800, 1280), (1920, 1080)):
            World.browser.look(width, height)
            sizes = World.browser.run("return ['state', 'what'].map((id) => parseFloat(getComputedStyle(document.getElementById(id)).fontSize))")
            self.assertGreater(sizes[0], 0.13 * min(width, height))
            self.assertGreaterEqual(sizes[1], 35)
            self.assertTrue(World.browser.run("return document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"))

    def test_sound_is_off_until_somebody_wants_it(self):
        button = World.browser.find("#sound")
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        World.browser.keys(Keys.TAB, Keys.SPACE)
        wait(lambda: World.browser.find("#sound").get_attribute("aria-pressed") == "true", "on, with the keyboard")

    def test_state_is_announced(self):
        region = World.browser.find("[role=status]")
        self.assertEqual((region.get_attribute("aria-live"), region.get_attribute("aria-atomic")), ("assertive", "true"))
        self.assertIn("Ready", region.text)

    def test_no_motion_when_asked(self):
        moving = "return getComputedStyle(document.querySelector('.wave')).animationName"
        self.assertEqual(World.browser.run(moving), "none")
        World.browser.look(still=False)
        self.assertEqual(World.browser.run(moving), "wave")
