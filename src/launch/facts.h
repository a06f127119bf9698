/* Flow facts: what is known of a kernel's control flow beyond what the analyses find (docs/flow-facts.md).
 *
 *     kernel bfs_level 8c1d5e0f2a934b77          name and checksum of the code that the facts are about
 *     loop $L__BB0_3 <= 128; // bfs.cu:21        the label is passed at most 128 times each time the loop is
 *                                                entered
 *     at most 3 of $L__BB0_5 per $L__BB0_3;      the first label is passed at most 3 times between two passes
 *                                                of the second
 *     never $L__BB0_7;                           the label is never reached
 *     together $L__BB0_9;                        all warps of a block that have not ended pass the label
 *                                                equally often, by the same iterations of the loops around it
 */
#ifndef WB_LAUNCH_FACTS_H
#define WB_LAUNCH_FACTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "ptx/ptx.h"

enum fact_kind { FACT_LOOP, FACT_PER, FACT_NEVER, FACT_TOGETHER };

/* Largest number in a fact. */
#define FACT_LIMIT_MAX UINT32_MAX

struct flow_fact {
    enum fact_kind kind;
    uint32_t function; /* of the module */
    uint32_t at;       /* instruction of the function that the label stands before */
    uint32_t per;      /* FACT_PER: that of the second label */
    uint64_t limit;    /* FACT_LOOP, FACT_PER; 0 while `open` */
    bool open;         /* "?" stands where the number is to be filled in */
    uint32_t place;    /* byte offset in the text */
};

struct wb_facts {
    struct arena arena; /* owns the text of `source` too */
    struct source source;
    const struct wb_kernel *kernel;
    VEC(struct flow_fact) facts;
};

/* A checksum of all code that the kernel can execute, 64 bits: changes with every instruction, not with
 * comments, line numbers or names of registers. */
uint64_t facts_checksum(const struct wb_kernel *kernel);

/* WB_ERR_DECLINED with one message for each open fact; WB_OK when there is none. */
wb_status facts_require_complete(const struct wb_facts *facts, wb_diagnostics *diagnostics);

#endif
