# SPDX-License-Identifier: Apache-2.0
"""What the browser tests stand on: a real counter, a webhook receiver, and headless Chromium."""

import base64
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlparse

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PASS = "pass.com.example.club"
OTHER_PASS = "pass.com.example.cafe"
MEMBER = "MEMBER-1234"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait(condition, what, seconds=10.0):
    """Waits until `condition` gives something true, and returns it."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except StaleElementReferenceException:
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


class Receiver:
    """A webhook endpoint that answers with whatever status it is told."""

    def __init__(self):
        self.status = 200
        self.ids = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length") or 0))
                receiver.ids.append(self.headers.get("webhook-id"))
                self.send_response(receiver.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Counter:
    """`countertop serve` as a process, with an emulated phone of two passes that pays too."""

    def __init__(self, command, folder, receiver, token=None, language=None, port=None):
        self.command, self.folder, self.token, self.language = command, Path(folder), token, language
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.log = self.folder / "serve.log"
        self.environment = {**os.environ, "MOCK_PORT": str(self.port), "MOCK_TOKEN": token or "", "MOCK_LANGUAGE": language or "en",
                            "MOCK_STATE": str(self.folder / "mock.json"), "MOCK_RECEIVER": receiver.url}
        self.write_files(receiver)

    def tool(self, *arguments):
        return subprocess.run([self.command[0], *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def private(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)
        return str(path)

    def write_files(self, receiver):
        if len(self.command) > 1:
            return
        self.tool("key", "new", "--output", "club.pem")
        public = json.loads(self.tool("key", "show", "--json", "club.pem"))["encryptionPublicKey"]
        passes = [{"passTypeIdentifier": name, "nfc": {"message": message, "encryptionPublicKey": public}}
                  for name, message in ((PASS, MEMBER), (OTHER_PASS, "CUP-7"))]
        self.private("phone.json", json.dumps({"passes": passes, "paymentCard": {"network": "visa", "armed": True}}))
        self.tool("psp", "key", "--quiet")
        self.private("secret", "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())
        http_section = f'[http]\nlisten = "127.0.0.1:{self.port}"\n'
        if self.token:
            self.private("token", self.token)
            http_section += 'token_file = "token"\n'
        if self.language:
            http_section += f'language = "{self.language}"\n'
        (self.folder / "counter.toml").write_text(
            '[counter]\nid = "c1"\nreader = "emulated:phone.json"\ntap = "manual"\nstate = "state"\nmode = "vasAndPay"\n'
            'amount = "12.50"\ncurrency = "EUR"\npsp_key = "psp-public.pem"\n'
            + "".join(f'[[pass]]\nid = "{name}"\nkey = "club.pem"\n' for name in (PASS, OTHER_PASS)) + http_section
            + f'[[sink]]\nname = "crm"\ntype = "webhook"\nurl = "{receiver.url}"\nsecret_file = "secret"\n'
            'schedule = ["0s", "1s", "1s", "2s"]\n')

    def start(self):
        arguments = self.command if len(self.command) > 1 else [*self.command, "serve", "--config", "counter.toml"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(arguments, cwd=self.folder, env=self.environment, stdout=log, stderr=log)
        wait(self.answers, f"the counter answers; it said {self.log.read_text()[-2000:]!r}", 30)

    def answers(self):
        assert self.process.poll() is None, f"the counter ended with {self.process.returncode}: {self.log.read_text()[-2000:]}"
        try:
            self.call("GET", "/v1/readers")
            return True
        except OSError:
            return False

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(20)

    def call(self, method, path, body=None):
        """Status and JSON of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        data = None if body is None else json.dumps(body)
        if data:
            headers["content-type"] = "application/json"
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text else None

    def taps(self):
        """All taps that are kept, oldest first."""
        taps, cursor = [], None
        while True:
            page = self.call("GET", f"/v1/taps?limit=1000{f'&after={cursor}' if cursor else ''}")[1]
            taps += page["taps"]
            if not page["taps"] or page["cursor"] == cursor:
                return taps
            cursor = page["cursor"]

    def phone(self, **state):
        """Sets the phone; what is not named goes back to normal."""
        status, answer = self.call("PATCH", "/v1/wallet", {
            "locked": False, "chosen": None, "leavesFieldAt": None, "answerDelayMs": 0, **state})
        assert status == 200, answer

    def tap(self, expected=200):
        status, answer = self.call("POST", "/v1/wallet/tap")
        assert status == expected, (status, answer)
        return answer


class Browser:
    """Headless Chromium with what the tests ask of it."""

    def __init__(self, screenshots):
        self.screenshots = Path(screenshots)
        self.screenshots.mkdir(parents=True, exist_ok=True)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en",
                         "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", "--disable-default-apps"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(30)
        self.requests = []
        self.console = []
        self.policies = {}
        self.look()

    def look(self, width=1440, height=900, dark=False, still=True):
        """Sets size and theme. Without motion, so that pictures and colours are the final ones."""
        command = self.driver.execute_cdp_cmd
        command("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        command("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]})

    def open(self, url):
        self.collect()
        self.driver.get(url)

    def collect(self):
        """Takes the logs: every request, every policy, every word on the console."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.responseReceived":
                response = message["params"]["response"]
                headers = {name.lower(): value for name, value in response["headers"].items()}
                self.policies[response["url"]] = headers.get("content-security-policy")
        self.console += self.driver.get_log("browser")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def find(self, selector, seconds=10.0):
        return wait(lambda: next(iter(self.all(selector)), None), selector, seconds)

    def text(self, selector):
        return self.find(selector).text

    def click(self, selector):
        def press():
            element = self.find(selector)
            self.run("arguments[0].scrollIntoView({block: 'center'})", element)
            element.click()
            return True

        wait(press, f"{selector} can be clicked")

    def hover(self, element):
        ActionChains(self.driver).move_to_element(element).perform()

    def keys(self, *keys):
        """Presses keys, wherever the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def focused(self):
        return self.driver.switch_to.active_element

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def await_js(self, body, *arguments):
        """Runs the body of an async function in the page."""
        answer = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const values = [...arguments].slice(0, -1);"
            f"(async (...values) => {{ {body} }})(...values).then((value) => done({{ value }}), (error) => done({{ error: String(error) }}))",
            *arguments)
        assert "error" not in answer, answer["error"]
        return answer.get("value")

    def shot(self, name):
        self.driver.save_screenshot(str(self.screenshots / f"{name}.png"))

    def quit(self):
        self.collect()
        self.driver.quit()


def is_local(url, counter_urls):
    """Whether a request stayed with the counter, or within the browser."""
    parts = urlparse(url)
    return parts.scheme in ("blob", "data", "about", "chrome") or f"{parts.scheme}://{parts.netloc}" in counter_urls


class World:
    """Everything that the tests share."""

    counter = None
    browser = None
    receiver = None
    make_counter = None
    urls = []


__all__ = ["ActionChains", "Browser", "By", "Counter", "Keys", "MEMBER", "OTHER_PASS", "PASS", "Receiver", "World",
           "is_local", "wait"]
