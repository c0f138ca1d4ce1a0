# SPDX-License-Identifier: GPL-3.0-or-later
# acceptance.sh - sourced by tests/acceptance/*: say what is shown, stop at the first thing that is not.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${LOREBOT_BUILD:=$top/build/gcc}"
: "${LOREBOT:=$LOREBOT_BUILD/bot/lorebot}"
work=$(mktemp -d /tmp/lorebot-acceptance-XXXXXX)
trap 'rm -rf "$work"' EXIT

shows() { printf 'shown: %s\n' "$*"; }
fails() { printf 'NOT SHOWN: %s\n' "$*" >&2; exit 1; }

# needs TEXT FILE: the file holds the text.
needs() { grep -qF -- "$1" "$2" || { cat "$2" >&2; fails "\"$1\" in $2"; }; }

# units NAME...: these unit test programs pass.
units() {
	meson test -C "$LOREBOT_BUILD" --no-rebuild --print-errorlogs "$@" >"$work/units.log" 2>&1 || {
		tail -40 "$work/units.log" >&2
		fails "unit tests $*"
	}
	shows "unit tests pass: $* ($(grep -c ' OK ' "$work/units.log") programs)"
}

# cases_of SCRIPT NAME...: these cases of a script of tests/integration, each of which says "ok NAME".  What
# tests/run has just run (LOREBOT_RAN: the folder of its logs) is not run again.
cases_of() {
	local script=$1 name log=$work/cases.log
	shift
	if [ -f "${LOREBOT_RAN:-}/integration_$script.log" ]; then
		log=$LOREBOT_RAN/integration_$script.log
	else
		"$top/tests/integration/$script" "$@" >"$log" 2>&1 || {
			cat "$log" >&2
			fails "cases of $script"
		}
	fi
	for name in "$@"; do
		grep -E "^ok +$name([ :]|\$)" "$log" >"$work/case" || fails "$script: $name (see $log)"
		sed 's/^ok  */shown: /' "$work/case" | tr _ ' '
	done
}

# cases NAME...: cases of tests/integration/pipeline.
cases() { cases_of pipeline "$@"; }
