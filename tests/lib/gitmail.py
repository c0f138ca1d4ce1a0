# SPDX-License-Identifier: GPL-3.0-or-later
"""gitmail - what git reads in a mail: `git mailinfo -u`, `git patch-id --stable`, and the diff alone."""
import hashlib
import os
import re
import subprocess

ENV = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TZ": "UTC",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_COMMITTER_NAME": "Bo Committer", "GIT_COMMITTER_EMAIL": "bo@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_AUTHOR_DATE": "1700000000 +0530",
}
HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
EXTENDED = (b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode ", b"copy from ",
            b"copy to ", b"rename from ", b"rename to ", b"similarity index ", b"dissimilarity index ",
            b"index ", b"--- ", b"+++ ", b"Binary files ")


def run(args, cwd, stdin=None):
    return subprocess.run(args, cwd=cwd, env=ENV, input=stdin, capture_output=True, check=True).stdout


def read(mail, folder):
    """Author, title and message, the stable patch-id, and git's patch part as bytes."""
    message, patch = os.path.join(folder, "message"), os.path.join(folder, "patch")
    # A mail on the wire form reads like the same mail in LF: named in mailparse/README.md.
    info = run(["git", "mailinfo", "-u", message, patch], folder, mail.replace(b"\r\n", b"\n"))
    fields = dict(l.split(": ", 1) for l in info.decode("utf-8", "replace").split("\n") if ": " in l)
    with open(patch, "rb") as file:
        diff = file.read()
    ids = run(["git", "patch-id", "--stable"], folder, diff).split()
    with open(message, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    return {"name": fields.get("Author"), "addr": fields.get("Email"), "title": fields.get("Subject"),
            "message": text, "id": ids[0].decode() if ids else None, "patch": diff}


def _take_hunk(lines, at, kept):
    """From its @@ line to what the counts say, or to a line that cannot belong to it."""
    old, new = (int(n) if n is not None else 1 for n in HUNK.match(lines[at]).groups())
    kept.append(lines[at])
    at += 1
    while at < len(lines) and (old > 0 or new > 0):
        first = lines[at][:1]
        if first in (b" ", b"") or lines[at] == b"\r":
            old, new = old - 1, new - 1
        elif first == b"-":
            old -= 1
        elif first == b"+":
            new -= 1
        elif first != b"\\":
            break
        kept.append(lines[at])
        at += 1
    while at < len(lines) and lines[at].startswith(b"\\"):
        kept.append(lines[at])
        at += 1
    return at


def _take_binary(lines, at, kept):
    """The blocks of a "GIT binary patch", without the blank lines that close them."""
    kept.append(lines[at])
    at += 1
    while at < len(lines) and re.match(rb"(literal|delta) \d+", lines[at]):
        while at < len(lines) and lines[at]:
            kept.append(lines[at])
            at += 1
        while at < len(lines) and not lines[at]:
            at += 1
    return at


def _starts_file(lines, at):
    return lines[at].startswith(b"diff --git ") or (
        lines[at].startswith(b"--- ") and at + 2 < len(lines) and lines[at + 1].startswith(b"+++ ")
        and HUNK.match(lines[at + 2]) is not None)


def diff_sha256(patch):
    """SHA-256 of the diff alone, as the command line's contract counts it; None without a diff."""
    lines, kept, at, inside = patch.split(b"\n"), [], 0, False
    while at < len(lines):
        if _starts_file(lines, at):
            inside = True
            kept.append(lines[at])
            at += 1
        elif inside and HUNK.match(lines[at]):
            at = _take_hunk(lines, at, kept)
        elif inside and lines[at].startswith(b"GIT binary patch"):
            at = _take_binary(lines, at, kept)
        elif inside and lines[at].startswith(EXTENDED):
            kept.append(lines[at])
            at += 1
        else:
            inside = False
            at += 1
    return hashlib.sha256(b"".join(line + b"\n" for line in kept)).hexdigest() if kept else None
