#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""dropproxy.py PORT SERVER_PORT delivered|lost [TIMES] - a server that dies after the final dot.

Between a client and an SMTP server, in clear on loopback.  For the first TIMES (1) mails the client's
connection ends right after its final dot, before any reply; `delivered`: the server got the whole mail
first; `lost`: it did not.  Later mails pass.  Prints "ready" when it listens.
"""
import socket
import sys
import threading

lock = threading.Lock()
left = int(sys.argv[4]) if len(sys.argv) > 4 else 1


def take_one():
    global left
    with lock:
        left -= 1
        return left >= 0


def back(server, client):
    """Server to client until one of them ends."""
    try:
        while data := server.recv(65536):
            client.sendall(data)
    except OSError:
        pass
    for peer in (client, server):
        try:
            peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def drop(client, server, rest, how):
    """The final dot was seen; nothing of what follows reaches the client."""
    client.shutdown(socket.SHUT_RDWR)
    client.close()
    if how == "delivered":
        server.sendall(rest)
        server.settimeout(10)
        try:
            server.recv(4096)
        except OSError:
            pass
    server.close()


def serve(client, server_port, how):
    server = socket.create_connection(("127.0.0.1", server_port))
    threading.Thread(target=back, args=(server, client), daemon=True).start()
    tail = b""
    try:
        while data := client.recv(65536):
            tail = (tail + data)[-5:] if len(tail + data) > 5 else tail + data
            if tail.endswith(b"\r\n.\r\n") and take_one():
                drop(client, server, data, how)
                return
            server.sendall(data)
    except OSError:
        pass
    server.close()


def main():
    port, server_port, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    listener = socket.create_server(("127.0.0.1", port))
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, server_port, how), daemon=True).start()


main()
