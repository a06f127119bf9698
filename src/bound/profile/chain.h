/* Chains: the origins of times, which are maxima and sums. Every time has the chain of steps that gave it; a
 * maximum has the chain of the largest of its times. Loops whose repetitions are skipped (max_plus.h) are
 * links that stand for all of these. Walkers take the chains that they add to as a parameter; NULL: nobody
 * asks, and only the times count. */
#ifndef WB_BOUND_PROFILE_CHAIN_H
#define WB_BOUND_PROFILE_CHAIN_H

#include "base/base.h"
#include "base/cycles.h"
#include "warp/timed/timed.h"

/* A step of a chain: the cause of the cycles that it adds to a time. */
enum chain_step {
    CHAIN_ISSUE,   /* the cycle of an instruction's issue */
    CHAIN_UNIT,    /* its initiation: that cycle, and those of its unit behind it */
    CHAIN_LATENCY, /* its latency */
    /* For timed machine code: */
    CHAIN_STAGE,   /* its first stage, asked for behind its issue; behind it its other stages, */
    CHAIN_STAGE_2, /* of which each is counted by itself */
    CHAIN_STAGE_3,
    CHAIN_STALL,        /* its stall count beyond the cycle of its issue */
    CHAIN_FETCH,        /* until it is there, behind the issue of the one before */
    CHAIN_BANKS,        /* until its operands are read from the banks of registers */
    CHAIN_CONSTANTS,    /* until its constant is there */
    CHAIN_CODE,         /* more than either takes from the SM's cache */
    CHAIN_L1,           /* of the latency of an access, from there on: what data in the L1 takes, */
    CHAIN_L2,           /* what it takes longer from the L2, */
    CHAIN_DRAM,         /* from DRAM, */
    CHAIN_TRANSLATIONS, /* with a miss of the TLB */
    CHAIN_STEPS         /* (how many there are) */
};

/* A time with its chain: a link, or CHAIN_NONE. */
struct chain_time {
    cycles at;
    uint32_t link;
};

#define CHAIN_NONE UINT32_MAX

/* For steps of walkers, which are compiled once more with NULL for their chains. */
#define CHAIN_INLINE __attribute__((always_inline)) static inline

struct chain_link {
    uint32_t before; /* the link behind which it stands, or CHAIN_NONE */
    uint32_t entry;  /* of a step: of the code; of a mark: the number of the time */
    uint32_t takes;  /* cycles of a step */
    uint32_t kind;   /* enum chain_step, or below */
};

/* Repetitions that were skipped. The time number i that stood behind one period, links[i], came from another
 * time before that period, whose mark is the first on its way back; and so on for all of them. */
struct chain_jump {
    uint32_t first_mark; /* the marks of the period: link first_mark + i of time i */
    uint64_t periods;
    uint32_t *links; /* from the arena, one a time */
};

/* The cycles of one step of an entry over many links, which one link now stands for. */
struct chain_spent {
    uint64_t step; /* entry * CHAIN_STEPS + step */
    cycles spent;
};

/* Most links that are kept: a gigabyte. */
#define CHAIN_LINKS_MAX ((size_t)1 << 26)

/* Zero-initialised, but for `roots` and `entries`, it has no links. What fails for want of memory leaves
 * `failed`. */
struct chains {
    struct arena arena;
    struct chain_time **roots; /* all times whose chains may be asked for, or continued */
    size_t root_count;
    uint32_t entries; /* of the code */
    VEC(struct chain_link) links;
    VEC(struct chain_jump) jumps;
    VEC(struct chain_spent) bundles;
    size_t trim_at; /* links */
    bool pinned;    /* there are marks for a jump to come */
    bool failed;
    bool too_long; /* why: there are CHAIN_LINKS_MAX */
};

void chains_free(struct chains *chains);

/* The later of two times. */
static inline struct chain_time chain_later(struct chain_time a, struct chain_time b) {
    return b.at > a.at ? b : a;
}

struct chain_time chain_add(struct chains *chains, struct chain_time time, enum chain_step step,
                            uint32_t entry, cycles takes);

/* A time behind another, by one step. */
static inline struct chain_time chain_behind(struct chains *chains, struct chain_time time,
                                             enum chain_step step, uint32_t entry, cycles takes) {
    if (chains == NULL) return (struct chain_time){time.at + takes, CHAIN_NONE};
    return chain_add(chains, time, step, entry, takes);
}

/* Notes an instruction whose result is there at `at` in the registers of queues, as wait_queues_step does. */
void chain_queues_step(const struct timed_code *code, const struct timed_inst *inst,
                       struct chain_time *registers, size_t stride, struct chain_time at);

/* Marks all times of a map that is about to be applied; returns the first of the marks. */
uint32_t chain_mark(struct chains *chains, struct chain_time *const *times, size_t count);

/* `times` come about by `periods` more periods since the marks; returns the number of the jump. */
uint32_t chain_jump(struct chains *chains, uint32_t first_mark, uint64_t periods,
                    struct chain_time *const *times, size_t count);

/* Gives the times the links again that they had before a jump. */
void chain_back(const struct chains *chains, uint32_t jump, struct chain_time *const *times, size_t count);

/* Puts one link in the place of all those in a row that nothing else stands behind: no more links are left
 * than twice the roots. */
void chains_trim(struct chains *chains);

/* Does that when there are very many links, unless they are pinned. False when chains have failed. */
bool chains_compact(struct chains *chains);

/* Forgets all links, those of the roots, too. */
void chains_clear(struct chains *chains);

/* Adds up a chain: spent[entry * CHAIN_STEPS + step] grows by the cycles of the entry on it, times `weight`.
 * The first cycle of an initiation is one of the issue. WB_ERR_LIMIT when memory is, or was, exhausted. */
wb_status chain_spend(struct chains *chains, uint32_t link, uint64_t weight, cycles *spent);

#endif
