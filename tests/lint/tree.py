# SPDX-License-Identifier: GPL-3.0-or-later
"""The source tree as the lint tests see it: tracked folders only, comments and strings taken out."""
import os
import re
import sys

FOLDERS = ("bot", "config", "mailparse", "tests")

TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def root():
    """The folder named on the command line, else the one tests/ stands in."""
    if len(sys.argv) > 1:
        return os.path.abspath(sys.argv[1])
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files(endings, folders=FOLDERS):
    """Paths relative to the root, sorted; build folders and hidden ones are left out."""
    found = []
    for folder in folders:
        for where, names, leaves in os.walk(os.path.join(root(), folder)):
            names[:] = [n for n in names if not n.startswith((".", "build", "__pycache__"))]
            found += [os.path.relpath(os.path.join(where, leaf), root())
                      for leaf in leaves if leaf.endswith(endings)]
    return sorted(found)


def scripts(folders=FOLDERS):
    """Executables that begin with #!, whatever their names."""
    found = []
    for path in files("", folders):
        full = os.path.join(root(), path)
        if os.access(full, os.X_OK) and "." not in os.path.basename(path):
            with open(full, "rb") as source:
                if source.read(2) == b"#!":
                    found.append(path)
    return found


def text(path):
    with open(os.path.join(root(), path), encoding="utf-8", errors="replace") as source:
        return source.read()


def code(path):
    """The text without comments and without what stands in strings; line numbers stay."""
    def blank(match):
        token = match.group(0)
        keep = token[0] if token[0] in "\"'" else " "
        return keep + "\n" * token.count("\n") + keep
    return TOKENS.sub(blank, text(path))


def includes(path):
    """(line, "own" or "system", name) of each #include."""
    plain = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text(path), flags=re.S)
    for match in INCLUDE.finditer(plain):
        line = plain.count("\n", 0, match.start()) + 1
        yield line, "own" if match.group(1) == '"' else "system", match.group(2)


def finish(faults, checked):
    for fault in faults:
        print(fault)
    print(f"{checked} files, {len(faults)} faults")
    sys.exit(1 if faults else 0)
