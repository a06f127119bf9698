/* The memory requests of a grid on a machine: what the caches, the access order, the simulator and the bounds
 * work on. Blocks of one shape whose bases are equally aligned share their requests but for a shift. */
#ifndef WB_MEMORY_REQUESTS_REQUESTS_H
#define WB_MEMORY_REQUESTS_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "base/heap.h"
#include "machine/machine.h"
#include "machine/occupancy.h"
#include "warp/path/path.h"
#include "warp/synthetic/synthetic.h"
#include "warp/timed/timed.h"
#include "warp/trace/trace.h"

/* When in its block each access of a warp happens, whatever the schedule: between which barriers, and in
 * which epoch of the access order (docs/access-order.md). */
struct access_position {
    uint32_t phase; /* barriers that the warp has crossed before it */
    uint32_t epoch; /* grows when the program address of a request does not, and at every barrier */
};

/* For the blocks of one shape. */
struct shape_positions {
    struct access_position **positions; /* per warp and access of its stream */
    uint32_t phases;                    /* most barriers that a warp crosses, plus 1 */
    uint32_t epochs;                    /* the largest epoch of an access, plus 1 */
};

enum traffic_kind {
    TRAFFIC_ON_CHIP, /* shared memory, constants, parameters: no request, only cycles of its unit */
    TRAFFIC_LOAD,
    TRAFFIC_STORE,
    TRAFFIC_ATOMIC,  /* executed at the second level; evicts the line from the first */
    TRAFFIC_UNCACHED /* a load that the first level does not serve: evicts the line from it, goes below */
};

/* Whether an access waits for data that may have to come from DRAM. */
static inline bool traffic_is_load(uint8_t kind) {
    return kind == TRAFFIC_LOAD || kind == TRAFFIC_UNCACHED;
}

/* Whether it changes memory, which DRAM is to get some time. */
static inline bool traffic_is_write(uint8_t kind) {
    return kind == TRAFFIC_STORE || kind == TRAFFIC_ATOMIC;
}

/* One executed memory instruction of a warp. Of a copy to shared memory (cp.async) the load and the store,
 * and of generic addresses the lanes of each state space, follow one another with the same step; on a machine
 * with caches at most one access of a step makes requests. */
struct traffic_access {
    uint64_t step;          /* position in the warp's path */
    uint32_t instruction;   /* index in the code: ascending addresses of the program */
    uint32_t group;         /* of the stream: where its base is */
    uint32_t first_request; /* its requests: the pattern's offsets[first_request ..], first lane first */
    uint32_t cycles;        /* that it adds to those of its step if nothing stalls */
    uint32_t object;        /* of unknown addresses: as in struct access */
    uint16_t request_count; /* 0 only for TRAFFIC_ON_CHIP; at most, where addresses or lanes are not known */
    uint8_t kind;           /* enum traffic_kind */
    bool is_unknown;        /* which lines its requests are of: their offsets say nothing */
    bool unordered;         /* its requests come in the order of the lanes that are really there */
    bool maybe_none;        /* an execution may make no request, though it is executed */
};

/* A stream with its bases' alignment known. A request's address is the group's base, rounded down to whole
 * lines, plus the offset; it is a multiple of the request size. */
struct traffic_pattern {
    struct traffic_access *accesses;
    uint32_t access_count;
    uint64_t *offsets;    /* modulo 2^64 */
    bool *maybe_executed; /* per request: it is only maybe made, even if the paths are executed; NULL: all are
                             made */
    uint32_t request_count;
    bool *group_is_local; /* per group of the stream: its space is local memory */
    /* On a machine that times machine code, else NULL, each of the first access of a step: */
    struct access_counts *counts; /* what all accesses of the step count, */
    uint32_t *entries; /* and the entry of the grid's code that takes so long; by timed_grid_make */
};

/* The blocks of one shape and one alignment of its bases. */
struct traffic_variant {
    uint32_t shape;
    uint32_t *patterns; /* per warp */
};

struct traffic {
    struct arena arena;
    const struct wb_grid *grid;
    const struct wb_machine *machine;
    VEC(struct traffic_pattern) patterns; /* these lists, too, are of the arena */
    VEC(struct traffic_variant) variants;
    struct shape_positions *shapes; /* per shape of the grid */
    uint32_t *block_variants;       /* per block of the grid */
};

/* Makes the requests of a grid without input-dependent warps; for covering paths all possible ones. Both grid
 * and machine must outlive it. Errors, each with a message: WB_ERR_DECLINED as grid_decline_steered, and with
 * caches when lanes of one instruction are in global and in local memory; WB_ERR_LIMIT when memory is
 * exhausted, or what the grid's requests may take. traffic_free in any case. */
wb_status traffic_make(const struct wb_grid *grid, const struct wb_machine *machine,
                       wb_diagnostics *diagnostics, struct traffic *traffic);

/* The message that memory is exhausted, or by `refused` what the grid's requests may take of it. Always
 * WB_ERR_LIMIT, to be returned. */
wb_status traffic_no_memory(const struct wb_grid *grid, bool refused, wb_diagnostics *diagnostics);

/* The accesses of a warp of a block. */
static inline const struct traffic_pattern *traffic_pattern_of(const struct traffic *traffic, uint32_t block,
                                                               uint32_t warp) {
    const struct traffic_variant *variant = &traffic->variants.items[traffic->block_variants[block]];
    return &traffic->patterns.items[variant->patterns[warp]];
}

/* Where the accesses of a warp of a block stand in its block: one position an access. */
static inline const struct access_position *traffic_positions_of(const struct traffic *traffic,
                                                                 uint32_t block, uint32_t warp) {
    return traffic->shapes[traffic->grid->blocks.items[block].shape].positions[warp];
}

/* The group's base for a warp of a block, rounded down to whole lines: a request is at base + offset. Of
 * local memory, where the addresses of a warp's lanes are interleaved word by word, a place that no other
 * warp's memory shares. */
uint64_t traffic_base(const struct traffic *traffic, uint32_t block, uint32_t warp, uint32_t group);

void traffic_free(struct traffic *traffic);

/* The order in which the reordering extension lets the memory instructions of an SM into its first-level
 * cache: by generation, epoch, program address, block, warp (docs/access-order.md). It depends only on the
 * program and the number of resident blocks, not on times. */

/* Which blocks run where: block b on SM b mod sms, `resident` of them at a time. */
struct sm_share {
    uint32_t sm, sms;
    uint32_t resident; /* at least 1 */
};

/* One memory instruction of the order: all its requests go one after the other. */
struct ordered_access {
    uint32_t block, warp;
    uint32_t epoch;
    const struct traffic_pattern *pattern;
    const struct traffic_access *access; /* makes requests */
};

/* A warp's next access. */
struct order_cursor {
    const struct traffic_pattern *pattern;
    const struct access_position *positions;
    uint32_t index; /* into both */
};

/* An enumeration under way. */
struct access_order {
    struct arena arena;
    const struct traffic *traffic;
    struct sm_share share;
    uint64_t generation;          /* of the blocks in the slots; UINT64_MAX: none yet */
    struct order_cursor *cursors; /* per slot and warp */
    uint64_t *keys;               /* per slot and warp, of its next access */
    struct heap blocks; /* with accesses left, by slot; key: epoch and program address of the next one */
    uint32_t warp;      /* of the first of them, where to look for more accesses of its key */
};

/* Whether the order is known: of real paths always; of covering paths where every access with requests is
 * surely made, so that the unit waits for none that does not come, and every barrier is one for all.
 * WB_ERR_DECLINED with a message at the line of the PTX if not. */
wb_status access_order_check(const struct traffic *traffic, wb_diagnostics *diagnostics);

/* Stands before the first access of an SM. WB_ERR_LIMIT without a message when memory is exhausted;
 * access_order_end in any case. */
wb_status access_order_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct access_order *order);

/* Goes to the next access; false at the end. */
bool access_order_next(struct access_order *order, struct ordered_access *next);

void access_order_end(struct access_order *order);

/* The channel of a warp: those of the blocks of a generation are numbered in the order of blocks and warps.
 * (Which slot a block of a later generation gets, and so which channel, is a matter of time; the order does
 * not depend on it.) */
uint32_t order_channel(const struct access_order *order, uint32_t block, uint32_t warp);

/* Blocks of the grid that run on an SM. */
uint32_t sm_share_blocks(const struct sm_share *share, const struct wb_grid *grid);

/* The resources of an SM that a block of the grid takes. */
struct block_demand grid_block_demand(const struct wb_grid *grid);

/* Numbers for keys of 64 bits, such as lines of memory: 0, 1, 2, ... in the order in which they are first
 * asked for. */

struct number_slot {
    uint64_t key;
    uint32_t number;
    uint32_t filling; /* that it belongs to; 0: empty */
};

/* With nothing but its arena set, which is protected, it is empty. */
struct number_table {
    struct arena *arena;
    struct number_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    uint32_t count;    /* keys that have numbers */
    uint32_t filling;  /* grows when the table is emptied, which leaves the slots as they are */
};

/* The number of a key, which gets the next one if it has none. */
uint32_t number_table_number(struct number_table *table, uint64_t key);

/* Whether a key has a number; then it is in *number. */
bool number_table_find(const struct number_table *table, uint64_t key, uint32_t *number);

/* Empties the table in constant time. */
void number_table_clear(struct number_table *table);

/* From the addresses of a warp's lanes to the transactions of one executed memory instruction (JCSE'17,
 * algorithm 3, with the addresses aligned first). docs/memory-model.md, section 1, states the rules. */

/* Most requests of one instruction: 32 lanes of 32 unaligned bytes of local memory, nine words each. */
#define REQUESTS_MAX 288u

/* The addresses of the lanes of one executed instruction. */
struct lane_addresses {
    uint64_t address[WARP_LANES];
    uint32_t mask;
    uint32_t bytes; /* per lane: 1, 2, 4, 8, 16 or 32 */
};

/* Reads the addresses of a record; `base` is added to each (0 for records of struct wb_block). */
void lane_addresses_read(const struct access *access, const uint64_t *tables, uint64_t base,
                         struct lane_addresses *lanes);

/* The distinct blocks of `granule` bytes that the lanes touch, aligned, in the order of the first lane that
 * touches each; returns how many. */
uint32_t requests_coalesce(const struct lane_addresses *lanes, uint32_t granule,
                           uint64_t requests[REQUESTS_MAX]);

/* Whether an access leaves the SM's own memories: only such accesses have requests and make epochs. */
static inline bool access_makes_requests(const struct access *access) {
    return access->space == PTX_SPACE_GLOBAL || access->space == PTX_SPACE_LOCAL;
}

/* The requests of a recorded access of global or local memory, by its rule above but faster for regular
 * addresses; `base` is added to the addresses, and of local memory before it is interleaved. 0 of other
 * spaces. */
uint32_t access_requests(const struct access *access, const uint64_t *tables, uint64_t base, uint32_t granule,
                         uint64_t requests[REQUESTS_MAX]);

/* Which of the `count` requests of a recorded access at known addresses, as access_requests gives them, are
 * made whatever lanes are there that perhaps are: those that another lane touches. Of atomics none, where
 * some lane is one of these. */
void access_requests_sure(const struct access *access, const uint64_t *tables, uint64_t base,
                          uint32_t granule, const uint64_t *requests, uint32_t count, bool *sure);

/* The wavefronts of a recorded access of shared memory, constants or parameters, by its rule above. */
uint32_t access_wavefronts(const struct access *access, const uint64_t *tables, uint64_t base);

/* How many requests (of global and local memory) and wavefronts (of other memory) a recorded access makes: of
 * unknown addresses the most that there can be if they are aligned to what each lane accesses
 * (docs/covering-paths.md, section 4). */
uint32_t access_request_count(const struct access *access, const uint64_t *tables, uint32_t granule);
uint32_t access_wavefront_count(const struct access *access, const uint64_t *tables);

/* The counts of the accesses of one executed instruction on a machine that times machine code. */
struct access_sums {
    uint32_t of[SASS_COUNTS];
};

/* Adds an access; `base` is added to its addresses. */
void access_sums_add(const struct access *access, const uint64_t *tables, uint64_t base,
                     struct access_sums *sums);

/* How many there are of each beyond the first. */
struct access_counts access_sums_counts(const struct access_sums *sums);

/* Cycles that a unit is busy with `requests` of an instruction whose class has initiation interval `init`: at
 * least the interval, in which the lanes' addresses pass. */
static inline uint32_t transaction_cycles(const struct machine_memory *memory, uint32_t init,
                                          uint32_t requests) {
    uint32_t passing = requests * memory->request_cycles;
    return passing > init ? passing : init;
}

/* Cycles that a unit is busy with wavefronts over memory of the SM: the interval is that of one. */
static inline uint32_t wavefront_cycles(uint32_t init, uint32_t wavefronts) {
    return init * wavefronts;
}

/* The cost of the executed memory instructions of a traced block on a machine that counts their transactions:
 * initiation by the rules above, latency of the class. */

/* What requests do to the time of an instruction. */
struct request_model {
    /* Of an execution, by its accesses; `class`: of the instruction. */
    struct execution_cost (*cost)(const struct wb_machine *machine, const struct machine_class *class,
                                  const struct access *accesses, size_t count,
                                  const struct access_list *list);
    bool counts; /* what accesses count is all that there is to say: patterns of a grid have it, too */
};

extern const struct request_model request_models[ISA_COUNT];

/* A cost for each recorded access of the block, those of warp 0 first (see timed_block_from), to be freed;
 * NULL for a machine with ideal requests, where every instruction costs what its class does. Errors, each
 * with a message: WB_ERR_INPUT when the accesses were not recorded, or the machine has a model of a wing,
 * which has rules of its own; WB_ERR_DECLINED when the accesses of some instruction are not known;
 * WB_ERR_LIMIT when memory is exhausted.
 */
wb_status access_costs_make(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct execution_cost **costs);

/* A grid with times: what the blocks of a launch execute, their memory requests, and how long each
 * instruction takes. What the GPU simulator executes and the bounds of whole grids are of. */

/* Whether a kernel of machine code can execute such an instruction. */
struct sass_inst;
bool machine_code_reaches(const struct wb_kernel *kernel, bool (*is)(const struct sass_inst *inst));

/* Kinds of blocks: those that ask the same of each object of memory, but for where in the object. */
#define NO_OBJECT UINT32_MAX

struct block_kind {
    uint32_t block; /* the first one of it */
    uint64_t count; /* blocks */
};

/* Per base of a shape the object that it lies in, and per object the first such base. NO_OBJECT: none. */
struct shape_objects {
    uint32_t *of_base, *first_base;
};

struct block_kinds {
    VEC(struct block_kind) items;
    uint32_t *of_block; /* per block */
    struct shape_objects *shapes;
};

/* Finds them in protected memory; false: a base is in another object than in the shape's first block. */
bool block_kinds_find(const struct traffic *traffic, struct arena *arena, struct block_kinds *kinds);

/* Loads of machine code whose sectors the first level may keep: those of whole lines that nothing else asks
 * for. */
struct kept_loads {
    const struct traffic *traffic;
    struct number_table lines; /* that something else asks for */
    bool *lost;                /* per object of the grid: something else may ask for any of its lines */
    bool some_lost;
    bool none; /* anything may be lost */
};

/* Finds them in protected memory, looking at all blocks, or at one of each kind (or NULL). */
void kept_loads_find(const struct traffic *traffic, const struct block_kinds *kinds, struct arena *arena,
                     struct kept_loads *kept);

/* Whether an access is such a load, and what is known of its sectors; unless none is kept. */
bool access_is_kept(const struct wb_grid *grid, const struct traffic_access *access);
bool sector_is_kept(const struct kept_loads *kept, uint64_t sector);

/* What a grid asks global memory for: sectors; how many of them come from DRAM or go there where the second
 * level keeps what it touches; and what that is, in pages and in bytes; CYCLES_SATURATED: not known. */
struct memory_fills {
    uint64_t requests;
    uint64_t all, most_of_block;
    uint64_t promised; /* that `all` does not count, as they are promised to be in the second level */
    uint64_t below, below_of_block; /* that a first level asks for which keeps what a block loads; */
    uint64_t behind_of_block;       /* of these, but for loads of what is promised to be in the second */
    uint64_t pages, bytes;
    uint64_t l1_bytes, l1_of_block; /* of lines of data; and of a block at most */
    uint64_t translations; /* that accesses of one warp and lines of code and constants ask for at most */
    uint32_t passes;       /* most of one access */
};

struct timed_grid {
    struct arena arena; /* of the code */
    const struct wb_grid *grid;
    const struct wb_machine *machine; /* with what it fills once for this grid */
    struct timed_code code;
    struct traffic traffic;
    struct memory_fills fills; /* of machine code, where caches are known to keep something */
};

/* Makes the traffic of a grid without times, to be freed with timed_grid_free in any case, and decides what
 * caches of the machine fill once for it; timed->machine is one of its own then. Nothing, where there is
 * nothing to decide or not all accesses are recorded. Errors as traffic_make. */
wb_status timed_grid_fills(const struct wb_grid *grid, const struct wb_machine *machine,
                           wb_diagnostics *diagnostics, struct timed_grid *timed);

/* Decides the same of a grid whose traffic is made, unless it was decided. WB_ERR_LIMIT with a message when
 * memory is exhausted. */
wb_status timed_grid_decide_fills(struct timed_grid *timed, wb_diagnostics *diagnostics);

/* Takes the counts of another machine's grid where those of this would be the same. */
void timed_grid_take_fills(struct timed_grid *timed, const struct timed_grid *like);

/* Counts timed->fills of the traffic: request by request, if there are at most `each_most`, else by kinds of
 * blocks, which is no less. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status timed_grid_count_fills(struct timed_grid *timed, uint64_t each_most);

/* Makes a timed grid, to be freed with timed_grid_free in any case; grid and machine must outlive it, and it
 * must not be moved. Errors, each with a message: WB_ERR_DECLINED when a warp's path depends on an unknown
 * value or a barrier joins a part of the block only; WB_ERR_INPUT when the machine lacks a class that is
 * needed or parts of it do not fit together; WB_ERR_LIMIT when memory is exhausted. */
wb_status timed_grid_make(const struct wb_grid *grid, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct timed_grid *timed);

/* The same with the requests of `like`, or NULL: of the same grid on a machine that only makes other promises
 * or fills something else once. That must outlive it, too. */
wb_status timed_grid_make_like(const struct wb_grid *grid, const struct wb_machine *machine,
                               const struct timed_grid *like, wb_diagnostics *diagnostics,
                               struct timed_grid *timed);

/* Cycles from the end of a request's service by the memory that all SMs share until its data, or of a store
 * the acknowledgement, is back: what the instruction's class counts for memory, or the machine, where the
 * class counts nothing. */
static inline uint32_t request_return(const struct wb_machine *machine, const struct timed_inst *inst) {
    return inst->memory_latency != 0 ? inst->memory_latency : machine->mem_latency;
}

void timed_grid_free(struct timed_grid *timed);

/* A grid written by hand (warp/synthetic/synthetic.h) in the form that the GPU simulator executes. */

/* Makes the grid of a block's kinds, those of the first kind first, and the same with times; both refer to
 * the block and its machine. Free them with grid_clear and timed_grid_free in any case. WB_ERR_LIMIT with a
 * message when memory is exhausted. */
wb_status synthetic_grid_make(const struct synthetic_block *block, wb_diagnostics *diagnostics,
                              struct wb_grid *grid, struct timed_grid *timed);

/* The same of a grid of one block, of kind number `kind`. */
wb_status synthetic_grid_make_block(const struct synthetic_block *block, size_t kind,
                                    wb_diagnostics *diagnostics, struct wb_grid *grid,
                                    struct timed_grid *timed);

/* The point from which the data of a load is surely there: instructions that read or overwrite the register
 * of a load wait for all of its data (docs/proofs.md, R2), so that whatever its warp issues behind them comes
 * after the data. */

/* The first instruction of a warp that waits for an access of it. */
struct data_wait {
    uint32_t access; /* the first access of the warp that is issued no sooner; NEVER_WAITED: none */
    uint32_t phase;  /* barriers that the warp has crossed before it; NEVER_WAITED: there is none */
};

#define NEVER_WAITED UINT32_MAX

struct wait_row {
    const struct data_wait *waits; /* per access of a stream */
};

struct data_waits {
    uint32_t warp_count;
    struct wait_row *rows; /* per shape and warp */
};

/* Where a reader of a path stands that has read the body of a fold. */
struct path_place {
    const struct timed_code *code;
    const struct access_stream *stream;
    uint64_t step, access_step; /* the next one, and that of the next access, or UINT64_MAX */
    uint32_t maybe_executed;    /* a stretch of the stream's; none before it ends behind the step */
};

/* Whether the fold is quiet: its repetitions access no memory, are certain, and meet neither barriers nor
 * queues. *length: the steps of all of them. */
bool fold_is_quiet(const struct path_place *place, const struct path_fold *fold, uint64_t *length);

/* Most warp instructions that are walked one by one. */
#define WALKED_MAX UINT64_C(500000000)

/* Declines a grid with so many warp instructions that those who read them with their requests, one by one but
 * for quiet folds, would take minutes. */
wb_status timed_grid_decline_long(const struct timed_grid *timed, wb_diagnostics *diagnostics);

/* The waits of all shapes of a grid with the registers of its code, in memory of a protected arena. */
struct data_waits data_waits_make(const struct wb_grid *grid, const struct timed_code *code,
                                  struct arena *arena);

/* Per access of a warp of a shape. */
static inline const struct data_wait *data_waits_of(const struct data_waits *waits, uint32_t shape,
                                                    uint32_t warp) {
    return waits->rows[(size_t)shape * waits->warp_count + warp].waits;
}

#endif
