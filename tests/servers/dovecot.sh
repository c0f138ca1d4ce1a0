#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# dovecot.sh start DIR IMAP_PORT IMAPS_PORT [MAILDIR] | stop DIR | kill DIR - see README.md.
# In the environment: MAX_CONNECTIONS of a user (50); OAUTH_PORT, where oauth-stub.py judges tokens.
set -eu

here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
dir=$(readlink -m "$2")

write_config() {
	uid=$(id -u nobody)
	gid=$(id -g nobody)
	# user:password:uid:gid::home; {PLAIN} keeps the password usable for every mechanism.
	echo "tester:{PLAIN}secret:$uid:$gid::$dir/home::" >"$dir/passwd"
	cat >"$dir/dovecot.conf" <<CONF
protocols = imap
listen = 127.0.0.1
base_dir = $dir/run
state_dir = $dir/state
log_path = $dir/dovecot.log
default_internal_user = dovecot
default_login_user = dovenull
first_valid_uid = 1
auth_mechanisms = plain login
disable_plaintext_auth = yes
ssl = yes
ssl_cert = <$dir/tls.crt
ssl_key = <$dir/tls.key
mail_location = maildir:$maildir:INDEX=$dir/index:CONTROL=$dir/control
mail_fsync = never
mail_max_userip_connections = ${MAX_CONNECTIONS:-50}
namespace inbox {
  inbox = yes
  separator = /
}
passdb {
  driver = passwd-file
  args = username_format=%u $dir/passwd
}
userdb {
  driver = passwd-file
  args = username_format=%u $dir/passwd
}
service imap-login {
  inet_listener imap {
    port = $imap_port
  }
  inet_listener imaps {
    port = $imaps_port
    ssl = yes
  }
}
service auth {
  unix_listener auth-smtp {
    mode = 0666
  }
}
CONF
	[ -z "${OAUTH_PORT:-}" ] || write_oauth
}

# A token is good when the introspection server says whose it is (RFC 7662).
write_oauth() {
	cat >"$dir/oauth.conf" <<CONF
introspection_mode = auth
introspection_url = http://127.0.0.1:$OAUTH_PORT/introspect
username_attribute = username
CONF
	cat >>"$dir/dovecot.conf" <<CONF
auth_mechanisms = plain login xoauth2 oauthbearer
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = $dir/oauth.conf
}
CONF
}

case $1 in
start)
	imap_port=$3
	imaps_port=$4
	maildir=$(readlink -m "${5:-$dir/Maildir}")
	mkdir -p "$dir/run" "$dir/state" "$dir/home" "$dir/index" "$dir/control" \
		"$maildir/tmp" "$maildir/new" "$maildir/cur"
	chmod 755 "$dir" "$dir/run"
	chown -R nobody:nogroup "$dir/home" "$dir/index" "$dir/control" "$maildir"
	"$here/mkcert.sh" "$dir"
	write_config
	# In the foreground and put behind by us, so that $! is the master.
	setsid dovecot -F -c "$dir/dovecot.conf" >>"$dir/dovecot.log" 2>&1 </dev/null &
	echo $! >"$dir/dovecot.pid"
	await_greeting "$imap_port" "* OK" "$dir/dovecot.log"
	;;
stop)
	stop_process "$dir/dovecot.pid"
	rm -f "$dir/run/master.pid"
	;;
kill)
	# As a power cut would: no good-bye to anybody.
	stop_process "$dir/dovecot.pid" KILL
	# Dovecot would take a zombie of that number for a running server.
	rm -f "$dir/run/master.pid"
	;;
*)
	echo "usage: $0 start DIR IMAP_PORT IMAPS_PORT [MAILDIR] | stop DIR | kill DIR" >&2
	exit 2
	;;
esac
