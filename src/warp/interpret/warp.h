/* The memory that blocks share and the shared memory of a block: regions of bytes, each known or unknown. */
#ifndef WB_WARP_INTERPRET_WARP_H
#define WB_WARP_INTERPRET_WARP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "launch/launch.h"
#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"
#include "warp/path/execution_notes.h"
#include "warp/path/path.h"

/* Most bytes that all regions of a run take together; what a region does not use is never touched. */
#define MEMORY_MAX ((uint64_t)8 << 30)

/* Bytes at generic addresses base .. base + size - 1. */
struct region {
    uint64_t base, size;
    uint8_t *bytes;
    uint8_t *known;   /* bit i of byte j: byte 8 * j + i is known; NULL: all are */
    const char *name; /* for messages; not owned */
    bool writable;
    bool unknown;     /* no byte is known; false: maybe some is */
    bool stored;      /* some instruction stored to it, or maybe did */
    uint32_t modes;   /* of atomics on it, as bits, since warps have met last: enum ptx_mode */
    bool is_volatile; /* others store to it at any time: what is stored does not become known */
};

/* The buffer that an argument of the launch, or a field of one, is the address of. */
struct argument_buffer {
    uint64_t base;
    uint32_t argument;          /* from 1 */
    const char *called, *field; /* as in struct memory_object */
};

struct memory {
    VEC(struct region) regions; /* by base */
    uint64_t
        next[PTX_SPACE_REG]; /* by enum ptx_space, where the next region goes; 0: at the window's start */
    uint64_t used;           /* bytes of all regions */
};

/* Adds a region of zeros in a state space, all known or all unknown. *index is its place in the list, which
 * later additions in other spaces may move. WB_ERR_LIMIT, with a message, when MEMORY_MAX or the space's
 * window is exhausted. */
wb_status memory_add(struct memory *memory, enum ptx_space space, bool wide_addresses, uint64_t size,
                     const char *name, bool known, wb_diagnostics *diagnostics, struct region *region);

/* The region that holds the address, or NULL. */
struct region *memory_find(const struct memory *memory, uint64_t address);

/* Makes `size` bytes from `offset` on unknown, or known. WB_ERR_LIMIT, without a message, when memory is
 * exhausted. */
wb_status region_set_known(struct region *region, uint64_t offset, uint64_t size, bool known);

/* Makes all bytes of the regions that were stored to unknown, for good: of global memory, and of the shared
 * memory of the block if that is asked for. *changed says whether there are some for which this is new.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status memory_share_stored(struct memory *memory, bool of_block, bool *changed);

/* Makes all bytes unknown. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status region_forget(struct region *region);

void memory_free(struct memory *memory);

/* Up to 8 aligned bytes, in a region or in local memory. */
struct place {
    uint8_t *bytes;
    uint8_t *known;        /* the byte whose bits from `shift` on say what is known; NULL: all is */
    uint8_t shift;         /* bit of the first byte */
    struct region *region; /* or NULL: local memory */
};

static inline struct place region_place(struct region *region, uint64_t offset) {
    assert(offset < region->size);
    uint8_t *known = region->known == NULL ? NULL : region->known + offset / 8;
    return (struct place){region->bytes + offset, known, (uint8_t)(offset % 8), region};
}

/* Reads `count` bytes, 1, 2, 4 or 8; false when one of them is unknown. */
static inline bool place_read(const struct place *place, uint32_t count, uint64_t *value) {
    uint32_t bits = (1u << count) - 1;
    assert(count <= 8 && place->shift + count <= 8); /* aligned */
    if (place->known != NULL && (*place->known >> place->shift & bits) != bits) return false;
    uint64_t word = 0;
    memcpy(&word, place->bytes, count);
    *value = word;
    return true;
}

static inline void place_write(const struct place *place, uint32_t count, uint64_t value) {
    assert(count <= 8 && place->shift + count <= 8);
    if (place->region != NULL && place->region->is_volatile) return;
    memcpy(place->bytes, &value, count);
    if (place->region != NULL) place->region->unknown = false;
    if (place->known != NULL) *place->known |= (uint8_t)(((1u << count) - 1) << place->shift);
}

/* Which of `count` bytes are known. */
static inline uint32_t place_known(const struct place *place, uint32_t count) {
    const uint32_t bits = (1u << count) - 1;
    return place->known == NULL ? bits : *place->known >> place->shift & bits;
}

/* Makes `count` bytes unknown. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status place_forget(const struct place *place, uint32_t count);

/* Local memory of the threads of one warp: a stack of frames, the same addresses in every lane. It also holds
 * the .param variables of functions, through which calls pass values. */

/* Most bytes that a thread may have (CUDA's own limit). */
#define LOCAL_MAX ((uint64_t)512 << 10)

/* The lanes' memories are interleaved by units of 8 bytes: unit u of lane l is number u * 32 + l. */
struct local_memory {
    uint8_t *bytes;
    uint8_t *known; /* one byte per unit: bit i says whether byte i of it is known */
    uint64_t size;  /* bytes per lane, a multiple of 8 */
    uint64_t capacity;
};

/* Makes the stack `size` bytes tall (per lane, a multiple of 8); what is new is unknown. WB_ERR_LIMIT,
 * without a message, beyond LOCAL_MAX or when memory is exhausted. */
wb_status local_resize(struct local_memory *local, uint64_t size);

/* Makes all bytes of the lanes of `mask` unknown; whether some were known. */
bool local_forget(struct local_memory *local, uint32_t mask);

/* What it takes. */
static inline uint64_t local_bytes(const struct local_memory *local) {
    return local->capacity * WARP_LANES / 8 * 9;
}

void local_free(struct local_memory *local);

/* Up to 8 aligned bytes of a lane; offset < local->size. */
static inline struct place local_place(const struct local_memory *local, uint32_t lane, uint64_t offset) {
    assert(lane < WARP_LANES && offset < local->size);
    uint64_t unit = offset / 8 * WARP_LANES + lane;
    return (struct place){local->bytes + unit * 8 + offset % 8, local->known + unit, (uint8_t)(offset % 8),
                          NULL};
}

/* Rounded products that a block has made, which a compiler may fuse with sums of them (execute.h). */

/* Those of the block at hand: a hash table by their value. */
struct products {
    struct product *slots; /* owned, or NULL: there were none yet */
    uint32_t count;
    uint32_t block; /* counts blocks: products of others are forgotten */
    bool full;      /* not all could be remembered: any operand may be a product */
};

/* Forgets those of the block before. */
static inline void products_begin(struct products *products) {
    products->block++;
    products->count = 0;
    products->full = false;
}

/* The code of a run: every function that the kernel can reach, decoded to micro-operations; the addresses of
 * what they refer to; the constants they use. */

/* Frame slots behind a function's registers. */
enum { SLOT_CARRY, SLOT_SINK, SLOT_LOCAL_BASE, FRAME_EXTRA_SLOTS };

struct function_code {
    const struct ptx_function *function;
    struct micro *micros; /* inst_count of them, and one for falling off the end; NULL: not reached */
    uint32_t first;       /* index of its first issued instruction in paths */
    uint32_t slot_count;  /* registers and FRAME_EXTRA_SLOTS */
    uint32_t local_size;  /* bytes of .local and .param variables per lane, a multiple of 8 */
    bool uses_local;      /* SLOT_LOCAL_BASE is needed */
    struct call_operand *params, *returns; /* param_count, return_count */
};

struct program {
    const struct wb_module *module;
    struct arena *arena;             /* the caller's */
    struct function_code *functions; /* per function of the module */
    bool *variable_used;             /* per variable: a reachable function or a used variable refers to it */
    uint64_t *addresses; /* per variable; of .local and of functions' .param: offset in the frame */
    uint64_t shared_static, shared_dynamic_base; /* bytes */
    bool has_dynamic_shared;                     /* a variable in use has as many bytes as the launch says */
    VEC(struct lanes) constants;                 /* constant 0 is a zero */
    uint32_t *constant_of; /* hash of a value to 1 + index of a constant, maybe of another value */
    VEC(uint8_t) sregs;    /* special registers in use: slot i of BANK_SPECIAL */
    uint64_t sums;         /* bit per enum ptx_type: some code may fuse sums of it with products */
    uint32_t *hints;       /* per instruction: index of the region it accessed last */
};

/* Finds what the kernel reaches and lays out its shared and local variables; *program must be zero. The
 * arena keeps what is made. A function without a body is reported only when a call of it is executed. */
wb_status program_scan(struct program *program, const struct wb_kernel *kernel, struct arena *arena,
                       const uint32_t *code_first, wb_diagnostics *diagnostics);

/* Bytes of shared memory of a block, static and dynamic. */
uint64_t program_shared_bytes(const struct program *program, const struct wb_launch *launch);

/* Decodes all functions that are reached. Addresses of global and constant variables must be set. */
wb_status program_decode(struct program *program, wb_diagnostics *diagnostics);

/* The slot of a constant. These three end the pass that protects the arena when memory is exhausted. */
void program_constant(struct program *program, uint64_t value, struct slot *slot);

/* The slot of an address in a region of global memory, its base region (base region.h). */
void program_address(struct program *program, uint64_t value, uint64_t base_region, struct slot *slot);

/* The slot of a special register. */
void program_special(struct program *program, uint32_t sreg, struct slot *slot);

/* The issued instruction behind an index of paths; any reached one. */
const struct ptx_inst *program_inst(const struct program *program, uint32_t index);

void program_free(struct program *program);

/* Whether a variable belongs to a function's frame: .local, and .param of functions that are no entries. */
bool program_in_frame(const struct wb_module *module, const struct ptx_variable *variable);

/* A warp while it runs: its call frames, SIMT stack, registers and local memory; and the run, which is what
 * the warps of a block share. */

/* Deepest chain of calls (CUDA's stack of 512 KB a thread ends most recursions earlier). */
#define CALL_DEPTH_MAX 512u

/* Sets of lanes that a warp of machine code has for those that will meet: B0 .. B15. */
#define LANE_SETS 16u

/* Named barriers of a block. */
#define BARRIER_COUNT 16u

/* The reasons for which lanes of an entry wait, in machine code, before they go on. */
enum simt_wait {
    SIMT_RUNS,
    SIMT_BSYNC,    /* for the others of a set B0 .. B15 */
    SIMT_WARPSYNC, /* for the others of a mask */
    SIMT_BAR,      /* for the others of the warp, in front of a barrier of the block */
    SIMT_SIDES     /* of a covering run: for all sides of a branch that all lanes take one of */
};

/* Lanes that execute together, up to the instruction where they meet others. */
struct simt_entry {
    uint32_t pc;               /* instruction of the frame's function */
    uint32_t reconvergence;    /* where the entry ends; PTX_NO_INDEX: at the end of the function */
    uint32_t mask;             /* lanes that have not left the function; of one that waits: that have come */
    uint8_t wait;              /* enum simt_wait */
    uint8_t set;               /* of SIMT_BSYNC: which */
    uint32_t expected;         /* of SIMT_WARPSYNC and SIMT_BAR: lanes */
    struct cover_group *group; /* of a covering run (cover.h), or NULL */
};

struct cover;

/* Where a group of lanes goes on behind a branch. */
struct side {
    uint32_t pc, mask;
};

/* A function that is being executed. */
struct frame {
    const struct function_code *code;
    const struct micro *call; /* that made it; NULL: the kernel */
    struct lanes *registers;  /* slot_count of them */
    uint32_t room;            /* slots allocated */
    size_t stack_base;        /* entries of the SIMT stack below those of this frame */
    uint64_t local_base;      /* of its variables in local memory */
};

/* A released warp waits for its turn: when the last warp arrives at a barrier, the first goes on first. */
enum warp_state { WARP_READY, WARP_WAITING, WARP_RELEASED, WARP_DONE };

/* Why a warp was ended before its program was. */
struct steering {
    uint32_t instruction; /* that could not be executed; not part of the path */
    uint32_t origin;      /* the instruction that the value comes from, or ORIGIN_UNWRITTEN */
    bool branch;          /* control depends on the value, not only an address */
};

struct warp {
    struct lanes *banks[BANK_COUNT]; /* of the current frame */
    struct run *run;
    struct frame *frame; /* the current one, in frames */
    VEC(struct simt_entry) stack;
    struct path_writer path;
    struct local_memory local;
    struct frame *frames;     /* CALL_DEPTH_MAX of them */
    uint32_t depth;           /* frames in use */
    uint32_t number;          /* in the block */
    uint32_t live;            /* lanes that have not exited */
    uint32_t sets[LANE_SETS]; /* of machine code; not kept in covering runs */
    uint32_t waiting_at;      /* barrier, while WARP_WAITING */
    uint32_t waiting_mask;
    const struct micro *waiting_for; /* the barrier instruction */
    enum warp_state state;
    bool input_dependent; /* ended by `steering` */
    struct steering steering;
    bool replayed;                /* the instruction was put back and is not part of the path yet */
    struct access_list *accesses; /* or NULL */
    uint32_t unsure;   /* of a covering run: lanes that may not really execute what the warp does */
    uint32_t doubtful; /* of a covering run: lanes that only maybe execute the current access */
    size_t thinned;    /* of a covering run: records that were left when they were thinned last */
};

/* A named barrier: what has arrived since it was released last. */
struct barrier {
    uint32_t arrived;  /* threads, all lanes of a warp counted */
    uint32_t expected; /* threads; 0: all of the block */
    uint32_t trues;    /* lanes whose predicate was true, of bar.red */
    uint32_t lanes;    /* lanes that took part */
    bool known;        /* all predicates were known */
    uint32_t origin;   /* of an unknown one */
};

/* The memory of an access outside of all regions: always unknown again. */
struct unmapped {
    uint8_t bytes[8];
    uint8_t known;
};

/* Runs a warp until it waits or is done. */
typedef wb_status (*run_warp_fn)(struct warp *warp);

struct run {
    const struct wb_module *module;
    const struct wb_kernel *kernel;
    const struct wb_launch *launch;
    wb_diagnostics *diagnostics;
    struct program program;
    struct memory memory;
    struct products products;
    uint64_t shared_bytes;               /* static and dynamic */
    struct argument_buffer *buffers;     /* per part of the arguments; base 0: it is none */
    uint32_t grid[3], size[3], index[3]; /* blocks, threads of the block, which block */
    bool all_blocks;                     /* those of the whole grid are executed one after another */
    struct warp *warps;
    uint32_t warp_count;
    uint32_t warp_width; /* threads of a warp: lanes 0 .. warp_width - 1 */
    struct barrier barriers[BARRIER_COUNT];
    struct execution_notes notes;
    uint32_t unrecorded;  /* as in struct wb_block */
    uint32_t uncounted;   /* as there */
    uint32_t assumptions; /* bit per enum launch_assumption: those of the launch, and more */
    uint32_t left_open;   /* the same: some results were unknown for want of it */
    bool steers;          /* a warp that needs a value that is not known is ended, the others go on */
    bool allow_unmapped;  /* accesses outside of all regions read unknown bytes and write nothing */
    struct unmapped unmapped;
    bool of_class;           /* what is executed is to be true of all blocks of a class (warp/affine) */
    struct cover *cover;     /* both sides of unknown branches are run; NULL: they are declined */
    run_warp_fn run_warp;    /* of a covering run: runs a warp until it waits or is done; or NULL */
    struct fact_needs needs; /* of covering runs: facts that are lacking */
    uint64_t forgotten;      /* how often known bytes became unknown; counted for covering runs */
    bool initial_variables;  /* the code names variables whose contents the module gives */
    bool changed_variables;  /* it names some that an earlier launch maybe stored to */
    bool unknown_contents;   /* of buffers and variables, whatever the launch gives */
    uint64_t instructions, instruction_limit; /* warp instructions executed, over all blocks */
    uint64_t charged;                         /* other work, as so many instructions: counts for the limit */
    uint64_t asked_limit;                     /* of instructions, whatever was spent of it before this run */
    uint64_t earlier_instructions;            /* of covering runs: of blocks before this one */
    uint64_t next_poll;
    uint64_t poll_interval;               /* 0: the default */
    wb_status (*skip)(struct warp *warp); /* what is asked then, besides limits, or NULL */
    uint32_t skip_after, skip_failures;   /* polls until it is asked again; how often it did nothing */
    bool forgot;                          /* it made known values unknown */
    bool guessed; /* an instruction took one way of those that a value leaves open which it did not know */
    uint64_t memory_limit;   /* bytes that the execution may take */
    uint64_t contents_bytes; /* of buffers and variables whose contents the launch gives */
    uint64_t register_bytes; /* of the frames of all warps, and of what covering runs keep of them */
    uint64_t kept;           /* bytes that are kept of earlier blocks */
    const wb_watch *watch;   /* or NULL */
};

static inline struct lanes *warp_slot(const struct warp *warp, struct slot slot) {
    assert(slot.bank < BANK_COUNT && warp->depth > 0);
    assert(slot.bank != BANK_FRAME || slot.index < warp->frame->code->slot_count);
    return &warp->banks[slot.bank][slot.index];
}

/* Whether nobody reads what is written there. */
static inline bool slot_is_sink(const struct warp *warp, struct slot slot) {
    return slot.bank == BANK_FRAME && slot.index == warp->frame->code->function->reg_count + SLOT_SINK;
}

/* The predicate in each lane, negation applied. */
static inline uint32_t warp_predicate(const struct warp *warp, struct slot slot) {
    uint32_t bits = (uint32_t)warp_slot(warp, slot)->value[0];
    return slot.negated ? ~bits : bits;
}

#endif
