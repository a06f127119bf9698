/* The sections of a block's paths, cut at its barriers: where they repeat, and their instructions. */
#ifndef WB_BOUND_PROFILE_SECTIONS_H
#define WB_BOUND_PROFILE_SECTIONS_H

#include "base/base.h"
#include "base/containers.h"
#include "warp/timed/timed.h"

/* Finds where paths that are read side by side, a section of each at a time, repeat themselves: loops with
 * barriers, of which all warps are in some repetition. */
struct section_cycle {
    uint32_t path_count;
    struct path_cursor *then; /* per path the place that the present ones are compared with */
    VEC(size_t) rows;         /* what was read since then: the caller's numbers */
    size_t most;              /* rows after which it gives way to a newer one */
};

/* A cycle of nothing yet; free it with section_cycle_free. WB_ERR_LIMIT when memory is exhausted. */
wb_status section_cycle_init(struct section_cycle *cycle, uint32_t path_count);

/* Notes that the row numbered `row` was read, which left the cursors where they are now. *times says how
 * often all of `rows` come again next, in this order; if that is not 0, section_cycle_skip must follow. */
wb_status section_cycle_note(struct section_cycle *cycle, const struct path_cursor *cursors, size_t row,
                             uint64_t *times);

/* Puts the cursors behind the rows that come again. */
void section_cycle_skip(struct section_cycle *cycle, uint64_t times, struct path_cursor *cursors);

void section_cycle_free(struct section_cycle *cycle);

/* Whether there is a barrier in the body of a fold. */
bool path_has_barrier(const struct timed_code *code, const struct path_fold *fold);

/* Reads a section of a path run by run. Zero-initialised but for the code and the cursor at the start of the
 * section it is ready. */
struct section_reader {
    const struct timed_code *code;
    struct path_cursor cursor;
    struct path_runs body; /* of a fold without barriers, which comes as a whole, */
    uint64_t repetitions;  /* so many times */
    bool ended;
};

/* The `count` entries of the code from `first` on, `times` times each. */
struct section_run {
    uint32_t first, count;
    uint64_t times;
};

/* The next run; false behind the last one. */
bool section_next_run(struct section_reader *reader, struct section_run *run);

/* Most instructions in the distinct sections of a block; a block with more has `too_large` set. */
#define SECTIONS_INSTRUCTIONS_MAX ((size_t)1 << 22)

/* One distinct section of a path. */
struct section_code {
    const uint32_t *insts; /* indices into the block's code */
    uint32_t count;
};

/* The instructions of every section of every path, equal ones stored once: for bounds that look at
 * instructions and not only at sums. */
struct block_sections {
    struct arena arena;
    const struct timed_block *block;
    struct intern codes;      /* distinct sections, as the bytes of their instruction indices */
    struct intern rows;       /* distinct rows: path_count numbers of codes */
    VEC(uint64_t) row_counts; /* how many sections of the block each row stands for */
    size_t instructions;      /* in the distinct sections */
    bool too_large;           /* nothing else is then complete */
};

/* Collects the sections of all paths. Freed with block_sections_free also after an error (WB_ERR_LIMIT when
 * memory is exhausted; no message). */
wb_status block_sections_make(const struct timed_block *block, struct block_sections *sections);

void block_sections_free(struct block_sections *sections);

/* The section with number `code`. */
struct section_code sections_code(const struct block_sections *sections, uint32_t code);

/* The numbers of the sections, per path, of a row. */
const uint32_t *sections_row(const struct block_sections *sections, size_t row);

#endif
