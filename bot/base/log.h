/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * log - one line an event on standard error, "TIME LEVEL stage.past_tense key=value... text".
 *
 * Control bytes and invalid UTF-8 of the text are escaped: what a stranger's mail says can never
 * forge a line or move the terminal's cursor.  Colour only on a terminal.
 */

#include <glib.h>
#include <stdbool.h>

typedef enum { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR } LogLevel;

/**
 * log_setup:
 * @program: put in front of each line, as "lorebot[PID] understand"; kept by reference
 * @least: what is below is dropped
 */
void log_setup(const char *program, LogLevel least);

/**
 * log_event:
 * @event: "stage.past_tense", like "outbox.sent"
 * @format: text for a person
 */
void log_event(LogLevel level, const char *event, const char *format, ...) G_GNUC_PRINTF(3, 4);

#define log_debug(...) log_event(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...) log_event(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warning(...) log_event(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_error(...) log_event(LOG_LEVEL_ERROR, __VA_ARGS__)

/** log_escape: @text with control bytes and bytes that are no UTF-8 as \xNN; caller frees. */
char *log_escape(const char *text, gssize len);
