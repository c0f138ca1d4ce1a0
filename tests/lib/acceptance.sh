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

# cases_of SCRIPT NAME...: these cases of a script of tests/integration, each of which says "ok NAME".
cases_of() {
	local script=$1 name
	shift
	"$top/tests/integration/$script" "$@" >"$work/cases.log" 2>&1 || {
		cat "$work/cases.log" >&2
		fails "cases of $script"
	}
	for name in "$@"; do
		needs "$name" "$work/cases.log"
	done
	sed -n 's/^ok  */shown: /p; s/^   /       /p' "$work/cases.log" | tr _ ' '
}

# cases NAME...: cases of tests/integration/pipeline.
cases() { cases_of pipeline "$@"; }
