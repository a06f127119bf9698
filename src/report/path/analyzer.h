/* Reports of the kernel analyzer (JCSE'17, algorithms 1 to 3): which load and store instructions of global
 * memory the warps of a grid execute, with which lines of memory. What the formats have in common, and one
 * function per format. */
#ifndef WB_REPORT_PATH_ANALYZER_H
#define WB_REPORT_PATH_ANALYZER_H

#include "base/text.h"
#include "memory/requests/requests.h"
#include "report/write/source_lines.h"
#include "warp/trace/grid.h"

/* Bytes of the program that an instruction takes (JCSE'17 counts so). */
#define PC_STEP 8u

/* A load, store or atomic of global memory. */
struct analyzer_inst {
    uint32_t index; /* in the grid's code */
    uint64_t pc;
};

/* Consecutive blocks, warps of which are steered in the same way. */
struct steered_blocks {
    uint32_t first, last;
    uint32_t warps; /* bit w: warp w of each of the blocks */
};

/* Warps that the same value steers at the same instruction. */
struct steering_group {
    uint32_t instruction, origin;
    bool branch;
    VEC(struct steered_blocks) blocks;
    struct steered_blocks open; /* while it is made: the block at hand; of no warps: none */
};

/* What a warp does at one instruction: places in its stream, in the order of execution. */
struct analyzer_accesses {
    const uint32_t *items;
    uint32_t count;
};

struct analyzer_report {
    const struct wb_grid *grid;
    const wb_writer *writer;
    struct text out; /* what has not been written yet */
    struct source_lines lines;
    struct arena arena;
    VEC(struct analyzer_inst) insts; /* by pc */
    uint32_t *listed;                /* per instruction of the code its place in `insts`, or PTX_NO_INDEX */
    VEC(struct steering_group) steerings;
    /* Of the warp at hand: */
    uint32_t block, warp;
    const struct access_stream *stream;
    VEC(uint32_t) sorted;   /* its accesses by instruction */
    uint32_t *first_sorted; /* per instruction of `insts`, and one more */
};

/* Finds the instructions. The writer must outlive the report; it is closed with analyzer_report_close, also
 * after an error (WB_ERR_LIMIT, without a message). */
wb_status analyzer_report_open(const struct wb_grid *grid, const wb_writer *writer,
                               struct analyzer_report *report);
void analyzer_report_close(struct analyzer_report *report);

/* Turns to a warp. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status analyzer_select_warp(struct analyzer_report *report, uint32_t block, uint32_t warp);

/* What the warp at hand does at an instruction of the list. */
struct analyzer_accesses analyzer_accesses_at(const struct analyzer_report *report, uint32_t inst);

/* Whether the warp at hand perhaps does not make an access of its stream. */
bool analyzer_is_perhaps(const struct analyzer_report *report, uint32_t access);

/* Whether which memory an access is to depends on data. */
static inline bool analyzer_is_unknown(const struct analyzer_report *report, uint32_t access) {
    return report->stream->accesses[access].table == ACCESS_UNKNOWN;
}

/* The lines of memory that an access of its stream touches, in the order of the first lane that touches each;
 * returns how many. */
uint32_t analyzer_lines(const struct analyzer_report *report, uint32_t access, uint64_t lines[REQUESTS_MAX]);

/* The number of a block in the launch, x first. */
uint64_t analyzer_block_number(const struct wb_grid *grid, uint32_t block);

wb_status analyzer_report_text(struct analyzer_report *report);
wb_status analyzer_report_json(struct analyzer_report *report);

#endif
