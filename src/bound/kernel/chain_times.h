/* The theorems on chains of instructions through sub-cores, for kernels (docs/sub-core-bounds.md): for each
 * way to cut blocks into windows, and the least of them. */
#ifndef WB_BOUND_KERNEL_CHAIN_TIMES_H
#define WB_BOUND_KERNEL_CHAIN_TIMES_H

#include "bound/grid/grid_work.h"
#include "bound/method/kernel_time.h"

/* Until n blocks that start together have ended: S'_n. */
struct kernel_time chain_time_together(const struct grid_work *work, uint64_t n);

/* Theorem C' without dispatch time, for an SM that gets more blocks, n, than the `resident` that it has at a
 * time: h'(n). */
struct kernel_time chain_time_of_sm(const struct grid_work *work, uint64_t resident, uint64_t n);

/* The blocks that an SM is known to get, in sums and largest values. Zero, there are none. */
struct chain_blocks {
    uint64_t blocks, turns_most;
    cycles all, latency_most; /* of all sub-cores, work and what was charged; the largest lam */
    struct {
        cycles work, own_most;
    } windows[CHAIN_WINDOWS];
};

/* Adds a block of a class. */
void chain_blocks_add(struct chain_blocks *blocks, const struct block_class *class);

/* For an SM that gets exactly these, however many: h'(n) again, without dispatch time. */
struct kernel_time chain_time_of_blocks(const struct grid_work *work, uint64_t resident,
                                        const struct chain_blocks *blocks);

/* Until the last dispatch where another SM gets at most q blocks, and so one of its slots at most `waves`:
 * g'(q) of theorem E, likewise. */
struct kernel_time chain_time_of_other(const struct grid_work *work, uint64_t resident, uint64_t q,
                                       uint64_t waves);

/* Theorem D, for a grid whose blocks wait for slots, on `sms` SMs: behind the last dispatch an SM takes at
 * most `tail`, and a block waits for a dispatch at most `delay`. */
struct kernel_time chain_time_of_area(const struct grid_work *work, uint64_t sms, uint64_t resident,
                                      cycles tail, cycles delay);

#endif
