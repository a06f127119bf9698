/* The parts of a certificate (docs/certificates.md). */
#ifndef WB_REPORT_CERTIFICATE_PARTS_H
#define WB_REPORT_CERTIFICATE_PARTS_H

#include "base/base.h"
#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound/sass/cold_lines.h"
#include "report/write/output.h"
#include "warp/timed/timed.h"

/* A thread block as a certificate has it (docs/certificates.md). */

/* A certificate being written. */
struct certificate {
    struct text text; /* not written yet */
    wb_writer writer; /* takes the text, and counts it into `sum` */
    const wb_writer *out;
    uint64_t sum; /* of what was written */
    uint64_t claims;
};

/* Writes what the certificate is of. */
wb_status subject_part_put(struct text *out, const wb_analysis *analysis, wb_diagnostics *diagnostics);

/* Whether warps execute parts of the paths, as of covering ones. */
bool certificate_is_of_parts(const struct timed_block *block);

/* Writes a block; claims about it can follow. Status as report_flush. */
wb_status certificate_put_block(struct certificate *certificate, const char *name,
                                const struct timed_block *block, wb_diagnostics *diagnostics);

/* Writes the blocks in their order by their classes, where that says which SM they go to. */
void certificate_put_order(struct text *out, const uint32_t *class_of, uint32_t blocks);

/* A grid on a machine with caches as a certificate has it (docs/certificates.md). */

/* Writes what segment-sum sees of a grid of real paths whose blocks go to fixed SMs: the kinds of blocks,
 * what memory adds of the whole grid and on each SM, and the order of the blocks. WB_ERR_DECLINED with a
 * message where the kinds are too many. */
wb_status certificate_put_cached(struct certificate *certificate, const wb_analysis *analysis,
                                 wb_diagnostics *diagnostics);

/* The instructions of a block of machine code as its bounds see them, for a certificate: with the misses that
 * each line makes once where a path comes to it, or of parts of paths beside them
 * (docs/machine-code-bounds.md, theorems 4a and 4; docs/certificates.md). */

/* A step of a section: `count` instructions from `first` on; with count 0 the `first` steps before come
 * `times` more. No padding: sections are compared by bytes. */
struct section_step {
    uint32_t first, count, times;
};

typedef VEC(struct section_step) section_step_list;

struct code_path; /* a path on the way through its sections */

struct code_part {
    struct text *out;
    const struct timed_block *block;
    struct intern insts; /* those that are written, as their numbers */
    bool beside;         /* warps execute parts of the paths: what is missed once is beside their times */
    struct cold_block cold;
    struct code_path *paths;
};

/* Machine and units; the release of barriers is by the machine. */
void code_part_machine(struct text *out, const struct wb_machine *machine);

/* A part of a block that passed timed_block_check. Its memory comes from `arena`, but for what
 * code_part_free frees. WB_ERR_LIMIT when memory is exhausted. */
wb_status code_part_init(struct code_part *part, const struct timed_block *block, struct text *out,
                         struct arena *arena);
void code_part_free(struct code_part *part);

/* Reads the next section of path `number` into `steps`, and writes the instructions that are new. */
wb_status code_part_section(struct code_part *part, uint32_t number, struct path_cursor *cursor, bool *ended,
                            section_step_list *steps);

/* All paths have read a section. */
void code_part_row_ends(struct code_part *part);

/* An execution of a block as a certificate has it: when each instruction was issued (docs/certificates.md).
 */

/* Writes the longest execution of the analysed block that is known and small enough, behind the block;
 * *longest says how long it takes, 0 if there is none. Status as report_flush. */
wb_status certificate_put_execution(struct certificate *certificate, const wb_analysis *analysis,
                                    wb_diagnostics *diagnostics, cycles *longest);

/* Blocked cycles, which bounds count besides the times of blocks: a memory, or instruction fetch, keeps
 * everything waiting (docs/certificates.md). */

/* Writes how often all stands still, and for how long: the requests that memories serve, and fetches. */
void held_part_machine(struct text *out, const wb_analysis *analysis);

/* Writes of the last block how long its requests are held back, and by which units they leave where they can
 * delay each other there. */
void held_part_block(struct text *out, const wb_analysis *analysis);

/* The same of a class of blocks of a kernel. */
void held_part_class(struct text *out, const struct grid_work *work, const struct block_class *class);

#endif
