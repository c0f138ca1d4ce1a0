#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# public-inbox.sh init DIR | add DIR [FILE...] | start DIR IMAP_PORT IMAPS_PORT | stop DIR | kill DIR
# - see README.md.
set -eu

here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
dir=$(readlink -m "$2")

# Nothing of the user's own set-up is read or written.  Without its folder for them, no C helpers are
# compiled, which would take longer than any test gains by them.
export HOME="$dir/home" PI_DIR="$dir/home" PI_CONFIG="$dir/config" GIT_CONFIG_NOSYSTEM=1

case $1 in
init)
	mkdir -p "$dir/home"
	public-inbox-init -V2 -L basic --ng org.example.lab lab "$dir/inbox" \
		https://example.org/lab lab@example.org >>"$dir/public-inbox.log" 2>&1
	;;
add)
	shift 2
	"$here/fill-inbox.py" "$dir/inbox" "$@"
	# This also tells a running server.
	public-inbox-index --no-fsync -L basic -j0 "$dir/inbox" >>"$dir/public-inbox.log" 2>&1
	;;
start)
	"$here/mkcert.sh" "$dir"
	setsid public-inbox-imapd -W0 --cert "$dir/tls.crt" --key "$dir/tls.key" \
		-l "imap://127.0.0.1:$3" -l "imaps://127.0.0.1:$4" \
		>>"$dir/public-inbox.log" 2>&1 </dev/null &
	echo $! >"$dir/imapd.pid"
	await_greeting "$3" "* OK" "$dir/public-inbox.log"
	;;
stop) stop_process "$dir/imapd.pid" ;;
kill) stop_process "$dir/imapd.pid" KILL ;;
*)
	echo "usage: $0 init DIR | add DIR [FILE...] | start DIR IMAP_PORT IMAPS_PORT | stop DIR | kill DIR" >&2
	exit 2
	;;
esac
