#include "sass/sass.h"

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
