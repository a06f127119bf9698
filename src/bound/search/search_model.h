/* The model of a search for the longest schedule: blocks of a few classes on some SMs, which is one block on
 * one SM, or a small grid. */
#ifndef WB_BOUND_SEARCH_SEARCH_MODEL_H
#define WB_BOUND_SEARCH_SEARCH_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "warp/timed/timed.h"

/* A choice that a state leaves open. */
struct search_choice {
    uint8_t kind;
    uint8_t sm, slot, which;
};

#define SEARCH_CHOICES_MAX 4096u

struct search_choices {
    uint32_t count;
    struct search_choice items[SEARCH_CHOICES_MAX];
};

/* All times of a search stay below 2^31: longer ones are objected to. */

/* Most results of one warp that can be waited for at one position, instructions of a program, instances of a
 * unit, and entries of a queue that has an end. */
#define SEARCH_LIVE_MAX 24u
#define SEARCH_PROGRAM_MAX 4096u
#define SEARCH_INSTANCES_MAX 4u
#define SEARCH_DEPTH_MAX 8u

struct search_inst {
    uint8_t unit; /* or UNIT_NONE */
    bool barrier;
    uint32_t init, latency;
    uint32_t waits; /* bit i: for the i-th live result of its position */
    uint32_t keeps; /* bit i: the i-th live result of its position is live at the next one */
    bool is_live;   /* its own result is live at the next position, as the last one */
};

/* A program in the form that the search wants: per instruction the instructions it waits for, per position
 * the results that are still to be waited for. The arrays but `insts` have count + 1 items, one per position.
 */
struct search_program {
    struct search_inst *insts;
    uint32_t count;
    uint32_t *barriers_before; /* barriers passed */
    uint32_t *units_left;      /* bit u for a unit that is still to be used */
    uint32_t *shortest_rest;   /* the fewest cycles until the warp has ended */
};

/* Combinations of positions of the warps of a block: n warps of a program of L instructions that share a
 * sub-core have C(L + n, n). */
double search_positions(const struct timed_block *block);

/* Most SMs, blocks of an SM at a time, warps of a block, classes of blocks and units that a search covers. */
#define SEARCH_SMS_MAX 16u
#define SEARCH_SLOTS_MAX 16u
#define SEARCH_WARPS_MAX 32u
#define SEARCH_CLASSES_MAX 16u
#define SEARCH_UNITS_MAX 16u
#define SEARCH_SUB_CORES_MAX 16u

/* Blocks that execute the same, and their number. */
struct search_blocks {
    const struct timed_block *timed;
    uint64_t count;
};

/* Where a warp of a block is. */
struct search_place {
    uint16_t sub_core; /* when the first warp of the block is on sub-core 0 */
    uint16_t path;     /* the number of its program */
};

/* The same, written out. */
struct search_class {
    uint32_t blocks;
    uint32_t warps;
    struct search_place *places; /* per warp, rising: warps that can be exchanged stand together */
    uint32_t *first_of;          /* per sub-core the first of its places, and behind the last the end */
    uint32_t units;              /* bit u for a unit that it uses */
};

/* The blocks that come to the SMs. */
struct search_scope {
    uint32_t sms, slots;      /* blocks that each SM holds at a time */
    uint32_t dealt;           /* blocks that are dealt out to the SMs in turn first, whichever they are */
    bool only_dealt;          /* there are no others */
    enum block_dispatch rule; /* DISPATCH_ANY, or that of the machine */
    const uint32_t *order;    /* but for DISPATCH_ANY: the classes of the blocks, in their order ... */
    uint32_t order_count;     /* ... and their number; of DISPATCH_STATIC those of one SM */
    uint32_t latency;         /* cycles from the end of a block to the first issue of its successor */
    uint32_t service;         /* cycles that the one dispatcher takes for a block */
    bool every_issue;         /* is a state of its own and counted, also where there is no choice */
};

/* The parts of a state stand behind each other in one piece of memory. */
struct search_layout {
    size_t left, sms, sub_cores, units, slots, warps; /* where each part begins */
    size_t size;
    size_t key_max; /* most bytes of the key of a state */
};

struct search_model {
    struct search_scope scope;
    const struct wb_machine *machine;
    struct search_program *programs; /* of all classes */
    uint32_t program_count;
    struct search_class *classes;
    uint32_t class_count;
    uint32_t slot_warps;                      /* of the largest block */
    uint8_t first_sub_core[SEARCH_SLOTS_MAX]; /* per slot of an SM, that of the first warp of its block */
    uint8_t twin[SEARCH_SUB_CORES_MAX];       /* per sub-core the first that it can be exchanged with */
    bool has_twins;
    struct search_layout layout;
};

/* Why no search covers machines with these units and queues, or NULL. */
const char *search_units_objection(const struct wb_machine *machine);

/* Writes out the programs of `count` classes of blocks, into the arena. WB_ERR_DECLINED without a message
 * when one is too long or keeps too many results waiting; WB_ERR_LIMIT when memory is exhausted. */
wb_status search_model_make(const struct wb_machine *machine, const struct search_blocks *blocks,
                            size_t count, struct arena *arena, struct search_model *model);

#endif
