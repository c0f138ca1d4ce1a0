#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a C header that holds SQL files: embed.py OUT NAME=FILE,FILE... [NAME=FILE...]

The schema is part of the program, so no installed file can be missing or of another version.
"""
import sys


def literal(path):
    with open(path, encoding="ascii") as sql:
        for line in sql:
            text = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
            yield f'\t"{text}\\n"\n'


def main(out, *arrays):
    with open(out, "w", encoding="ascii") as header:
        header.write("/* made by embed.py from the .sql files of this folder */\n#pragma once\n")
        for array in arrays:
            name, files = array.split("=", 1)
            header.write(f"\nstatic const char *const {name}[] = {{\n")
            for path in files.split(","):
                header.writelines(literal(path))
                header.write("\t,\n")
            header.write("};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
