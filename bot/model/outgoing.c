/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/model/outgoing.h"

static const char *const state_names[] = {
	[OUTGOING_HELD] = "held",       [OUTGOING_QUEUED] = "queued",
	[OUTGOING_SENDING] = "sending", [OUTGOING_SENT] = "sent",
	[OUTGOING_UNKNOWN] = "unknown", [OUTGOING_CONFIRMED] = "confirmed",
	[OUTGOING_FAILED] = "failed",   [OUTGOING_REJECTED] = "rejected",
	[OUTGOING_DRY_RUN] = "dry-run",
};

const char *outgoing_state_name(OutgoingState state)
{
	return state_names[state];
}

OutgoingState outgoing_state_from_name(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(state_names); i++) {
		if (g_strcmp0(state_names[i], name) == 0)
			return (OutgoingState)i;
	}
	return OUTGOING_HELD; /* a state we do not know is never sent */
}

void outgoing_free(OutgoingMail *mail)
{
	if (mail == NULL)
		return;
	g_free(mail->purpose);
	g_free(mail->message_id);
	g_free(mail->subject);
	g_clear_pointer(&mail->bytes, g_bytes_unref);
	g_clear_pointer(&mail->envelope_from, mailbox_free);
	g_clear_pointer(&mail->recipients, g_ptr_array_unref);
	g_free(mail->hold_reason);
	g_free(mail->last_reply);
	g_free(mail);
}
