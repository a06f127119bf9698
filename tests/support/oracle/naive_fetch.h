/* Instruction fetch of an SM, written from docs/memory-model.md, section 10, alone: lists of everything. */
#ifndef WB_TESTS_NAIVE_FETCH_H
#define WB_TESTS_NAIVE_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "base/cycles.h"
#include "machine/machine.h"

/* What the instruction buffer of a warp holds. */
struct naive_buffer {
    uint64_t held[64]; /* addresses */
    uint32_t count;
    cycles there_at;
};

struct naive_code_line {
    uint64_t number, used; /* when it was used last, counted in fetches */
    cycles there_at;
};

struct naive_fetch_unit {
    const struct machine_fetch *config; /* one that can stall */
    struct naive_buffer *buffers;       /* per warp of the SM */
    uint32_t warps;
    uint32_t next;                     /* the warp that is asked first */
    uint32_t begun;                    /* fetches in this cycle */
    VEC(struct naive_code_line) lines; /* of the cache */
    VEC(cycles) misses_under_way;      /* when their lines are there */
    uint64_t fetches, misses;
};

/* Says of a warp whether it asks for an instruction in this cycle if that is not in its buffer, and for
 * which.
 */
typedef bool (*naive_wanted)(void *user, uint32_t warp, uint64_t *address);

void naive_fetch_begin(struct naive_fetch_unit *unit, const struct machine_fetch *config, uint32_t warps);
void naive_fetch_end(struct naive_fetch_unit *unit);

/* The warp's buffer is empty, as a new block comes. */
void naive_fetch_clear(struct naive_fetch_unit *unit, uint32_t warp);

/* The fetches of a cycle. */
void naive_fetch_cycle(struct naive_fetch_unit *unit, cycles now, naive_wanted wanted, void *user);

/* Whether the warp can issue the instruction at `address`. */
bool naive_fetch_has(const struct naive_fetch_unit *unit, uint32_t warp, uint64_t address, cycles now);

/* The warp has issued it. */
void naive_fetch_issue(struct naive_fetch_unit *unit, uint32_t warp, uint64_t address);

#endif
