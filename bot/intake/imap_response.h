/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * imap_response - what a whole response of the server says.
 *
 * Reads the parts of RFC 3501 section 7 that a read-only client needs: the head of each response,
 * FETCH with UID, RFC822.SIZE, INTERNALDATE and BODY[], SEARCH, CAPABILITY.  FETCH items that
 * nobody asked for are stepped over by their shape.  Pure; nothing recurses.
 */

#include "bot/intake/imap_reader.h"

typedef enum {
	IMAP_STATUS_NONE, /* data */
	IMAP_STATUS_OK,
	IMAP_STATUS_NO,
	IMAP_STATUS_BAD,
	IMAP_STATUS_BYE,
	IMAP_STATUS_PREAUTH,
} ImapStatus;

typedef struct {
	char tag[32]; /* "*", "+" or the tag of a command of ours                            */
	ImapStatus status;
	uint32_t number;  /* 12 of "* 12 FETCH"; 0 when there is none                            */
	char keyword[16]; /* "FETCH", "EXISTS", upper case; empty with a status or when longer    */
	char code[64]; /* "UIDVALIDITY 3" of "OK [UIDVALIDITY 3] text"; empty when none or longer */
	size_t rest;   /* offset in the text of what follows                                  */
} ImapHead;

/**
 * imap_head_parse:
 * @error: BOT_ERROR_PEER when there is no tag or no word behind it
 */
bool imap_head_parse(const ImapResponse *response, ImapHead *out_head,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** imap_head_code_number: 3 of the code "UIDVALIDITY 3" when @name is "UIDVALIDITY"; else false. */
bool imap_head_code_number(const ImapHead *head, const char *name, uint32_t *out_number);

/** imap_response_words: what the server says to people, as UTF-8, at most 200 bytes. */
char *imap_response_words(const ImapResponse *response, const ImapHead *head);

typedef struct {
	uint32_t seq;
	uint32_t uid; /* 0: the response names none                                          */
	bool has_size;
	int64_t size; /* RFC822.SIZE                                                         */
	bool has_date;
	int64_t date_us; /* INTERNALDATE                                                        */
	bool has_body;   /* BODY[] stands there, also when dropped or NIL                       */
	GBytes *body;    /* NULL: dropped over the cap, or NIL                                  */
	uint64_t body_size; /* of a dropped one                                                   */
} ImapFetch;

void imap_fetch_clear(ImapFetch *fetch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImapFetch, imap_fetch_clear)

/**
 * imap_fetch_parse:
 * @head: of @response, with the keyword FETCH
 * @out_fetch: valid only on success
 * @error: BOT_ERROR_PEER when the list is malformed
 */
bool imap_fetch_parse(const ImapResponse *response, const ImapHead *head, ImapFetch *out_fetch,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * imap_search_parse:
 * @io_lowest: lowered to the lowest number of this "* SEARCH 5 7 9" that is at least @from
 */
bool imap_search_parse(const ImapResponse *response, const ImapHead *head, uint32_t from,
		       uint32_t *io_lowest, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * imap_list_parse: the mailbox of a "* LIST (\HasNoChildren) "/" name".
 *
 * Returns: (transfer full) (nullable): its name as UTF-8; NULL when it is none that can be shown or
 *   cannot be opened
 */
char *imap_list_parse(const ImapResponse *response, const ImapHead *head);

/** imap_response_has_word: one of the blank-separated words, in any case ("IDLE" of a CAPABILITY).
 */
bool imap_response_has_word(const ImapResponse *response, const ImapHead *head, const char *word);

/**
 * imap_date_parse:
 * @text: "17-Jul-1996 02:44:25 -0700", the day may be " 7" (RFC 3501 date-time)
 */
bool imap_date_parse(const char *text, size_t len, int64_t *out_us);
