# SPDX-License-Identifier: Apache-2.0
"""A provider's end of a webhook that keeps a ledger, and fails on purpose in the ways that providers fail."""

import base64
import collections
import hashlib
import hmac
import json
import socket
import ssl
import struct
import threading
import time

# How it may fail. Each is a way that the sheet of delivery rules lists.
FAULTS = ("429", "410", "302", "500", "hang", "slow", "reset", "tls")


class Ledger:
    """What was received, by webhook-id. Bodies are kept as hashes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.bodies = {}
        self.events = {}
        self.repeats = collections.Counter()
        self.faults = []

    def take(self, identifier, body):
        digest = hashlib.sha256(body).hexdigest()
        with self.lock:
            known = self.bodies.get(identifier)
            if known is None:
                self.events[identifier] = json.loads(body)
                self.bodies[identifier] = digest
            elif known == digest:
                self.repeats[identifier] += 1
            else:
                self.faults.append(f"{identifier} came with two bodies")

    def ids(self):
        with self.lock:
            return set(self.bodies)


class Receiver:
    """An HTTP/1.1 server on loopback; with certificates, over TLS. `fault` says how it fails just now, or None."""

    def __init__(self, secret, certificates=None):
        self.ledger = Ledger()
        self.fault = None
        self.seen = 0
        self.key = base64.b64decode(secret.removeprefix("whsec_"))
        self.good = self.context(certificates and certificates["good"])
        self.bad = self.context(certificates and certificates["bad"])
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.scheme = "https" if certificates else "http"
        threading.Thread(target=self.accept, daemon=True).start()

    @staticmethod
    def context(files):
        if not files:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
        return context

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.settimeout(60)
            context = self.bad if self.fault == "tls" else self.good
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            stream = connection.makefile("rb")
            while self.request(connection, stream):
                pass
        except OSError:
            pass
        finally:
            connection.close()

    def request(self, connection, stream):
        line = stream.readline()
        if not line:
            return False
        fields = {}
        while (field := stream.readline()) not in (b"\r\n", b"\n"):
            if not field:
                return False
            name, _, value = field.partition(b":")
            fields[name.decode().lower()] = value.strip().decode()
        length = int(fields.get("content-length", "0"))
        body = stream.read(length)
        if len(body) < length:
            # Whoever sent it was killed in the middle.
            return False
        self.seen += 1
        fault = self.fault
        if fault in (None, "slow"):
            self.check(fields, body)
        return getattr(self, f"answer_{fault}", self.answer_status)(connection, fault)

    def check(self, fields, body):
        """Standard Webhooks: the signature is over id, time and body."""
        signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        right = "v1," + base64.b64encode(hmac.digest(self.key, signed, "sha256")).decode()
        if right not in fields["webhook-signature"].split(" "):
            self.ledger.faults.append(f"{fields['webhook-id']} is not signed")
        self.ledger.take(fields["webhook-id"], body)

    def answer_None(self, connection, _):
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True

    def answer_status(self, connection, fault):
        more = {"429": "Retry-After: 1\r\n", "302": "Location: /elsewhere\r\n"}.get(fault, "")
        connection.sendall(f"HTTP/1.1 {fault} Failing on purpose\r\nContent-Length: 0\r\n{more}\r\n".encode())
        return True

    def answer_hang(self, connection, _):
        while self.fault == "hang":
            time.sleep(0.1)
        return False

    def answer_slow(self, connection, _):
        """The status comes, and the body does not end."""
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while self.fault == "slow":
            connection.sendall(b" ")
            time.sleep(0.2)
        return False

    def answer_reset(self, connection, _):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
