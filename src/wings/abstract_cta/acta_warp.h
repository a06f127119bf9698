/* Abstract warps (Hirvisalo, WCET 2014, slide 11): the code of a kernel as a graph of time nodes, memory
 * access nodes and barrier nodes, built bottom-up from its structured regions. docs/abstract-cta.md states
 * the rules.
 */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_WARP_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/cycles.h"
#include "warpbound.h"

/* No node, no CFG block. */
#define ACTA_NONE UINT32_MAX

enum acta_kind {
    ACTA_TIME,    /* a code region without stalls */
    ACTA_MEMORY,  /* a stall for memory may happen */
    ACTA_BARRIER, /* synchronisation must happen */
    ACTA_BRANCH,  /* two sides that meet again */
    ACTA_LOOP     /* left behind its first part */
};

/* A period of more iterations than are counted in one. */
#define ACTA_PERIOD_LONG UINT64_MAX

struct acta_node {
    uint8_t kind;            /* enum acta_kind */
    bool is_store;           /* memory access */
    bool diverges;           /* branch: threads of one warp may take both sides */
    bool has_barrier;        /* branch, loop: somewhere inside */
    uint32_t next;           /* in the same sequence, or ACTA_NONE */
    cycles instr;            /* time: T_instr, most time that the instructions take */
    cycles shift;            /* time: T_shift, most variation of that by divergence */
    uint32_t side[2];        /* first nodes, or ACTA_NONE: the sides of a branch; of a loop the part up to the
                                test that leaves it, and what is behind that test */
    uint8_t barrier_side;    /* of a branch with a barrier: the side that has it */
    uint32_t number;         /* among the loops; among the branches with a barrier; among the choices; else
                                ACTA_NONE */
    uint32_t block;          /* CFG block of the branch, or the loop's header; ACTA_NONE: written by hand */
    uint32_t side_block[2];  /* CFG blocks at which the sides of a branch begin */
    uint64_t pattern;        /* of a branch written by hand: bit i, side 0 is executed in iteration i ... */
    uint32_t pattern_length; /* ... modulo this; 0: not known */
    uint64_t period; /* branch, loop: after so many iterations, of the loop itself or the one around the
                        branch, all patterns inside come round, but for those in further loops; 0: there
                        are none */
};

/* Zero-initialised it is empty. */
struct acta_warp {
    VEC(struct acta_node) nodes;
    uint32_t first;       /* node, or ACTA_NONE */
    VEC(uint32_t) loops;  /* per loop its node */
    VEC(uint32_t) guards; /* per branch with a barrier on one side its node */
    /* Set before it is built: every uniform branch stays a branch, though its sides be nothing but time, as
     * it counts which of them is executed. */
    bool keeps_choices;
    VEC(uint32_t) choices; /* of such a warp: per uniform branch without a barrier its node */
    bool has_open_branch;  /* some uniform branch was built of which nothing says which side is executed */
};

/* Nodes that follow one another, while they are built. */
struct acta_sequence {
    uint32_t first, last; /* ACTA_NONE: empty */
    bool has_barrier;
    uint64_t period; /* as in struct acta_node */
};

#define ACTA_SEQUENCE_EMPTY ((struct acta_sequence){ACTA_NONE, ACTA_NONE, false, 0})

/* Each appends to a sequence. Time nodes that follow one another become one. WB_ERR_LIMIT, without a message,
 * when memory is exhausted. */
wb_status acta_add_time(struct acta_warp *warp, cycles instr, cycles shift, struct acta_sequence *sequence);
wb_status acta_add_memory(struct acta_warp *warp, bool is_store, struct acta_sequence *sequence);
wb_status acta_add_barrier(struct acta_warp *warp, struct acta_sequence *sequence);

/* Appends a branch. One whose sides are nothing but time becomes time: of the larger side when it is uniform
 * (unless the warp keeps those), of both when it diverges (slide 9). `made` has diverges, block, side_block
 * and the pattern set. */
wb_status acta_add_branch(struct acta_warp *warp, const struct acta_node *made,
                          const struct acta_sequence sides[2], struct acta_sequence *sequence);

/* Appends a loop: `header` is what runs up to the test that leaves it, `rest` what is behind. */
wb_status acta_add_loop(struct acta_warp *warp, uint32_t block, const struct acta_sequence *header,
                        const struct acta_sequence *rest, struct acta_sequence *sequence);

void acta_warp_free(struct acta_warp *warp);

#endif
