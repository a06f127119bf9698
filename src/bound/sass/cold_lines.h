/* Misses that each line of instructions and constants makes once, as they keep the warps of one path waiting:
 * where the path comes to a line for the first time (docs/machine-code-bounds.md, section 6). */
#ifndef WB_BOUND_SASS_COLD_LINES_H
#define WB_BOUND_SASS_COLD_LINES_H

#include "base/base.h"
#include "warp/timed/timed.h"

/* The lines of a block in the L1 of instructions and constants because some warp has executed them in an
 * older section. */
struct cold_block {
    const struct timed_code *code;
    uint32_t first_line, line_count; /* of the L0: those of all entries */
    uint32_t first_l1_line, l1_line_count;
    uint32_t l0_bytes, l1_bytes;
    uint32_t constants;
    bool *there, *coming; /* per line of the L1, constants behind instructions: in older sections; in this one
                             or older */
};

/* The lines that the warps of a path have asked for. */
struct cold_path {
    struct cold_block *block;
    bool *asked;    /* per line of the L0 */
    bool *asked_l1; /* as in the block */
    bool *asked_constant;
};

/* WB_ERR_LIMIT when memory is exhausted. */
wb_status cold_block_init(struct cold_block *block, const struct timed_block *timed, struct arena *arena);
wb_status cold_path_init(struct cold_path *path, struct cold_block *block, struct arena *arena);

/* Most cycles that a miss that is made once keeps the instruction from issue behind the one before, of which
 * the path asks for it. The path has its line from then on. */
uint32_t cold_asks(struct cold_path *path, const struct sass_timed *inst);

/* The path executes the instruction in this section: once it has, others have its line, too. */
void cold_executed(struct cold_path *path, const struct sass_timed *inst);

/* Both, for an instruction that is executed in the section in which it is asked for: as it is with the misses
 * of its line and of its constant, written to *missed. */
const struct sass_timed *cold_executes(struct cold_path *path, const struct sass_timed *inst,
                                       struct sass_timed *missed);

/* All paths have executed a section. */
void cold_section_ends(struct cold_block *block);

/* Whether the path may have to wait for the instruction's lines. */
static inline bool is_cold(const struct cold_path *path, const struct sass_timed *inst) {
    return !path->asked[inst->line - path->block->first_line] ||
           (inst->constant_line != SASS_NO_LINE && !path->asked_constant[inst->constant_line]);
}

#endif
