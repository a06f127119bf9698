/* Small random grids on several sub-cores that can be changed a little, for searches towards the largest time
 * over a bound: blocks of one or two kinds, some of them faster than stated. */
#ifndef WB_TESTS_SUB_CORE_CLIMB_H
#define WB_TESTS_SUB_CORE_CLIMB_H

#include "base/containers.h"
#include "sub_core_grid.h"

#define CLIMB_UNITS 3
#define CLIMB_KINDS 2
#define CLIMB_VARIANTS 2
#define CLIMB_WARPS 4
#define CLIMB_INSTS 6

/* What a search is to stay within. */
struct climb_limits {
    uint32_t kinds, variants, warps, insts, blocks; /* at most; blocks: of a variant */
    uint32_t init, latency;                         /* at most */
    uint32_t sub_cores, rooms, sms;                 /* at most; sub-cores: 2 at least */
    uint32_t sections;                              /* barriers of a program, at most */
    const uint32_t *depths;
    uint32_t depth_count;
    bool dispatcher; /* that takes time, or is static */
    bool leave_out;  /* instructions, too: the stated programs cover what is executed */
};

/* Members of such limits, to be written first; `depths_`: an array. */
#define CLIMB_GRID(kinds_, variants_, warps_, insts_, blocks_, init_, latency_)                              \
    .kinds = (kinds_), .variants = (variants_), .warps = (warps_), .insts = (insts_), .blocks = (blocks_),   \
    .init = (init_), .latency = (latency_)
#define CLIMB_SMS(sub_cores_, rooms_, sms_, sections_, depths_)                                              \
    .sub_cores = (sub_cores_), .rooms = (rooms_), .sms = (sms_), .sections = (sections_),                    \
    .depths = (depths_), .depth_count = sizeof(depths_) / sizeof *(depths_)

struct climb_inst {
    uint8_t unit, barrier; /* barrier: 0 none, 1 bare, 2 the instruction is one */
    uint8_t sources;       /* bit i: reads the result of instruction i */
    uint8_t left_out;      /* bit v: not executed in variant v, but for its barrier */
    uint8_t init[CLIMB_VARIANTS], latency[CLIMB_VARIANTS]; /* at most; UINT8_MAX: as stated */
};

struct climb_program {
    uint8_t count;
    struct climb_inst insts[CLIMB_INSTS];
};

struct climb_kind {
    uint8_t warps, blocks[CLIMB_VARIANTS];
    struct climb_program programs[CLIMB_WARPS];
};

struct climb_case {
    uint8_t init[CLIMB_UNITS], latency[CLIMB_UNITS], instances[CLIMB_UNITS];
    bool shared[CLIMB_UNITS];
    uint8_t kinds;
    struct climb_kind kind[CLIMB_KINDS];
    uint32_t depth, width, release, sub_cores, rooms, sms, delay, service;
    bool is_static;
};

void climb_case_make(struct random_state *random, const struct climb_limits *limits, struct climb_case *made);
void climb_case_change(struct random_state *random, const struct climb_limits *limits,
                       struct climb_case *changed);

/* The grid as it is stated, and as it turns out. */
void climb_case_build(const struct climb_case *from, struct sub_core_grid *stated,
                      struct sub_core_grid *actual);

#endif
