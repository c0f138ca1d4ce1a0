# SPDX-License-Identifier: GPL-3.0-or-later
"""A small lab for end-to-end tests: servers, a project, a workload, people who write mail.

The project holds one number, "speed"; the workload measures it with a little noise, so that a whole
job takes seconds and its outcome is known.  People are at example.org; all of their mail and the
list's lands in one Maildir, which Dovecot serves.
"""
import email
import email.policy
import glob
import json
import os
import random
import re
import shutil
import signal
import smtplib
import ssl
import subprocess
import sys
import tempfile
import time
from email.utils import format_datetime
from datetime import datetime, timezone

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERVERS = os.path.join(TOP, "tests", "servers")
LOREBOT = os.environ.get("LOREBOT", os.path.join(TOP, "build", "gcc", "bot", "lorebot"))
LOREBOT_ASAN = os.environ.get("LOREBOT_ASAN", os.path.join(TOP, "build", "asan", "bot", "lorebot"))
LONG = os.environ.get("LOREBOT_LONG") == "1"
BOT = "lorebot@example.org"
LIST = "lab@example.org"
TREE_URL = "https://git.example.org/gauge"

WORKLOAD = {
    "workload.yaml": """description: reads the gauge
metrics:
  - key: gauge
    unit: ticks/s
    direction: higher
    delta: 0.02
limits:
  memory: 128M
  disk: 32M
  processes: 32
  build_seconds: 20
  run_seconds: 20
""",
    "build": '#!/bin/sh\nset -e\ntest ! -e broken\ncp speed "$OUT/speed"\n',
    # Up to half a percent of noise, from the kernel's random numbers.
    "run": '#!/bin/sh\nset -e\nn=$(od -An -N2 -tu2 /dev/urandom)\n'
           'awk -v s="$(cat speed)" -v n="$n" \'BEGIN { if (s < 0) exit 3; '
           'printf "gauge %.6f\\nraw %d\\n", s * (1 + (n / 65535 - 0.5) / 100), n }\'\n',
    "parse": "#!/bin/sh\nexec sed 's/ /: /'\n",
}


def run(*argv, **kwargs):
    """A command that must work; its output."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)
    if done.returncode != 0:
        raise AssertionError(f"{argv} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def wait_until(what, condition, seconds=60):
    """Until condition() is true; an error that names it when it does not come true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


class Project:
    """A git repository with one file, speed; patches against it as mails."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path)
        self.git("init", "-q", "-b", "main")
        self.write("speed", "1000\n")
        self.write("README", "A gauge.\n")
        self.base = self.commit("gauge: start at a thousand")

    def git(self, *args, when="2026-01-05T10:00:00Z"):
        env = dict(os.environ, GIT_AUTHOR_NAME="Ann Author", GIT_AUTHOR_EMAIL="ann@example.org",
                   GIT_COMMITTER_NAME="Ann Author", GIT_COMMITTER_EMAIL="ann@example.org",
                   GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when, GIT_CONFIG_GLOBAL="/dev/null",
                   GIT_CONFIG_SYSTEM="/dev/null", HOME="/nonexistent")
        return run("git", "-C", self.path, *args, env=env).strip()

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-s", "-m", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name, start, changes):
        """A branch with one commit a (message, {file: text}); the new commits' ids."""
        self.git("checkout", "-q", "-B", name, start)
        ids = []
        for message, files in changes:
            for file, text in files.items():
                self.write(file, text)
            ids.append(self.commit(message))
        self.git("checkout", "-q", "main")
        return ids

    def patches(self, start, end, *options):
        """The mails of git format-patch, without ids."""
        text = self.git("format-patch", "--stdout", "--no-thread", *options, f"{start}..{end}")
        parts = re.split(r"(?m)^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\n", text + "\n")
        return [part for part in parts if part]


def mail_of_patch(patch, message_id, when=None, **headers):
    """A format-patch text as a list mail, bytes."""
    lines = [f"Message-ID: <{message_id}>", f"To: {LIST}", "List-Id: <lab.example.org>"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    patch = re.sub(r"(?m)^Date: .*\n", "", patch, count=1)
    lines.append("Date: " + format_datetime(when or datetime.now(timezone.utc)))
    return ("\n".join(lines) + "\n" + patch).encode()


def reply_to(original, message_id, body, when=None):
    """A reply in plain words, as a person's mailer makes it, bytes."""
    reply = email.message.EmailMessage(policy=email.policy.SMTP.clone(linesep="\n"))
    reply["From"] = "Ann Author <ann@example.org>"
    reply["To"] = str(original["From"])
    reply["Cc"] = LIST
    reply["Subject"] = "Re: " + re.sub(r"^(Re: )+", "", str(original["Subject"]).replace("\n", ""))
    reply["Date"] = format_datetime(when or datetime.now(timezone.utc))
    reply["Message-ID"] = f"<{message_id}>"
    reply["In-Reply-To"] = str(original["Message-ID"])
    reply["References"] = (str(original.get("References", "")) + " " +
                           str(original["Message-ID"])).strip().replace("\n", "")
    reply["List-Id"] = "<lab.example.org>"
    quoted = "\n".join("> " + line for line in original.get_content().splitlines()[:8])
    reply.set_content(f"On some day, the robot wrote:\n{quoted}\n\n{body}\n", cte="8bit")
    return bytes(reply)


class Lab:
    """Folders, configuration and, on request, servers; use as a context manager."""

    def __init__(self, program=LOREBOT, keep=False):
        self.program = program
        self.dir = tempfile.mkdtemp(prefix="lorebot-lab-", dir="/tmp")
        os.chmod(self.dir, 0o755)
        self.keep = keep
        self.conf = os.path.join(self.dir, "lorebot.conf")
        self.state = os.path.join(self.dir, "state")
        self.maildir = os.path.join(self.dir, "Maildir")
        self.sent = os.path.join(self.dir, "sent")
        self.project = Project(os.path.join(self.dir, "project"))
        self.env = dict(os.environ)
        self.stops = []
        self.serving = None
        self.log = open(os.path.join(self.dir, "serve.log"), "ab")
        for part in ("tmp", "new", "cur"):
            os.makedirs(os.path.join(self.maildir, part))
        self._write_workload()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.serving is not None:
            self.serving.kill()
            self.serving.wait()
        for stop in reversed(self.stops):
            subprocess.run(stop, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if kind is not None:
            self.log.flush()
            with open(self.log.name, encoding="utf-8", errors="replace") as log:
                sys.stderr.write("---- the robot's log ----\n" + "".join(log.readlines()[-80:]))
        self.log.close()
        if not self.keep:
            shutil.rmtree(self.dir, ignore_errors=True)

    def _write_workload(self):
        folder = os.path.join(self.dir, "workloads", "gauge")
        os.makedirs(folder)
        for name, text in WORKLOAD.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755 if not name.endswith(".yaml") else 0o644)
        os.makedirs(os.path.join(self.dir, "suites"))
        with open(os.path.join(self.dir, "suites", "gauge.yaml"), "w", encoding="utf-8") as file:
            file.write("suite: gauge\ntestcase: gauge\ncategory: benchmark\n")

    # ---- servers ----

    def start_dovecot(self):
        """Dovecot serves the Maildir."""
        ports = run(os.path.join(SERVERS, "freeport.sh"), "2").split()
        self.imap_port, self.imaps_port = map(int, ports)
        self.dovecot = os.path.join(self.dir, "dc")
        self.stops.append([os.path.join(SERVERS, "dovecot.sh"), "stop", self.dovecot])
        run(os.path.join(SERVERS, "dovecot.sh"), "start", self.dovecot, *ports, self.maildir)
        self.imap_ca = os.path.join(self.dovecot, "tls.crt")

    def start_servers(self):
        """Postfix delivers into the Maildir that Dovecot serves."""
        self.start_dovecot()
        port = run(os.path.join(SERVERS, "freeport.sh"), "1").strip()
        self.smtp_port = int(port)
        postfix = os.path.join(self.dir, "pf")
        self.stops.append([os.path.join(SERVERS, "postfix.sh"), "stop", postfix])
        run(os.path.join(SERVERS, "postfix.sh"), "start", postfix, port,
            os.path.join(self.dovecot, "run", "auth-smtp"), self.maildir)
        self.smtp_ca = os.path.join(postfix, "tls.crt")

    def start_evil(self, mode):
        """An SMTP server that misbehaves as named: its URL, and the file of what it got."""
        taken = os.path.join(self.dir, f"evil-{mode}")
        server = subprocess.Popen([os.path.join(SERVERS, "smtp-evil.py"), mode, taken],
                                  stdout=subprocess.PIPE, text=True)
        self.stops.append(["kill", str(server.pid)])
        return f"smtp://127.0.0.1:{server.stdout.readline().strip()}", taken

    def post(self, mail, recipients=(LIST,)):
        """Sends a mail to the list by SMTP, as a person does."""
        with smtplib.SMTP("127.0.0.1", self.smtp_port) as smtp:
            smtp.sendmail("ann@example.org", list(recipients), mail)

    def drop(self, mail, name, maildir=None):
        """Delivers into the Maildir without a server."""
        folder = maildir or self.maildir
        with open(os.path.join(folder, "tmp", name), "wb") as file:
            file.write(mail)
        os.rename(os.path.join(folder, "tmp", name), os.path.join(folder, "new", name))

    # ---- configuration ----

    def write_config(self, source="maildir", transport="file", extra="", unasked="all",
                     consent="https://example.org/consent", hold="false", smtp=None, runs=6,
                     unknown_after="1h", source_extra="since = 2026-01-01\n", list_extra="",
                     door=None):
        """door: the text that names the source, if it is none of the lab's own: source."""
        password = os.path.join(self.dir, "secret")
        with open(password, "w", encoding="utf-8") as file:
            file.write("secret\n")
        os.chmod(password, 0o600)
        if door is not None:
            pass
        elif source == "maildir":
            door = f"url = maildir:{self.maildir}\n"
        elif source == "imaps":
            door = (f"url = imaps://localhost:{self.imaps_port}/INBOX\nuser = tester\n"
                    f"passwordFile = {password}\ncaFile = {self.imap_ca}\n")
        else:
            door = (f"url = imap://localhost:{self.imap_port}/INBOX\nuser = tester\n"
                    f"passwordFile = {password}\ncaFile = {self.imap_ca}\n")
        if transport == "smtp":
            host = smtp or f"smtp://localhost:{self.smtp_port}"
            way = (f"transport = smtp\nurl = {host}\n"
                   f"unknownAfter = {unknown_after}\n")
            if smtp is None:
                way += f"user = tester\npasswordFile = {password}\ncaFile = {self.smtp_ca}\n"
            else:
                way += "clearText = true\n"
        else:
            way = f"transport = {transport}\ndirectory = {self.sent}\n"
        agreed = f"consent = {consent}\n" if consent else ""
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write(f"""[bot]
stateDir = {self.state}
address = {BOT}
[source "lab"]
{door}{source_extra}confirms = true
[list "lab"]
address = {LIST}
listId = lab.example.org
{agreed}hold = {hold}
unasked = {unasked}
tree = gauge
suite = gauge
archiveUrl = https://lore.example.org/lab/%s/
{list_extra}[tree "gauge"]
url = {TREE_URL}
mirror = {self.project.path}
branch = main
[run]
runs = {runs}
workloadDir = {self.dir}/workloads
suiteDir = {self.dir}/suites
tboxGroup = testlab
[send]
{way}{extra}""")

    # ---- the robot ----

    def lorebot(self, *args, check=True, program=None, timeout=120):
        done = subprocess.run([program or self.program, "--config", self.conf, *args],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.env, timeout=timeout)
        if check and done.returncode != 0:
            raise AssertionError(f"lorebot {args} ended with {done.returncode}:\n"
                                 f"{done.stdout}{done.stderr}")
        return done

    def start_serve(self):
        self.serving = subprocess.Popen([self.program, "--config", self.conf, "-v", "serve"],
                                        stdout=self.log, stderr=self.log, env=self.env)

    def stop_serve(self):
        """SIGTERM, and how many seconds it took."""
        began = time.monotonic()
        self.serving.send_signal(signal.SIGTERM)
        status = self.serving.wait(timeout=20)
        self.serving = None
        if status != 0:
            raise AssertionError(f"serve ended with {status}")
        return time.monotonic() - began

    def status(self):
        lines = [json.loads(line) for line in self.lorebot("status", "--json").stdout.splitlines()]
        return lines[0], lines[1:]

    def queue(self):
        return [json.loads(line) for line in self.lorebot("queue", "--json").stdout.splitlines()]

    # ---- what readers got ----

    def delivered(self, sender=BOT):
        """Mails of the robot in the Maildir: {Message-ID: [bytes without trace headers, ...]}."""
        found = {}
        for path in glob.glob(os.path.join(self.maildir, "[nc]*", "*")):
            try:
                with open(path, "rb") as file:
                    data = file.read()
            except FileNotFoundError:
                continue
            mail = email.message_from_bytes(data, policy=email.policy.default)
            if sender not in str(mail["From"]):
                continue
            start = data.index(b"\nFrom: ")
            found.setdefault(str(mail["Message-ID"]), []).append(data[start:])
        return found

    def sent_mails(self):
        """Mails of transport file: {file name: message}."""
        mails = {}
        for path in sorted(glob.glob(os.path.join(self.sent, "*.eml"))):
            with open(path, "rb") as file:
                mails[os.path.basename(path)] = email.message_from_binary_file(
                    file, policy=email.policy.default)
        return mails
