/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mailparse/original.h"

#include "mailparse/pattern.h"

#include <string.h>

#define MARK_MAX_BYTES 200u
#define OPENING_MAX_BYTES 60u
#define LABEL_MAX_BYTES 40u
#define HEADER_MAX_LINES 14u
#define UNKNOWN_TONGUE_LINES 3u

#define NBSP "\u00a0"
#define WIDE_COLON "："

static Line trim_left(Line line)
{
	for (;;) {
		if (line.len > 0 && (line.text[0] == ' ' || line.text[0] == '\t'))
			line = line_after(line, 1);
		else if (line_starts(&line, NBSP))
			line = line_after(line, strlen(NBSP));
		else
			return line;
	}
}

static Line trim(Line line)
{
	line = trim_left(line_chomp(line));
	for (;;) {
		if (line.len > 0 && g_ascii_isspace(line.text[line.len - 1]))
			line.len--;
		else if (line.len >= 2 && memcmp(line.text + line.len - 2, NBSP, 2) == 0)
			line.len -= 2;
		else
			return line;
	}
}

bool original_is_signature_mark(const Line *line)
{
	static const char *const marks[] = {"--", "—", "––", "——"};
	Line bare = trim(*line);

	if (line->len == 0 || line->text[0] == ' ' || line->text[0] == '\t')
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		if (bare.len == strlen(marks[i]) && memcmp(bare.text, marks[i], bare.len) == 0)
			return true;
	}
	return false;
}

/* ---- rulers ---- */

/* "-----", "=====", "*****", at least @n of one kind. */
static bool starts_with_ruler(const Line *bare, gsize n)
{
	gsize i = 0;

	while (i < bare->len && bare->text[i] == bare->text[0])
		i++;
	return i >= n && strchr("-=*_#~", bare->text[0]) != NULL;
}

static bool is_ruled(const Line *bare)
{
	if (bare->len < 8 || bare->len > MARK_MAX_BYTES)
		return false;
	return starts_with_ruler(bare, 4) ||
	       (starts_with_ruler(bare, 2) && bare->text[bare->len - 1] == bare->text[0] &&
		bare->text[bare->len - 2] == bare->text[0]);
}

bool original_is_mark(const Line *line)
{
	static const char words[] =
		"original(?:e|es)? (?:message|mail|e-mail|appointment|nachricht|meddelande)"
		"|message d['’]origine|mail original|message (?:original|transf|transm|réexp)"
		"|forwarded (?:message|e-?mail|by|from|inline)|begin "
		"forward|originalnachricht|ursprüngliche|weitergeleitete"
		"|mensaje (?:original|reenviado)|missatge (?:original|reenviat)"
		"|messaggio (?:originale|inoltrato)|mensagem (?:original|encaminhada|reenviada)"
		"|oorspronkelijk|doorgestuurd|origine[el]+ bericht|ursprungligt|vidarebefordrat"
		"|originalmeddelande|oprindelig|opprinnelig|videresendt|alkuperäinen"
		"|välitetty|eredeti üzenet|továbbított"
		"|oryginaln[aey]|przekazan|původní|pôvodná"
		"|přeposlan|preposlan|izvorn|originaln[aeo]|proslijeđ|posredovan"
		"|mesaj(?:ul)? (?:original|redirec)|özgün [iİ]leti|orijinal (?:mesaj|ileti)"
		"|iletilen|iletilmiş|algne kiri|algkiri|edastatud|originalus|persiųst"
		"|sākotn|pārsūt|pesan (?:asli|terusan)|thư gốc"
		"|исходн|начальн|перес[ыл]|перенапр|ориг[iіи]нал|αρχικό μήνυμα|προωθ"
		"|原始邮件|原始郵件|原邮件|原郵件|原始|转发|轉寄|轉發|元のメ|元の送|転送|원본|전달"
		"|הודעה|الرس";
	static const char opening[] = "^(?:begin|start of|anfang der|début du|inizio) "
				      "(?:the )?(?:forwarded|weitergel|message|messaggio)";
	Line bare = trim(*line);

	bool ruled = is_ruled(&bare);
	if (!ruled && (bare.len == 0 || bare.len > OPENING_MAX_BYTES))
		return false;
	g_autofree char *text = g_strndup(bare.text, bare.len);
	return pattern_matches(ruled ? words : opening, text);
}

/* ---- header lines ---- */

typedef enum {
	LABEL_NONE,
	LABEL_OTHER,
	LABEL_FROM,
	LABEL_SENT, /* only mailers that print the original's header say so */
	LABEL_DATE,
	LABEL_TO,
	LABEL_SUBJECT,
} Label;

static const char *const from_labels[] = {
	"from",       "von",      "de",         "da",          "van",       "fra",
	"från",       "od",       "odesílatel", "odosielateľ", "nadawca",   "expediteur",
	"expéditeur", "mittente", "remitente",  "remetente",   "lähettäjä", "feladó",
	"kimden",     "gönderen", "от",         "от кого",     "від",       "отправитель",
	"από",        "pengirim", "dari",       "từ",          "saatja",    "nuo",
	"no",         "发件人",   "寄件者",     "寄件人",      "发信人",    "差出人",
	"送信者",     "送信元",   "보낸 사람",  "발신",        "보낸사람",  "מאת",
	"من",         "จาก",      NULL};

static const char *const sent_labels[] = {"sent",
					  "gesendet",
					  "envoyé",
					  "envoye",
					  "envoyé le",
					  "enviado",
					  "enviado el",
					  "enviada",
					  "enviada em",
					  "enviado em",
					  "enviat",
					  "inviato",
					  "verzonden",
					  "skickat",
					  "sendt",
					  "lähetetty",
					  "wysłano",
					  "wysłane",
					  "odesláno",
					  "odoslané",
					  "elküldve",
					  "gönderildi",
					  "gönderilme tarihi",
					  "trimis",
					  "poslano",
					  "saadetud",
					  "išsiųsta",
					  "nosūtīts",
					  "отправлено",
					  "надіслано",
					  "изпратено",
					  "εστάλη",
					  "dikirim",
					  "đã gửi",
					  "发送时间",
					  "发件时间",
					  "寄件日期",
					  "傳送時間",
					  "送信日時",
					  "보낸 날짜",
					  "נשלח",
					  NULL};

static const char *const date_labels[] = {"date",       "datum",   "data",  "fecha", "dato",
					  "päivämäärä", "päiväys", "dátum", "tarih", "дата",
					  "ημερομηνία", "tanggal", "ngày",  "日期",  "日付",
					  "日時",       "날짜",    "תאריך", NULL};

static const char *const to_labels[] = {"to",
					"cc",
					"an",
					"à",
					"para",
					"a",
					"aan",
					"til",
					"till",
					"vastaanottaja",
					"komu",
					"pro",
					"do",
					"dw",
					"címzett",
					"kime",
					"către",
					"za",
					"prima",
					"кому",
					"копия",
					"προς",
					"kepada",
					"đến",
					"saaja",
					"kam",
					"destinataire",
					"destinatario",
					"destinatário",
					"收件人",
					"收件者",
					"抄送",
					"副本",
					"宛先",
					"받는 사람",
					"받는사람",
					"אל",
					"إلى",
					NULL};

static const char *const subject_labels[] = {
	"subject",  "betreff", "objet", "asunto",  "oggetto", "assunto", "onderwerp", "ämne",
	"emne",     "aihe",    "temat", "předmět", "predmet", "tárgy",   "konu",      "subiect",
	"assumpte", "teema",   "tema",  "тема",    "θέμα",    "subjek",  "perihal",   "chủ đề",
	"主题",     "主旨",    "主題",  "標題",    "件名",    "제목",    "נושא",      NULL};

static Label label_of(const char *text)
{
	static const struct {
		const char *const *labels;
		Label label;
	} kinds[] = {
		{from_labels, LABEL_FROM},       {sent_labels, LABEL_SENT},
		{date_labels, LABEL_DATE},       {to_labels, LABEL_TO},
		{subject_labels, LABEL_SUBJECT},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (g_strv_contains(kinds[i].labels, text))
			return kinds[i].label;
	}
	return LABEL_OTHER;
}

/* "Label: value", "*Label:* value", "Label : value" with any colon and blanks. */
static Label read_label(const Line *line)
{
	Line bare = trim(*line);

	while (line_starts(&bare, "*"))
		bare = line_after(bare, 1);
	gsize n = 0;
	for (; n < bare.len && n < LABEL_MAX_BYTES && bare.text[n] != ':'; n++) {
		Line rest = line_after(bare, n);
		guchar c = (guchar)bare.text[n];
		if (line_starts(&rest, WIDE_COLON))
			break;
		if (c < 0x80 && !g_ascii_isalpha(c) && !strchr(" *-", c))
			return LABEL_NONE;
	}
	if (n == 0 || n >= bare.len || n >= LABEL_MAX_BYTES)
		return LABEL_NONE;
	Line name = {.text = bare.text, .len = n};
	name = trim(name);
	while (name.len > 0 && name.text[name.len - 1] == '*')
		name.len--;
	name = trim(name);
	g_autofree char *text = g_strndup(name.text, name.len);
	g_autofree char *folded = g_utf8_strdown(text, -1);
	return folded[0] == '\0' || g_str_has_suffix(folded, "-by") ? LABEL_NONE : label_of(folded);
}

static bool holds_time(const char *text)
{
	return pattern_matches("\\b\\d{1,2}[:.h]\\d\\d\\b", text);
}

/* What the lines of a block hold. */
typedef struct {
	guint n_lines;
	bool seen[LABEL_SUBJECT + 1];
	bool address;
	bool time;
} Block;

static void count_line(Block *block, const Line *line, Label label)
{
	g_autofree char *text = g_strndup(line->text, MIN(line->len, MARK_MAX_BYTES));

	block->n_lines++;
	block->seen[label] = true;
	block->address |= strchr(text, '@') != NULL;
	block->time |= holds_time(text);
}

/* Lines of a header follow each other, long ones are folded; some mailers put blank lines between.
 */
static Block read_block(const char *body, gsize len, gsize pos, const Line *first)
{
	Block block = {0};
	bool gap = false;
	Line line;

	count_line(&block, first, read_label(first));
	while (block.n_lines < HEADER_MAX_LINES && line_next(body, len, &pos, &line)) {
		Label label = read_label(&line);
		if (line_is_blank(&line)) {
			if (gap)
				break;
			gap = true;
			continue;
		}
		bool folded = !gap && g_ascii_isspace(line.text[0]);
		if ((label == LABEL_NONE && !folded) || (gap && label <= LABEL_OTHER))
			break;
		if (label != LABEL_NONE)
			count_line(&block, &line, label);
		gap = false;
	}
	return block;
}

OriginalHeader original_header(const char *body, gsize len, gsize pos, const Line *line)
{
	Label first = read_label(line);

	if (first == LABEL_NONE)
		return ORIGINAL_NO_HEADER;
	Block block = read_block(body, len, pos, line);
	bool from = block.seen[LABEL_FROM];
	if (from &&
	    (block.seen[LABEL_SENT] ||
	     (block.seen[LABEL_TO] && (block.seen[LABEL_DATE] || block.seen[LABEL_SUBJECT]))))
		return ORIGINAL_HEADER;
	if (from && (block.seen[LABEL_DATE] || block.seen[LABEL_SUBJECT]))
		return ORIGINAL_MAYBE_HEADER;
	bool unknown = block.n_lines >= UNKNOWN_TONGUE_LINES && block.address && block.time &&
		       !g_ascii_isspace(line->text[0]);
	return unknown ? ORIGINAL_MAYBE_HEADER : ORIGINAL_NO_HEADER;
}
