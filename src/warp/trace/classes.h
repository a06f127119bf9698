/* Classes of blocks of a grid: what grid_classes.c finds, and covering_classes.c adds where they are executed
 * on covering paths. */
#ifndef WB_WARP_TRACE_CLASSES_H
#define WB_WARP_TRACE_CLASSES_H

#include "warp/affine/pass.h"
#include "warp/trace/blocks.h"

struct block_class {
    struct affine_space space;
    uint32_t shape, base_count;
    uint64_t *bases;       /* of the origin */
    uint64_t *moves[AXES]; /* by which they move per step along an axis in use */
    /* Of covering paths: after so many steps along an axis the costs of accesses are the same again; and by
     * the steps that are left the number of the covering block, and 1. */
    uint32_t period[AXES];
    uint32_t *coverings;
    /* Its blocks in the row at hand: those at origin + k step, first <= k <= last. */
    bool in_row;
    int64_t first, last, q[AXES];
};

struct classification {
    struct wb_grid *grid;
    struct run runs[AFFINE_RUNS];
    uint32_t begun; /* of them */
    struct arena arena;
    struct wb_diagnostics messages; /* of all runs but the first */
    struct lockstep lockstep;
    struct pass_search search;
    struct access_list *accesses[AFFINE_RUNS];
    struct path *paths;
    uint32_t period[AXES];
    VEC(struct block_class) classes;
    struct covering_classes *covering; /* of covering paths, else NULL */
};

/* Covering runs of a classification. */
struct covering_classes {
    const wb_grid_options *options;
    struct covering_kinds *kinds;
    struct arena code[AFFINE_RUNS]; /* what is known of the code while a block is executed */
    struct wb_block *block;         /* that of the origin, until it is the grid's */
    uint64_t limit, instructions;   /* that may be executed, and those of earlier blocks */
};

/* Begins the run of a class's block and its neighbours, in place of an earlier one. */
wb_status covering_class_begin(struct classification *of);
void covering_class_end(struct classification *of);

/* Adds the block of the origin, which was executed, to the grid. WB_ERR_DECLINED: facts are lacking, or the
 * data that is given tells more. */
wb_status covering_class_add(struct classification *of, struct block_class *class);

/* Finds the covering block of the member that was added last, class->q steps away from the origin. */
wb_status covering_class_place(struct classification *of, struct block_class *class);

#endif
