/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bot/stage/stage.h"

#include "bot/base/error.h"
#include "bot/base/failpoint.h"
#include "bot/base/log.h"
#include "bot/send/filedrop.h"
#include "bot/send/smtp.h"
#include "bot/series/policy.h"
#include "bot/store/outbox.h"

#include <string.h>
#include <unistd.h>

#define RETRY_FIRST_US (60 * CLOCK_US_PER_S)
#define RETRY_MOST_US (4 * 60 * 60 * CLOCK_US_PER_S)

#define DAY_US (24 * 60 * 60 * CLOCK_US_PER_S)

/* RFC 5321 section 4.5.4.1: give up after 4 to 5 days. */
#define GIVE_UP_US (5 * 24 * 60 * 60 * CLOCK_US_PER_S)

static int64_t retry_at(const StageContext *context, const OutgoingMail *mail)
{
	int64_t delay = RETRY_FIRST_US << MIN(mail->attempts, 10u);

	return clock_now_us(context->clock) + MIN(delay, RETRY_MOST_US);
}

static bool settle(StageContext *context, const OutgoingMail *mail, OutgoingState state,
		   const char *reply, int64_t not_before_us, GError **error)
{
	return outbox_settle(context->db, mail->row, state, reply, NULL, 0, not_before_us, error);
}

static bool defer(StageContext *context, const OutgoingMail *mail, const GError *why,
		  GError **error)
{
	log_warning("send.deferred", "mail %" G_GINT64_FORMAT ": %s", mail->row, why->message);
	return settle(context, mail, OUTGOING_QUEUED, why->message, retry_at(context, mail), error);
}

static bool send_to_file(StageContext *context, const OutgoingMail *mail, GError **error)
{
	g_autoptr(GError) why = NULL;

	if (!filedrop_write(context->config->send.directory, mail, &why))
		return defer(context, mail, why, error);
	failpoint("send.before_commit");
	return settle(context, mail, OUTGOING_SENT, "written to a file", 0, error);
}

static bool is_too_old(const StageContext *context, const OutgoingMail *mail)
{
	return clock_now_us(context->clock) - mail->created_us > GIVE_UP_US;
}

static OutgoingState state_after(const StageContext *context, const OutgoingMail *mail,
				 SmtpOutcome outcome)
{
	switch (outcome) {
	case SMTP_ACCEPTED:
		return OUTGOING_SENT;
	case SMTP_UNKNOWN:
		return OUTGOING_UNKNOWN;
	case SMTP_REFUSED:
		return OUTGOING_FAILED;
	case SMTP_DEFERRED:
		break;
	}
	return is_too_old(context, mail) ? OUTGOING_FAILED : OUTGOING_QUEUED;
}

/* What each recipient has been told; how many are to come back (4xx: greylisting, a full mailbox).
 */
static unsigned list_replies(const OutgoingMail *mail, const SmtpResult *result,
			     RecipientReply *replies)
{
	unsigned n_later = 0;

	for (size_t i = 0; i < result->n && i < mail->recipients->len; i++) {
		bool later = result->codes[i] >= 400 && result->codes[i] <= 499;
		/* A yes to RCPT is worth nothing when the mail itself was put off afterwards. */
		bool counts = later || result->outcome != SMTP_DEFERRED;

		replies[i].recipient = mail->recipients->pdata[i];
		replies[i].code = counts ? result->codes[i] : 0;
		replies[i].text = result->texts[i];
		n_later += later;
	}
	return n_later;
}

static char *say_reply(const SmtpResult *result, unsigned n_later)
{
	if (result->outcome != SMTP_ACCEPTED || n_later == 0)
		return g_strdup(result->reply);
	return g_strdup_printf("%s; %u of %zu recipients put off", result->reply, n_later,
			       result->n);
}

static bool settle_smtp(StageContext *context, const OutgoingMail *mail, const SmtpResult *result,
			GError **error)
{
	OutgoingState state = state_after(context, mail, result->outcome);
	g_autofree RecipientReply *replies = g_new0(RecipientReply, result->n + 1);
	unsigned n_later = list_replies(mail, result, replies);
	bool again = state == OUTGOING_QUEUED ||
		     (state == OUTGOING_SENT && n_later > 0 && !is_too_old(context, mail));
	int64_t not_before = again ? retry_at(context, mail) : 0;
	g_autofree char *reply = say_reply(result, n_later);

	log_info("send.attempted", "mail %" G_GINT64_FORMAT " <%s>: %s: %s", mail->row,
		 mail->message_id, outgoing_state_name(state), reply);
	failpoint("send.before_commit");
	return outbox_settle(context->db, mail->row, state, reply, replies,
			     MIN(result->n, (size_t)mail->recipients->len), not_before, error);
}

static char *own_host_name(void)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) != 0 || *name == '\0')
		return g_strdup("localhost");
	for (char *c = name; *c != '\0'; c++) {
		if (!g_ascii_isalnum(*c) && *c != '.' && *c != '-')
			*c = '-';
	}
	return g_strdup(name);
}

static bool send_by_smtp(StageContext *context, const OutgoingMail *mail, GError **error)
{
	const SendSection *section = &context->config->send;
	g_autoptr(GError) why = NULL;
	g_autofree char *helo = own_host_name();
	g_auto(SmtpResult) result = {0};
	g_autofree char *password = secret_read(
		section->password_file, (const char *const *)section->password_command, &why);
	LinkOptions options = {
		.url = section->url,
		.user = section->user,
		.password = password,
		.mechanism = section->mechanism,
		.ca_file = section->ca_file,
		.clear_text = section->clear_text,
	};

	if (password == NULL && (section->password_file || section->password_command))
		return defer(context, mail, why, error);
	bool ok = smtp_send(&options, helo, mail, &result, &why);
	if (password != NULL)
		memset(password, 0, strlen(password));
	if (!ok) {
		log_error("send.failed", "mail %" G_GINT64_FORMAT ": %s", mail->row, why->message);
		return settle(context, mail, OUTGOING_FAILED, why->message, 0, error);
	}
	return settle_smtp(context, mail, &result, error);
}

static bool send_one(StageContext *context, const OutgoingMail *mail, GError **error)
{
	Transport transport = context->config->send.transport;

	if (transport == TRANSPORT_DRY_RUN)
		return settle(context, mail, OUTGOING_DRY_RUN, "transport is dry-run: not sent", 0,
			      error);
	/* `sending` is committed before the first byte: a crash from here on is `unknown`. */
	if (!outbox_begin_attempt(context->db, mail->row, error))
		return false;
	failpoint("send.before_connect");
	return transport == TRANSPORT_FILE ? send_to_file(context, mail, error)
					   : send_by_smtp(context, mail, error);
}

/* A source that is said to carry other lists shows no mail of this one. */
static bool may_show(const SourceSection *source, const ListSection *list)
{
	return source->confirms && (source->lists[0] == NULL || policy_carries(source, list));
}

static GArray *list_doors(const Config *config, const OutgoingMail *mail)
{
	GArray *doors = g_array_new(FALSE, FALSE, sizeof(UnknownDoor));

	for (guint i = 0; i < config->lists->len; i++) {
		const ListSection *list = config->lists->pdata[i];
		if (!policy_reaches_any(list, mail->recipients))
			continue;
		for (guint j = 0; j < config->sources->len; j++) {
			const SourceSection *source = config->sources->pdata[j];
			UnknownDoor door = {source->name, list->name};
			if (may_show(source, list))
				g_array_append_val(doors, door);
		}
	}
	return doors;
}

static bool settle_unknown(StageContext *context, GError **error)
{
	if (!outbox_recover(context->db, error))
		return false;
	g_autoptr(GPtrArray) mails = outbox_list_unknown(context->db, error);

	for (guint i = 0; mails != NULL && i < mails->len; i++) {
		const OutgoingMail *mail = mails->pdata[i];
		g_autoptr(GArray) doors = list_doors(context->config, mail);
		UnknownRule rule = {doors, context->config->send.unknown_after_us};
		if (!outbox_settle_unknown(context->db, mail->row, &rule, error))
			return false;
	}
	return mails != NULL;
}

static bool may_use_network(const StageContext *context, GError **error)
{
	if (context->config->send.transport != TRANSPORT_SMTP || !clock_is_fixed(context->clock))
		return true;
	g_set_error(error, BOT_ERROR, BOT_ERROR_USAGE,
		    "a fixed clock (--clock) never sends by SMTP; use transport file or dry-run");
	return false;
}

/* Asked before each mail: a queue of many must stop at once when it is told to. */
static bool may_send_more(const StageContext *context)
{
	int64_t day_ago = clock_now_us(context->clock) - DAY_US;
	unsigned most = context->config->send.max_per_day;

	return !stage_stop_asked(context) &&
	       stage_may_work(stage_find("send"), context->db, NULL) &&
	       outbox_count_since(context->db, day_ago) < (int64_t)most;
}

bool send_round(StageContext *context, unsigned limit, StageProgress *progress, GError **error)
{
	if (!may_use_network(context, error) || !settle_unknown(context, error))
		return false;
	while ((limit == 0 || progress->done < limit) && may_send_more(context)) {
		g_autoptr(GError) claim_error = NULL;
		g_autoptr(OutgoingMail) mail = outbox_claim(context->db, &claim_error);
		if (claim_error != NULL) {
			g_propagate_error(error, g_steal_pointer(&claim_error));
			return false;
		}
		if (mail == NULL)
			return true;
		if (!send_one(context, mail, error))
			return false;
		progress->done++;
	}
	return true;
}
