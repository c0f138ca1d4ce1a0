#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""smtp-evil.py MODE [FILE] - an SMTP server that misbehaves as named; see README.md.

Prints its port, then serves until it is killed.  FILE gets the bytes of each mail as they came.
"""
import os
import signal
import socket
import struct
import sys
import threading
import time

AFTER_DOT = {
    "4xx": b"451 4.3.0 try later\r\n",
    "5xx": b"554-5.7.1 not this\r\n554 5.7.1 really not\r\n",
    "garbage": b"\x00\xff\x1b[2J what?\r\n",
    "421-dot": b"421 4.3.2 going down\r\n",
}


class Talk:
    def __init__(self, peer, mode, path):
        self.peer, self.mode, self.path = peer, mode, path
        self.lines = peer.makefile("rb")
        self.envelope = []

    def say(self, text):
        if self.mode != "slow":
            self.peer.sendall(text)
            return
        for i in range(len(text)):
            self.peer.sendall(text[i:i + 1])
            time.sleep(0.002)

    def reset(self):
        """Closes so that the other side sees a reset, not an end."""
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.lines.close()
        self.peer.close()

    def babble(self):
        try:
            self.peer.sendall(b"250 ")
            while True:
                self.peer.sendall(b"x" * 4096)
        except OSError:
            pass

    def hello(self):
        extra = b"" if self.mode == "plain" else b"250-PIPELINING\r\n250-8BITMIME\r\n"
        self.say(b"250-evil.example.org\r\n" + extra + b"250 HELP\r\n")

    def recipient(self, line):
        self.envelope.append(line[len("RCPT TO:"):].strip() + b"\n")
        if self.mode == "mixed" and b"<never" in line:
            self.say(b"550-5.1.1 nobody\r\n550 5.1.1 of that name\r\n")
        elif self.mode == "mixed" and b"<later" in line:
            self.say(b"450 4.2.0 come back\r\n")
        else:
            self.say(b"250 2.1.5 ok\r\n")

    def data(self):
        """Takes a mail; False when the conversation is over."""
        self.say(b"354 go on\r\n" + (b"250 queued\r\n" if self.mode == "early-yes" else b""))
        mail = []
        for line in self.lines:
            if line == b".\r\n":
                break
            mail.append(line)
            if self.mode == "rst-mid" and len(mail) == 3:
                self.reset()
                return False
        else:
            return False
        if self.path:
            with open(self.path, "wb") as out:
                if self.mode == "envelope":
                    out.writelines(self.envelope)
                out.writelines(mail)
        if self.mode == "drop":
            return False
        if self.mode == "hang":
            time.sleep(60)
            return False
        if self.mode == "endless":
            self.babble()
            return False
        self.say(AFTER_DOT.get(self.mode, b"250 2.0.0 queued\r\n"))
        return True

    def answer(self, line):
        """One command; False when the conversation is over."""
        verb = line[:4].upper()
        if verb == b"EHLO":
            self.hello()
        elif verb == b"MAIL" and self.mode == "421":
            self.say(b"421 4.3.2 going down\r\n")
            return False
        elif verb == b"RCPT":
            self.recipient(line)
        elif verb == b"DATA":
            return self.data()
        elif verb == b"QUIT":
            self.say(b"221 bye\r\n")
            return False
        else:
            self.say(b"250 ok\r\n")
        return True

    def run(self):
        try:
            if self.mode == "endless-greeting":
                self.babble()
                return
            self.say(b"220 evil.example.org ESMTP\r\n")
            for line in self.lines:
                if not self.answer(line):
                    break
            self.peer.close()
        except (OSError, ValueError):
            pass
        finally:
            self.lines.close()


def main():
    mode = sys.argv[1]
    path = sys.argv[2] if len(sys.argv) > 2 else None
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            peer, _ = server.accept()
            threading.Thread(target=Talk(peer, mode, path).run, daemon=True).start()


main()
