#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""oauth-stub.py TOKENS - tells a mail server which bearer tokens are good (RFC 7662).

TOKENS is a file with a good token a line, read anew for each question, so that a token expires when its
line goes.  All are of the user tester.  Prints its port and runs in the foreground.
"""
import http.server
import json
import sys


class Judge(http.server.BaseHTTPRequestHandler):
    def answer(self):
        with open(sys.argv[1], encoding="utf-8") as file:
            good = file.read().split()
        words = self.headers.get("Authorization", "").split()
        active = len(words) == 2 and words[1] in good
        verdict = {"active": active, **({"username": "tester"} if active else {})}
        body = json.dumps(verdict).encode()
        self.send_response(200 if active else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 (names of the library)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Judge)
print(server.server_address[1], flush=True)
server.serve_forever()
