#include "sass/sass.h"

#include <stddef.h>

#include "sass/items.h"

#define NAME(prefix, line) NAME_OF_LINE(prefix, line)
#define NAME_OF_LINE(prefix, line) prefix##line

#define SASS_OPCODE(...)
#define SASS_FORM(enumerator, architectures, codes, ...)                                                     \
    static const struct sass_item NAME(items_, __LINE__)[] = {__VA_ARGS__};
#include "sass/opcode_table.h"
#undef SASS_FORM

enum {
#define SASS_FORM(...) NAME(ROW_, __LINE__),
#include "sass/opcode_table.h"
#undef SASS_FORM
    ROW_COUNT
};

#define ROW(enumerator, architectures, codes, is_also)                                                       \
    [NAME(ROW_, __LINE__)] = {.op = SASS_OP_##enumerator,                                                    \
                              .generations = (architectures),                                                \
                              .also = (is_also),                                                             \
                              .second_at_b = ((codes)&CODE_SECOND) != 0,                                     \
                              .second_at_64 = ((codes)&CODE_SECOND_AT_64) != 0,                              \
                              .forms = (codes) >> CODE_FORMS & 0xff,                                         \
                              .item_count = sizeof NAME(items_, __LINE__) / sizeof(struct sass_item),        \
                              .items = NAME(items_, __LINE__)},

static const struct sass_row rows[ROW_COUNT] = {
#define SASS_FORM(enumerator, architectures, codes, ...) ROW(enumerator, architectures, codes, false)
#define SASS_ALSO(enumerator, architectures, codes, ...) ROW(enumerator, architectures, codes, true)
#include "sass/opcode_table.h"
#undef SASS_FORM
#undef SASS_ALSO
};

/* By operation: 1 + the number of its first row. Two SASS_FORMs of one operation would not compile. */
static const uint16_t first_rows[512] = {
#define SASS_FORM(enumerator, architectures, codes, ...) [(codes)&0x1ff] = 1 + NAME(ROW_, __LINE__),
#define SASS_ALSO(...)
#include "sass/opcode_table.h"
#undef SASS_FORM
#undef SASS_ALSO
};
#undef SASS_OPCODE

const struct sass_row *find_row(uint32_t generation, uint32_t opcode) {
    uint32_t first = first_rows[opcode & 0x1ff];
    uint32_t form = opcode >> 9 & 7;
    if (!first) return NULL;
    const struct sass_row *row = &rows[first - 1];
    do {
        if ((row->generations & generation) && (row->forms >> form & 1)) return row;
        row++;
    } while (row < rows + ROW_COUNT && row->also);
    return NULL;
}
