/* Times of machine instructions on a machine that times machine code (`code: sass`): what simulator, explorer
 * and bounds of docs/machine-code-bounds.md work on. */
#ifndef WB_WARP_TIMED_TIMED_H
#define WB_WARP_TIMED_TIMED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/cycles.h"
#include "machine/machine.h"
#include "ptx/ptx.h"
#include "sass/sass.h"
#include "warp/path/execution_notes.h"
#include "warp/path/path.h"

/* Dependence counters of a warp: SB0 to SB5, and one that stands for the fences under way, which all that
 * follows waits for. */
#define SASS_FENCE_COUNTER 6u
#define SASS_COUNTERS 7u

/* No line of constants. */
#define SASS_NO_LINE UINT32_MAX

/* A stage of the way of an instruction of variable latency (docs/machine-code-bounds.md, section 1). */
struct sass_stage {
    uint8_t unit;      /* of the machine: of the sub-core, or shared by all of them */
    uint32_t init;     /* most cycles that it is held, at least 1 */
    uint32_t transfer; /* most cycles from then until the next stage is asked for */
};

/* One entry of the code: a machine instruction, with times. All durations are the most: actual ones may be
 * anything from 0 up to them, of a slot from 1, of a stall from stall_least and of latencies from their
 * least. */
struct sass_timed {
    /* s(k): cycles until the next issue of the warp. Hardware waits no longer than that (A1), and no shorter
     * than stall_least; both are the stall count, at least 1, unless it is one that hardware does not keep,
     * or the instruction may jump. */
    uint32_t stall, stall_least;
    uint32_t slot;  /* cycles of the issue stage: 1, bubbles of register banks, the probe for a constant that
                       can miss each time */
    uint32_t fetch; /* cycles from the issue of the one before that a miss of instructions can keep it from
                       issue each time: I(k) >= I(k-1) + fetch; 0: not at all. What is missed once only is
                       counted by struct sass_footprint instead */
    uint32_t operand;    /* cycles that a miss of its constant keeps it from issue each time, behind all that
                            it waits for besides, as constants are looked up at the issue; 0: likewise */
    uint8_t class_;      /* enum sass_class */
    bool in_l2;          /* loads only what is promised to be in the second level */
    bool fixed;          /* one stage of depth 0 (a latch), or none; no counters */
    uint8_t stage_count; /* 0: it only takes its slot */
    struct sass_stage stages[SASS_STAGES_MAX];
    uint8_t write_counter, read_counter; /* SASS_NO_COUNTER: none */
    uint32_t write_least, write_most;    /* cycles from the end of the last stage until the counter of the */
    uint32_t read_least, read_most;      /* result, or that of the sources, counts down */
    uint8_t waits;                       /* mask: these counters must be 0; bit SASS_FENCE_COUNTER, too */
    uint8_t left_counter, left; /* DEPBAR.LE: the counter may be at most `left`; SASS_NO_COUNTER: none */
    bool barrier;               /* BAR that joins the block */
    struct sass_operand operands[SASS_OPERANDS]; /* the registers that it reads, */
    uint8_t bank_reads[SASS_BANKS_MAX];          /* and how many of them from each bank */
    struct access_counts counts;                 /* of its accesses: at most; more may be */
    bool prefetches;                             /* fetched into the second level besides */
    uint32_t line;                               /* of instructions: address / line of the L0 */
    uint32_t constant_line; /* of constants, numbered through the code; SASS_NO_LINE: none */
};

/* What of the code and its constants lies in caches, for misses that each line makes once: of a cache whose
 * `fits` is set every line that the code touches is missed at most once by each cache that there is (L0 and
 * constants: one a sub-core; L1 of instructions: one), whoever asks for it, and no more (A3). Those misses
 * are in no entry; those of a cache that does not fit are in the entries. */
struct sass_cached {
    bool fits;
    uint32_t lines; /* that the code touches, not those in between; 0 when it does not fit */
    uint32_t miss;  /* most cycles that a miss keeps a warp from issue */
    uint32_t hold;  /* of it cycles in which the sub-core issues nothing: the probe for a constant */
};

struct sass_footprint {
    struct sass_cached instructions, l1_instructions, constants;
};

/* Cycles until the next issue of the warp by only the control field of the instruction at `address`: the
 * least that pass, and the most. */
uint32_t sass_stall_least(const struct sass_inst *inst);
uint32_t sass_stall_most(const struct sass_inst *inst, uint32_t address, uint32_t long_stall);

/* Whether it counts a dependence counter up. */
bool sass_has_dependence_counters(const struct sass_inst *inst);

/* Cycles that an instruction of fixed latency that reads so many operands from each bank waits for them
 * beyond the first. */
uint32_t sass_bubbles(const struct machine_sass *sass, const uint8_t bank_reads[SASS_BANKS_MAX]);

/* Gives the instruction at `address` its times, without caches, barriers and counts of accesses. NULL, or why
 * it has none: the end of a sentence about the instruction. */
const char *sass_timing_from(const struct sass_inst *inst, uint32_t address, const struct wb_machine *machine,
                             struct sass_timed *timed);

/* Gives an entry, of one sector yet, the times of accesses to what is promised to be in the second level.
 * What changes memory holds its stages as before: it may be written back to DRAM at any time. */
void sass_timing_promise(const struct wb_machine *machine, bool stores, struct sass_timed *timed);

/* Changes the times of an entry to those of an access that makes so many requests. */
void sass_timing_count(const struct wb_machine *machine, const struct access_counts *counts,
                       struct sass_timed *timed);

/* Most cycles that an entry can keep anybody waiting for, but for its latency: the sum of all that is stated
 * of it, saturated. What stands in struct timed_inst as the initiation. */
uint32_t timed_init_of_sass(const struct sass_timed *timed);

/* Bytes of all that stands in constant banks, as the kernel sees them; the launch puts its own numbers before
 * the parameters. */
uint64_t constant_bytes(const struct wb_module *module, const struct ptx_function *kernel);

/* What of the code caches hold. */
struct sass_cached_code {
    const struct machine_inst **insts; /* per entry; NULL where no path has it */
    uint32_t count;
    uint64_t constant_bytes; /* that what reads a constant at an index may read */
};

/* Finds out which caches the code fits into, gives the entries their lines, and adds to them what they miss
 * each time. False when memory is exhausted. */
bool sass_caches_apply(const struct machine_sass *sass, const struct sass_cached_code *code,
                       struct sass_timed *entries, struct sass_footprint *footprint);

/* A thread block with times: what the simulator executes and the analyses bound. Made from the warp paths of
 * a PTX kernel and a machine, or by hand (warp/synthetic): nothing that
 * the analyses and the plain model need of it refers to PTX. */

/* What instructions of a warp can be waited for together, however many they are: asynchronous copies by the
 * groups that they are committed in, and accesses of memory, by fences (docs/execution.md). */
enum wait_queue { QUEUE_COPIES, QUEUE_BULK_COPIES, QUEUE_ACCESSES, QUEUE_COUNT };

/* The registers of a queue: register first + j can be read when every instruction is complete that joined the
 * queue before the j-th last commit; of j = 0, every one that joined. Waiting is reading such a register.
 * count 0: nothing waits for the queue. */
struct timed_queue {
    uint32_t first, count;
};

/* One static instruction with its timing. Registers are numbered through the whole code; its sources stand
 * at operands[first_operand ..], its destinations behind them. */
struct timed_inst {
    uint32_t first_operand;
    uint16_t source_count;
    uint16_t destination_count;
    uint32_t init;           /* cycles that the unit is busy; 0 only with UNIT_NONE */
    uint32_t latency;        /* most cycles after the initiation until the result can be read */
    uint32_t latency_least;  /* least of them: the machine's promise, 0 where it makes none */
    uint32_t memory_latency; /* the part of it that stands for the way to memory where none is modelled */
    uint8_t unit;            /* index into the machine's units, or UNIT_NONE: no slot, no time */
    bool barrier;            /* the warp waits until every live warp of the block has issued its barrier */
    uint8_t joins;           /* bit q: later waits for queue q are for this instruction, too */
    uint8_t commits;         /* bit q: it ends a group of queue q, itself included if it joins */
    bool uncounted;          /* not in instruction counts: `ret` and its like, a barrier without a slot */
};

/* An instruction of a kernel whose executions take different times has an entry for each of them. */
struct timed_code {
    struct timed_inst *insts;
    uint32_t inst_count;
    uint32_t *origin;    /* per entry the instruction of the kernel that it is of; NULL: entry i is of i */
    uint32_t *addresses; /* per instruction of the kernel its byte offset in the machine's code; NULL: PTX */
    uint32_t *operands;  /* register numbers */
    uint32_t register_count;
    assumed_set assumed; /* what its times, and the paths through it, take for granted */
    struct timed_queue queues[QUEUE_COUNT];
    struct sass_timed *sass; /* per entry; NULL on machines that time PTX */
    struct sass_footprint footprint;
    const struct timed_code *beside; /* the code of all blocks that share an SM with these; NULL: this */
};

struct traffic;
struct wb_block;

struct timed_block {
    struct arena arena; /* owns the code; of a block written by hand also warp_path */
    const struct wb_machine *machine;
    const struct wb_block *traced; /* the PTX block it was made from, or NULL */
    struct timed_code code;
    const struct path *paths; /* the distinct paths: own_paths, or owned by whoever made the block */
    uint32_t path_count;
    VEC(struct path) own_paths;
    uint32_t *warp_path; /* per warp the index of its path */
    uint32_t warp_count;
    const struct traffic *traffic; /* which has its accesses, as block number .., or NULL */
    uint32_t traffic_block;
};

/* The instruction of the kernel that an entry of the code is of. */
static inline uint32_t timed_origin(const struct timed_code *code, uint32_t entry) {
    return code->origin == NULL ? entry : code->origin[entry];
}

/* Where the instruction of an entry of the code lies among the machine's instructions, in bytes. PTX has no
 * addresses: each of its instructions stands for one of the machine, in the order of the module. Copies of a
 * function that were put in the place of calls of it have its addresses. */
static inline uint64_t timed_address(const struct timed_code *code, uint32_t entry,
                                     uint32_t instruction_bytes) {
    const uint32_t origin = timed_origin(code, entry);
    return code->addresses != NULL ? code->addresses[origin] : (uint64_t)origin * instruction_bytes;
}

/* Instructions that all warps of the block execute. */
uint64_t timed_block_length(const struct timed_block *block);

/* Most cycles that any schedule or bound of the block can reach: the sum over all instructions of all warps
 * of the largest initiation, latency, one issue slot, and a fetch where it can stall. Saturated when it does
 * not fit. */
cycles timed_block_horizon(const struct timed_block *block);

/* WB_ERR_LIMIT with a message when the horizon is above INT64_MAX; when it is not, no sum of times over the
 * block's instructions can overflow, and simulator and analyses add without checks. */
wb_status timed_block_check(const struct timed_block *block, wb_diagnostics *diagnostics);

void timed_block_free(struct timed_block *block);

/* Code in which an instruction whose executions take different times has an entry for each of them. */

/* What one execution of an instruction takes; see struct timed_inst. */
struct execution_cost {
    uint32_t init, latency;
    struct access_counts
        counts; /* on a machine that times machine code, which init and latency are not for */
};

#define NO_VARIANT UINT32_MAX

/* One cost of an instruction. The first of them takes the instruction's own entry of the code. */
struct code_variant {
    struct execution_cost cost;
    uint32_t instruction;
    uint32_t entry; /* of the code */
    uint32_t next;  /* variant of the same instruction, or NO_VARIANT */
};

/* The variants of a code that has its times by classes, while they are looked for. */
struct code_variants {
    const struct wb_machine *machine;
    struct timed_code *code;
    struct arena *scratch;
    uint32_t *newest;     /* per instruction its newest variant, or NO_VARIANT */
    uint32_t entry_count; /* of the code with variants */
    VEC(struct code_variant) items;
};

/* How executions differ in what they take: those of PTX in cycles, those of machine code in what they count.
 */
struct cost_model {
    struct execution_cost (*usual)(const struct timed_inst *inst); /* of one whose cost nobody states */
    /* Gives the entry of a variant its cost. */
    void (*set)(const struct wb_machine *machine, struct timed_code *code,
                const struct code_variant *variant);
    /* Gives an entry what is more in a cost than in its own. */
    void (*raise)(const struct wb_machine *machine, struct timed_code *code, uint32_t entry,
                  const struct execution_cost *cost);
};

extern const struct cost_model cost_models[ISA_COUNT];

/* No variants yet; all memory is of `scratch`, which is protected. */
struct code_variants code_variants_begin(const struct wb_machine *machine, struct timed_code *code,
                                         struct arena *scratch);

/* What an execution takes whose cost nobody states. */
static inline struct execution_cost code_variant_cost(const struct code_variants *variants,
                                                      uint32_t instruction) {
    return cost_models[machine_isa(variants->machine)].usual(&variants->code->insts[instruction]);
}

/* The variant of an instruction with this cost, or NO_VARIANT. */
uint32_t code_variant_find(const struct code_variants *variants, uint32_t instruction,
                           const struct execution_cost *cost);

/* The same; it is added when there is none. */
uint32_t code_variant_of(struct code_variants *variants, uint32_t instruction,
                         const struct execution_cost *cost);

/* Gives the code an entry for each variant, in memory of `arena`, which is protected. */
void code_variants_apply(const struct code_variants *variants, struct arena *arena);

/* From what the warps execute to how long each instruction takes: a traced block on a machine. */

/* Makes `timed` (to be freed with timed_block_free on success) from a block and a machine, both of which it
 * refers to. Issued instruction i of function f has index block->code_first[f] + i; only instructions on some
 * path get times. `costs` has a cost for each recorded access of the block, those of warp 0 first, then those
 * of warp 1; of accesses of one step, which are one instruction, that of the first counts. An execution
 * without a record costs what the machine gives its class, and so does every one where `costs` is NULL. An
 * instruction whose executions cost different things has an entry of the code for each cost, and the paths
 * are rewritten accordingly. Errors, each with a message: WB_ERR_INPUT when the machine does not give a class
 * that is needed; WB_ERR_DECLINED for barriers that join a part of the block's warps (counted or
 * arrive-only) or that a warp skips, which neither simulator nor analyses model; WB_ERR_LIMIT when memory is
 * exhausted. A barrier that part of a warp executes holds the whole warp. */
wb_status timed_block_from(const struct wb_block *block, const struct wb_machine *machine,
                           const struct execution_cost *costs, wb_diagnostics *diagnostics,
                           struct timed_block *timed);

/* Gives the code of `timed`, made from `block` by the classes of its instructions, the costs of recorded
 * accesses (see timed_block_from), and rewrites the paths where an instruction has several. WB_ERR_LIMIT
 * without a message when memory is exhausted. */
wb_status timed_variants_make(const struct wb_block *block, const struct execution_cost *costs,
                              struct timed_block *timed);

/* How long each instruction of a kernel takes: the code of a module on a machine. */

/* What of a kernel's module warps execute. */
struct executed_code {
    const struct wb_kernel *kernel;
    const uint32_t *code_first; /* issued instruction i of function f has index code_first[f] + i */
    const uint32_t *block_size; /* threads of a block, three dimensions */
    uint32_t warp_width;        /* threads of a warp */
    const bool *used;           /* per instruction: on some path */
    const struct memory_objects *objects;
    const struct execution_notes *notes;
};

/* Per instruction whether some path executes it; NULL when memory is exhausted. The work depends on the
 * number of runs and not on their lengths. */
bool *executed_instructions(const struct path *paths, size_t path_count, uint32_t inst_count,
                            struct arena *arena);

/* Gives the used instructions their unit, registers, initiation and latency by class; all memory is the
 * arena's. Errors, each with a message: WB_ERR_INPUT when the machine does not give a class that is needed
 * (every missing class is reported first); WB_ERR_DECLINED as joins_block; WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status timed_code_from(const struct executed_code *executed, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct arena *arena, struct timed_code *code);

/* Who keeps what instructions wait for in queues (struct timed_queue): either as times, one a register, or as
 * the instructions themselves. Both say the same: a register of a queue stands for all that joined the queue
 * before a certain commit, so that leaving out instructions, commits among them, never makes a time later
 * (docs/covering-paths.md, section 6). */

/* Most groups that a wait can leave under way: a queue has a register for each. */
#define WAIT_GROUPS_MAX 64u

/* The queue that a register belongs to, or QUEUE_COUNT. */
enum wait_queue wait_queue_of(const struct timed_code *code, uint32_t reg);

/* Notes an instruction whose result is there at time `at`: times[r * stride] is when register r can be read.
 */
void wait_queues_step(const struct timed_code *code, const struct timed_inst *inst, cycles *times,
                      size_t stride, cycles at);

/* An instruction that joined a queue, and the commits of the queue before. */
struct queue_member {
    uint32_t position;
    uint64_t commits;
};

/* The instructions of a stretch of a path that nothing has waited for yet. Zero-initialised it is empty. */
struct queue_members {
    VEC(struct queue_member) members[QUEUE_COUNT];
    uint64_t commits[QUEUE_COUNT];
    VEC(uint32_t) taken; /* by the last queue_members_take */
};

/* Notes an instruction at a position of the path, or with whatever else it is to be known by. WB_ERR_LIMIT
 * when memory is exhausted. */
wb_status queue_members_note(struct queue_members *queues, const struct timed_code *code,
                             const struct timed_inst *inst, uint32_t position);

/* The next instruction reads `reg`: what it waits for goes to queues->taken, in the order of the path;
 * nothing where the register belongs to no queue. It need not be waited for again: whatever follows is issued
 * later. WB_ERR_LIMIT when memory is exhausted. */
wb_status queue_members_take(struct queue_members *queues, const struct timed_code *code, uint32_t reg);

/* Forgets all instructions and commits. */
void queue_members_clear(struct queue_members *queues);

void queue_members_free(struct queue_members *queues);

/* What instructions wait for: the queues of their warp (struct timed_queue), which they join, end groups of
 * or wait for; the other warps of the block. docs/execution.md, "Waiting". */

struct wait_role {
    uint8_t joins, commits; /* bit q: queue q */
    enum wait_queue queue;  /* that it waits for, or QUEUE_COUNT */
    uint32_t since;         /* for all that joined before the `since`-th last commit */
    bool on_chip;           /* has no part of its class's latency that is the way to memory */
    bool fence;             /* whatever follows waits for it */
    const char *unmodelled; /* why its waiting cannot be timed, or NULL */
};

struct wait_role wait_role_of(const struct ptx_function *function, const struct ptx_inst *inst);

/* Of whom an instruction is a barrier. */
enum barrier_scope {
    BARRIER_NONE,    /* no barrier, or one within a warp */
    BARRIER_WHOLE,   /* joins all warps of the block */
    BARRIER_COUNTED, /* joins as many threads as a register says: executions in which these are a part of the
                        block are declined (PARTIAL_BARRIER) */
    BARRIER_PART,    /* joins a part of them (counted, or arrive-only), or other blocks as well */
};

/* The scope of an instruction in a block of `size` threads in warps of `warp_width`. Which of the 16 barriers
 * it is does not matter: warps that all wait for all others wait for the same one, or for ever. */
enum barrier_scope barrier_scope_of(const struct ptx_function *function, const struct ptx_inst *inst,
                                    const uint32_t size[3], uint32_t warp_width);

#endif
