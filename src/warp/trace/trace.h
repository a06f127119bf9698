/* What the warps of all blocks of a grid execute (the kernel analyzer of JCSE'17, algorithms 1 to 3). Regular
 * kernels repeat themselves from block to block with other addresses, so everything is kept once up to a
 * shift of the addresses of each instruction:
 *
 *   stream   what one warp accesses, relative to one base per memory instruction
 *   shape    the paths and streams of the warps of a block, relative to one base per memory instruction
 *   block    a shape and its bases
 */
#ifndef WB_WARP_TRACE_TRACE_H
#define WB_WARP_TRACE_TRACE_H

#include <assert.h>

#include "base/containers.h"
#include "warp/path/path.h"

/* The executed memory instructions of a warp. Accesses of the same instruction to the same state space form
 * a group; address = base of the group + what the record says. */
struct access_stream {
    struct access *accesses;           /* base relative to the group's */
    uint32_t *groups;                  /* per access its group */
    uint64_t *tables;                  /* see struct access */
    struct step_range *maybe_executed; /* see struct access_list */
    uint32_t access_count;
    uint32_t table_count;
    uint32_t group_count;
    uint32_t maybe_count;
};

/* Where the base of a group of a warp comes from: bases of the block[index] + delta. */
struct group_shift {
    uint32_t index;
    uint64_t delta; /* modulo 2^64 */
};

struct shape_warp {
    uint32_t path;              /* index into the grid's paths */
    uint32_t stream;            /* index into its streams */
    struct group_shift *shifts; /* per group of the stream */
};

struct block_shape {
    struct shape_warp *warps; /* warp_count of the grid */
    uint32_t base_count;      /* bases that a block of this shape has */
};

struct covering_block {
    struct wb_block *block;
};

struct grid_block {
    uint32_t shape;
    uint32_t covering; /* of covering paths: index into `covering` of the grid */
    size_t first_base; /* its bases: the grid's bases[first_base ..] */
};

/* Blocks of a launch that one of them stands for: their bases differ by whole lines. */
struct blocks_alike {
    uint64_t count;
    uint32_t index[3]; /* of the first, whose bases are kept */
};

/* The properties of a grid of covering paths besides them. */
struct grid_covering {
    bool covers;                   /* it is one */
    bool repeats;                  /* some block as in struct wb_block; */
    bool meets_maybe;              /* likewise */
    bool local_open;               /* where the local memory of warps stands depends on what is executed */
    uint32_t uncounted;            /* the instruction of the first block that has one, or PTX_NO_INDEX */
    struct facts_used facts;       /* that it uses */
    struct memory_objects objects; /* as in struct wb_block; of all blocks, and of grids of real paths */
};

/* A warp that a value which is not known steers: what it executes from there on is not in the grid. */
struct steered_warp {
    uint32_t block, warp;
    uint32_t instruction; /* whose branch or address depends on it */
    uint32_t origin;      /* the instruction that the value comes from, or PTX_NO_INDEX: never written */
    bool branch;          /* control depends on it, not only an address */
};

/* Instruction indices run through all functions of the module, as in struct wb_block. */
struct wb_grid {
    struct arena arena;
    const struct wb_kernel *kernel;        /* NULL for a grid made by hand */
    uint32_t dimensions[3], block_size[3]; /* blocks in the grid, threads in a block */
    uint32_t first_index[3];               /* of the first block here: not 0,0,0 where it is the only one */
    uint64_t memory_limit;                 /* bytes that its requests may take; 0: no limit */
    uint64_t shared_bytes;                 /* of a block, static and dynamic */
    struct register_facts registers;       /* of a thread */
    struct launch_inputs inputs;           /* that it was executed with */
    uint64_t local_bytes;                  /* of a thread, a multiple of 4 */
    uint32_t *code_first;                  /* as in struct wb_block */
    uint32_t instruction_count;            /* of all functions */
    bool *is_barrier;                      /* per instruction: it joins all warps of the block */
    struct execution_notes notes;          /* of all blocks */
    uint32_t warp_count;                   /* of a block */
    uint32_t warp_width;                   /* threads of a warp; 0 of a grid made by hand */
    VEC(struct path) paths;                /* the distinct ones */
    VEC(struct access_stream) streams;     /* the distinct ones */
    VEC(struct block_shape) shapes;        /* the distinct ones */
    VEC(struct grid_block) blocks;         /* x first, then y, then z; or each stands for several: */
    VEC(struct blocks_alike) alike;        /* empty, or per block of `blocks`, and how many there are of */
    uint64_t counted;                      /* all of them; 0: `blocks` has every block */
    uint64_t executed;                     /* of them; 0: all, else the others follow from these */
    VEC(uint64_t) bases;
    VEC(struct steered_warp) input_dependent;
    VEC(const char *) stored; /* variables of the module that some block maybe stores to: their names */
    bool changed_variables;   /* as in struct run */
    bool order_open;          /* of the given data: values were unknown for want of an order of atomics */
    /* For covering paths: the distinct blocks, up to shifts of addresses that change no number of requests.
     * Paths, streams, shapes and bases are then there if accesses are recorded. Empty: the grid is one of
     * real paths, or was made from a block. */
    VEC(struct covering_block) covering;
    struct grid_covering cover;
    struct table path_table, stream_table, shape_table; /* from contents to indices */
    uint64_t path_bytes, covering_bytes;                /* of paths and of covering blocks, for grid_bytes */
    struct grid_scratch *scratch;                       /* of grid_add_block */
};

/* Adds the next block: takes over the paths of its warps (grid->warp_count of them, emptied) and reads their
 * accesses. Of a grid made by hand warp_count and instruction_count must be set. WB_ERR_LIMIT without a
 * message when memory is exhausted: then the grid can only be cleared. */
wb_status grid_add_block(struct wb_grid *grid, struct path *paths, const struct access_list *accesses);

/* Bytes that the grid keeps of its blocks so far, and what it needs to find equal ones. */
uint64_t grid_bytes(const struct wb_grid *grid);

/* Takes all blocks out again. */
void grid_restart(struct wb_grid *grid);

/* The instruction behind an index; the grid has a kernel. */
const struct ptx_inst *grid_inst(const struct wb_grid *grid, uint32_t index,
                                 const struct ptx_function **function);

/* Whether blocks stand for others: such a grid can be counted, but its blocks not followed one by one. */
static inline bool grid_is_counted(const struct wb_grid *grid) {
    return grid->counted != 0;
}

/* What is said of a grid that is counted by whoever follows its blocks. */
#define GRID_COUNTED "the grid has too many blocks to follow each of them"

/* How many blocks of the launch there are, and how many of them block `block` stands for. */
static inline uint64_t grid_block_count(const struct wb_grid *grid) {
    return grid_is_counted(grid) ? grid->counted : grid->blocks.count;
}
static inline uint64_t grid_blocks_alike(const struct wb_grid *grid, size_t block) {
    return grid_is_counted(grid) ? grid->alike.items[block].count : 1;
}

/* The place of block `block` in the launch. */
void grid_block_index(const struct wb_grid *grid, uint32_t block, uint32_t index[3]);

/* Its number in the launch, x first. */
uint64_t grid_block_number(const struct wb_grid *grid, uint32_t block);

/* Warp instructions of all distinct paths: what it takes to walk each of them. */
uint64_t grid_walk_length(const struct wb_grid *grid);

/* Whether a warp with the stream only maybe executes an access of it. */
bool is_access_unsure(const struct access_stream *stream, uint32_t access);

/* The execution of a warp of a block. */
static inline const struct path *grid_path_of(const struct wb_grid *grid, uint32_t block, uint32_t warp) {
    return &grid->paths.items[grid->shapes.items[grid->blocks.items[block].shape].warps[warp].path];
}

/* The base of a group of a warp of a block. */
static inline uint64_t grid_base(const struct wb_grid *grid, const struct grid_block *block, uint32_t warp,
                                 uint32_t group) {
    assert(warp < grid->warp_count);
    const struct group_shift *shift = &grid->shapes.items[block->shape].warps[warp].shifts[group];
    assert(block->first_base + shift->index < grid->bases.count);
    return grid->bases.items[block->first_base + shift->index] + shift->delta;
}

/* Frees what the grid holds; the struct itself is its maker's. */
void grid_clear(struct wb_grid *grid);

/* What flow facts the execution of a grid on covering paths lacks, and which ones its data contradicts.
 * Traces themselves are wb_grid_trace. */

/* Finds the flow facts that covering the launch, which fits the kernel, lacks if buffers and variables may
 * contain anything. `complete`: these are all, as covering it takes no more than a moment and fails for no
 * other reason. The caller frees `needs`. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status grid_cover_needs(const struct wb_kernel *kernel, const struct wb_launch *launch,
                           struct fact_needs *needs, bool *complete);

/* Holds the flow facts of the options to what the launch gives: executes the blocks that the options ask for
 * one after another, as far as their limits, and what is known, allow: WB_ERR_DECLINED without a message when
 * that is not all. WB_ERR_INPUT with a message when a fact is wrong. */
wb_status grid_hold_facts(const struct wb_kernel *kernel, const struct wb_launch *launch,
                          const wb_grid_options *options, wb_diagnostics *diagnostics);

/* Whether a value that is not known ended some warp before its end: a grid with `cover` has all of them. */
bool grid_is_steered(const wb_grid *grid);

#endif
