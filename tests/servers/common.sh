# SPDX-License-Identifier: GPL-3.0-or-later
# common.sh - sourced by the server scripts: wait for a greeting, stop a process.

# await_greeting PORT GREETING LOG - until PORT answers with GREETING; shows LOG after 15 s without.
await_greeting() {
	python3 - "$1" "$2" <<'PY' && return
import socket
import sys
import time

port, greeting = int(sys.argv[1]), sys.argv[2].encode()
end = time.monotonic() + 15
while time.monotonic() < end:
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as peer:
            if peer.recv(len(greeting)) == greeting:
                sys.exit(0)
    except OSError:
        pass
    time.sleep(0.03)
sys.exit(1)
PY
	echo "no greeting on port $1; the log says:" >&2
	tail -n 20 "$3" >&2
	return 1
}

# is_running PID - a zombie (its parent may never wait for it) counts as gone.
is_running() {
	state=$(sed 's/.*) \(.\) .*/\1/' "/proc/$1/stat" 2>/dev/null) || return 1
	[ "$state" != Z ]
}

# stop_process PIDFILE [SIGNAL] - ends the process and all of its group, and waits until it is gone.
# The group, as a master may wait long for a child that serves somebody.  After 10 s it is killed.
stop_process() {
	[ -e "$1" ] || return 0
	read -r pid <"$1"
	kill "-${2:-TERM}" "-$pid" 2>/dev/null || true
	tries=0
	while is_running "$pid"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || kill -KILL "-$pid" 2>/dev/null || true
		sleep 0.05
	done
	rm -f "$1"
}
