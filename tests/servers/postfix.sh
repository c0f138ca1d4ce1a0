#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# postfix.sh start DIR PORT AUTH_SOCKET|- [MAILDIR] | stop DIR - see README.md.
set -eu

here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
dir=$(readlink -m "$2")

write_main() {
	sasl=yes
	[ "$auth_socket" != - ] || sasl=no
	echo '/./ mail/' >"$dir/etc/mailboxes"
	{
		echo 'later@example.org DEFER come back later'
		echo 'never@example.org REJECT nobody of that name'
	} >"$dir/etc/recipients"
	cat >"$dir/etc/main.cf" <<CONF
compatibility_level = 3.6
config_directory = $dir/etc
queue_directory = $dir/spool
data_directory = $dir/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = /dev/stdout

myhostname = mx.example.org
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
mynetworks =
alias_maps =
local_transport = error:there are no local users
default_transport = error:nothing leaves this machine
smtputf8_enable = yes
message_size_limit = 50000000

virtual_mailbox_domains = example.org
virtual_mailbox_base = $dir/base
virtual_mailbox_maps = regexp:$dir/etc/mailboxes
virtual_mailbox_limit = 0
virtual_minimum_uid = 1
virtual_uid_maps = static:$(id -u nobody)
virtual_gid_maps = static:$(id -g nobody)

smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = $dir/tls.crt
smtpd_tls_key_file = $dir/tls.key
smtpd_tls_session_cache_database =
smtpd_sasl_auth_enable = $sasl
smtpd_sasl_type = dovecot
smtpd_sasl_path = $auth_socket
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access texthash:$dir/etc/recipients
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
smtpd_peername_lookup = no
smtp_dns_support_level = disabled
CONF
}

# The services that receive, queue and deliver; no chroot, as the spool is not laid out for one.
write_master() {
	cat >"$dir/etc/master.cf" <<CONF
127.0.0.1:$port inet n - n - 20 smtpd
pickup   unix n - n 60    1 pickup
cleanup  unix n - n -     0 cleanup
qmgr     unix n - n 300   1 qmgr
rewrite  unix - - n -     - trivial-rewrite
bounce   unix - - n -     0 bounce
defer    unix - - n -     0 bounce
trace    unix - - n -     0 bounce
verify   unix - - n -     1 verify
proxymap unix - - n -     - proxymap
tlsmgr   unix - - n 1000? 1 tlsmgr
flush    unix n - n 1000? 0 flush
showq    unix n - n -     - showq
error    unix - - n -     - error
retry    unix - - n -     - error
discard  unix - - n -     - discard
virtual  unix - n n -     - virtual
anvil    unix - - n -     1 anvil
scache   unix - - n -     1 scache
postlog  unix-dgram n - n - 1 postlogd
CONF
}

case $1 in
start)
	port=$3
	auth_socket=$4
	maildir=$(readlink -m "${5:-$dir/Maildir}")
	mkdir -p "$dir/etc" "$dir/spool" "$dir/data" "$dir/base" \
		"$maildir/tmp" "$maildir/new" "$maildir/cur"
	chmod 755 "$dir" "$dir/etc" "$dir/spool" "$dir/base"
	chown postfix "$dir/data"
	chown nobody:nogroup "$maildir" "$maildir/tmp" "$maildir/new" "$maildir/cur"
	ln -sfn "$maildir" "$dir/base/mail"
	"$here/mkcert.sh" "$dir"
	write_main
	write_master
	postfix -c "$dir/etc" check >>"$dir/postfix.log" 2>&1 || {
		cat "$dir/postfix.log" >&2
		exit 1
	}
	# The master itself: "postfix start" goes into the background, and wants the whole system.
	setsid /usr/lib/postfix/sbin/master -c "$dir/etc" -d -s >>"$dir/postfix.log" 2>&1 </dev/null &
	echo $! >"$dir/postfix.pid"
	await_greeting "$port" 220 "$dir/postfix.log"
	;;
stop)
	stop_process "$dir/postfix.pid"
	;;
*)
	echo "usage: $0 start DIR PORT AUTH_SOCKET|- [MAILDIR] | stop DIR" >&2
	exit 2
	;;
esac
