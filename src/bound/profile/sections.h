/* The instructions of every section of every path, equal ones stored once: for bounds that look at
 * instructions and not only at sums. */
#ifndef WB_BOUND_PROFILE_SECTIONS_H
#define WB_BOUND_PROFILE_SECTIONS_H

#include "base/table.h"
#include "bound/profile/profile.h"

/* Most instructions in the distinct sections of a block; a block with more has `too_large` set. */
#define SECTIONS_INSTRUCTIONS_MAX ((size_t)1 << 22)

/* One distinct section of a path. */
struct section_code {
    const uint32_t *insts; /* indices into the block's code */
    uint32_t count;
};

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
