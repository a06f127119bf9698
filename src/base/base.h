/* What all of the library is written with: statuses, memory, texts, messages, numbers, names. */
#ifndef WB_BASE_BASE_H
#define WB_BASE_BASE_H

#include <assert.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "warpbound.h"

/* A function that fails returns a status; it never exits. Returns the status of `call` from the enclosing
 * function unless it is WB_OK. */
#define WB_TRY(call)                                                                                         \
    do {                                                                                                     \
        wb_status wb_try_status = (call);                                                                    \
        if (wb_try_status != WB_OK) return wb_try_status;                                                    \
    } while (0)

/* Memory of one unit of work: many small allocations, freed at once; passes over it that need not ask whether
 * there was any; and arrays that grow. */

struct arena_chunk;
struct arena_pass;

/* Zero-initialised it is an empty arena without a limit. */
struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes taken from the system */
    size_t limit;               /* most bytes to take, 0: no limit */
    bool refused;               /* memory, as there was no room within the limit */
    struct arena_pass *bound_to;
    struct arena *bound_next; /* of those bound to the same pass */
};

/* `size` zeroed bytes, aligned for any type. When memory or the arena's limit is exhausted: NULL, or the end
 * of the pass that protects the arena. */
void *arena_alloc(struct arena *arena, size_t size);

/* `count` zeroed items of `size` bytes; NULL or the end of the pass also when the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *text, size_t length);

/* The `old_size` bytes at `memory`, which the arena gave (NULL: none), followed by zeroed ones: where they
 * are when they were allocated last, else copied. */
void *arena_grow(struct arena *arena, void *memory, size_t old_size, size_t size);

/* Frees everything that was allocated; the arena is empty and usable afterwards, and no longer bound. */
void arena_free(struct arena *arena);

/* ---- Passes -------------------------------------------------------------------------------------------- */

/* Runs pass(context). While it runs, no allocation from `arena` returns NULL: the first one that cannot be
 * made ends the pass, and arena_protect returns WB_ERR_LIMIT; else WB_OK. So a pass reads as the analysis
 * that it is, and is checked once. The rules:
 *  - the pass is left in the middle: what it holds then is lost. It holds no memory of malloc (a VEC filled
 * by arena_push and a text with an arena are fine), no open file, no lock, and no arena that is neither
 *    protected around it nor bound;
 *  - results that the caller would see half made are written last, or not looked at after an error;
 *  - a variable of the function that calls arena_protect is read afterwards only through `context`;
 *  - it is the thread's own matter: a team of threads inside a pass protects arenas of its members.
 * Passes may be inside each other, of the same arena (the inner one ends) or of others (whichever arena is
 * exhausted, its pass ends, with all inside). What is in the arena stays until the caller frees it. */
wb_status arena_protect(struct arena *arena, void (*pass)(void *context), void *context);

/* To be asserted by functions that rely on it. */
bool arena_is_protected(const struct arena *arena);

/* Protects a scratch arena as `to`, which is protected, until arena_free(scratch): when it is exhausted, the
 * pass around `to` ends, and when that pass ends early, the arena is freed. A pass that ends by itself has
 * freed what it has bound. */
void arena_bind(struct arena *scratch, const struct arena *to);

/* Ends the pass that protects the arena: arena_protect returns `status`, which is not WB_OK. */
_Noreturn void arena_fail(const struct arena *arena, wb_status status);

/* ---- Growable arrays ---- */

/* A zero-initialised array is empty. Its items lie in an arena (arena_push), or are malloced (vec_push) and
 * freed by vec_free: one or the other. */
#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

/* Makes room for `extra` more items after `count`. */
wb_status vec_grow(void **items, size_t *capacity, size_t count, size_t extra, size_t item_size);

/* Appends one item: WB_OK, or WB_ERR_LIMIT when memory is exhausted (the array is as it was). */
#define vec_push(vec, item)                                                                                  \
    (vec_reserve(vec, 1) == WB_OK ? ((vec)->items[(vec)->count++] = (item), WB_OK) : WB_ERR_LIMIT)

#define vec_reserve(vec, extra)                                                                              \
    ((vec)->capacity - (vec)->count >= (extra)                                                               \
         ? WB_OK                                                                                             \
         : vec_grow((void **)&(vec)->items, &(vec)->capacity, (vec)->count, (extra), sizeof *(vec)->items))

#define vec_free(vec)                                                                                        \
    do {                                                                                                     \
        free((vec)->items);                                                                                  \
        (vec)->items = NULL;                                                                                 \
        (vec)->count = (vec)->capacity = 0;                                                                  \
    } while (0)

/* Appends an item to a VEC whose items lie in a protected arena; nothing to be freed. */
#define arena_push(arena, vec, item)                                                                         \
    ((void)(arena_reserve(arena, vec, 1), (vec)->items[(vec)->count++] = (item)))

/* Makes room for `extra` more items. */
#define arena_reserve(arena, vec, extra)                                                                     \
    ((vec)->capacity - (vec)->count >= (extra)                                                               \
         ? (void)0                                                                                           \
         : arena_vec_grow(arena, (void **)&(vec)->items, &(vec)->capacity, (vec)->count, (extra),            \
                          sizeof *(vec)->items))

void arena_vec_grow(struct arena *arena, void **items, size_t *capacity, size_t count, size_t extra,
                    size_t item_size);

/* Text that grows while it is written: every report, message and printer writes into one of these.
 * Zero-initialised it is empty. After a failed allocation `failed` stays set and further writes do nothing,
 * so a writer checks once, at the end. In a protected arena ({.arena = arena}) no write fails. */
struct text {
    char *data; /* NUL-terminated, or NULL while empty */
    size_t length;
    size_t capacity;
    bool failed;
    struct arena *arena; /* where it lies, or NULL: it is malloced */
};

/* Makes room for so many bytes. */
void text_reserve(struct text *text, size_t length);

void text_append(struct text *text, const char *bytes, size_t length);
void text_string(struct text *text, const char *string);
void text_char(struct text *text, char c);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* snprintf and vsnprintf whatever the locale: numbers have a decimal point. */
int text_format(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int text_vformat(char *buffer, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Pads with spaces until the text is `column` characters after its last line break. */
void text_pad(struct text *text, size_t column);

/* Hands the text to the caller, who frees it unless it lies in an arena: a valid string even when nothing was
 * written, NULL when any write failed. The text is empty afterwards. */
char *text_take(struct text *text);

void text_free(struct text *text);

/* ---- The C locale ---- */

/* What the C library does as the locale says, done as the "C" locale has it: a program that links the library
 * may have set another locale, in which numbers have a decimal comma and more bytes are letters. */

/* A constant of the C library: it takes no memory, cannot fail and need not be freed. */
static inline locale_t c_locale(void) {
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Gives the calling thread the "C" locale until c_locale_leave is given what this returned. Other threads
 * keep theirs. */
static inline locale_t c_locale_enter(void) {
    return uselocale(c_locale());
}

static inline void c_locale_leave(locale_t before) {
    (void)uselocale(before);
}

static inline bool ascii_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool ascii_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static inline char ascii_lower(char c) {
    return ascii_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline bool ascii_letter(char c) {
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool ascii_printable(char c) {
    return c >= ' ' && c <= '~';
}

/* ---- UTF-8 ---- */

/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */

/* Decodes the code point at the start of `text`: the bytes it takes (1 to 4), or 0 when `length` is 0 or the
 * bytes are not UTF-8. */
size_t utf8_decode(const char *text, size_t length, uint32_t *point);

/* Whether all of the text is UTF-8. */
bool utf8_valid(const char *text, size_t length);

/* ---- Texts of others ---- */

/* Names and texts of files that somebody else wrote are shown on terminals. A control character of theirs
 * could clear the screen, a line break forge a line, and a character that turns the direction of writing (UAX
 * #9) show other code than is there. Readers make names printable, so that all behind them is, in every
 * format. */

/* Whether a code point is neither: no control character, line or paragraph separator, mark of direction, of
 * no width, or tag. */
bool text_is_printable(uint32_t point);

/* Appends text with every other code point, and every byte that is not UTF-8, as an escape: \n, \x1b,
 * \u202e. */
void text_printable(struct text *out, const char *string, size_t length);

/* A copy made so; NULL when memory is exhausted. */
const char *arena_printable(struct arena *arena, const char *string, size_t length);

/* Puts '?' in place of each byte of them, but of tabs and the ends of lines: of texts in which places matter.
 */
void text_blot(char *text, size_t length);

/* Numbers that users write, in any locale. Every function takes the whole text of the number: anything before
 * or behind it makes the text no number. */

/* Digits before and behind the point, exactly: digits / 10^scale. */
struct decimal {
    uint64_t digits;
    uint32_t scale; /* at most DECIMAL_SCALE_MAX */
};

#define DECIMAL_SCALE_MAX 18u

/* A whole number, decimal or hexadecimal (0x...), without a sign. False when it is none or needs more than 64
 * bits; *value is then untouched, here and below. */
bool number_u64(const char *text, size_t length, uint64_t *value);

/* A decimal number such as "930" or "1.5", without sign and exponent. */
bool number_decimal(const char *text, size_t length, struct decimal *value);

/* A floating-point number as C writes it ("-0.5", "1e-3", "inf", "nan"), rounded to nearest even. False also
 * when a finite number is too large for the type. */
bool number_f32(const char *text, size_t length, float *value);
bool number_f64(const char *text, size_t length, double *value);

/* Hexadecimal digits only, at least one and at most 16. */
bool number_hex(const char *text, size_t length, uint64_t *value);

/* 10 to the power `exponent` (at most 38). */
unsigned __int128 number_power_of_ten(uint32_t exponent);

/* The one path of messages to the user: collected here, rendered as `file:line:col: error: ...` with the
 * source line and a caret, printed by the command. */

/* ---- A text that was read, and places in it ---- */

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

/* ---- Messages ---- */

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
    uint32_t source_line;
    size_t where; /* offset in `pieces` of the name, behind which the text and the name of the source stand */
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
    const char *made_of;         /* the file that what stands there was made of; NULL: not known */
    uint32_t made_of_line;
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

/* Names that users write: choosing from a registry, and what was probably meant. */

/* ---- Choosing from a registry, as an option such as --method does ---- */

/* The number of a name, or SIZE_MAX; `name_at` gives the name of a number, or NULL past the end. */
size_t choose_index(const char *name, const char *(*name_at)(size_t));

/* The same in *index; an unknown name is WB_ERR_INPUT with a message that lists those that are known; `what`
 * is its origin. */
wb_status choose_name(const char *what, const char *name, const char *(*name_at)(size_t),
                      wb_diagnostics *diagnostics, size_t *index);

/* Chooses from a comma-separated list of names, or "all": bit i of *chosen for the name of number i. Errors
 * as choose_name. */
wb_status choose_names(const char *what, const char *list, const char *(*name_at)(size_t),
                       wb_diagnostics *diagnostics, uint64_t *chosen);

/* ---- Did you mean ...? ---- */

/* wb_nearest_name gives the name with the least edit distance to a word (at most a third of its length,
 * rounded to nearest), or else the only one that begins with the word, or one that the word begins
 * with, or else that has it inside. Names
 * longer than SUGGEST_LENGTH_MAX are passed over. */

#define SUGGEST_LENGTH_MAX 64

/* Structs of options that their callers fill in and that begin with their size, so that a program compiled
 * for an older version of the library, whose structs are shorter, gets what it asked for; and the version. */

/* Copies the options that a caller gave into *own, a struct of `size` bytes of this version's, `name` of
 * which the header has; members that the caller's version does not have are zero, as all are where `given` is
 * NULL. WB_ERR_INPUT with a message when their size was not set, or something is asked for that this version
 * does not have. */
wb_status options_take(const void *given, const char *name, size_t size, void *own,
                       wb_diagnostics *diagnostics);

/* The same of a struct whose type has the name `type`. */
#define OPTIONS_TAKE(type, given, own, diagnostics)                                                          \
    options_take((given), #type, sizeof(type), (own), (diagnostics))

/* How long things take: for reports and time limits. */

/* Seconds on a clock of the system; 0 where it has none. */
static inline double clock_seconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Processor time of the calling thread: what it takes without the others that want the processor. */
static inline double clock_of_thread(void) {
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* Elapsed time, from some point on. */
static inline double clock_elapsed(void) {
    return clock_seconds(CLOCK_MONOTONIC);
}

/* Processor time that all threads of this process have taken. */
static inline double clock_processor(void) {
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
