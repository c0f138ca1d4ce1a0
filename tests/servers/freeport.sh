#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# freeport.sh [N] - print N loopback TCP ports that nobody listens on, on one line.
exec python3 - "${1:-1}" <<'PY'
import socket
import sys

held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(server.getsockname()[1] for server in held))
PY
