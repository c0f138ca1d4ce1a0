# SPDX-License-Identifier: GPL-3.0-or-later
#
# step.sh - sourced by build.sh and run.sh.  Everything here runs inside the sandbox.
#
# File descriptor 3 tells lorebot how far a task is, 4 is its output; neither is passed on to a
# stranger's code.  What the steps print goes to the log.

set -u
exec 4>&1 1>&2

# step NAME COMMAND...: runs one step; when it fails the task ends there with its exit status.
step()
{
	name=$1
	shift
	echo "begin $name" >&3
	"$@" 3>&-
	status=$?
	[ "$status" -eq 0 ] && return 0
	for place in /box /tmp; do
		left=$(df --output=avail -k "$place" | tail -n 1)
		[ "$left" -lt 64 ] && echo "limit disk" >&3
	done
	exit "$status"
}

# unpack: a tar from standard input into the current folder.  Owners and device files are not ours
# to make: tar then fails, and so does the step.
unpack()
{
	tar --extract --no-same-owner --file=- 4>&-
}
