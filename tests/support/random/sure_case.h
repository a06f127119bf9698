/* A small grid on a small first-level cache with what the analyses of docs/must-hits.md know of it. */
#ifndef WB_TESTS_SURE_CASE_H
#define WB_TESTS_SURE_CASE_H

#include "every_order.h"
#include "hand_grid.h"
#include "memory/caches/misses.h"

/* A cache of lines of 128 bytes, and how many blocks share it. */
struct sure_setting {
    uint32_t sets, ways;   /* 0 sets: one */
    uint32_t sector_bytes; /* 0: requests of whole lines; else of 32 bytes */
    uint32_t resident;     /* blocks at a time; 0: all */
    uint32_t store;        /* enum store_policy */
    bool hashed;
    uint32_t depth;     /* entries of the queue in front of a memory unit */
    uint32_t sub_cores; /* 0: one; each with a memory unit of its own */
    bool two_units;     /* one for instructions of even, one for those of odd numbers */
    bool uncached;      /* some loads pass by the first level */
};

/* Must not be moved. */
struct sure_case {
    uint64_t seed;
    struct sure_setting setting;
    struct hand_grid hand;
    struct traffic traffic;
    struct must_hits hits;
};

/* Analyses a grid written as in hand_grid.h. */
void sure_case_make(struct sure_case *known, const char *blocks, const struct sure_setting *setting);

/* Analyses a random grid. */
void sure_case_random(struct sure_case *known, uint64_t seed, const struct hand_shape *shape, uint32_t blocks,
                      const struct sure_setting *setting);

void sure_case_free(struct sure_case *known);

/* The case as text, for a test that fails. */
char *sure_case_text(const struct sure_case *known);

/* Asks for all orders, or, with `walks` above 0, for as many random ones. */
void sure_case_ask(const struct sure_case *known, enum order_cache cache, enum port_order order,
                   uint32_t walks, struct order_answer *answer);

/* What was seen in a number of cases. */
struct sure_census {
    uint32_t cases, incomplete;
    uint32_t loads, uncached;      /* requests of loads; of those that pass by the first level */
    uint32_t hits, found;          /* that miss in no order; must hits */
    uint32_t prompt, prompt_found; /* that hit with their data there in every order; known to */
    uint32_t bounds_exact;         /* cases whose miss bound is reached by some order */
};

/* Whether nothing that happens in some order contradicts what is known; adds to the census. */
bool sure_case_holds(const struct sure_case *known, const struct order_answer *answer,
                     struct sure_census *census);

#endif
