/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * request - does this mail ask us for something, and for what?
 *
 * Formal ("#lorebot test REPO BRANCH", "#lorebot test LINK", arguments may wrap to the next line)
 * and natural ("Could you please run this test on branch URL", two indented `sha ("subject")`
 * lines). What stands in a quote, below the writer's talk, in a sample (voice.h) or in our own help
 * text asks for nothing. A formal command needs no addressee; a natural one counts only when it is
 * we who are asked (reading.h).
 */

#include "mailparse/message.h"
#include "mailparse/patch.h"
#include "mailparse/toldjob.h"

#include <glib.h>
#include <stdbool.h>

typedef enum {
	REQUEST_NONE,
	REQUEST_TEST,
	REQUEST_RETEST,
	REQUEST_INFO,
	REQUEST_CANCEL,
	REQUEST_STOP, /* no more mails, please */
} RequestKind;

typedef enum {
	REQUEST_PATCH_NONE,
	REQUEST_PATCH_INLINE,
	REQUEST_PATCH_ATTACHMENT,
	REQUEST_PATCH_QUOTED,
	REQUEST_PATCH_PARENT,
	REQUEST_PATCH_LINK,
	REQUEST_PATCH_CHILDREN,
	REQUEST_PATCH_SCISSORS_INLINE,
} RequestPatch;

typedef struct {
	char *sha;     /* hex as written, 7 to 40 digits                  */
	char *subject; /* of `sha ("subject")`; NULL when not given       */
} RequestCommit;

typedef struct {
	char *url; /* what git fetches from                                    */
	char *ref; /* branch, tag, hash or ref there; NULL when not given      */
} RequestSource;

typedef struct {
	RequestKind kind;
	bool act;      /* a test is asked of us                                                   */
	bool runnable; /* a target was found; act without runnable means one question             */
	char *command; /* formal command as written, wrapped lines joined by LF; NULL             */
	char *repo;    /* URL as written; NULL                                                    */
	char *branch;  /* branch, tag or hash as written; NULL                                    */
	GPtrArray *commits; /* (element-type RequestCommit) in mail order; a hash in branch's place
			       too */
	GPtrArray *sources; /* (element-type RequestSource) where git finds what the writer names:
			       repositories, and those that a page or link of his shows; in order */
	GStrv links; /* archive links and Message-IDs the writer gives, in order; never NULL    */
	RequestPatch patch_location;
	char *base_hint; /* words after "on top of", "against", ...; NULL */
	GStrv modifiers; /* options of a command, wishes (wish.h), changes in words; never NULL */
	ToldJob *job;    /* (nullable) of the report that is answered or quoted               */
	char *why; /* one short sentence: the rule that decided                               */
} Request;

typedef struct {
	const char *const *own; /* (nullable) our addresses; NULL-terminated */
	bool any; /* stand in for the robot or reporter whom the mail addresses         */
	const Message *parent; /* (nullable) the mail it answers */
	bool parent_is_ours;   /* the parent is a mail we sent   */
} RequestContext;

/**
 * request_is_possible: false where request_from_message() gives REQUEST_NONE whatever @context's
 * parent is, which then need not be looked for; cheap.
 */
bool request_is_possible(const Message *message, const RequestContext *context);

/**
 * request_from_message:
 * @patch: (nullable): what patch_from_message() found in @message
 *
 * An automatic mail (RFC 3834), a bounce and our own mail (any +tag) give REQUEST_NONE.
 *
 * Returns: (transfer full): never NULL
 */
Request *request_from_message(const Message *message, const Patch *patch,
			      const RequestContext *context);
void request_free(Request *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Request, request_free)

/** request_kind_name, request_patch_name: as design.md's JSON spells them. */
const char *request_kind_name(RequestKind kind);
const char *request_patch_name(RequestPatch where);
