# SPDX-License-Identifier: Apache-2.0
"""`countertop serve` with an emulated phone, and the client that taps it."""

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

PASS = "pass.com.example.chaos"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def run(*words):
    return subprocess.run(words, check=True, capture_output=True).stdout


def write(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def make_certificates(folder):
    """A self-signed certificate that the sink trusts, and one that it does not."""
    certificates = {}
    for name in ("good", "bad"):
        key, certificate = os.path.join(folder, f"{name}-key.pem"), os.path.join(folder, f"{name}.pem")
        run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out",
            certificate)
        certificates[name] = (certificate, key)
    return certificates


class Counter:
    """The process, its files, and what it acknowledged."""

    def __init__(self, tool, folder, state=None, environment=None):
        self.tool, self.folder = tool, folder
        self.state = state or os.path.join(folder, "state")
        self.environment = dict(os.environ, **(environment or {}))
        self.port = free_port()
        self.secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        self.process = None
        self.acknowledged = {}
        self.refused = []
        self.lock = threading.Lock()
        self.log = os.path.join(folder, "serve.log")
        self.make_phone()

    def make_phone(self):
        key, public = os.path.join(self.folder, "pass.pem"), os.path.join(self.folder, "pass.der")
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        os.chmod(key, 0o600)
        run("openssl", "ec", "-in", key, "-pubout", "-conv_form", "compressed", "-outform", "DER", "-out", public)
        with open(public, "rb") as file:
            public = base64.b64encode(file.read()).decode()
        nfc = {"message": "MEMBER-CHAOS", "encryptionPublicKey": public}
        phone = {"locked": False, "passes": [{"passTypeIdentifier": PASS, "nfc": nfc}]}
        write(os.path.join(self.folder, "phone.json"), json.dumps(phone))
        write(os.path.join(self.folder, "secret"), self.secret + "\n")

    def configure(self, url, schedule, more=""):
        times = ", ".join(f'"{time}"' for time in schedule)
        write(
            os.path.join(self.folder, "counter.toml"),
            f"""[counter]
id = "chaos"
reader = "emulated:phone.json"
tap = "manual"
state = "{self.state}"
[[pass]]
id = "{PASS}"
key = "pass.pem"
[http]
listen = "127.0.0.1:{self.port}"
[[sink]]
name = "receiver"
type = "webhook"
url = "{url}"
secret_file = "secret"
schedule = [{times}]
{more}
""")

    def start(self, *wrapper):
        log = open(self.log, "ab")
        with log:
            self.process = subprocess.Popen(
                [*wrapper, self.tool, "serve", "--config", os.path.join(self.folder, "counter.toml")],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self, patience=20):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def call(self, method, path, body=None, patience=10):
        """(status, document), or None when nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            fields = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            data = answer.read()
            return answer.status, json.loads(data) if data[:1] in (b"{", b"[") else data.decode(errors="replace")
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def wait_ready(self, patience=30):
        """How long it took, or None."""
        start = time.monotonic()
        while time.monotonic() - start < patience and self.process.poll() is None:
            answer = self.call("GET", "/readyz", patience=2)
            if answer and answer[0] == 200:
                return time.monotonic() - start
            time.sleep(0.02)
        return None

    def tap(self, patience=10):
        """Taps once. True when it was acknowledged, False when it was refused, None when nobody answered."""
        answer = self.call("POST", "/v1/wallet/tap", patience=patience)
        if answer is None:
            return None
        status, tap = answer
        with self.lock:
            if status != 200:
                self.refused.append((status, tap))
                return False
            for event in tap["events"]:
                self.acknowledged[event["id"]] = event["sequence"]
            return True

    def tail(self):
        with open(self.log, "rb") as file:
            return file.read()[-600:].decode(errors="replace")


class Load:
    """Clients that tap all the time until they are stopped."""

    def __init__(self, counter, clients):
        self.counter, self.done = counter, threading.Event()
        self.threads = [threading.Thread(target=self.tap, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def tap(self):
        while not self.done.is_set():
            if self.counter.tap(patience=5) is None:
                time.sleep(0.01)

    def stop(self):
        self.done.set()
        for thread in self.threads:
            thread.join()
