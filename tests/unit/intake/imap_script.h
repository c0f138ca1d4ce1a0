/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_script - the steps every scripted IMAP dialogue begins with.
 */

#include "tests/unit/net/scripted_server.h"

/* Greeting, libcurl's CAPABILITY and login, our CAPABILITY. */
#define IMAP_LOGIN(capabilities)                                                                   \
	SAY("* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n"),                           \
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN\r\n$T OK done\r\n"),   \
		ON("AUTHENTICATE PLAIN", "$T OK in\r\n"),                                          \
		ON("CAPABILITY", "* CAPABILITY IMAP4rev1 " capabilities "\r\n$T OK done\r\n")

#define IMAP_EXAMINE(exists, uid_validity, uid_next)                                               \
	IMAP_EXAMINE_BOX("INBOX", exists, uid_validity, uid_next)
#define IMAP_EXAMINE_BOX(box, exists, uid_validity, uid_next)                                      \
	ON("EXAMINE \"" box "\"",                                                                  \
	   "* FLAGS (\\Seen)\r\n* " exists " EXISTS\r\n* 0 RECENT\r\n"                             \
	   "* OK [UIDVALIDITY " uid_validity "] ok\r\n* OK [UIDNEXT " uid_next "] ok\r\n"          \
	   "$T OK [READ-ONLY] done\r\n")

/* One line of a list, dated 10-Jan-2024 12:00:00 UTC unless another day is given. */
#define IMAP_LISTED_ON(seq, uid, size, day)                                                        \
	"* " seq " FETCH (UID " uid " RFC822.SIZE " size " INTERNALDATE \"" day                    \
	"-Jan-2024 12:00:00 +0000\")\r\n"
#define IMAP_LISTED(seq, uid, size) IMAP_LISTED_ON(seq, uid, size, "10")
#define IMAP_BODY(seq, uid, size, body)                                                            \
	"* " seq " FETCH (UID " uid " BODY[] {" size "}\r\n" body ")\r\n"
#define IMAP_DONE "$T OK done\r\n"
