#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# build.sh - a build task: the commit's tar on standard input, $OUT as a tar on standard output.

. /scripts/step.sh

pack()
{
	tar --create --file=- --sort=name --owner=0 --group=0 --numeric-owner --directory="$OUT" . >&4
}

mkdir /box/src "$OUT" && cd /box/src || exit 1
step unpack unpack
exec 0</dev/null
if [ -x /workload/prepare ]; then
	step prepare /workload/prepare 4>&-
fi
step build /workload/build 4>&-
step pack pack
