#include "base/base.h"

#include <string.h>

/* ---- Places ---- */

struct source_place source_place_at(const struct source *source, size_t offset) {
    if (offset > source->size) offset = source->size;
    struct source_place place = {1, 1};
    const char *line = source->text;
    const char *end = source->text + offset;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL) break;
        place.line++;
        line = newline + 1;
    }
    place.column = (uint32_t)(end - line) + 1;
    return place;
}

size_t source_start(const struct source *source) {
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return source->size >= sizeof mark && memcmp(source->text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

/* ---- Messages ---- */

/* Widest piece of a source line shown above a caret, and how much of it may stand before the caret. */
#define EXCERPT_WIDTH 100
#define EXCERPT_BEFORE 60

/* Longest message: room for every list of what is known. Longer ones are cut, since a name in them may come
 * from garbage, and say so. */
#define MESSAGE_MAX 6000
#define MESSAGE_CUT " [...]"

/* Room for messages that is there from the start, so that one can be left when memory is exhausted. */
#define MESSAGES_RESERVED ((size_t)4096)

const char *wb_severity_name(wb_severity severity) {
    switch (severity) {
    case WB_SEVERITY_ERROR: return "error";
    case WB_SEVERITY_WARNING: return "warning";
    case WB_SEVERITY_NOTE: break;
    }
    return "note";
}

/* Counts a message and says whether it is to be kept. */
static bool diagnostics_admit(struct wb_diagnostics *diagnostics, enum severity severity) {
    if (severity == SEVERITY_ERROR) diagnostics->errors++;
    if (severity == SEVERITY_WARNING) diagnostics->warnings++;
    if (diagnostics->kept >= DIAGNOSTICS_KEPT) return false;
    diagnostics->kept++;
    return true;
}

/* Bytes of an excerpt are counted as characters: those above ASCII, and control bytes, show as '?'. */
static char printable(char c) {
    if (c == '\t') return ' ';
    return ascii_printable(c) ? c : '?';
}

/* The severity and the text, on a line; the text's offset in `out`. */
static size_t append_message(struct text *out, enum severity severity, const char *format,
                             va_list arguments) {
    text_string(out, wb_severity_name((wb_severity)severity));
    text_string(out, ": ");
    const size_t start = out->length;
    text_vprintf(out, format, arguments);
    if (out->length - start > MESSAGE_MAX) {
        out->length = start + MESSAGE_MAX;
        text_string(out, MESSAGE_CUT);
    }
    if (!out->failed) text_blot(out->data + start, out->length - start);
    for (size_t i = start; i < out->length && !out->failed; i++) /* lines of a list of ours are indented */
        if (ascii_space(out->data[i]) && strncmp(out->data + i, "\n    ", 5) != 0)
            out->data[i] = out->data[i] == '\n' ? '?' : ' ';
    text_char(out, '\n');
    return start;
}

/* Notes what a message consists of, unless there is no room for it. */
static void mark_message(struct wb_diagnostics *diagnostics, const struct message_mark *place,
                         const char *where, const char *text, size_t length, const char *made_of) {
    struct text *pieces = &diagnostics->pieces;
    const size_t start = pieces->length;
    if (diagnostics->marked == DIAGNOSTICS_KEPT) return;
    text_append(pieces, where, strlen(where) + 1);
    text_append(pieces, text, length);
    text_char(pieces, '\0');
    text_append(pieces, made_of, strlen(made_of) + 1);
    if (pieces->failed) return;
    diagnostics->marks[diagnostics->marked] = *place;
    diagnostics->marks[diagnostics->marked++].where = start;
}

/* The source line with a caret under `offset`, cut to a window around it when the line is long. */
static void append_excerpt(struct text *out, const struct source *source, size_t offset) {
    if (offset > source->size) offset = source->size;
    assert(offset <= source->size);
    size_t first = offset;
    while (first > 0 && offset - first < EXCERPT_BEFORE && source->text[first - 1] != '\n')
        first--;
    size_t last = offset;
    while (last < source->size && last - first < EXCERPT_WIDTH && source->text[last] != '\n')
        last++;
    if (first == last) return;
    text_string(out, "  ");
    for (size_t i = first; i < last; i++)
        text_char(out, printable(source->text[i]));
    text_string(out, "\n  ");
    for (size_t i = first; i < offset; i++)
        text_char(out, ' ');
    text_string(out, "^\n");
}

static void report(struct wb_diagnostics *diagnostics, enum severity severity, const struct subject *subject,
                   const char *format, va_list arguments) {
    if (!diagnostics_admit(diagnostics, severity)) return;
    struct text *out = &diagnostics->rendered;
    struct message_mark mark = {.severity = severity, .source_line = subject->made_of_line};
    const char *where = subject->source != NULL      ? subject->source->name
                        : diagnostics->about != NULL ? diagnostics->about
                                                     : subject->where;
    assert(where != NULL);
    text_printable(out, where, strlen(where));
    text_char(out, ':');
    if (subject->source != NULL) {
        const struct source_place place = source_place_at(subject->source, subject->offset);
        mark.line = place.line;
        mark.column = place.column;
        text_printf(out, "%u:%u:", place.line, place.column);
    }
    text_char(out, ' ');
    const size_t start = append_message(out, severity, format, arguments), end = out->length;
    if (!out->failed)
        mark_message(diagnostics, &mark, where, out->data + start, end - 1 - start,
                     subject->made_of != NULL ? subject->made_of : "");
    if (subject->source != NULL) append_excerpt(out, subject->source, subject->offset);
}

void diagnose_at(struct wb_diagnostics *diagnostics, enum severity severity, const struct source *source,
                 size_t offset, const char *format, ...) {
    struct subject subject = {.source = source, .offset = offset};
    va_list arguments;
    va_start(arguments, format);
    report(diagnostics, severity, &subject, format, arguments);
    va_end(arguments);
}

void diagnose(struct wb_diagnostics *diagnostics, enum severity severity, const char *where,
              const char *format, ...) {
    struct subject subject = {.where = where};
    va_list arguments;
    va_start(arguments, format);
    report(diagnostics, severity, &subject, format, arguments);
    va_end(arguments);
}

void diagnose_about(struct wb_diagnostics *diagnostics, enum severity severity, const struct subject *subject,
                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(diagnostics, severity, subject, format, arguments);
    va_end(arguments);
}

const char *diagnostics_first_error(const struct wb_diagnostics *diagnostics, size_t *length) {
    static const char mark[] = ": error: ";
    const char *text = wb_diagnostics_text(diagnostics), *found = strstr(text, mark);
    const char *start = found == NULL ? text + strlen(text) : found + sizeof mark - 1;
    *length = strcspn(start, "\n");
    return start;
}

wb_status diagnose_out_of_memory(struct wb_diagnostics *diagnostics, const char *where) {
    diagnose(diagnostics, SEVERITY_ERROR, where, OUT_OF_MEMORY);
    diagnostics->no_memory = true;
    return WB_ERR_LIMIT;
}

wb_status diagnose_stuck(struct wb_diagnostics *diagnostics, const char *where) {
    diagnostics->stuck = true;
    diagnose(diagnostics, SEVERITY_ERROR, where,
             "deadlock: blocks remain, but none of their warps can continue");
    return WB_ERR_INPUT;
}

wb_diagnostics *wb_diagnostics_new(void) {
    wb_diagnostics *diagnostics = calloc(1, sizeof *diagnostics);
    if (diagnostics != NULL) text_reserve(&diagnostics->rendered, MESSAGES_RESERVED);
    if (diagnostics == NULL || !diagnostics->rendered.failed) return diagnostics;
    wb_diagnostics_free(diagnostics);
    return NULL;
}

void wb_diagnostics_free(wb_diagnostics *diagnostics) {
    if (diagnostics == NULL) return;
    diagnostics_clear(diagnostics);
    free(diagnostics);
}

void diagnostics_clear(struct wb_diagnostics *diagnostics) {
    text_free(&diagnostics->rendered);
    text_free(&diagnostics->pieces);
}

void wb_diagnostics_warning(wb_diagnostics *diagnostics, const char *where, const char *message) {
    diagnose(diagnostics, SEVERITY_WARNING, where, "%s", message);
}

void wb_diagnostics_note(wb_diagnostics *diagnostics, const char *where, const char *message) {
    diagnose(diagnostics, SEVERITY_NOTE, where, "%s", message);
}

void wb_diagnostics_error(wb_diagnostics *diagnostics, const char *where, const char *message) {
    diagnose(diagnostics, SEVERITY_ERROR, where, "%s", message);
}

void wb_diagnostics_about(wb_diagnostics *diagnostics, const char *about) {
    diagnostics->about = about;
}

void wb_diagnostics_append(wb_diagnostics *diagnostics, const wb_diagnostics *from) {
    wb_message message;
    text_string(&diagnostics->rendered, wb_diagnostics_text(from));
    for (size_t i = 0; wb_diagnostics_message(from, i, &message); i++) {
        const struct message_mark mark = {(enum severity)message.severity, message.line, message.column,
                                          message.source_line, 0};
        mark_message(diagnostics, &mark, message.where, message.text, strlen(message.text),
                     message.source != NULL ? message.source : "");
    }
    diagnostics->kept += from->kept;
    diagnostics->errors += from->errors;
    diagnostics->warnings += from->warnings;
    diagnostics->needs_facts |= from->needs_facts;
    diagnostics->needs_launch |= from->needs_launch;
    diagnostics->over_limit |= from->over_limit;
    diagnostics->no_memory |= from->no_memory;
    diagnostics->stuck |= from->stuck;
}

bool wb_diagnostics_message(const wb_diagnostics *diagnostics, size_t index, wb_message *message) {
    if (index >= diagnostics->marked) return false;
    const struct message_mark *mark = &diagnostics->marks[index];
    const char *where = diagnostics->pieces.data + mark->where;
    *message = (wb_message){.severity = (wb_severity)mark->severity,
                            .where = where,
                            .line = mark->line,
                            .column = mark->column,
                            .text = where + strlen(where) + 1,
                            .source_line = mark->source_line};
    if (mark->source_line > 0) message->source = message->text + strlen(message->text) + 1;
    return true;
}

bool wb_diagnostics_needs_facts(const wb_diagnostics *diagnostics) {
    return diagnostics->needs_facts;
}

bool wb_diagnostics_needs_launch(const wb_diagnostics *diagnostics) {
    return diagnostics->needs_launch;
}

size_t wb_diagnostics_errors(const wb_diagnostics *diagnostics) {
    return diagnostics->errors;
}

const char *wb_diagnostics_text(const wb_diagnostics *diagnostics) {
    const struct text *rendered = &diagnostics->rendered;
    if (rendered->length != 0) return rendered->data;
    return rendered->failed ? "error: out of memory, and no room to say what for\n" : "";
}
