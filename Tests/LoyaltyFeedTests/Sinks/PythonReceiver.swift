// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A receiver in Python that verifies with the reference package standardwebhooks and reads with cloudevents.
final class PythonReceiver: Sendable {
    /// What it made of one request.
    struct Verdict: Codable {
        var verified: Bool
        var id: String
        var type: String
        var source: String
        var member: String
        var contentType: String
        var error: String
    }

    static let script = """
        import http.server, json, ssl, sys
        from standardwebhooks.webhooks import Webhook
        from cloudevents.v1.http import from_http
        secret, count, certificate = sys.argv[1], int(sys.argv[2]), sys.argv[3]
        results = []
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *args): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                result = {"verified": False, "id": "", "type": "", "source": "", "member": "", "error": "",
                          "contentType": self.headers["content-type"]}
                try:
                    Webhook(secret).verify(body, dict(self.headers))
                    result["verified"] = True
                    event = from_http(dict(self.headers), body)
                    result.update(id=event["id"], type=event["type"], source=event["source"], member=event.data["member"])
                    assert event["id"] == self.headers["webhook-id"]
                except Exception as error:
                    result["error"] = repr(error)
                results.append(result)
                self.send_response(204 if result["verified"] else 401)
                self.send_header("content-length", "0")
                self.end_headers()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        server.timeout = 1
        import time, threading
        threading.Thread(target=server.serve_forever, daemon=True).start()
        end = time.time() + 60
        while len(results) < count and time.time() < end: time.sleep(0.02)
        print(json.dumps(results), flush=True)
        """

    let port: Int
    private let process = Process()
    private let output = Pipe()
    private let folder: TemporaryFolder

    /// - Parameter certificate: a PEM file with certificate and key, for TLS.
    init(secret: String, count: Int, certificate: String = "") throws {
        folder = try TemporaryFolder()
        try folder.write("receiver.py", Self.script)
        process.executableURL = URL(filePath: Outside.python ?? "/nonexistent")
        process.arguments = [folder.path("receiver.py"), secret, "\(count)", certificate]
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A { line.append(byte) }
        port = try #require(Int(String(decoding: line, as: UTF8.self)), "the receiver did not start")
    }

    deinit { if process.isRunning { process.terminate() } }

    /// What it made of the requests, once it had as many as it waits for.
    func verdicts() throws -> [Verdict] {
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode([Verdict].self, from: bytes)
    }
}
