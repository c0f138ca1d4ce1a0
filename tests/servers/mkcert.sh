#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mkcert.sh DIR [NAME] - a self-signed certificate DIR/tls.crt with its key DIR/tls.key.
#
# It is for NAME, or for localhost and 127.0.0.1, lives 30 days, and may be used as CA file.  An
# existing one is kept, so that a restarted server is the same server.
set -eu

dir=$1
name=${2:-localhost}
alt="DNS:$name"
[ "$name" != localhost ] || alt="$alt,IP:127.0.0.1"

mkdir -p "$dir"
[ ! -e "$dir/tls.crt" ] || exit 0
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 30 \
	-subj "/CN=$name" -addext "subjectAltName=$alt" \
	-keyout "$dir/tls.key" -out "$dir/tls.crt" 2>"$dir/openssl.log" || {
	cat "$dir/openssl.log" >&2
	exit 1
}
chmod 644 "$dir/tls.crt"
