#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""keys2man.py keys.def: lorebot.conf(5) from the one list of keys, to standard output."""
import re
import sys

HEAD = r""".\" SPDX-License-Identifier: GPL-3.0-or-later
.\" Made from config/keys.def by config/keys2man.py.
.Dd November 30, 2026
.Dt LOREBOT.CONF 5
.Os
.Sh NAME
.Nm lorebot.conf
.Nd configuration of the lorebot test robot
.Sh DESCRIPTION
One file in the syntax of
.Xr git-config 1 :
sections, keys, values; # and ; begin a comment, so a value with one of them is put in double quotes;
.Li [include] path = FILE
reads another file.
Relative paths are relative to the file's folder.
An unknown section or key is an error.
.Li lorebot config check
tells all faults at once and exits with 78.
.Pp
Durations are written like 7d, 12h, 10m or 90s, sizes like 512m or 2g, days like 2026-01-31.
Secrets never stand in this file.
"""
TAIL = r""".Sh FILES
.Bl -tag -width Ds
.It Pa /etc/lorebot/lorebot.conf
read when neither
.Fl -config
nor
.Ev LOREBOT_CONFIG
names another.
.El
.Sh EXAMPLES
A local Maildir, one list, one tree; mails are composed and shown only:
.Bd -literal -offset indent
[bot]
	address = robot@lab.example.org
	stateDir = /var/lib/lorebot
[source "lab"]
	url = maildir:/var/mail/lab
	since = 2026-01-01
[list "lab@lists.example.org"]
	tree = lab
	suite = make-check
	consent = https://lists.example.org/lab/yes
[tree "lab"]
	url = https://git.example.org/lab.git
	mirror = /srv/git/lab.git
.Ed
.Pp
A mailbox by IMAP, here with the port; without a path it is INBOX, and its name may be percent-encoded:
.Bd -literal -offset indent
[source "mailbox"]
	url = imaps://mail.example.org:993/Lists%2Flab
	user = robot
	passwordFile = imap-password
.Ed
.Pp
A newsgroup of a public-inbox server, with all of its slices:
.Bd -literal -offset indent
[source "slices"]
	url = imaps://lists.example.org/org.example.lab.*
	mechanism = ANONYMOUS
.Ed
.Pp
An archive that is fetched into a folder, and tells which of our mails have arrived:
.Bd -literal -offset indent
[source "archive"]
	url = public-inbox:lab-archive
	fetch = https://lists.example.org/lab
	observe = true
	confirms = true
.Ed
.Pp
The installed example explains itself:
.Pa PREFIX/share/lorebot/config/example.config .
.Sh SEE ALSO
.Xr lorebot 1
"""
STRINGS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'


def text(strings):
    joined = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', strings))
    return joined.replace('\\"', '"').replace("\\", r"\e")


def line(words):
    """Running text: a line a sentence, none that troff takes for a request."""
    lines = re.sub(r"(?<=[.:]) (?=[A-Z])", "\n", words).split("\n")
    return "\n".join(r"\&" + one if one[:1] in (".", "'") else one for one in lines)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        source = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    types = dict(re.findall(r"TYPE\((\w+), \"([^\"]*)\"\)", source))
    entry = re.compile(r"SECTION\((\w+), \w+, (true|false), " + STRINGS + r"\)|"
                       r"KEY\((\w+), \w+, \w+, \"(\w+)\", (\w+), (NULL|\"[^\"]*\"),\s*([\w |]+),\s*" +
                       STRINGS + r"\)")
    out = [HEAD.rstrip()]
    opened = False
    count = 0
    for found in entry.finditer(source):
        if found.group(1):
            if opened:
                out.append(".El")
            named = r" \(dqNAME\(dq" if found.group(2) == "true" else ""
            what = text(found.group(3))
            out += [f".Sh [{found.group(1)}{named}]", line(what[:1].upper() + what[1:] + "."),
                    ".Bl -tag -width Ds"]
            opened = True
            continue
        count += 1
        notes = [types[found.group(6)]]
        if "REQUIRED" in found.group(8):
            notes.append("required")
        if found.group(7) != "NULL":
            notes.append("default " + found.group(7).strip('"'))
        out += [f".It Ic {found.group(4)}.{found.group(5)} Pq {'; '.join(notes)}",
                line(text(found.group(9)))]
    out += [".El", TAIL.rstrip()]
    if count != len(re.findall(r"^KEY\(", source, flags=re.M)):
        sys.exit("keys2man.py: a KEY line of keys.def was not understood")
    print("\n".join(out))


main()
