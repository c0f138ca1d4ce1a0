#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fill-inbox.py INBOX FILE... - writes mails into a public-inbox v2 archive, one a FILE, `-`: names on
standard input.

Each becomes a commit of the blob "m" in git/0.git, which is what the archive is (public-inbox-v2-format);
public-inbox-index has to be run afterwards.
"""
import subprocess
import sys
import time


def main():
    repo = sys.argv[1] + "/git/0.git"
    names = sys.argv[2:]
    if names == ["-"]:
        names = sys.stdin.read().split("\n")[:-1]
    subprocess.run(["git", "init", "-q", "--bare", repo], check=True)
    has_head = subprocess.run(["git", "--git-dir", repo, "rev-parse", "-q", "--verify", "master"],
                              stdout=subprocess.DEVNULL, check=False).returncode == 0
    who = b"List <lab@example.org> %d +0000" % time.time()
    git = subprocess.Popen(["git", "--git-dir", repo, "fast-import", "--quiet"],
                           stdin=subprocess.PIPE)
    for number, name in enumerate(names):
        with open(name, "rb") as file:
            mail = file.read()
        git.stdin.write(b"commit refs/heads/master\nauthor %s\ncommitter %s\ndata 1\nx\n" % (who, who))
        if number == 0 and has_head:
            git.stdin.write(b"from refs/heads/master^0\n")
        git.stdin.write(b"M 100644 inline m\ndata %d\n%s\n" % (len(mail), mail))
    git.stdin.close()
    sys.exit(git.wait())


main()
