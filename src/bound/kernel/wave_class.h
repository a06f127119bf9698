/* The blocks of a class as the bound of a wave sees them: what they can cost a block that runs beside them,
 * in sums, and, where they are short enough, instruction by instruction (docs/wave-bounds.md). */
#ifndef WB_BOUND_KERNEL_WAVE_CLASS_H
#define WB_BOUND_KERNEL_WAVE_CLASS_H

#include "bound/profile/profile.h"
#include "bound/profile/sections.h"

/* Most instructions of all paths of a block, repetitions of loops unrolled, that are looked at one by one. */
#define WAVE_INSTRUCTIONS_MAX ((uint64_t)1 << 20)

/* A path, its loops unrolled. */
struct wave_path {
    struct section_code code;
    const uint32_t *section_ends; /* per section of the block, instructions up to and including it */
};

/* One warp of each sub-core, the ones that have one: at any time only one of them is in the way. */
struct wave_team {
    const uint32_t *paths; /* different ones */
    uint32_t path_count;
    uint64_t times; /* teams of the block that are alike */
};

/* The cost of one more sub-core in the way while a block is in a section. */
struct wave_extra {
    cycles each;
    uint64_t count;
};

struct wave_class {
    struct block_profile profile;
    cycles alone;     /* the sum over the sections of the longest isolated time of any warp */
    cycles sums;      /* SIB of the block; wave.c puts in FIB where that is less */
    cycles releases;  /* of its barriers */
    cycles busiest;   /* the sum over the sections of the initiations of the sub-core that has most */
    cycles shared;    /* initiations on units that all sub-cores share */
    uint64_t changes; /* how often the sub-core of the chain can change: chg - 1 */
    VEC(struct wave_extra) extras; /* the largest first */
    uint64_t team_count;

    /* Where every path is short enough, else no paths: */
    struct wave_path *paths;
    VEC(struct wave_team) teams;
};

/* Fills `class`, which is zero, from a block of it; in an arena that is protected. The profile, which is the
 * caller's to make and to free, is set. */
void wave_class_fill(struct arena *arena, struct wave_class *class);

/* The most that a block of the class adds beyond its busiest sub-cores to one whose sub-core changes so
 * often. */
cycles wave_class_extras(const struct wave_class *class, uint64_t changes);

#endif
