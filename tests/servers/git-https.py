#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""git-https.py FOLDER CERT_DIR - serves the repositories below FOLDER by https, as git http-backend does.

The certificate and its key are CERT_DIR/tls.crt and tls.key (mkcert.sh).  Prints its port and runs in the
foreground.
"""
import http.server
import os
import ssl
import subprocess
import sys


class Git(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def answer(self):
        path, _, query = self.path.partition("?")
        env = dict(os.environ, GIT_PROJECT_ROOT=os.path.abspath(sys.argv[1]), GIT_HTTP_EXPORT_ALL="1",
                   PATH_INFO=path, QUERY_STRING=query, REQUEST_METHOD=self.command,
                   CONTENT_TYPE=self.headers.get("Content-Type", ""),
                   HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
                   GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))
        done = subprocess.run(["git", "http-backend"], input=self.body(), env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 (names of the library)

    def log_message(self, *args):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(sys.argv[2], "tls.crt"), os.path.join(sys.argv[2], "tls.key"))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Git)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
