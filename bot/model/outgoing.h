/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * outgoing - a mail of ours on its way, and how sure we are that it left.
 *
 *	held -> queued -> sending -> sent -> confirmed
 *	                          -> unknown -> confirmed, or queued again with the same bytes, or
 *held
 *	                          -> queued (refused for now), failed (refused for good)
 *	held -> rejected          (by the operator)
 *	queued -> dry-run         (transport dry-run: composed, shown, not sent)
 *	dry-run -> held           (by the operator, to send it after all)
 *
 * `sending` is committed before the first byte goes out; a process that dies there leaves
 *`unknown`.
 */

#include "mailparse/mailbox.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
	OUTGOING_HELD,
	OUTGOING_QUEUED,
	OUTGOING_SENDING,
	OUTGOING_SENT,      /* the server took it; who was put off is asked again later          */
	OUTGOING_UNKNOWN,   /* the reply after the final dot was lost                            */
	OUTGOING_CONFIRMED, /* seen again at a source that confirms                              */
	OUTGOING_FAILED,
	OUTGOING_REJECTED,
	OUTGOING_DRY_RUN,
} OutgoingState;

typedef struct {
	int64_t row;      /* 0 before it is stored                                          */
	char *purpose;    /* unique: one result a job and kind, "job:KEY:report"            */
	int64_t job_row;  /* 0: none                                                        */
	char *message_id; /* canonical; fixed here, before the first attempt                */
	char *subject;    /* for status and queue                                           */
	GBytes *bytes;    /* the mail: UTF-8, LF, 8bit; wire form is made at sending        */
	Mailbox *envelope_from;
	GPtrArray *recipients; /* (element-type Mailbox) envelope, each once                     */
	OutgoingState state;
	char *hold_reason; /* why it is held; NULL                                           */
	unsigned attempts;
	int64_t created_us;
	int64_t not_before_us;
	int64_t attempted_us; /* last attempt; 0                                                */
	char *last_reply;     /* what the server said last; NULL                                */
} OutgoingMail;

void outgoing_free(OutgoingMail *mail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OutgoingMail, outgoing_free)

const char *outgoing_state_name(OutgoingState state);
OutgoingState outgoing_state_from_name(const char *name);
