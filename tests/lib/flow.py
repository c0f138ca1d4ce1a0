# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks that fail, and mail servers that mean harm, for tests: in threads, on loopback.

A Proxy stands between the robot and a server and does what its fields say at the time; hostile() serves
one answer without end.
"""
import socket
import threading
import time


def _close(*peers):
    for peer in peers:
        try:
            peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        peer.close()


class Proxy:
    """One way in for one server.

    cut_after   a connection ends after so many bytes of the server; None: never
    hole_after  after so many bytes nothing passes any more, and nobody is told; of one connection,
                then it is None: never
    rate        bytes a second from the server; None: all there are
    """

    def __init__(self, server_port):
        self.server_port = server_port
        self.cut_after = self.hole_after = self.rate = None
        self.n_connections = self.peak = 0
        self.passed = 0
        self.live = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        _close(self.listener)
        self.cut()

    def cut(self):
        """All connections end now."""
        for pair in list(self.live):
            _close(*pair)

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.server_port))
            except OSError:
                _close(client)
                continue
            self.n_connections += 1
            pair = (client, server)
            self.live.add(pair)
            self.peak = max(self.peak, len(self.live))
            hole = threading.Event()
            threading.Thread(target=self._back, args=(pair, hole), daemon=True).start()
            threading.Thread(target=self._forth, args=(pair, hole), daemon=True).start()

    def _forth(self, pair, hole):
        client, server = pair
        try:
            while data := client.recv(65536):
                if not hole.is_set():
                    server.sendall(data)
        except OSError:
            pass
        self._end(pair)

    def _back(self, pair, hole):
        client, server = pair
        done = 0
        try:
            while data := server.recv(4096 if self.rate else 65536):
                if self.cut_after is not None and done + len(data) >= self.cut_after:
                    client.sendall(data[:max(self.cut_after - done, 0)])
                    break
                if self.hole_after is not None and done + len(data) >= self.hole_after:
                    hole.set()
                    self.hole_after = None
                if hole.is_set():
                    continue
                client.sendall(data)
                done += len(data)
                self.passed += len(data)
                if self.rate:
                    time.sleep(len(data) / self.rate)
        except OSError:
            pass
        if not hole.is_set():
            self._end(pair)

    def _end(self, pair):
        self.live.discard(pair)
        _close(*pair)


LOGIN = (b"CAPABILITY", b"LOGIN", b"AUTHENTICATE", b"LOGOUT", b"NOOP")


def _speak(client, endless, drip_s):
    """Plain IMAP up to the first FETCH of bodies, then `endless` again and again."""
    lines = client.makefile("rb")
    client.sendall(b"* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n")
    for line in lines:
        tag, command = line.split()[:2]
        if b"BODY.PEEK" in line:
            break
        if command == b"CAPABILITY":
            client.sendall(b"* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN\r\n")
        elif command == b"EXAMINE":
            client.sendall(b"* 1 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT 2] x\r\n")
        elif b"SEARCH" in line:
            client.sendall(b"* SEARCH 1\r\n")
        elif b"FETCH" in line:
            client.sendall(b'* 1 FETCH (UID 1 RFC822.SIZE 9 INTERNALDATE "01-Jun-2026 10:00:00 +0000")\r\n')
        client.sendall(tag + b" OK done\r\n")
    first, again = endless
    client.sendall(first)
    while True:
        client.sendall(again)
        time.sleep(drip_s)


def hostile(first, again, drip_s=0):
    """A server on loopback that answers the first FETCH of bodies with first, then again for ever."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client):
        try:
            _speak(client, (first, again), drip_s)
        except (OSError, ValueError):
            pass
        _close(client)

    def accept():
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]
