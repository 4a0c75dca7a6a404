#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives the pages of a real counter in headless Chromium.

    run.py [--screenshots FOLDER] [--only NAME] COUNTERTOP
"""

import argparse
import tempfile
import unittest
from pathlib import Path

from support import Browser, Counter, Receiver, World

MODULES = ["test_texts", "test_modules", "test_bench", "test_tap", "test_phone", "test_deliveries", "test_decoder",
           "test_counter", "test_access", "test_restart", "test_token", "test_network"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="+", help="the program; with more words, all of them start another server")
    parser.add_argument("--screenshots", default=".build/screenshots")
    parser.add_argument("--only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="countertop-browser-") as folder:
        return 0 if run(options, Path(folder)) else 1


def run(options, folder):
    World.receiver = Receiver()

    def make(name, **settings):
        place = folder / name
        place.mkdir()
        counter = Counter(options.command, place, World.receiver, **settings)
        World.urls.append(counter.url)
        return counter

    World.make_counter = staticmethod(make)
    World.counter = make("main")
    World.counter.start()
    World.browser = Browser(options.screenshots)
    try:
        names = [name for name in MODULES if not options.only or options.only in name]
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromName(name) for name in names)
        return unittest.TextTestRunner(verbosity=2, failfast=False).run(suite).wasSuccessful()
    finally:
        World.browser.quit()
        World.counter.stop()


if __name__ == "__main__":
    raise SystemExit(main())
