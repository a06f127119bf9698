/* The one path of messages to the user: collected here, rendered as `file:line:col: error: ...` with the
 * source line and a caret, printed by the command. */
#ifndef WB_BASE_DIAGNOSTICS_H
#define WB_BASE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

/* ---- A text that was read, and places in it --------------------------------------------------------------
 */

/* Texts larger than this are refused, so that an offset fits 32 bits. */
#define SOURCE_SIZE_MAX ((size_t)2 << 30)

struct source {
    const char *name; /* file name as the user gave it */
    const char *text; /* not NUL-terminated in general */
    size_t size;      /* bytes */
};

/* Line and column of a place, both counted from 1; the column counts bytes. */
struct source_place {
    uint32_t line;
    uint32_t column;
};

/* Where byte `offset` of the source stands; an offset past the end stands behind the last byte. */
struct source_place source_place_at(const struct source *source, size_t offset);

/* The offset of the first byte of the text: behind the byte order mark of UTF-8 that some editors write. */
size_t source_start(const struct source *source);

/* ---- Messages --------------------------------------------------------------------------------------------
 */

enum severity {
    SEVERITY_ERROR = WB_SEVERITY_ERROR,
    SEVERITY_WARNING = WB_SEVERITY_WARNING,
    SEVERITY_NOTE = WB_SEVERITY_NOTE
};

/* More messages than this are counted, not kept. */
#define DIAGNOSTICS_KEPT 50

/* What a message consists of, besides its texts. */
struct message_mark {
    enum severity severity;
    uint32_t line, column; /* 0: it is about no place */
    size_t where;          /* offset in `pieces` of the name, behind which the text stands */
};

/* Zero-initialised there are none. */
struct wb_diagnostics {
    struct text rendered; /* every kept message, already formatted; and */
    struct text pieces;   /* the names and texts of those that have marks, each with a zero byte behind it */
    struct message_mark marks[DIAGNOSTICS_KEPT];
    size_t marked;
    const char *about; /* what messages without a place in a file are about; NULL: each says it itself */
    size_t kept;
    size_t errors;     /* all errors, kept or not */
    size_t warnings;   /* all warnings, kept or not */
    bool needs_facts;  /* flow facts would let what failed succeed */
    bool needs_launch; /* nothing is said of the launch */
    bool over_limit;   /* an execution was ended by a limit of its options */
    bool no_memory;    /* the system had no memory left */
    bool stuck;        /* an execution came to a state from which nothing goes on */
};

/* Frees what they hold. */
void diagnostics_clear(struct wb_diagnostics *diagnostics);

/* A message about byte `offset` of `source`. */
void diagnose_at(struct wb_diagnostics *diagnostics, enum severity severity, const struct source *source,
                 size_t offset, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A message about a file without a place in it (`where` is its name) or about an option (its text). */
void diagnose(struct wb_diagnostics *diagnostics, enum severity severity, const char *where,
              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What a message is about, where the same text can come from a file or from an option. */
struct subject {
    const struct source *source; /* NULL: the message names `where` instead of a place */
    size_t offset;               /* in the source */
    const char *where;           /* an option's text or a file name */
};

/* A message about a place or an option, whichever the subject is. */
void diagnose_about(struct wb_diagnostics *diagnostics, enum severity severity, const struct subject *subject,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The text of the first error, behind the name of what it is about: `length` bytes that end before its line
 * does; "" when there is none. It is part of `diagnostics`. */
const char *diagnostics_first_error(const struct wb_diagnostics *diagnostics, size_t *length);

/* What every message says when memory is exhausted. */
#define OUT_OF_MEMORY "out of memory"

/* The message that memory is exhausted; always WB_ERR_LIMIT, to be returned. */
wb_status diagnose_out_of_memory(struct wb_diagnostics *diagnostics, const char *where);

/* The message that an execution by `where` goes on no more, though blocks are left. No machine that
 * wb_machine_check accepts can do that: no number of such a machine holds, and whoever hears of it reports
 * none. Always WB_ERR_INPUT, to be returned. */
wb_status diagnose_stuck(struct wb_diagnostics *diagnostics, const char *where);

#endif
