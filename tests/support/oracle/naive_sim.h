/* A second simulator, written from the rules of docs/proofs.md alone: it steps through every cycle and keeps
 * explicit queues. Slow and short. */
#ifndef WB_TESTS_NAIVE_SIM_H
#define WB_TESTS_NAIVE_SIM_H

#include "warp/timed/timed.h"

#define NAIVE_WARPS 16
#define NAIVE_INSTS 64
#define NAIVE_REGISTERS 64
#define NAIVE_QUEUE 128

struct naive_result {
    cycles end, last_issue;
    uint64_t issued, fetches, fetch_misses;
};

/* A path written out, for tests that look ahead: returns its length. */
uint32_t naive_expand(const struct path *path, uint32_t insts[NAIVE_INSTS]);

/* The positions of a path, as bits, whose completion a register stands for that belongs to a queue: of the
 * `next` instructions executed so far those that joined the queue and have at least so many commits behind
 * them, or in themselves, as the register says. 0 of all other registers. */
uint64_t naive_awaited(const struct timed_code *code, const uint32_t *insts, uint32_t next, uint32_t reg);

struct naive_result naive_simulate(const struct timed_block *block, const char *policy);

#endif
