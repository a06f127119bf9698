/* A small grid, written out: every block kind with the programs of its warps, every instruction with its
 * times and the instructions that it waits for. What the tests of kernel bounds on several sub-cores search
 * and bound by themselves, without the library's code. */
#ifndef WB_TESTS_SUB_CORE_GRID_H
#define WB_TESTS_SUB_CORE_GRID_H

#include "base/base.h"
#include "warp/synthetic/synthetic.h"

#define SUB_CORE_INSTS 64
#define SUB_CORE_WARPS 16
#define SUB_CORE_KINDS 8
#define SUB_CORE_UNITS 8
#define SUB_CORES_MAX 4

struct sub_core_inst {
    uint8_t unit;
    bool barrier; /* the section ends behind it */
    bool bare;    /* a barrier without unit, slot and time */
    uint32_t init, latency;
    uint64_t operands; /* bit i: waits for the result of instruction i of its warp */
};

struct sub_core_program {
    uint32_t count;
    struct sub_core_inst insts[SUB_CORE_INSTS];
};

struct sub_core_kind {
    uint32_t blocks; /* of the grid, those of each kind behind those of the kind before */
    uint32_t warps;
    struct sub_core_program programs[SUB_CORE_WARPS];
};

struct sub_core_unit {
    bool shared;
    uint32_t instances;
};

struct sub_core_grid {
    uint32_t sub_cores, width, depth, release; /* depth: DEPTH_UNLIMITED, too */
    uint32_t sms, rooms;
    bool is_static;
    uint32_t delay, service; /* of the dispatcher */
    uint32_t unit_count;
    struct sub_core_unit units[SUB_CORE_UNITS];
    uint32_t kind_count;
    struct sub_core_kind kinds[SUB_CORE_KINDS];
};

/* Takes over a grid in the library's form. False when it is larger than that, or has copies, accesses or
 * turns of several instructions, which this form does not know. */
bool sub_core_grid_from(const struct synthetic_block *block, struct sub_core_grid *grid);

/* The same of a grid as it is written (warp/synthetic/synthetic.h), on a machine of one issue a cycle
 * and one SM, to be changed before use. Fails the running test where it cannot be read. */
void sub_core_grid_read(const char *units, const char *blocks, uint32_t sub_cores, uint32_t depth,
                        uint32_t rooms, struct sub_core_grid *grid);

uint32_t sub_core_grid_blocks(const struct sub_core_grid *grid);

/* The sub-core of warp w of a block in a room, if the largest block of the grid has `most` warps. */
static inline uint32_t sub_core_of_warp(const struct sub_core_grid *grid, uint32_t most, uint32_t room,
                                        uint32_t w) {
    return (room * most + w) % grid->sub_cores;
}

uint32_t sub_core_grid_warps(const struct sub_core_grid *grid); /* of the largest block */

/* Appends its units and its blocks in the notation of warp/synthetic/synthetic.h. */
void sub_core_grid_write(const struct sub_core_grid *grid, struct text *units, struct text *blocks);

/* Appends the grid as it could be written: units, blocks, machine. */
void sub_core_grid_print(const struct sub_core_grid *grid, struct text *out);

#endif
