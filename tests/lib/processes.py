# SPDX-License-Identifier: GPL-3.0-or-later
"""What processes cost, as /proc tells."""
import os


def family_of(pid):
    """The process and all below it."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    parents.setdefault(int(file.read().rpartition(")")[2].split()[1]),
                                       []).append(int(entry))
            except OSError:
                continue
    found = [pid]
    for member in found:
        found += parents.get(member, [])
    return found


def pss_kib(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0  # it has ended


def cpu_seconds(pid):
    """Time on a processor so far, to the nanosecond."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9
