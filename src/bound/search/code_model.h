/* A block of machine code as its executions are searched: machine M of docs/machine-code-bounds.md, section
 * 1, with every duration an interval. */
#ifndef WB_BOUND_SEARCH_CODE_MODEL_H
#define WB_BOUND_SEARCH_CODE_MODEL_H

#include "base/base.h"
#include "bound/search/code_parts.h"
#include "warp/timed/timed.h"

/* Most warps, sub-cores, and instructions of a path that a search covers; and what one warp may have under
 * way at a time: instructions on their way through stages, and counts that are to be undone. */
#define CODE_WARPS_MAX 32u
#define CODE_CORES_MAX 8u
#define CODE_PROGRAM_MAX 4096u
#define CODE_ENTRIES_MAX 120u

/* What of the machine an execution is free to choose. In an analysis that is all; tests choose one of each
 * pair to compare with executions that do so. */
struct code_freedom {
    bool shorter;                           /* what is held takes no longer than stated; else exactly that */
    bool start_first, issue_first;          /* in a cycle: what waits starts before something is issued */
    bool paced_from_issue, paced_from_room; /* stall and slot of what holds the issue stage for room */
    bool seen_at_once, seen_late;           /* in the cycle behind its issue a count is seen, or not */
    bool prompt_start,
        late_start; /* what is issued starts before other sub-cores issue in the cycle, or behind */
    bool open_at_issue, open_at_end; /* barriers, behind the last issue or end of what joins them */
};

struct code_inst {
    struct sass_timed timed; /* with the misses that are made once on its path */
    bool starts_at_issue;    /* its first unit takes it then or not at all */
    bool on_its_way;         /* it has something to do behind its issue beside holding a latch */
    struct code_span stall, slot, fetch;
    uint32_t probe; /* most cycles of the slot in which a constant is looked for; 0: it cannot miss */
    struct code_span operand, write, read;
    struct code_span init[SASS_STAGES_MAX], transfer[SASS_STAGES_MAX];
};

/* A path. */
struct code_program {
    struct code_inst *insts;
    uint32_t count;
    uint8_t *awaited;   /* per position, the end included: mask of the counters that are still waited for */
    uint16_t *barriers; /* per position those before it */
};

struct code_model {
    const struct wb_machine *machine;
    const struct timed_block *block;
    struct code_freedom freedom;
    uint32_t clash;                /* units on which own instructions may overtake each other */
    struct code_program *programs; /* per path */
    uint32_t warps, cores, units;  /* units are counted once for each sub-core */
    uint32_t entries;              /* most of a warp */
    bool order_matters;            /* of issues of different sub-cores in one cycle */
    bool start_matters;            /* whether what waits starts before or behind issues */
    bool cold;                     /* some line may be missed once: each path has these misses */
    struct code_span release;      /* of a barrier */
    size_t core_at, unit_at, warp_at, warp_size, state_size, key_max;
    bool *crowded; /* set when a warp has too much under way to be searched, */
    bool *stuck;   /* and with it when nothing goes on any more */
};

/* Writes out the block's paths, into the arena, for a search with this freedom; `clash` as in struct
 * way_rules. WB_ERR_DECLINED without a message when the block is too large; WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status code_model_make(const struct timed_block *block, uint32_t clash, const struct code_freedom *freedom,
                          struct arena *arena, struct code_model *model);

#endif
