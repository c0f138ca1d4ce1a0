#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""epoch.py GIT_DIR MBOXRD [--anew] - commit the mails of an mboxrd to an epoch of a public-inbox v2.

One commit a mail, on top of what is there, or with --anew in its place as after a rewrite.  The
committer time is that of the separator line, as public-inbox takes it from Received.  The repository
is made when missing.
"""
import calendar
import os
import re
import subprocess
import sys
import time


def mails_of(path):
    """(seconds, mail) of each."""
    with open(path, "rb") as file:
        data = file.read()
    parts = re.split(rb"(?m)^From \S+ (.{24})\n", data)[1:]
    for when, mail in zip(parts[::2], parts[1::2]):
        mail = re.sub(rb"(?m)^>(>*From )", rb"\1", mail)
        yield (calendar.timegm(time.strptime(when.decode())),
               mail[:-1] if mail.endswith(b"\n\n") else mail)


def main():
    git_dir, mboxrd, *rest = sys.argv[1:]
    git = ["git", f"--git-dir={git_dir}"]
    if not os.path.isdir(git_dir):
        subprocess.run(["git", "init", "-q", "--bare", "-b", "master", git_dir], check=True)
    ref = "refs/heads/master"
    grown = not rest and subprocess.run([*git, "rev-parse", "-q", "--verify", ref], check=False,
                                        stdout=subprocess.DEVNULL).returncode == 0
    lines = []
    for number, (when, mail) in enumerate(mails_of(mboxrd)):
        lines.append(b"commit %s\ncommitter List <list@example.org> %d +0000\ndata 4\nmail\n"
                     % (ref.encode(), when))
        if number == 0 and grown:
            lines.append(b"from %s^0\n" % ref.encode())
        elif number == 0:
            lines.insert(0, b"reset %s\n" % ref.encode())
        lines.append(b"M 100644 inline m\ndata %d\n" % len(mail) + mail + b"\n")
    subprocess.run([*git, "fast-import", "--quiet", "--force"], input=b"".join(lines), check=True)


main()
