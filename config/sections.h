/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * sections - the structs of one Config by section kind and name.  Private to config.
 */

#include "config/keys.h"

/**
 * section_get:
 * @name: (nullable): of a named section
 *
 * Returns: (transfer none): the struct; a named one is made with its defaults when it is not there
 */
void *section_get(Config *config, const SectionKind *kind, const char *name);

/** section_fill: sets each default of @kind. */
void section_fill(const SectionKind *kind, void *section);

typedef void (*SectionFunc)(const SectionKind *kind, const char *name, void *section,
			    void *payload);

/** section_each: every struct of @config, file order within a kind; @name NULL for unnamed ones. */
void section_each(const Config *config, SectionFunc func, void *payload);
