/* A warp while it runs: its call frames, SIMT stack, registers and local memory; and the run, which is what
 * the warps of a block share. */
#ifndef WB_WARP_INTERPRET_WARP_H
#define WB_WARP_INTERPRET_WARP_H

#include <assert.h>

#include "warp/interpret/memory.h"
#include "warp/interpret/products.h"
#include "warp/interpret/program.h"
#include "warp/path/access_list.h"
#include "warp/path/execution_notes.h"
#include "warp/path/fact_needs.h"
#include "warp/path/path.h"

/* Deepest chain of calls (CUDA's stack of 512 KB a thread ends most recursions earlier). */
#define CALL_DEPTH_MAX 512u

/* Sets of lanes that a warp of machine code has for those that will meet: B0 .. B15. */
#define LANE_SETS 16u

/* Named barriers of a block. */
#define BARRIER_COUNT 16u

/* What the lanes of an entry wait for, in machine code, before they go on. */
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
    bool steered; /* ended by `steering` */
    struct steering steering;
    bool replayed;                /* the instruction was put back and is not part of the path yet */
    struct access_list *accesses; /* or NULL */
    uint32_t unsure;   /* of a covering run: lanes that may not really execute what the warp does */
    uint32_t doubtful; /* of a covering run: lanes that perhaps do not execute the access at hand */
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

/* What an access outside of all regions reads or writes: always unknown again. */
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
    uint64_t *buffers;                   /* per argument the address of its buffer, or 0 */
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
    struct cover *cover;     /* both sides of unknown branches are run; NULL: they are declined */
    run_warp_fn run_warp;    /* of a covering run: runs a warp until it waits or is done; or NULL */
    struct fact_needs needs; /* of covering runs: facts that are lacking */
    uint64_t forgotten;      /* how often known bytes became unknown; counted for covering runs */
    bool initial_variables;  /* the code names variables whose contents the module gives */
    bool changed_variables;  /* it names some that an earlier launch has perhaps stored to */
    bool unknown_contents;   /* of buffers and variables, whatever the launch gives */
    uint64_t instructions, instruction_limit; /* warp instructions executed, over all blocks */
    uint64_t charged;                         /* other work, as so many instructions: counts for the limit */
    uint64_t asked_limit;                     /* of instructions, whatever was spent of it before this run */
    uint64_t earlier_instructions;            /* of covering runs: of blocks before this one */
    uint64_t next_poll;
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

/* The predicate in each lane, negation applied. */
static inline uint32_t warp_predicate(const struct warp *warp, struct slot slot) {
    uint32_t bits = (uint32_t)warp_slot(warp, slot)->value[0];
    return slot.negated ? ~bits : bits;
}

#endif
