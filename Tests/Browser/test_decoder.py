# SPDX-License-Identifier: Apache-2.0
"""The decoder: in the page, with offsets in its errors, and nothing of it reaches the server."""

import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote

from selenium.webdriver.support.ui import Select
from support import World, wait

VAS_ANSWER = "6F1D50084170706C655061799F210201009F24047B6EB30A9F23040000003E9000"
TRACE = f"# WHAT: a case\n\n00A404000A4F53452E5641532E303100\n{VAS_ANSWER}\n# 12ms\n"


def show(text, kind="auto"):
    """Puts text into the field as a paste would."""
    browser = World.browser
    Select(browser.find("#kind")).select_by_value(kind)
    browser.run("const field = document.getElementById('input'); field.value = arguments[0];"
                "field.dispatchEvent(new Event('input', { bubbles: true }))", text)
    time.sleep(0.25)


class Decoder(unittest.TestCase):
    def setUp(self):
        World.browser.look()
        World.browser.open("about:blank")
        World.browser.open(World.counter.url + "/decoder")
        wait(lambda: World.browser.run("return document.documentElement.lang === 'en' && document.getElementById('context').length > 5"), "ready")
        time.sleep(0.3)

    def test_answer_of_a_wallet(self):
        show(VAS_ANSWER)
        text = World.browser.text("#result")
        for words in ("9F24", "ApplePay", "payment ready", "9000 success", "pass (VAS)"):
            self.assertIn(words, text)

    def test_bits_of_a_payment_object(self):
        show("9505 8000048000")
        self.assertIn("Offline data authentication was not performed", World.browser.text("#result"))
        show("9F2701 80")
        self.assertIn("ARQC", World.browser.text("#result"))
        Select(World.browser.find("#context")).select_by_value("vas")
        wait(lambda: "ARQC" not in World.browser.text("#result"), "another context, another meaning")

    def test_command(self):
        show("80CA0101369F220201009F2804010203049F2604008000029F252099E75ACA679B3CBB9DE229EF3D80B01A2A33A38AD4F5A58E7C21B0B083CA47FF00")
        text = World.browser.text("#result")
        self.assertIn("GET VAS DATA", text)
        self.assertIn("VAS only", text)

    def test_trace(self):
        show(TRACE)
        text = World.browser.text("#result")
        self.assertIn("SELECT OSE.VAS.01", text)
        self.assertIn("a case", text)
        self.assertIn("12 ms", text)
        World.browser.shot("decoder-light")
        World.browser.look(dark=True)
        World.browser.shot("decoder-dark")
        World.browser.look(390, 844)
        World.browser.shot("decoder-phone")
        self.assertTrue(World.browser.run("return document.documentElement.scrollWidth <= innerWidth"))

    def test_errors_have_their_place(self):
        show("6F0X")
        self.assertIn("byte 3", World.browser.text("#message"))
        show("6F05500441", "tlv")
        self.assertIn("byte 1", World.browser.text("#result .fault"))
        show("00A40400\n9000\n00A40400\n9Z00", "trace")
        self.assertIn("line 4", World.browser.text("#message"))

    def test_card_data_is_hidden_until_asked_for(self):
        show("5A084761739001010010")
        self.assertNotIn("4761739001010010", World.browser.text("#result").replace(" ", ""))
        World.browser.click("#masked")
        wait(lambda: "4761739001010010" in World.browser.text("#result").replace(" ", ""), "shown")

    def test_the_link_holds_the_input_and_the_server_never_sees_it(self):
        browser = World.browser
        secret = "9F27018050044F4E4C59"
        show(secret)
        url = browser.driver.current_url
        self.assertIn(secret, url.split("#")[1])
        browser.open("about:blank")
        browser.open(url)
        wait(lambda: "ONLY" in browser.text("#result"), "the link shows the same")
        browser.open(World.counter.url + f"/decoder#hex={quote(TRACE)}&context=emv")
        wait(lambda: "OSE.VAS.01" in browser.text("#result"), "a trace in a link")
        browser.collect()
        # Chromium's log keeps the fragment apart from what it sends.
        self.assertEqual([each for each in browser.requests if secret in each.split("#")[0]], [])
        self.assertNotIn(secret, World.counter.log.read_text())

    def test_files(self):
        browser = World.browser
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case.apdu"
            path.write_text(TRACE)
            browser.find("#file").send_keys(str(path))
            wait(lambda: "OSE.VAS.01" in browser.text("#result"), "the file is shown")
        browser.run("""
            const transfer = new DataTransfer(); transfer.items.add(new File(['9F270180'], 'x.hex'));
            window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));""")
        wait(lambda: "ARQC" in browser.text("#result"), "a dropped file is shown")

    def test_junk_does_not_hang_it(self):
        browser = World.browser
        make = {
            "one long value": "'7F'.repeat(500000)", "small objects": "'500141'.repeat(166666)", "no hex": "'x'.repeat(1e6)",
            "templates": "'6F'.repeat(500000)", "many lines": "'00A40400\\n9000\\n'.repeat(70000)", "comments": "'#\\n'.repeat(500000)",
            "random": "Array.from(crypto.getRandomValues(new Uint8Array(65536)), (v) => v.toString(16).padStart(2, '0')).join('').repeat(8)",
        }
        for name, script in make.items():
            took = browser.await_js(f"""
                const field = document.getElementById('input');
                const began = performance.now(); field.value = {script}; field.dispatchEvent(new Event('input', {{ bubbles: true }}));
                await new Promise((resolve) => setTimeout(resolve, 200));
                await new Promise((resolve) => requestAnimationFrame(resolve));
                return performance.now() - began;""")
            self.assertLess(took, 25_000, name)
            self.assertLess(browser.run("return document.querySelectorAll('*').length"), 40_000, name)
