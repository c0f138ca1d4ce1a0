/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * bodyhash - is a mail's body still the one that was signed?  (DKIM, RFC 6376)
 *
 * A signature holds the hash of the body (bh=).  It is compared without any key, so it tells that
 * nobody changed the body since, and nothing about who signed it.
 */

#include "mailparse/header.h"

/* Signatures of one mail that are looked at. */
#define BODYHASH_MAX_SIGNATURES 8u

typedef enum {
	BODY_ALTERED,  /* a signature is of another body */
	BODY_UNSIGNED, /* none that can be checked */
	BODY_INTACT,   /* all are of this body */
} BodyState;

/**
 * bodyhash_check:
 * @domain: of the writer; only signatures of it (d=), of a domain above or below it count, since a
 *   list that altered a mail signs the altered one
 * @body: what follows the header; LF and CRLF are the same
 *
 * A signature of the body's first bytes only (l=) is of another body when there are more.
 */
BodyState bodyhash_check(const Header *header, const char *domain, const char *body, gsize len);
