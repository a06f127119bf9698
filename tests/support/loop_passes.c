#include "loop_passes.h"

#include <stdlib.h>

/* A lane starts a block: if it is the header of a loop, one more pass, or the first of a new entry. */
static void pass_block(struct loop_passes *passes, uint32_t block, uint32_t lane) {
    const struct loops *loops = &passes->bounded->loops;
    uint32_t from = passes->last_block[lane], loop = loops->innermost[block];
    passes->last_block[lane] = block;
    if (loop == GRAPH_NONE || loops->items[loop].header != block) return;
    bool inside = from != GRAPH_NONE && loop_contains(loops, loop, from);
    passes->count[loop][lane] = inside ? passes->count[loop][lane] + 1 : 1;
    if (passes->count[loop][lane] > passes->most[loop]) passes->most[loop] = passes->count[loop][lane];
}

void loop_passes_follow(struct loop_passes *passes, const struct path *path) {
    const struct cfg *cfg = &passes->bounded->cfg;
    uint32_t inst_count = cfg->function->inst_count;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    for (uint32_t l = 0; l < LANES; l++)
        passes->last_block[l] = GRAPH_NONE;
    while (path_next(&cursor, &step)) {
        if (step.instruction < passes->first || step.instruction - passes->first >= inst_count) continue;
        uint32_t inst = step.instruction - passes->first, block = cfg->block_of[inst];
        if (cfg->blocks[block].first != inst) continue;
        for (uint32_t l = 0; l < LANES; l++)
            if ((step.mask >> l & 1) != 0) pass_block(passes, block, l);
    }
}

void loop_passes_init(const wb_block *block, uint32_t function, const struct bounded_function *bounded,
                      struct loop_passes *passes) {
    *passes = (struct loop_passes){.bounded = bounded, .first = block->code_first[function]};
    passes->count = calloc(bounded->loops.count + 1, sizeof *passes->count);
    passes->most = calloc(bounded->loops.count + 1, sizeof *passes->most);
    assert_true(passes->count != NULL && passes->most != NULL);
}

void loop_passes_free(struct loop_passes *passes) {
    free(passes->count);
    free(passes->most);
}
