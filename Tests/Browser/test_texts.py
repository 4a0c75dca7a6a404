# SPDX-License-Identifier: Apache-2.0
"""The files themselves: both languages complete, nothing inline, nothing from elsewhere, small."""

import re
import unittest
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "Sources/CounterServer/Pages"
LIMIT = 200_000


def table(language):
    text = (PAGES / f"assets/texts-{language}.js").read_text()
    return dict(re.findall(r"^  '([^']+)': '((?:[^'\\]|\\.)*)',$", text, re.MULTILINE))


class Texts(unittest.TestCase):
    def test_languages_have_the_same_keys(self):
        english, german = table("en"), table("de")
        self.assertGreater(len(english), 200)
        self.assertEqual(set(english), set(german))
        for key, text in english.items():
            self.assertEqual(set(re.findall(r"\{\w+\}", text)), set(re.findall(r"\{\w+\}", german[key])), key)

    def test_every_key_that_is_used_exists(self):
        known = table("en")
        used = set()
        for path in [*PAGES.glob("*.html"), *PAGES.glob("assets/*.js")]:
            text = path.read_text()
            used.update(re.findall(r"\bt\('([^']+)'", text))
            used.update(re.findall(r"\bdata-t(?:-label|-title|-placeholder)?=\"([^\"]+)\"", text))
            used.update(re.findall(r"data-title=\"([^\"]+)\"", text))
        self.assertEqual({key for key in used if key not in known}, set())

    def test_nothing_is_inline_or_from_elsewhere(self):
        for path in PAGES.glob("*.html"):
            text = path.read_text()
            self.assertNotRegex(text, r"(?i)\sstyle=|<style|\son[a-z]+=|javascript:", path.name)
            for script in re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL):
                self.assertEqual(script, "", path.name)
        for path in PAGES.rglob("*.*"):
            addresses = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", path.read_text()) if path.suffix != ".json" else []
            self.assertEqual([each for each in addresses if "www.w3.org" not in each], [], path.name)

    def test_markup_is_never_made_of_text(self):
        for path in PAGES.glob("assets/*.js"):
            self.assertNotRegex(path.read_text(), r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", path.name)

    def test_pages_are_small(self):
        sizes = [path.stat().st_size for path in PAGES.rglob("*.*") if path.suffix != ".json"]
        self.assertLess(sum(sizes), LIMIT)
