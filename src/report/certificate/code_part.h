/* The instructions of a block of machine code as its bounds see them, for a certificate: with the misses that
 * each line makes once where a path comes to it (docs/machine-code-bounds.md, theorem 4a;
 * docs/certificates.md). */
#ifndef WB_REPORT_CERTIFICATE_CODE_PART_H
#define WB_REPORT_CERTIFICATE_CODE_PART_H

#include "base/base.h"
#include "base/containers.h"
#include "bound/sass/cold_lines.h"
#include "warp/timed/timed.h"

/* A step of a section: `count` instructions from `first` on; with count 0 the `first` steps before come
 * `times` more. Without padding: sections are told apart by their bytes. */
struct section_step {
    uint32_t first, count, times;
};

typedef VEC(struct section_step) section_step_list;

struct code_path; /* a path on the way through its sections */

struct code_part {
    struct text *out;
    const struct timed_block *block;
    struct intern insts; /* those that are written, as their numbers */
    struct cold_block cold;
    struct code_path *paths;
};

/* Machine and units; the release of barriers is by the machine. */
void code_part_machine(struct text *out, const struct wb_machine *machine);

/* A part of a block that passed timed_block_check, of which warps execute whole paths. Its memory comes from
 * `arena`, but for what code_part_free frees. WB_ERR_LIMIT when memory is exhausted. */
wb_status code_part_init(struct code_part *part, const struct timed_block *block, struct text *out,
                         struct arena *arena);
void code_part_free(struct code_part *part);

/* Reads the next section of path `number` into `steps`, and writes the instructions that are new. */
wb_status code_part_section(struct code_part *part, uint32_t number, struct path_cursor *cursor, bool *ended,
                            section_step_list *steps);

/* All paths have read a section. */
void code_part_row_ends(struct code_part *part);

#endif
