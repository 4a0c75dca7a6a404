# SPDX-License-Identifier: Apache-2.0
"""What the whole run asked of the network, and said on the console. Runs last."""

import unittest

from support import World, is_local

POLICY = {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'", "connect-src": "'self'",
          "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'"}
# A browser reports what it was told to expect: answers that say no, and a server that was stopped on purpose.
EXPECTED = ("Failed to load resource: the server responded with a status of 4", "net::ERR_CONNECTION_REFUSED",
            "net::ERR_INCOMPLETE_CHUNKED_ENCODING", "net::ERR_EMPTY_RESPONSE", "net::ERR_CONNECTION_RESET", "net::ERR_SOCKET_NOT_CONNECTED",
            "net::ERR_CONTENT_LENGTH_MISMATCH")


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for path in ("/", "/counter", "/decoder"):
            World.browser.open(World.counter.url + path)
        World.browser.collect()

    def test_no_request_left_the_machine(self):
        self.assertGreater(len(World.browser.requests), 20)
        self.assertEqual([url for url in World.browser.requests if not is_local(url, World.urls)], [])

    def test_policy(self):
        pages = [World.counter.url + path for path in ("/", "/counter", "/decoder")]
        for url in pages:
            policy = World.browser.policies[url]
            self.assertNotIn("unsafe", policy)
            directives = dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())
            self.assertEqual(directives, POLICY, url)

    def test_console_is_quiet(self):
        said = [entry["message"] for entry in World.browser.console if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual([text for text in said if not any(each in text for each in EXPECTED)], [])
