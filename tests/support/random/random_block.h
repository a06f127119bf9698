/* Random small blocks in the notation of warp/synthetic/synthetic.h, so that a failing one can be
 * printed and repeated by hand. */
#ifndef WB_TESTS_RANDOM_BLOCK_H
#define WB_TESTS_RANDOM_BLOCK_H

#include "base/base.h"
#include "base/containers.h"
#include "warp/synthetic/synthetic.h"

/* Largest values; the least are 1 (0 for latency and barriers). */
struct random_shape {
    uint32_t units, init, latency, warps, insts;
    uint32_t barrier_percent; /* chance of a `|` behind an instruction */
    uint32_t real_percent;    /* chance that an instruction on a unit is a barrier as well */
    uint32_t alias_percent;   /* chance of a second kind of instruction on a unit */
    uint32_t instances, sub_cores, width;
    uint32_t per_warp;      /* instructions of a warp in a cycle; 0: as 1 */
    uint32_t release;       /* of barriers */
    uint32_t copy_percent;  /* chance that an instruction has to do with groups of copies */
    uint32_t fence_percent; /* chance that an instruction is an access or a fence */
};

/* Members of a shape, to be written first: its blocks and SMs. */
#define SHAPE_BLOCK(units_, init_, latency_, warps_, insts_)                                                 \
    .units = (units_), .init = (init_), .latency = (latency_), .warps = (warps_), .insts = (insts_)
#define SHAPE_SM(instances_, sub_cores_, width_)                                                             \
    .instances = (instances_), .sub_cores = (sub_cores_), .width = (width_)

struct random_block {
    struct synthetic_block block;
    char units[256], warps[1024]; /* as text */
    char label[2400];             /* the block as a YAML file and its seed: what a failing test prints */
};

/* The block of a seed. The dispatch depth is one of `depths`. Free it with synthetic_block_free. */
void random_block_make(uint64_t seed, const struct random_shape *shape, const uint32_t *depths,
                       uint32_t depth_count, struct random_block *random);

/* The parts of that, for grids. The buffers of `made` are appended to. Units A, B, C ... and, by chance,
 * kinds a, b, c ... on them; their letters go to `kinds`, which has room for RANDOM_KINDS. */
#define RANDOM_KINDS 64
void random_block_units(struct random_state *random, const struct random_shape *shape,
                        struct random_block *made, char *kinds);

/* Warps that use these kinds. Half of the blocks have identical warps, as kernels do. */
void random_block_warps(struct random_state *random, const struct random_shape *shape,
                        struct random_block *made, const char *kinds);

/* What the notation leaves open: the dispatch depth, sub-cores, issue width, instructions that are barriers.
 */
void random_block_vary(struct random_state *random, const struct random_shape *shape, const uint32_t *depths,
                       uint32_t depth_count, struct synthetic_block *block);

/* An instruction cache of a few lines, with few or many fetches a cycle, short or long misses. */
struct machine_fetch random_fetch(struct random_state *random);

/* The same as the mapping `fetch` of a machine file. */
void random_fetch_print(const struct machine_fetch *fetch, struct text *out);

/* How many of the rounds of a randomised test are gone through: all with WB_ROUNDS=all in the environment
 * (make campaign, make nightly), else a tenth of them, and a thirtieth in slow builds (sanitizers). */
uint32_t random_rounds(uint32_t rounds);

#endif
