# SPDX-License-Identifier: GPL-3.0-or-later
"""peers - what the tests of other readers of mail say of a mail, and what we say of it.

Each family of tests (the source that states it) has a function that yields (what, ours, theirs, excuse);
the excuses are the rows of mailparse/README.md's table on peers' tests.
"""
import collections
import json
import os
import re

COUNTS = {"cover": "covers", "patch": "patches"}


def bare(message_id):
    return message_id.strip(" <>") if message_id else message_id


def mail(subject="x", body="x\n", **fields):
    lines = [f"{name.replace('_', '-').title()}: {value}" for name, value in fields.items() if value is not None]
    return "\n".join([f"Subject: {subject}", *lines, "", body]).encode()


class Peers:
    """lorebot: runs it; scratch: a folder of ours."""

    def __init__(self, lorebot, scratch):
        self.lorebot = lorebot
        self.scratch = scratch

    def parse(self, raw, *args):
        path = os.path.join(self.scratch, "peer.eml")
        with open(path, "wb") as file:
            file.write(raw)
        return self.lorebot("parse", *args, path)[0]

    # ---- by family ----

    def git(self, path, expect):
        """t5100: author, address and subject of the info file."""
        del path
        info = expect if isinstance(expect, str) else expect.get("default", {}).get("info")
        if info is None or not re.search(r"(?m)^(Author|Subject): ", info):
            yield "info", None, expect, "git mailinfo's own file, compared with git itself"
            return
        theirs = dict(re.findall(r"(?m)^(\w+): (.*)$", info))
        ours = self.ours
        author = ours["author"] or ours["from"] or {}
        if "Email" in theirs:
            yield "address", author.get("addr"), theirs["Email"], None
            name = theirs.get("Author")
            same = name == theirs["Email"] and author.get("name") == ""
            yield "author", author.get("name"), name, (
                "an author without a name has none" if same else
                "a reply's in-body From: is talk" if ours["author"] is None and author.get("name") != name
                else None)
        if "Subject" in theirs:
            in_body = ours["patch"] is None and ours["title"] != theirs["Subject"]
            yield "subject", ours["title"], theirs["Subject"], (
                "a mail without a patch has no in-body subject" if in_body else None)

    def patchwork_fdo(self, path, expect):
        folder = os.path.dirname(path)
        paths = [next(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(stem))
                 for stem in expect["files_in_order"]]
        for order in (paths, paths[::-1]):
            one = self.lorebot("series", *order)[0]
            yield "patches", len([p for p in one["patches"] if p]), expect["n_patches"], None
            yield "name", one["title"], expect["series_name"], None
            head = one["cover"] or one["patches"][0]
            yield "root", bare(head), bare(expect["root_msgid"]), None

    def patchwork(self, path, expect):
        if "description" in expect:
            yield "template", None, expect, "no mail but a template of one"
            return
        seen = self.lorebot("parse", path)
        if expect.get("must_not_crash"):
            yield "reads or refuses", True, True, None
            return
        if "pull_url" in expect or "pull_url_present" in expect:
            yield "kind", seen[0]["kind"], "pull-request", None
        patch = seen[0].get("patch")
        if "diff" in expect:
            yield "diff", patch, expect["diff"], None
        if expect.get("diff_present") or "diff_startswith" in expect or expect.get("patches_created"):
            yield "diff is there", patch is not None, True, None
        if expect.get("message_present"):
            yield "message is there", bool(seen[0]["message"]) or seen[0]["kind"] == "pull-request", True, None
        if "patches_per_series" not in expect:
            return
        kinds = collections.Counter(one["kind"] for one in seen)
        for kind, name in COUNTS.items():
            talk = kind == "patch" and expect.get("note2", "").startswith("in-thread diff")
            yield name, kinds[kind], expect[name], "a diff in an answer is no posting" if talk else None
        series = self.lorebot("series", path)
        ours = [len([p for p in one["patches"] if p]) for one in series]
        note = expect.get("note2", "")
        repeated = len({(one["title"], json.dumps(one["patch"])) for one in seen}) == 1 and len(seen) > 1
        yield "series", sorted(ours), sorted(expect["patches_per_series"]), (
            "a cover and patches of other versions are not joined" if note.startswith("cover says") else
            "a diff in an answer is no posting" if note.startswith("in-thread diff") else
            "the same mail sent again is no other series" if repeated else None)

    def patchew(self, path, expect):
        seen = self.lorebot("parse", path)
        one = seen[0]
        if "project" in expect:
            yield "project", None, expect["project"], "which project of a site is meant is configuration"
        if expect.get("must_import"):
            yield "reads", "error" not in one, True, None
        for ours, theirs in (("message_id", "message_id"), ("title", "stripped_subject")):
            if theirs in expect:
                yield theirs, one[ours], expect[theirs], None
        if "from_address" in expect:
            yield "address", one["from"]["addr"].lower(), expect["from_address"].lower(), None
        if "sender" in expect:
            yield "sender", one["from"], {"name": expect["sender"]["name"], "addr": expect["sender"]["address"]}, None
        if "is_patch" in expect:
            yield "is a patch", one["kind"] == "patch", expect["is_patch"], None
        if "files_changed" in expect and one["patch"]:
            yield "files", len(one["patch"]["files"]), expect["files_changed"], None
        if "patch_ids" in expect:
            series = next(one for one in self.lorebot("series", path) if one["cover"] == expect["cover_message_id"])
            yield "patches", series["patches"], expect["patch_ids"], None
            yield "version", series["revision"], expect["version"], None
        if "obsoleted_by" in expect and "versions" not in expect:
            names = {one["message_id"]: one["replaces"] for one in seen}
            for old, new in expect["obsoleted_by"].items():
                yield f"{old} is replaced", old in names.get(new, []), True, None
        elif "obsoleted_by" in expect:
            yield "order", None, expect["obsoleted_by"], "the higher version counts, not the later date"
        if "payload_contains" in expect:
            yield "reads", "error" not in one, True, None

    def syzkaller(self, path, expect):
        if "cmd" in expect:
            with open(path, "rb") as file:
                ours = self.parse(mail(body="", **{"from": "Ann <ann@example.org>"}) + file.read(),
                                  "--as", "any")["request"]
            command = expect["cmd"]
            if command and command["Command"] != "CmdTest":
                yield "command", ours["act"], False, None
            else:
                yield "command", ours["command"] is not None, command is not None, None
            if command and command["Command"] == "CmdTest":
                yield "arguments", " ".join(filter(None, (ours["repo"], ours["branch"]))), command["Args"], None
        elif "title" in expect:
            with open(path, "rb") as file:
                ours = self.parse(b"Subject: [PATCH] x\n\n" + file.read())
            yield "diff is there", ours["patch"] is not None, bool(expect["diff"]), None
        elif "result" in expect:
            yield from self.syzkaller_mail(path, expect["result"])
        else:
            yield "threads", None, expect, "discussions of a bug are not put together"

    def syzkaller_mail(self, path, result):
        ours = self.lorebot("parse", "--as", "any", path)[0]
        yield "message id", ours["message_id"], bare(result["MessageID"]), None
        yield "subject", ours["subject"], result["Subject"], None
        behind = result.get("MailingList") == result["Author"]
        yield "author", (ours["from"] or {}).get("addr"), result["Author"], (
            "who is behind a list's address is told by the header" if behind else None)
        if "Patch" in result:
            yield "patch", ours["patch"] is not None, bool(result["Patch"]), None
        if result.get("BaseCommitHint"):
            yield "base", ours["base_commit"], result["BaseCommitHint"], None

    def b4(self, path, expect):
        if "has_cover" in expect:
            with open(path, "rb") as file:
                ours = self.parse(file.read())
            yield "cover", ours["kind"] == "cover", expect["has_cover"], (
                "a [PATCH 0/N] that is numbered is a cover, others are talk" if expect["has_cover"] else None)
        elif "trailers" in expect:
            with open(path, "rb") as file:
                ours = self.parse(b"Subject: [PATCH] x\n\nx\n\n" + file.read() + b"---\n"
                                  b" f | 1 +\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n")
            yield "trailers", [t["key"] for t in ours["trailers"]], [t[1] for t in expect["trailers"]], None
        else:
            yield "am", None, expect, "what b4 am makes of answers is for who applies the patch"

    def mail_parser(self, path, expect):
        with open(os.path.join(os.path.dirname(path), os.path.basename(expect).rsplit(".", 1)[0] + ".json"),
                  encoding="utf-8") as file:
            fields = json.load(file)["parts"][0]["headers"]
        theirs = {}
        for field in fields:
            theirs.setdefault(str(field["name"]), field["value"])
        ours = self.lorebot("parse", path)[0]
        subject = theirs.get("subject", {})
        if isinstance(subject, dict) and "Text" in subject and "error" not in ours:
            yield "subject", re.sub(r"\s+", " ", ours["subject"] or "").strip(), \
                re.sub(r"\s+", " ", subject["Text"]).strip(), None
        else:
            yield "reads or refuses", True, True, None

    def gmime(self, path, expect):
        del expect
        ours = len(self.lorebot("parse", path)) > 1
        yield "mails", ours, True, None if ours else "a separator stands below an empty line (RFC 4155)"

    def signatures(self, path, expect):
        del path
        yield "signature", None, expect, "signatures of patatt are not looked at"

    FAMILIES = {"git-t5100": git, "patchwork-fdo": patchwork_fdo, "patchwork": patchwork, "patchew": patchew,
                "syzkaller": syzkaller, "b4": b4, "mail-parser": mail_parser, "gmime": gmime,
                "nipa": signatures, "patatt": signatures}

    def score(self, board, one, path, ours):
        """One file of expected/."""
        test = one["peer_test"]
        family = one["id"].split(".")[0]
        self.ours = ours
        expect = test.get("expect", test.get("expect_file", {}))
        if ours is None and family == "git-t5100":
            return
        for what, we, they, excuse in self.FAMILIES[family](self, path, expect):
            board.score("peers", f"{one['id']} {what}", we, they, excuse)

    # ---- tables ----

    def score_tables(self, board, folder):
        def table(name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return json.load(file)

        for row in table("patchwork-subject.json")["clean_subject"]:
            ours = self.parse(mail(row["subject"].replace("\n", "\n ")))
            name = re.sub(r"^\[[^\]]*\] ", "", row["name"]) if row["prefixes"] else row["name"]
            board.score("peers", f"subject {row['subject']!r}", ours["title"], name)
        for row in table("git-mailinfo-subject.json")["cases"]:
            if row["opt"] == "":
                board.score("peers", f"subject {row['subject']!r}", self.parse(mail(row["subject"]))["title"], row["expect"])
        headers = table("patchwork-headers.json")
        for row in headers["from_header"]:
            ours = self.parse(mail(**{"from": row["header"]}))["from"]
            board.score("peers", f"from {row['header']!r}", ours,
                        None if row.get("error") else {"name": row["name"], "addr": row["email"]})
        for header, theirs in headers["message_id"]:
            ours = self.parse(mail(message_id=header))["message_id"]
            board.score("peers", f"message id {header!r}", ours if theirs else None, bare(theirs))
        for row in table("git-mailinfo-subject.json")["from_cases"]:
            ours = self.parse(row["header"].encode() + b"\n\nx\n")["from"] or {}
            board.score("peers", f"from {row['header']!r}", (ours.get("name"), ours.get("addr")),
                        (row["author"], row["email"]))
