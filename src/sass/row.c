#include "sass/sass.h"

#include <stddef.h>

#include "sass/items.h"

uint32_t sass_generation(uint32_t sm) {
    if (sm == 75) return SASS_TURING;
    if (sm >= 80 && sm <= 89) return SASS_AMPERE;
    if (sm == 90) return SASS_HOPPER;
    return sm >= 100 && sm <= 129 ? SASS_LATER : 0;
}

bool sass_item_used(const struct sass_inst *inst, const struct sass_item *item) {
    const uint64_t *word = inst->word;
    switch ((enum sass_when)item->when) {
    case WHEN_ALWAYS:
    case WHEN_PT:
    case WHEN_USED: return true;
    case WHEN_BIT:
    case WHEN_BIT_NOT_PT: return sass_bits(word, item->bit, 1);
    case WHEN_LEA: return sass_bits(word, 80, 1) && !sass_bits(word, 73, 1);
    case WHEN_MERGE:
    case WHEN_RED: return sass_bits(word, 78, 1);
    case WHEN_DIVERGENT: return sass_bits(word, 33, 1);
    case WHEN_COLLECTIVE: return sass_bits(word, 86, 1);
    case WHEN_ALONE: return !sass_bits(word, 86, 1);
    case WHEN_NO_UREG: return !sass_bits(word, 91, 1);
    case WHEN_UREG: return sass_bits(word, 91, 1);
    }
    return true;
}

/* ---- The table ---- */

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
