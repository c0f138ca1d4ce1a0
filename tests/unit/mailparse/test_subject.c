/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/limits.h"
#include "mailparse/subject.h"

#include "tests/unit/check_main.h"

#include <string.h>

typedef struct {
	const char *subject;
	unsigned revision, number, total;
	const char *tags;  /* joined by "|" */
	const char *flags; /* of "patch reply forward pull numbered rfc resend", joined by blanks */
	const char *title; /* "m: x" when NULL */
} Row;

#define PATCH "patch"
#define NPATCH "patch numbered"

/* As a person reads them; no parser seen gets all of them. */
static const Row rows[] = {
	{"[PATCH v6 19/24] m: x", 6, 19, 24, "", NPATCH, NULL},
	{"[PATCH v6,19/24] m: x", 6, 19, 24, "", NPATCH, NULL},
	{"[PATCHv3 2/5] m: x", 3, 2, 5, "", NPATCH, NULL},
	{"[PATCH1/8] m: x", 1, 1, 8, "", NPATCH, NULL},
	{"[PATCHv2,1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH net-next v2 1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[PATCH net-next,v2 1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[PATCH net-next-v2 1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[PATCH 1/8 v2] m: x", 2, 1, 8, "", NPATCH, NULL},
	{"[RFC v2 1/2] m: x", 2, 1, 2, "", "patch numbered rfc", NULL},
	{"[RFCv2 1/2] m: x", 2, 1, 2, "", "patch numbered rfc", NULL},
	{"[RFC PATCH v4 3/9] m: x", 4, 3, 9, "", "patch numbered rfc", NULL},
	{"[PATCH RFC] m: x", 1, 1, 1, "", "patch rfc", NULL},
	{"[PATCH/RFC v2] m: x", 2, 1, 1, "", "patch rfc", NULL},
	{"[RFC/PATCH v2] m: x", 2, 1, 1, "", "patch rfc", NULL},
	{"[PATCH RFC/RFT v2] m: x", 2, 1, 1, "RFT", "patch rfc", NULL},
	{"[PATCH v2][net-next 1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[PATCH [RESEND] v2 1/3] m: x", 2, 1, 3, "", "patch numbered resend", NULL},
	{"[RESEND PATCH v2 01/10] m: x", 2, 1, 10, "", "patch numbered resend", NULL},
	{"[RESEND][PATCH] m: x", 1, 1, 1, "", "patch resend", NULL},
	{"[PATCH 2/2 RESEND] m: x", 1, 2, 2, "", "patch numbered resend", NULL},
	{"[PATCH REPOST 2/2] m: x", 1, 2, 2, "", "patch numbered resend", NULL},
	{"[PATCH v2 0/3] m: x", 2, 0, 3, "", NPATCH, NULL},
	{"[PATCH v2.1 2/4] m: x", 2, 2, 4, "", NPATCH, NULL},
	{"[PATCH v2.1 v3 2/4] m: x", 3, 2, 4, "", NPATCH, NULL},
	{"[PATCH v5.10 2/4] m: x", 1, 2, 4, "v5.10", NPATCH, NULL},
	{"[PATCH v5.10 v3 2/4] m: x", 3, 2, 4, "v5.10", NPATCH, NULL},
	{"[PATCH v6.1-rc3 2/4] m: x", 1, 2, 4, "v6.1-rc3", NPATCH, NULL},
	{"[PATCH 6.1.y 2/4] m: x", 1, 2, 4, "6.1.y", NPATCH, NULL},
	{"[PATCH 6.18 00/55] 6.18.25-rc1 review", 1, 0, 55, "6.18", NPATCH, "6.18.25-rc1 review"},
	{"[PATCH 6/5] m: x", 1, 6, 5, "", NPATCH, NULL},
	{"[PATCH 0.5/5] m: x", 1, 1, 1, "0.5/5", PATCH, NULL},
	{"[PATCH 1/0] m: x", 1, 1, 1, "1/0", PATCH, NULL},
	{"[PATCH 1/10000] m: x", 1, 1, 1, "1/10000", PATCH, NULL},
	{"[PATCH 99999999999/99999999999] m: x", 1, 1, 1, "99999999999/99999999999", PATCH, NULL},
	{"[PATCH v99999999999] m: x", 1, 1, 1, "v99999999999", PATCH, NULL},
	{"[PATCH 1 of 3 v2] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH 1 of 3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH (1/3)] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH] m: x (v3)", 3, 1, 1, "", PATCH, "m: x (v3)"},
	{"[PATCH] m: x [v3]", 3, 1, 1, "", PATCH, "m: x [v3]"},
	{"[PATCH v2] m: x (v3)", 2, 1, 1, "", PATCH, "m: x (v3)"},
	{"[PATCH] m: x (2/3)", 1, 2, 3, "", NPATCH, "m: x (2/3)"},
	{"[PATCH] m: x (RESEND)", 1, 1, 1, "", "patch resend", "m: x (RESEND)"},
	{"[PATCH] m: call x()", 1, 1, 1, "", PATCH, "m: call x()"},
	{"m: x (v3)", 1, 1, 1, "", "", "m: x (v3)"},
	{"[PATCH v3 2/7]m: x", 3, 2, 7, "", NPATCH, NULL},
	{"[PATCH v3 2/7]: m: x", 3, 2, 7, "", NPATCH, NULL},
	{"[ PATCH v3 2/7 ] m: x", 3, 2, 7, "", NPATCH, NULL},
	{"[PATCH v3 0002/1000] m: x", 3, 2, 1000, "", NPATCH, NULL},
	{"[PATCH -next v2] m: x", 2, 1, 1, "-next", PATCH, NULL},
	{"[PATCH for-6.9 v2 1/2] m: x", 2, 1, 2, "for-6.9", NPATCH, NULL},
	{"[PATCH for-v6 1/2] m: x", 1, 1, 2, "for-v6", NPATCH, NULL},
	{"[PATCH-for-7.0 1/2] m: x", 1, 1, 2, "for-7.0", NPATCH, NULL},
	{"[PATCH mm-unstable v2 1/2] m: x", 2, 1, 2, "mm-unstable", NPATCH, NULL},
	{"[iproute2-PATCH v2] m: x", 2, 1, 1, "iproute2", PATCH, NULL},
	{"[PATCH iproute2-next] m: x", 1, 1, 1, "iproute2-next", PATCH, NULL},
	{"[Patch v3 1/2] m: x", 3, 1, 2, "", NPATCH, NULL},
	{"[patch V3 1/2] m: x", 3, 1, 2, "", NPATCH, NULL},
	{"[PATCH v02 1/2] m: x", 2, 1, 2, "", NPATCH, NULL},
	{"[PATCHSET v2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[net-next v2 1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"PATCH v3 1/2: m: x", 3, 1, 2, "", NPATCH, NULL},
	{"RFC PATCH 1/2: m: x", 1, 1, 2, "", "patch numbered rfc", NULL},
	{"PATCH net-next v2: m: x", 2, 1, 1, "net-next", PATCH, NULL},
	{"PATCH: m: x", 1, 1, 1, "", PATCH, NULL},
	{"PATCH the roof: m: x", 1, 1, 1, "", "", "PATCH the roof: m: x"},
	{"patch: m: x", 1, 1, 1, "", "", "patch: m: x"},
	{"[linux-foo] [PATCH v3 2/7] m: x", 3, 2, 7, "linux-foo", NPATCH, NULL},
	{"[PATCH] [media] m: x", 1, 1, 1, "media", PATCH, NULL},
	{"[GIT PULL] m: fixes for 6.9", 1, 1, 1, "", "pull", "m: fixes for 6.9"},
	{"[PULL 02/30] m: x", 1, 2, 30, "", "pull numbered", NULL},
	{"[GIT PULL 1/4] m: x", 1, 1, 4, "", "pull numbered", NULL},
	{"[PULL REQUEST] m: x", 1, 1, 1, "", "pull", NULL},
	{"GIT PULL: m: x", 1, 1, 1, "", "pull", NULL},
	{"Re: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"AW: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"RE[2]: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Re(2): [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Re^2: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Re : [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Antw: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"SV: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"SV: m: x", 1, 1, 1, "", "", "SV: m: x"},
	{"R: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"回复: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"回复：[PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"答复： [PATCH v2] m: x", 2, 1, 1, "", "patch reply", NULL},
	{"Re：[PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Re: Re: AW: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Re: [linux-foo] [PATCH] m: x", 1, 1, 1, "linux-foo", "patch reply", NULL},
	{"[linux-foo] Re: [PATCH] m: x", 1, 1, 1, "linux-foo", "patch reply", NULL},
	{"[PATCH] Re: m: x", 1, 1, 1, "", "patch reply", NULL},
	{"[PATCH v3 0/1] Re: Re: [RFC PATCH 1/2] m: x", 3, 0, 1, "", "patch numbered", NULL},
	{"[PATCH v3] Fwd: [lab] m: x", 3, 1, 1, "", "patch", NULL},
	{"Re: [PATCH v3 0/1] Re: [PATCH 1/2] m: x", 3, 0, 1, "", "patch reply numbered", NULL},
	{"Fwd: [PATCH] m: x", 1, 1, 1, "", "patch forward", NULL},
	{"FW: m: x", 1, 1, 1, "", "forward", NULL},
	{"WG: [PATCH] m: x", 1, 1, 1, "", "patch forward", NULL},
	{"转发：[PATCH] m: x", 1, 1, 1, "", "patch forward", NULL},
	{"Re: Fwd: [PATCH] m: x", 1, 1, 1, "", "patch reply forward", NULL},
	{"[ANNOUNCE] m: x", 1, 1, 1, "ANNOUNCE", "", NULL},
	{"m: x", 1, 1, 1, "", "", NULL},
	{"  m:   x \t", 1, 1, 1, "", "", NULL},
	{"rec: x", 1, 1, 1, "", "", "rec: x"},
	{"", 1, 1, 1, "", "", ""},
	{"[PATCH]", 1, 1, 1, "", PATCH, ""},
	{"[PATCH", 1, 1, 1, "", "", "[PATCH"},
	{"[]", 1, 1, 1, "", "", ""},
	{"[PATCH [RESEND v2 1/3] m: x", 2, 1, 3, "", "patch numbered resend", NULL},
	/* The same kinds in other spellings. */
	{"[PATCH v4 07/12]  m:  x", 4, 7, 12, "", NPATCH, NULL},
	{"[PATCH v2, 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH; v2; 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCHv2 net 3/5] m: x", 2, 3, 5, "net", NPATCH, NULL},
	{"[PATCHV2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH-V2 2/3] m: x", 2, 2, 3, "", NPATCH, NULL},
	{"[PATCH_v3 2/3] m: x", 3, 2, 3, "", NPATCH, NULL},
	{"[PATCH ver2 2/3] m: x", 2, 2, 3, "", NPATCH, NULL},
	{"[PATCH version 2 2/3] m: x", 2, 2, 3, "", NPATCH, NULL},
	{"[PATCH V 2 2/3] m: x", 2, 2, 3, "", NPATCH, NULL},
	{"[PATCH v 2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH v.2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH #2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH 1/3] m: x [ver #2]", 2, 1, 3, "", NPATCH, "m: x [ver #2]"},
	{"[PATCH ver #2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH 1/ 3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH 1 / 3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH #1/3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH 1-of-3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH 2 OF 3] m: x", 1, 2, 3, "", NPATCH, NULL},
	{"[PATCH 2\\3] m: x", 1, 2, 3, "", NPATCH, NULL},
	{"[PATCH 2/3 v2 RESEND] m: x", 2, 2, 3, "", "patch numbered resend", NULL},
	{"[RESEND, PATCH 2/3] m: x", 1, 2, 3, "", "patch numbered resend", NULL},
	{"[PATCH v2 RESEND2 2/3] m: x", 2, 2, 3, "", "patch numbered resend", NULL},
	{"[PATCH RE-SEND 2/3] m: x", 1, 2, 3, "", "patch numbered resend", NULL},
	{"[Resend PATCH] m: x", 1, 1, 1, "", "patch resend", NULL},
	{"[RESEND] [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch numbered resend", NULL},
	{"RESEND: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch numbered resend", NULL},
	{"[RFC][PATCH][v2][1/3] m: x", 2, 1, 3, "", "patch numbered rfc", NULL},
	{"[RFC] [PATCH] m: x", 1, 1, 1, "", "patch rfc", NULL},
	{"[RFC-PATCH v2] m: x", 2, 1, 1, "", "patch rfc", NULL},
	{"[RFC 00/12] m: x", 1, 0, 12, "", "patch numbered rfc", NULL},
	{"[PATCH(RFC) 1/3] m: x", 1, 1, 3, "", "patch numbered rfc", NULL},
	{"[PATCH RFC v3 0/3] m: x", 3, 0, 3, "", "patch numbered rfc", NULL},
	{"[PATCH 0/0] m: x", 1, 1, 1, "0/0", PATCH, NULL},
	{"[PATCH 7/6] m: x", 1, 7, 6, "", NPATCH, NULL},
	{"[PATCH 001/999] m: x", 1, 1, 999, "", NPATCH, NULL},
	{"[PATCH v10 0999/1234] m: x", 10, 999, 1234, "", NPATCH, NULL},
	{"[PATCH 5.15 012/345] 5.15.99-rc1 review", 1, 12, 345, "5.15", NPATCH,
	 "5.15.99-rc1 review"},
	{"[PATCH 6.1.y v2 2/4] m: x", 2, 2, 4, "6.1.y", NPATCH, NULL},
	{"[PATCH stable 5.10 2/4] m: x", 1, 2, 4, "stable|5.10", NPATCH, NULL},
	{"[PATCH bpf-next v5 3/4] m: x", 5, 3, 4, "bpf-next", NPATCH, NULL},
	{"[PATCH net-next v2] [1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[net-next PATCH v2 1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[net-next,v2,1/3] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[v2,1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH v2 1/3, net-next] m: x", 2, 1, 3, "net-next", NPATCH, NULL},
	{"[PATCH for 6.9 v2 1/2] m: x", 2, 1, 2, "for|6.9", NPATCH, NULL},
	{"[PATCH v2 for-next 1/2] m: x", 2, 1, 2, "for-next", NPATCH, NULL},
	{"[PATCH] m: support v1, v2", 1, 1, 1, "", PATCH, "m: support v1, v2"},
	{"[PATCH] m: x (v2, RESEND)", 2, 1, 1, "", "patch resend", "m: x (v2, RESEND)"},
	{"[PATCH] m: x - v2", 1, 1, 1, "", PATCH, "m: x - v2"},
	{"[PATCH] m: support API (v2) and more", 1, 1, 1, "", PATCH,
	 "m: support API (v2) and more"},
	{"[PATCH 1/2] m: x (1/3)", 1, 1, 2, "", NPATCH, "m: x (1/3)"},
	{"[PATCH v3 2/7] m: x [lab]", 3, 2, 7, "", NPATCH, "m: x [lab]"},
	{"[lab] [PATCH v2] [m] x", 2, 1, 1, "lab|m", PATCH, "x"},
	{"[lab:1234] [PATCH 1/2] m: x", 1, 1, 2, "lab:1234", NPATCH, NULL},
	{"{PATCH v2 1/2} m: x", 2, 1, 2, "", NPATCH, NULL},
	{"(PATCH v2 1/2) m: x", 2, 1, 2, "", NPATCH, NULL},
	{"PATCH[v2 1/2] m: x", 2, 1, 2, "", NPATCH, NULL},
	{"[PATCH v2 1/2 m: x", 2, 1, 2, "", NPATCH, NULL},
	{"[RFC PATCH v2 m: x", 2, 1, 1, "", "patch rfc", NULL},
	{"[lab m: x", 1, 1, 1, "", "", "[lab m: x"},
	{"PATCH v2 1/2] m: x", 2, 1, 2, "", NPATCH, NULL},
	{"PATCH 1/3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH v2 - 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH -- v2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH | 1/3] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH rev 2 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH rev2 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH revision 3] m: x", 3, 1, 1, "", PATCH, NULL},
	{"[PATCH #2 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH take 2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH take #2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH try3 1/2] m: x", 3, 1, 2, "", NPATCH, NULL},
	{"[PATCH round 2] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH 2nd try] m: x", 2, 1, 1, "", PATCH, NULL},
	{"[PATCH 1/3, third version] m: x", 3, 1, 3, "", NPATCH, NULL},
	{"[PATCH #4711] m: x", 1, 1, 1, "#4711", PATCH, NULL},
	{"[PATCH v6.1 1/3] m: x", 1, 1, 3, "v6.1", NPATCH, NULL},
	{"[PATCH v2: 2/3] m: x", 2, 2, 3, "", NPATCH, NULL},
	{"[PATCH 2 /3] m: x", 1, 2, 3, "", NPATCH, NULL},
	{"[PATCH v2\u00a01/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH] m: board (rev 3)", 1, 1, 1, "", PATCH, "m: board (rev 3)"},
	{"[PATCH] m: ratio (16/9)", 1, 1, 1, "", PATCH, "m: ratio (16/9)"},
	{"[PATCH second] m: x", 1, 1, 1, "second", PATCH, NULL},
	{"[PATCH] m: x (take 2)", 2, 1, 1, "", PATCH, "m: x (take 2)"},
	{"［PATCH v2 1/3］ m: x", 2, 1, 3, "", NPATCH, NULL},
	{"［ＰＡＴＣＨ　ｖ２　１／３］m: x", 2, 1, 3, "", NPATCH, NULL},
	{"[PATCH １/３] m: x", 1, 1, 3, "", NPATCH, NULL},
	{"[PATCH] m：x！", 1, 1, 1, "", PATCH, "m：x！"},
	{"Ответ: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Rép : [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Antwoord: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Svar: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"[Re: AW[3]", 1, 1, 1, "", "reply", "AW[3"},
	{"svar: m: x", 1, 1, 1, "", "", "svar: m: x"},
	{"ตอบ: [PATCH] m: x", 1, 1, 1, "", "patch reply", NULL},
	{"Пересл: [PATCH] m: x", 1, 1, 1, "", "patch forward", NULL},
	{"転送: [PATCH] m: x", 1, 1, 1, "", "patch forward", NULL},
	{"PATCH: [lab] m: x", 1, 1, 1, "lab", PATCH, NULL},
	{"re: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"RE: RE: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Re[3]: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Re:[PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Antwort: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Odp: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"RES: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"VS: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"Vá: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"TR: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch forward numbered", NULL},
	{"RE：[PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"回复: 回复: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply numbered", NULL},
	{"【外部邮件】Re: [PATCH v2 1/3] m: x", 2, 1, 3, "外部邮件", "patch reply numbered", NULL},
	{"[External] Re: [PATCH v2 1/3] m: x", 2, 1, 3, "External", "patch reply numbered", NULL},
	{"[EXT] [PATCH v2 1/3] m: x", 2, 1, 3, "EXT", NPATCH, NULL},
	{"*** SPAM *** [PATCH v2 1/3] m: x", 2, 1, 3, "", NPATCH, NULL},
	{"Fwd: Re: [PATCH v2 1/3] m: x", 2, 1, 3, "", "patch reply forward numbered", NULL},
	{"[Fwd: [PATCH v2 1/3] m: x]", 2, 1, 3, "", "patch forward numbered", NULL},
	{"[GIT PULL v2] m: x", 2, 1, 1, "", "pull", NULL},
	{"[GIT-PULL] m: x", 1, 1, 1, "", "pull", NULL},
	{"[git pull] m: x", 1, 1, 1, "", "pull", NULL},
	{"[GIT PULL for v6.9] m: x", 1, 1, 1, "for|v6.9", "pull", NULL},
	{"Re: [GIT PULL] m: x", 1, 1, 1, "", "reply pull", NULL},
	{"[PATCH v2 3/4 (resend)] m: x", 2, 3, 4, "", "patch numbered resend", NULL},
	{"[PATCH 3/4 v2.1] m: x", 2, 3, 4, "", NPATCH, NULL},
	{"[PATCH v1.5 3/4] m: x", 1, 3, 4, "v1.5", NPATCH, NULL},
	{"[PATCH v0 3/4] m: x", 0, 3, 4, "", NPATCH, NULL},
	{"[PATCH 3.5/4] m: x", 1, 1, 1, "3.5/4", PATCH, NULL},
	{"[PATCH v2 3a/4] m: x", 2, 1, 1, "3a/4", PATCH, NULL},
	{"[PATCH v2 n/4] m: x", 2, 1, 1, "n/4", PATCH, NULL},
	{"[PATCH 1/2] m: x\nBcc: ann@example.org", 1, 1, 2, "", NPATCH,
	 "m: x Bcc: ann@example.org"},
};

static char *flags_of(const SubjectPrefix *prefix)
{
	GString *flags = g_string_new(NULL);

	g_string_append(flags, prefix->is_patch ? "patch " : "");
	g_string_append(flags, prefix->is_reply ? "reply " : "");
	g_string_append(flags, prefix->is_forward ? "forward " : "");
	g_string_append(flags, prefix->is_pull ? "pull " : "");
	g_string_append(flags, prefix->numbered ? "numbered " : "");
	g_string_append(flags, prefix->rfc ? "rfc " : "");
	g_string_append(flags, prefix->resend ? "resend " : "");
	return g_strchomp(g_string_free(flags, FALSE));
}

static char *describe(const SubjectPrefix *prefix)
{
	g_autofree char *tags = g_strjoinv("|", prefix->tags);
	g_autofree char *flags = flags_of(prefix);

	return g_strdup_printf("v%u %u/%u {%s} (%s) <%s>", prefix->revision, prefix->number,
			       prefix->total, tags, flags, prefix->title);
}

START_TEST(subject_is_read_as_a_person_reads_it)
{
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		const Row *row = &rows[i];
		g_autoptr(SubjectPrefix) prefix = subject_parse(row->subject);
		g_autofree char *got = describe(prefix);
		g_autofree char *want = g_strdup_printf(
			"v%u %u/%u {%s} (%s) <%s>", row->revision, row->number, row->total,
			row->tags, row->flags, row->title ? row->title : "m: x");

		ck_assert_msg(strcmp(got, want) == 0, "%s: got %s, want %s", row->subject, got,
			      want);
	}
}
END_TEST

START_TEST(subject_without_text_has_all_defaults)
{
	g_autoptr(SubjectPrefix) prefix = subject_parse(NULL);
	g_autofree char *got = describe(prefix);

	ck_assert_str_eq(got, "v1 1/1 {} () <>");
}
END_TEST

START_TEST(subject_over_the_limit_is_cut)
{
	g_autoptr(GString) subject = g_string_new("[PATCH 1/2] ");

	while (subject->len < SUBJECT_MAX_BYTES + 100)
		g_string_append_c(subject, 'x');
	g_autoptr(SubjectPrefix) prefix = subject_parse(subject->str);

	ck_assert_uint_eq(prefix->total, 2);
	ck_assert_uint_eq(strlen(prefix->title), SUBJECT_MAX_BYTES - strlen("[PATCH 1/2] "));
}
END_TEST

START_TEST(subject_cut_anywhere_is_read)
{
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		for (gsize len = 0; len < strlen(rows[i].subject); len++) {
			g_autofree char *cut = g_strndup(rows[i].subject, len);
			g_autoptr(SubjectPrefix) prefix = subject_parse(cut);

			ck_assert(g_utf8_validate(prefix->title, -1, NULL));
			ck_assert_uint_ge(prefix->total, 1);
		}
	}
}
END_TEST

START_TEST(subject_of_only_marks_costs_linear_time)
{
	static const char *const pieces[] = {"[",       "Re: ",    "[PATCH ", "-v2-", "v2 ",
					     "1 of ",   "(",       "]",       "*",    "{",
					     "(PATCH)", "PATCH[]", "v ",      "1/ ",  "【】"};

	for (gsize i = 0; i < G_N_ELEMENTS(pieces); i++) {
		g_autoptr(GString) subject = g_string_new(NULL);

		while (subject->len < SUBJECT_MAX_BYTES)
			g_string_append(subject, pieces[i]);

		gint64 start = g_get_monotonic_time();
		g_autoptr(SubjectPrefix) prefix = subject_parse(subject->str);

		ck_assert_ptr_nonnull(prefix);
		ck_assert_int_lt(g_get_monotonic_time() - start, G_USEC_PER_SEC / 4);
	}
}
END_TEST

CHECK_MAIN("subject", subject_is_read_as_a_person_reads_it, subject_without_text_has_all_defaults,
	   subject_over_the_limit_is_cut, subject_cut_anywhere_is_read,
	   subject_of_only_marks_costs_linear_time)
