# SPDX-License-Identifier: Apache-2.0
"""Keyboard only, contrast, names of controls, the second language."""

import unittest

from support import Keys, World, wait
from test_bench import open_bench, row_ids

# WCAG 2.2, 1.4.3: each visible text against what is painted behind it.
CONTRAST = """
const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = (element) => { const layers = []; for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
  return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]); };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let count = 0;
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
  if (element.closest('script, noscript, option, :disabled')) continue;
  count += 1;
  const style = getComputedStyle(element);
  let opacity = 1; for (let e = element; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
  const back = ground(element);
  const ink = parse(style.color); ink[3] *= opacity;
  const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
  if (ratio < (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.className} "${walker.currentNode.textContent.trim().slice(0, 40)}"`);
}
return [count, found];
"""

# Controls without a name, ids that stand twice, images without a text, more or less than one main landmark.
NAMES = """
const found = [];
for (const element of document.querySelectorAll('button, a[href], input, select, textarea, [role=tab], [role=treeitem]')) {
  if (!element.checkVisibility()) continue;
  const label = element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.textContent || element.title;
  if (!label || !label.trim()) found.push(element.outerHTML.slice(0, 120));
}
const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
ids.forEach((id, index) => { if (ids.indexOf(id) !== index) found.push(`twice: ${id}`); });
for (const image of document.images) if (!image.hasAttribute('alt')) found.push('image without alt');
if (document.querySelectorAll('main').length !== 1) found.push('main landmarks');
if (document.querySelectorAll('h1').length !== 1) found.push('h1');
return found;
"""

# A key of the text table that stands on the page instead of its text.
LEFT_OVER = r"return (document.body.innerText.match(/\b(?:state|panel|list|column|filter|detail|tab|delivery|phone|reader|sink|decoder|bytes|ladder|counter|live|nav|result|wallet|mode|pass|payment|reason|why|fix|compare|fault|sw|token)\.[a-z][A-Za-z.]+\b/g) || []).filter((each) => !/^pass\\.com|json$|pem$/.test(each))"


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        World.counter.phone()
        cls.tap = World.counter.tap()["id"]
        World.counter.phone(locked=True)
        World.counter.tap(409)
        cls.failed = World.counter.taps()[-1]["id"]
        World.counter.phone()

    def tearDown(self):
        World.browser.look()

    def pages(self):
        """Every page in every state worth looking at."""
        browser = World.browser
        for path in ("/", f"/?tap={self.tap}", f"/?tap={self.failed}", f"/?tap={self.tap}&tab=deliveries", f"/?tap={self.tap}&tab=compare"):
            open_bench(path[1:])
            if "tap=" in path:
                wait(lambda: browser.all(".ladder .arrow, .delivery, #compare-with"), "the tap")
            wait(lambda: browser.all("#sinks li"), "the panels")
            yield path
        browser.open(World.counter.url + "/decoder#hex=9F270180&as=response")
        wait(lambda: browser.all(".byte-view"), "decoded")
        yield "/decoder"
        browser.open(World.counter.url + "/counter")
        wait(lambda: browser.run("return document.body.dataset.state") == "ready", "ready")
        yield "/counter"

    def test_contrast(self):
        for dark in (False, True):
            World.browser.look(dark=dark)
            for page in self.pages():
                states = ["ready", "hold", "done", "retry", "away"] if page == "/counter" else [None]
                for state in states:
                    if state:
                        World.browser.run("document.body.dataset.state = arguments[0]", state)
                        wait(lambda: World.browser.run("return document.getAnimations().length === 0"), "the colour is there")
                    count, found = World.browser.run(CONTRAST)
                    self.assertGreater(count, 2)
                    self.assertEqual(found, [], f"{page} {state} {'dark' if dark else 'light'}")

    def test_lit_objects_have_contrast_too(self):
        browser = World.browser
        for dark in (False, True):
            browser.look(dark=dark)
            browser.open(World.counter.url + "/decoder#hex=95058000048000")
            wait(lambda: browser.all(".byte-view .line"), "decoded")
            browser.hover(browser.all(".byte-view .line")[0])
            wait(lambda: browser.all(".line.lit"), "lit")
            self.assertEqual(browser.run(CONTRAST)[1], [])

    def test_controls_have_names(self):
        for page in self.pages():
            self.assertEqual(World.browser.run(NAMES), [], page)

    def test_second_language(self):
        browser = World.browser
        browser.open(World.counter.url + "/?lang=de")
        browser.find("#live[data-live=live]")
        try:
            for page in self.pages():
                self.assertEqual(browser.run("return document.documentElement.lang"), "de", f"{page}: the choice is kept")
                self.assertEqual(browser.run(LEFT_OVER), [], page)
                if page == "/":
                    wait(row_ids, "rows")
                    text = browser.text("body")
                    for words in ("Lesevorgänge", "Jetzt anhalten", "Empfänger", "zugestellt", "Telefon gesperrt"):
                        self.assertIn(words, text)
                    browser.shot("bench-german")
                if page == f"/?tap={self.failed}":
                    self.assertIn("Warum ist das gescheitert?", browser.text("#detail"))
                    browser.shot("tap-locked-german")
            self.assertEqual(browser.text("#state"), "Bereit")
            browser.shot("counter-german")
            browser.click("#language")
            wait(lambda: browser.text("#state") == "Ready", "the switch works at once")
            self.assertEqual(browser.run("return document.documentElement.lang"), "en")
        finally:
            browser.run("localStorage.clear()")

    def test_keyboard_only(self):
        browser = World.browser
        open_bench()
        wait(row_ids, "rows")
        browser.keys(Keys.TAB)
        self.assertIn("skip", browser.focused().get_attribute("class"))
        browser.keys(Keys.ENTER)
        self.assertEqual(browser.focused().get_attribute("id"), "list-title")
        self.press_until("button.open", Keys.TAB)
        self.assertTrue(self.is_focus_visible())
        browser.keys(Keys.DOWN)
        row = browser.run("return document.activeElement.closest('tr').dataset.id")
        self.assertEqual(row, row_ids()[1])
        browser.keys(Keys.ENTER)
        wait(lambda: browser.all(".ladder .arrow"), "the tap opens")
        self.press_until("[role=tab]", Keys.TAB)
        browser.keys(Keys.RIGHT)
        self.assertEqual(browser.focused().get_attribute("id"), "tab-deliveries")
        browser.keys(Keys.LEFT)
        wait(lambda: browser.all(".ladder .arrow"), "back at the exchanges")
        self.press_until(".arrow", Keys.TAB)
        browser.keys(Keys.HOME)
        self.assertEqual(browser.focused().get_attribute("data-exchange"), "0")
        browser.keys(Keys.ENTER)
        self.press_until(".byte", Keys.TAB)
        self.assertTrue(self.is_focus_visible())
        self.press_until("[role=treeitem]", Keys.TAB)
        browser.keys(Keys.DOWN, Keys.ESCAPE)
        wait(lambda: browser.find("#detail").get_attribute("hidden"), "closed")
        self.assertEqual(browser.run("return document.activeElement.closest('tr')?.dataset.id"), row, "the focus is back in the list")

    def test_tap_with_the_keyboard(self):
        browser = World.browser
        open_bench()
        wait(row_ids, "rows")
        before = row_ids()[0]
        self.press_until("#tap-now", Keys.TAB)
        browser.keys(Keys.SPACE)
        wait(lambda: row_ids()[0] != before, "a new tap")
        self.assertEqual(browser.focused().get_attribute("id"), "tap-now", "the focus stays")
        wait(lambda: "New tap" in browser.run("return document.getElementById('announcer').textContent"), "it is announced")

    def press_until(self, selector, key):
        for _ in range(60):
            if World.browser.run("return document.activeElement.matches(arguments[0])", selector):
                return
            World.browser.keys(key)
        self.fail(f"{selector} cannot be reached with the keyboard")

    def is_focus_visible(self):
        return World.browser.run("""
            const element = document.activeElement, style = getComputedStyle(element);
            const box = element.getBoundingClientRect();
            const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && (element === top || element.contains(top));""")
