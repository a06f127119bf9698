/* The reader of small languages: units and programs of blocks written by hand, kernel instruction strings,
 * abstract warps, flow facts, flags. It looks at one character, takes it, or says in one style what is wrong
 * with it: with the line and a caret where the text stands in a file, with the column where it does not. */
#ifndef WB_BASE_SCANNER_H
#define WB_BASE_SCANNER_H

#include "base/diagnostics.h"

/* What may stand between two things and means nothing. */
enum scan_skips {
    SCAN_SPACES = 1,        /* spaces, tabs, line breaks */
    SCAN_HASH_COMMENTS = 2, /* # to the end of the line */
    SCAN_SLASH_COMMENTS = 4 /* // to the end of the line */
};

struct scanner {
    const char *text; /* not NUL-terminated in general */
    size_t size;
    size_t at;              /* of the next character */
    unsigned skips;         /* enum scan_skips */
    struct subject subject; /* where the text begins, or who messages are about */
    const char *topic;      /* stands before messages, or NULL */
    wb_diagnostics *diagnostics;
};

/* Reads all of a source. */
struct scanner scanner_of(const struct source *source, unsigned skips, wb_diagnostics *diagnostics);

/* An error about byte `at` of the text; always WB_ERR_INPUT. */
wb_status scan_fail_at(const struct scanner *scanner, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about the next character. */
#define scan_fail(scanner, ...) scan_fail_at((scanner), (scanner)->at, __VA_ARGS__)

/* The next character, or NUL at the end, behind what is skipped. */
char scan_peek(struct scanner *scanner);

/* The next character as it stands: nothing is skipped. */
static inline char scan_here(const struct scanner *scanner) {
    return scanner->at < scanner->size ? scanner->text[scanner->at] : '\0';
}

static inline bool scan_at_end(const struct scanner *scanner) {
    return scanner->at == scanner->size;
}

/* Whether `c` comes next; it is then taken. */
bool scan_accept(struct scanner *scanner, char c);

/* Takes `c`, or fails: "expected 'c'". */
wb_status scan_expect(struct scanner *scanner, char c);

/* Takes a decimal number from `least` to `most`, called `what` in messages. */
wb_status scan_number(struct scanner *scanner, const char *what, uint64_t least, uint64_t most,
                      uint64_t *number);
wb_status scan_u32(struct scanner *scanner, const char *what, uint32_t least, uint32_t most,
                   uint32_t *number);

/* Takes as many characters as belong to a word; the word's length, and its text in *word. */
size_t scan_word(struct scanner *scanner, bool (*belongs)(char c), const char **word);

#endif
