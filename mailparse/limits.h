/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * limits - what a mail may cost us.  Over a limit is MAIL_ERROR_LIMIT, naming the limit.
 *
 * Of 48,161 real list mails the longest header block had 33 KB and the largest mail 1.6 MB.
 */

#define MAIL_MAX_BYTES (16u * 1024 * 1024)
#define MAIL_MAX_HEADER_BYTES (256u * 1024) /* all headers of one part                     */
#define MAIL_MAX_FIELD_BYTES (64u * 1024)   /* one header, unfolded                        */
#define MAIL_MAX_PARTS 256u
#define MAIL_MAX_DEPTH 32u       /* nested multiparts                           */
#define MAIL_MAX_ADDRESSES 1024u /* of one header                               */
#define MAIL_MAX_REFERENCES 1024u
#define MAIL_MAX_TRAILERS 1024u
#define SUBJECT_MAX_BYTES (8u * 1024)
#define MSGID_MAX_BYTES 998u   /* RFC 5322 section 2.1.1, one line            */
#define MAILBOX_MAX_BYTES 254u /* RFC 5321 section 4.5.3.1.3, erratum 1690    */
#define SERIES_MAX_PATCHES 9999u
#define DIFF_MAX_FILES 20000u
#define DIFF_MAX_HUNKS 200000u
#define DIFF_MAX_LINES 2000000u /* of all hunks; each costs 32 bytes of memory */
#define DIFF_MAX_LINE_NUMBER 10000000u
#define DIFF_MAX_PATH_BYTES 4096u
