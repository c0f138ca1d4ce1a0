#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mkcert.sh DIR [NAME [DAYS]] - a self-signed certificate DIR/tls.crt with its key DIR/tls.key.
#
# It is for NAME, or for localhost and 127.0.0.1, lives DAYS (30; -1: it has expired yesterday), and
# may be used as CA file.  An existing one is kept, so that a restarted server is the same server.
set -eu

dir=$1
name=${2:-localhost}
days=${3:-30}
alt="DNS:$name"
[ "$name" != localhost ] || alt="$alt,IP:127.0.0.1"

mkdir -p "$dir"
[ ! -e "$dir/tls.crt" ] || exit 0
umask 077
{
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc \
		-subj "/CN=$name" -addext "subjectAltName=$alt" -addext basicConstraints=critical,CA:true \
		-keyout "$dir/tls.key" -out "$dir/tls.csr" &&
		openssl x509 -req -in "$dir/tls.csr" -signkey "$dir/tls.key" -days "$days" \
			-copy_extensions copyall -out "$dir/tls.crt"
} 2>"$dir/openssl.log" || {
	cat "$dir/openssl.log" >&2
	exit 1
}
rm -f "$dir/tls.csr"
chmod 644 "$dir/tls.crt"
