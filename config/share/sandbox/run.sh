#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh - a run task: build.tar on standard input, parse's "key: value" lines on standard output.

. /scripts/step.sh

measure()
{
	/workload/run >/box/measured 4>&-
}

parse()
{
	/workload/parse </box/measured >&4 4>&-
}

mkdir "$OUT" && cd "$OUT" || exit 1
step unpack unpack
exec 0</dev/null
step run measure
head -c 262144 /box/measured
step parse parse
