#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""meson_results.py TESTLOG.json EXPECTED: "name TAB result" of each meson test.

A test that never ran (the log is short, or not there) is printed as a failure: silence is no success.
"""
import json
import sys


def main():
    path, expected = sys.argv[1], int(sys.argv[2])
    seen = 0
    try:
        with open(path, encoding="utf-8") as log:
            for line in log:
                entry = json.loads(line)
                print(f"{entry['name'].split(' / ')[-1]}\t{entry['result']}")
                seen += 1
    except (OSError, ValueError) as error:
        print(f"meson-log\tno test log: {error}")
        return
    if seen < expected:
        print(f"meson-log\tonly {seen} of {expected} tests ran")


main()
