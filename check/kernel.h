/* Grids of blocks, as all bounds of kernels see them (kernel.c). */
#ifndef WARPBOUND_CHECK_KERNEL_H
#define WARPBOUND_CHECK_KERNEL_H

#include "check.h"

/* Amounts, each so often; behind `rank` the largest first. */
struct amount {
    uint64_t each, count;
};
typedef LIST(struct amount) ranking;
void rank(ranking *amounts);
uint64_t top(const ranking *amounts, uint64_t n); /* the sum of the n largest */

/* What chains see of a block: E, W, own and E less W, by sections or as a whole, which alone counts where
 * chained.coarse is set (chain.c). */
enum { FINE, COARSE, FORMS };
struct share {
    uint64_t all, work, own, beyond;
};

/* Blocks that are alike; the words are those of docs/proofs.md, section 12. */
struct class {
    const struct method *method;     /* of a block that has an SM to itself, or NULL */
    uint64_t block, blocks, ordered; /* number in the file; how many there are, and in the order */
    uint64_t initiations, latency, alpha, alone; /* E, lam, alpha, solo */
    uint64_t held;                               /* H: what it counts for others; of PTX its initiations */
    uint64_t fetches;                            /* of instructions; UNLIMITED: not said */
    struct share shares[FORMS];
    uint64_t turns; /* chg */
};

/* What chains through sub-cores say of the terms of the formulas, without what dispatch takes (chain.c). */
struct chains {
    uint64_t (*start)(uint64_t n);             /* n blocks that start together */
    uint64_t (*sm)(uint64_t n, uint64_t f);    /* n blocks of an SM, f of a slot */
    uint64_t (*other)(uint64_t q, uint64_t f); /* the same until the last of a slot */
    uint64_t (*area)(uint64_t tail);           /* all SMs, the last blocks of which take so long */
    uint64_t (*met)(uint64_t n); /* what n blocks initiate that the chain of one of them can meet */
};

/* Instruction fetch: lines of code, UNLIMITED where sets of the cache do not hold them; cycles of a miss, and
 * of any fetch; fetches that begin in a cycle; warps of a block. */
struct fetching {
    uint64_t lines, miss, latency, per_cycle, warps;
};

extern struct grid {
    uint64_t sms, least, most, delay, service; /* an SM holds `least` to `most` blocks at a time */
    LIST(struct class) classes;
    const struct method *method;    /* that is asked */
    bool assigned;                  /* blocks go to fixed SMs, by their order (static.c) */
    bool measured;                  /* classes are */
    bool summed;                    /* what follows is filled in */
    bool by_sums;                   /* E + lam is alpha, E is H */
    bool stalled;                   /* requests of a block are held back */
    bool by_sm;                     /* what stands still is said of each SM (segment_sum.c) */
    struct fetching fetching;       /* `per_cycle` 0: not said */
    uint64_t fetches, fetches_most; /* in all, and of a block */
    uint64_t blocks, initiations, latencies, latency;        /* of all blocks; of any */
    ranking by_initiations, by_held, by_residency, by_alone; /* E; H; the larger of H and alpha; solo */
    const struct chains *chains;                             /* or NULL: they are not asked */
    uint64_t (*chain_of_sm)(uint64_t sm); /* likewise, of blocks that go to it, by their order */
    uint64_t room, slots; /* blocks that an SM holds, and all of them, for the formula at hand */
} grid;

/* The next blocks of the grid, all of a class, where they go to fixed SMs; how many of them go to one. */
struct run {
    uint64_t class, first, end;
};
typedef LIST(struct run) run_list;
extern run_list runs;
uint64_t blocks_of_sm(uint64_t sm, const struct run *run);

uint64_t alpha_of(const struct class *class), met_of(const struct class *class); /* by `by_sums` */
void sum_up(void);                                                               /* fills in what is not */
void refuse_memory(void);        /* refuses what is held up by a memory that all SMs share */
uint64_t start_time(uint64_t n); /* S_n: n blocks that start together */
uint64_t most_of_an_sm(void);    /* blocks */
uint64_t fetch_time(uint64_t n); /* zeta(n): that n blocks of an SM wait for instructions */

/* What files compute of whole kernels by themselves. */
uint64_t segment_sum(void);
uint64_t k_serial(void);
uint64_t k_oldest(void);
uint64_t k_wave_sib(void);
uint64_t k_wave_aln(void);
uint64_t k_wave_fifo(void);

/* The formulas, for so many blocks on an SM. */
uint64_t k_one_sm(void);
uint64_t k_all_sms(void);
uint64_t k_balanced(void);

uint64_t last_room(void); /* the most blocks that an SM holds, of those that there are */

/* The most that the formula says for any number of blocks that an SM holds, and what the dispatcher takes;
 * for_all_rooms where any block goes to any SM. */
uint64_t worst_room(uint64_t (*formula)(void));
uint64_t for_all_rooms(uint64_t (*formula)(void));
uint64_t with_chains(uint64_t (*formula)(void)); /* the same, with what chains say (chain.c) */

/* static.c: of blocks that go to fixed SMs, with what the dispatcher takes */
uint64_t on_fixed_sms(uint64_t (*formula)(void));
uint64_t k_fixed(void);
uint64_t chains_on_fixed_sms(uint64_t (*formula)(void)); /* the same, with what chains say (chain_static.c) */

/* The shares of all blocks, and X, the extras. */
struct form {
    ranking all, work, own, beyond, extras;
};
extern struct chained {
    struct form forms[FORMS];
    uint64_t turns, turns_in_all; /* the most of a block, and the sum */
    bool coarse;
} chained;
void begin_chains(void); /* until they are done the formulas ask them */
/* changes.c: the longest sequence of sub-cores of which each is another one than that before, and active in a
 * later section; 1 at least. */
uint64_t turns_of(const struct block *of);

/* serial.c: V, and Lambda, the sum over the sections of the most latencies of a sub-core, where an
 * instruction waits so long besides, NULL: not at all; V^n, what the n blocks of the grid add that have most.
 */
struct serial_sums {
    uint64_t time, latencies;
};
struct serial_sums serial_sums(const struct block *of, const uint64_t *waits);
uint64_t serial_most(uint64_t n);

/* Of so many sections, or blocks, with these amounts of work: the busiest sub-core's; adds the others' to
 * `extras`. Sorts the amounts. */
uint64_t add_extras(ranking *extras, uint64_t *private, uint64_t often);

#endif
