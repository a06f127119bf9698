/* What is known of the first-level cache of an SM without reordering: loads that hit in every interleaving of
 * its warps and blocks, and how many loads can miss at most. docs/sure-hits.md states the assumptions and
 * proves both. */
#ifndef WB_MEMORY_CACHES_MUST_HITS_H
#define WB_MEMORY_CACHES_MUST_HITS_H

#include "memory/caches/miss_bound.h"
#include "memory/caches/set_phases.h"
#include "memory/requests/timed_grid.h"

/* The last use of a line by a warp in a phase: the last one that is surely made, and behind it perhaps
 * another one that perhaps is. */
struct line_use {
    uint32_t line;    /* its number in the set */
    uint32_t access;  /* of the warp */
    uint32_t sectors; /* surely present right after it */
    uint32_t proofs;  /* first of their proofs, one a sector */
    bool perhaps;     /* it is perhaps not made: then nothing is known after it */
};

/* A use that was the last one of its warp in its phase. */
struct line_source {
    size_t phase; /* index into the phases of the set */
    uint32_t warp;
    uint32_t next;   /* 1 + the source of the line that was found before it, or 0 */
    size_t use, end; /* it and the uses of other lines behind it, of `ended` */
};

/* A phase in which a line is dropped. */
struct line_drop {
    size_t phase;
    uint32_t warp;
    bool shared;   /* by other warps, too */
    uint32_t next; /* 1 + that of an earlier phase, or 0 */
};

struct line_history {
    uint32_t source, drop; /* 1 + the newest, or 0 */
    uint64_t dropped_in;   /* the last segment that dropped it before its current request */
    uint64_t window;       /* the last window that counted it */
};

/* Distinct lines that may be used between two uses of a line. */
struct line_window {
    uint64_t number;
    uint32_t line;       /* which does not count */
    uint32_t count;      /* of other lines, up to ways */
    VEC(uint32_t) lines; /* those of them that no other block uses */
};

/* Which requests of a block to one set of the first-level cache surely find their sector there, whatever the
 * interleaving of warps and blocks: theorem 1 of docs/sure-hits.md.
 * Zero-initialised it is ready. */
struct sure_presence {
    const struct set_phases *set;
    const struct data_waits *waits;
    uint32_t shape;              /* of the block */
    bool in_program_order;       /* requests of a warp come so */
    uint32_t sectors;            /* of a line */
    uint32_t all_sectors;        /* their bits */
    size_t phase;                /* being looked at */
    uint64_t segment;            /* being looked at, counted over all sets */
    size_t recent_perhaps;       /* how many of these are perhaps not made */
    VEC(struct line_use) recent; /* uses of the segment so far, oldest first, of at most `ways` + 1 lines */
    VEC(struct line_use) ended;  /* of all earlier segments */
    VEC(struct line_source) sources;
    VEC(struct line_drop) drops;
    VEC(struct line_history) histories; /* per line */
    VEC(uint32_t) proofs;               /* of uses */
    struct line_window window;
    VEC(uint8_t) verdicts; /* per request, enum sure_verdict */
};

/* Fills the verdicts of a set of a block whose shape is `shape`. WB_ERR_LIMIT without a message when memory
 * is exhausted. */
wb_status sure_presence_find(struct sure_presence *presence, const struct set_phases *set,
                             const struct l1_requests *requests, const struct data_waits *waits,
                             uint32_t shape);

void sure_presence_free(struct sure_presence *presence);

/* Requests of the loads of one instruction. */
struct hit_counts {
    uint64_t loads;
    uint64_t sure_hits;
    uint64_t sure_data; /* sure hits whose data has come */
};

struct sure_hits {
    struct arena arena;
    enum port_order order;
    uint32_t warp_count, sms;
    const uint8_t **rows; /* per block of the SM and warp, per request of its pattern enum sure_verdict */
    struct hit_counts *instructions; /* per instruction of the grid */
    struct miss_bound misses;
};

/* Analyses the blocks of an SM. Under static dispatch they are those of `share`; under greedy dispatch
 * share->sms is 1, so that every block may be on it, and what is found holds for each SM. The machine has a
 * first-level cache, `code` the units and registers of the grid's instructions. WB_ERR_LIMIT with a message
 * when memory is exhausted; sure_hits_free in any case. */
wb_status sure_hits_make(const struct traffic *traffic, const struct timed_code *code,
                         const struct sm_share *share, wb_diagnostics *diagnostics, struct sure_hits *hits);

/* The verdicts on the requests of a warp of a block of the SM: one a request of its pattern. */
static inline const uint8_t *sure_hits_of(const struct sure_hits *hits, uint32_t block, uint32_t warp) {
    return hits->rows[(size_t)(block / hits->sms) * hits->warp_count + warp];
}

void sure_hits_free(struct sure_hits *hits);

#endif
