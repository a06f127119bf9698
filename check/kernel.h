/* Grids of blocks, as all bounds of kernels see them (kernel.c). */
#ifndef WARPBOUND_CHECK_KERNEL_H
#define WARPBOUND_CHECK_KERNEL_H

#include "align.h"

/* What the ledger has of a block; the words are those of docs/proofs.md, section 12. Chains see a block by
 * sections or as a whole: each form has its amounts. */
enum {
    BUSY,    /* E */
    LATENCY, /* lam */
    HELD,    /* H: what it counts for others; of PTX its initiations */
    ALPHA,   /* alpha */
    STAY,    /* the larger of H and alpha */
    SUM,     /* E + lam */
    ALONE,   /* solo */
    FETCHES, /* of instructions */
    TURNS,   /* chg */
    FINE,    /* of a form: E, W, own, and E less W */
    COARSE = FINE + 4,
    SERIAL = COARSE + 4, /* V */
    OLDEST,              /* V', */
    OLDEST_LATENCY,      /* and the most Lambda' */
    AMOUNTS
};
enum { ALL, WORK, OWN, BEYOND };

/* Blocks that are alike. */
struct class {
    const struct method *method;     /* of a block that has an SM to itself, or NULL */
    uint64_t block, blocks, ordered; /* number in the file; how many there are, and in the order */
    bool states_fetches;
    uint64_t amounts[AMOUNTS];
};

/* Instruction fetch: lines of code, UNLIMITED where sets of the cache do not hold them; cycles of a miss, and
 * of any fetch; fetches that begin in a cycle; warps of a block. */
struct fetching {
    uint64_t lines, miss, latency, per_cycle, warps;
};

/* The next blocks of the grid, all of a class, where they go to fixed SMs. */
struct run {
    uint64_t class, first, end;
};

/* Amounts that are found together when they are asked for first. */
enum group { SUMS, CHAINS, SERIALS, OLDESTS, GROUPS };

/* A path of a block's next warp, in the order of turns. */
struct turn {
    uint64_t block, path;
};

/* What an SM serves: the access of a warp at a position of its path, for so many cycles of turns. Its data is
 * there so long behind these, and so long behind those of a service before: `back` is 0 for its own. */
struct serve {
    uint64_t sm, block, warp, position, turns, takes, back, late;
};

struct grid {
    struct check *check;
    const struct machine *machine;
    uint64_t sms, least, most, delay, service; /* an SM holds `least` to `most` blocks at a time */
    LIST(struct class) classes;
    LIST(struct run) runs;
    struct fetching fetching; /* `per_cycle` 0: not said */
    bool assigned;            /* blocks go to fixed SMs, by their order */
    bool stalled;             /* requests of a block are held back */
    /* Lines missed once beside times, where a block is first on its SM, and where others follow it. */
    uint64_t first_misses, misses;
    LIST(struct turn) turns;
    LIST(struct turn) accesses; /* in place of a path how many a warp has */
    LIST(struct serve) serves;
    uint64_t channels, serving; /* entries of a channel; SMs of which it is said what they serve */
    uint64_t of_sm;             /* the most that is said of an SM alone */
    number_list held_of;        /* of each SM, how long its answers and its first level keep it */
    uint64_t blocks;
    bool known[GROUPS];
    ranking by[AMOUNTS]; /* of all blocks */
    ranking extras[2];   /* X, fine and coarse */
    bool coarse;         /* that form alone counts */
    LIST(struct wave_class) wave;
    bool chained, by_sums; /* the formula at hand asks chains; sees E and lam in place of SIB and H; */
    uint64_t room, slots;  /* and an SM, and all of them, hold so many blocks */
};

void rank(ranking *amounts);                                           /* the largest first */
uint64_t top(struct check *check, const ranking *amounts, uint64_t n); /* the sum of the n largest then */
static inline struct block *block_of(const struct grid *grid, uint64_t class) {
    return &grid->check->blocks.items[grid->classes.items[class].block];
}
uint64_t largest_of(const struct grid *grid, uint64_t unit); /* the longest initiation of any block */
void need(struct grid *grid, enum group group);
void refuse_memory(struct grid *grid);                    /* what all SMs share holds nothing up */
uint64_t most(struct grid *grid, int amount, uint64_t n); /* the sum of the n blocks that have most */
uint64_t start_time(struct grid *grid, uint64_t n);       /* S_n: n blocks that start together */
uint64_t most_of_an_sm(const struct grid *grid);          /* blocks */
/* The least number of blocks of an SM, from a full one on, with which that holds; the most where none does.
 */
uint64_t first_with(struct grid *grid, bool (*holds)(struct grid *grid, uint64_t n));
uint64_t last_room(const struct grid *grid); /* the most blocks that an SM holds, of those that there are */

/* Notes a claim that no theorem shows which Coq has checked; prints these. */
void note_theorem(struct check *check, uint64_t number, uint64_t claim, uint64_t held);
/* Each block is one of a class, and warps execute parts of the paths of all of them, or of none. */
void require_classes(const struct check *check);
void print_on_paper(const struct check *check);

/* The formulas, for so many blocks on an SM; and what says what it takes by itself. */
uint64_t k_one_sm(struct grid *grid);
uint64_t k_all_sms(struct grid *grid);
uint64_t k_balanced(struct grid *grid);
uint64_t k_fixed(struct grid *grid);
uint64_t k_serial(struct grid *grid); /* serial.c */
uint64_t k_oldest(struct grid *grid);
uint64_t segment_sum(struct grid *grid);   /* segment_sum.c */
uint64_t turn_chain(struct grid *grid);    /* turns.c */
uint64_t reorder_chain(struct grid *grid); /* reorder.c */
/* Refuses other claims of a scheme of access. */
void require_policy(const struct check *check, const struct method *method);
/* The largest sum, over the SMs, of initiations, what is held there, and idle cycles. */
typedef uint64_t (*sm_idle)(const struct grid *grid, uint64_t sm, void *context);
uint64_t by_sms(struct grid *grid, sm_idle idle, void *context);
uint64_t k_wave_sib(struct grid *grid); /* wave.c */
uint64_t k_wave_fifo(struct grid *grid);
uint64_t k_wave_aln(struct grid *grid); /* wave_aln.c */

/* What goes to an SM, of a fixed order: for (struct share at = {0}; next_share(grid, sm, &at);). */
struct share {
    uint64_t run, class, blocks;
};
bool next_share(const struct grid *grid, uint64_t sm, struct share *at);
struct sm {
    uint64_t blocks, sum[AMOUNTS], most[AMOUNTS];
    uint64_t start; /* until those end that start together */
};
struct sm sm_of(struct grid *grid, uint64_t sm);

/* ---- Chains through sub-cores (chain.c); terms are without what dispatch takes ---- */

void measure_chains(struct grid *grid, struct class *class);
uint64_t chain_start(struct grid *grid, uint64_t n);             /* n blocks that start together */
uint64_t chain_sm(struct grid *grid, uint64_t n, uint64_t f);    /* n blocks of an SM, f of a slot */
uint64_t chain_other(struct grid *grid, uint64_t q, uint64_t f); /* the same until the last of a slot */
uint64_t chain_area(struct grid *grid, uint64_t tail);           /* all SMs, whose last blocks take so long */
uint64_t chain_met(struct grid *grid, uint64_t n); /* what n initiate that the chain of one can meet */
uint64_t chain_fixed(struct grid *grid, const struct sm *sm); /* an SM with these blocks */
/* The longest sequence of sub-cores of which each is another one than that before, and active in a later
 * section; 1 at least. */
uint64_t turns_of(const struct block *of);

void measure_serial(struct grid *grid, struct class *class); /* serial.c: V */
void measure_oldest(struct grid *grid, struct class *class); /* V' and Lambda' */
void measure_code(struct grid *grid, struct class *class);   /* code_bounds.c: as measure_block */
void measure_code_chains(struct grid *grid, struct class *class);

/* ---- Grids of one wave, in the words of docs/wave-bounds.md (wave.c) ---- */

/* A warp of a team: what it executes, and how much of that stands before each of its sections. */
struct member {
    uint64_t path, lane; /* lanes of those before it */
    struct other other;
    number_list before;
};
typedef LIST(struct member) team; /* of warps with the same path one */

/* Teams of a block: `often` are alike. */
struct teams {
    team members;
    uint64_t often;
};
typedef LIST(struct teams) division;

/* Blocks that are alike. */
struct wave_class {
    struct block of; /* at depth 1 each initiation takes as long as the longest of any block on its unit */
    uint64_t blocks;
    uint64_t sums;           /* SIB or FIB, the lesser */
    uint64_t alone;          /* of all sections the longest that a warp takes by itself */
    uint64_t work, shared;   /* W + U, U */
    uint64_t changes, teams; /* chg; as many as any sub-core has warps */
    ranking extras;          /* of which the largest are X */
    division division;       /* into teams (wave_aln.c) */
};

typedef uint64_t (*wave_amount)(struct grid *grid, const struct wave_class *own,
                                const struct wave_class *other);

uint64_t together(const struct grid *grid); /* n */
/* The n - 1 that add most. */
uint64_t others(struct grid *grid, const struct wave_class *own, wave_amount adds);
uint64_t extras(struct grid *grid, const struct wave_class *own, const struct wave_class *other); /* X_chg */
uint64_t by_initiations(struct grid *grid, const struct wave_class *own); /* theorem 1, where it ends last */
/* The most that `time` says of a block that ends last, and what the dispatcher takes. */
uint64_t wave_time(struct grid *grid, uint64_t (*time)(struct grid *grid, const struct wave_class *own));

#endif
