/* warpbound-check [--of FILE ...] CERTIFICATE: recomputes what a certificate of `warpbound analyze
 * --certificate` claims, from the certificate alone. It has no line in common with the library, and no way to
 * be told what comes out.
 *
 * A certificate (docs/certificates.md) is a thread block, or a grid of such, as a bound saw it. Each kind of
 * claim rests on a few files of this folder: docs/certificates.md says on which. All that is known of a
 * certificate is in `struct check`; no file has a variable of its own. */
#ifndef WARPBOUND_CHECK_H
#define WARPBOUND_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct check;

/* ---- numbers.c ---- */

/* Ends the program: with status 2 no certificate, with 1 not proven. NULL: it is not known where. */
_Noreturn void stop(const struct check *check, int status, const char *format, ...);
#define refuse(check, ...) stop(check, 2, __VA_ARGS__)
void print_printable(FILE *out, const char *text); /* what stands in a file moves no terminal's cursor */

/* Sums and products of times are below 2^62, or refused. */
static inline uint64_t rounded_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}
#define TIME_MAX ((uint64_t)1 << 62)
#define UNLIMITED UINT64_MAX
uint64_t add(uint64_t a, uint64_t b);
uint64_t mul(uint64_t a, uint64_t b);
static inline uint64_t max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static inline uint64_t min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static inline uint64_t less(uint64_t a, uint64_t b) {
    return a - min(a, b);
}
/* Sets of units, a bit each. */
static inline bool has(uint64_t set, uint64_t unit) {
    return set >> unit & 1;
}
void count_work(struct check *check, uint64_t steps); /* refuses what takes minutes */
void *zeroed(const struct check *check, uint64_t count, size_t size);

/* A list that grows. */
#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        type *items;                                                                                         \
        uint64_t count, room;                                                                                \
    }
#define PUSH(check, list, ...)                                                                               \
    do {                                                                                                     \
        (list)->items = grown(check, (list)->items, (list)->count, &(list)->room, sizeof *(list)->items);    \
        (list)->items[(list)->count++] = __VA_ARGS__;                                                        \
    } while (0)
#define DROP(check, list) dropped(check, (list)->items, (list)->room * sizeof *(list)->items)
void *grown(struct check *check, void *items, uint64_t count, uint64_t *room, size_t size);
void dropped(struct check *check, void *items, uint64_t bytes);
typedef LIST(uint64_t) number_list;

/* Amounts, each so often. */
struct amount {
    uint64_t each, count;
};
typedef LIST(struct amount) ranking;

/* ---- What a certificate is of (subject.c, sha256.c) ---- */

#define SHA256_DIGITS 64
void sha256_of(FILE *file, char hex[SHA256_DIGITS + 1]);

/* A line `of`. */
struct fact {
    size_t key;
    char *text;
    const char *path; /* of a file: one that was given, and is it */
};

void read_of(struct check *check, char *text); /* what stands behind `of` */
/* The next line of that name from number *at on; or the text of the first one. NULL: none. */
const struct fact *fact_of(const struct check *check, const char *name, uint64_t *at);
const char *subject_of(const struct check *check, const char *name);
/* Refuses what is said of another one. */
void require_subject(const struct check *check, const char *name, const char *is);
/* A product of three numbers, 0 for `none`; with `last` a fourth number follows. */
uint64_t count_of_subject(const struct check *check, const char *name, uint64_t *last);
void require_whole_subject(const struct check *check);
void print_subject(const struct check *check);
/* Compares files with those that it is of: all are, if any. */
void compare_files(struct check *check, char *const *paths, int count);

/* ---- What a certificate says (read.c) ---- */

#define UNITS_MAX 64
#define NO_UNIT UNITS_MAX
#define QUEUES_MAX 8

/* What keeps everything waiting at times; of each a certificate says how often and how long (read.c). */
#define HELD_KINDS 11
extern const char *const held_names[HELD_KINDS + 1];

struct machine {
    uint64_t depth, sub_cores, width, release;
    uint64_t queue; /* depth, as sib, fib and aln see it: 1 bounds every finite number above (section 5) */
    uint64_t units, instances[UNITS_MAX];
    bool shared[UNITS_MAX];
    uint64_t held[HELD_KINDS]; /* cycles in which all may stand still; */
    uint64_t held_kinds;       /* and of what that is said, a bit each */
    uint64_t ports, port_set;  /* instances of units that requests leave by, and these, a bit each */
    bool is_code, holds_issue; /* of machine code: a full queue holds up the issue stage */
    /* Likewise of each queue, and units at which a warp's instructions keep no order, a bit each. */
    uint64_t places[UNITS_MAX], any_order;
};
uint64_t held_in_all(const struct machine *machine);

struct inst {
    uint64_t unit, init, latency;
    uint64_t first, sources, operands; /* registers, in block->operands: sources, and behind them results */
    uint64_t joins, commits;           /* bit q: of queue q */
};

/* A step of a program: `count` things from number `first` on; or, with count 0, the `first` steps before it
 * `times` more. Of a section the things are instructions, of a block rows of sections. */
struct step {
    uint64_t first, count, times;
    uint64_t often; /* in all */
};
typedef LIST(struct step) program;

/* A section of a warp; behind its steps what they amount to (section.c). */
struct section {
    program steps;
    uint64_t alone;                             /* iso: it takes so long by itself */
    uint64_t count[UNITS_MAX], work[UNITS_MAX]; /* instructions of each unit, and cycles of initiations */
};

/* Warps of the same path and sub-core. */
struct warps {
    uint64_t path, sub_core, count;
};

struct block {
    struct check *check;
    const struct machine *machine;
    bool parts; /* warps execute parts of the paths, and may leave barriers out */
    uint64_t registers, queues, queue_first[QUEUES_MAX], queue_count[QUEUES_MAX];
    LIST(struct inst) insts; /* of machine code they say nothing, and `code` does */
    LIST(struct code) code;
    LIST(uint64_t) operands;
    LIST(struct section) sections;
    uint64_t paths;
    LIST(uint64_t) cells; /* rows: a section a path */
    program rows;
    LIST(struct warps) warps;
    uint64_t warp_count;
    number_list executed; /* index of a block of these, and the path of each of its warps; or nothing */
    uint64_t largest[UNITS_MAX]; /* initiation of any instruction */
    LIST(struct execution) executions;
    bool states_stalls;
    uint64_t stalls;              /* Z: cycles in which its requests are held back */
    uint64_t far_stalls;          /* Z': by turns of other sub-cores, too */
    bool sends;                   /* its requests can delay each other where they leave the SM */
    bool finished;                /* nothing more can be said of it; sections are filled in */
    struct code_amount *of_codes; /* of machine code what each section amounts to (code_section.c) */
};
typedef LIST(struct block) block_list;

/* The number of a section in a row. */
static inline uint64_t cell(const struct block *of, uint64_t row, uint64_t path) {
    return of->cells.items[row * of->paths + path];
}
static inline struct section *section_of(const struct block *of, uint64_t row, uint64_t path) {
    return &of->sections.items[cell(of, row, path)];
}

/* ---- What can be read and claimed: a table a file (main.c) ---- */

/* A line: a key and numbers, each of the kind of its letter (limit_of), the last as often as may be where a *
 * follows. */
struct key {
    const char *name, *kinds;
    enum { BEGINS_ALL, OF_MACHINE, BEGINS_BLOCK, OF_BLOCK, BEGINS_GRID, OF_GRID, CLAIM } place;
    void (*read)(struct check *check, const uint64_t *n); /* check->numbers */
};

struct grid;

/* What can be claimed of a block, or, with the other function, of a grid: the time that can be shown. */
struct method {
    const char *name;
    uint64_t (*of_block)(struct block *of);
    uint64_t (*of_grid)(struct grid *grid);
    bool at_once;              /* that is not asked for each number of blocks that an SM may hold */
    bool chains, is_lower;     /* with what chains through sub-cores say; from below */
    bool of_code, whole_proof; /* it is of machine code; its theorem is of whole paths */
    bool several;              /* requests may leave by several units */
    bool of_whole, of_scheme;  /* it says nothing of parts of paths; it is of a scheme of access */
    const char *theorem;       /* of proofs/theorems; NULL: on paper, or so in part */
    const char *by_sums;       /* then it is that of the formula with E + lam and E for SIB and H */
};

const struct method *method_at(uint64_t number); /* or NULL (methods.c) */
/* Refuses what is no such method. */
uint64_t time_of_block(const struct method *method, struct block *of); /* block.c */
uint64_t time_of_grid(const struct method *method, struct grid *grid); /* kernel.c */

/* Up to one without a name. */
extern const struct key certificate_keys[], execution_keys[], kernel_keys[], segment_sum_keys[], code_keys[];

/* ---- Times that loops make (loops.c: loops/Loops.v) ---- */

/* A warp, or a block, on the way through a program, with the times that it keeps. Each thing that it meets
 * makes of them maxima of them plus constants; so each time behind n repetitions of a loop is a convex
 * function of those before it, along any line. */
struct walk {
    const struct block *block;
    const program *steps;
    void (*meet)(struct walk *walk, uint64_t thing);
    uint64_t *times, time_count;
    void *context;  /* of whoever makes the walk */
    uint64_t again; /* so often at most a loop is walked once more, without growth; or 0 */
    bool stopped;   /* it goes no further */
};
typedef void (*meeting)(struct walk *walk, uint64_t thing);
void walk_all(struct walk *walk);
/* Of what an outer walk met; that stops with it. */
void walk_in(struct walk *outer, const program *steps, meeting meet, uint64_t *times, uint64_t count,
             void *context);
/* The times behind the steps, of so many that begin with 0: to be freed. */
uint64_t *times_behind(const struct block *of, const program *steps, meeting meet, uint64_t count,
                       void *context);
/* Without times; false: it was stopped. */
bool walk_each(const struct block *of, const program *steps, meeting meet, void *context);

/* The things of a program one after another: for (struct place at = {0}; next_of(steps, &at);). */
struct place {
    uint64_t thing, often; /* that one, and how often it comes */
    uint64_t step, behind;
};
bool next_of(const program *steps, struct place *at);
static inline bool next_row(const struct block *of, struct place *at) {
    return next_of(&of->rows, at);
}

/* ---- Paths through sections (section.c) ---- */

/* The times of a warp; behind them registers, and each unit's end of initiation and last start. */
enum { NOW, COMPLETE, WARP_TIMES };
uint64_t times_of(const struct block *of);
uint64_t *unit_times(const struct block *of, uint64_t *times, uint64_t unit);
uint64_t operands_there(const struct block *of, const uint64_t *times, const struct inst *inst);
void result_there(const struct block *of, uint64_t *times, const struct inst *inst, uint64_t at);

/* What an instruction costs a warp on its way. */
struct cost {
    bool latency;          /* its latency alone, not its unit */
    const uint64_t *waits; /* per unit: what it waits besides before its start, or, of latencies, its issue */
};
void execute(const struct block *of, uint64_t *times, const struct inst *inst, const struct cost *cost);
void meet_inst(struct walk *walk, uint64_t number); /* the same; the context is the cost */
/* The release of a barrier: each of `count` warps, or paths, waits for all. */
void release_all(const struct block *of, uint64_t *times, uint64_t count);
uint64_t latency_of(const struct block *of); /* lam, the longest path that counts latencies only */
void finish(struct block *of);

/* ---- Bounds of blocks that others are made of; releases of barriers are in these times ---- */

uint64_t sib(struct block *of); /* block.c */
uint64_t fib(struct block *of);
uint64_t elb(struct block *of);
uint64_t chain(struct block *of);
uint64_t aln(struct block *of);                  /* align.c */
uint64_t fifo(struct block *of);                 /* fifo.c */
uint64_t lower(struct block *of);                /* execution.c */
uint64_t initiations_of(const struct block *of); /* E, all cycles of initiations */
uint64_t releases_of(const struct block *of);    /* all its barriers take so long to let warps go */
/* The sum over all rows of the most that any group of warps takes there. */
typedef uint64_t (*group_time)(const struct block *of, const struct place *at, uint64_t group, void *context);
uint64_t sum_of_rows(const struct block *of, group_time time, void *context);
/* The warps of a row beside one of a group, all that are alike at a time:
 * for (struct beside other = {0}; next_beside(of, row, group, &other);). */
struct beside {
    uint64_t next, count, section;
    bool together; /* on its sub-core */
};
bool next_beside(const struct block *of, uint64_t row, uint64_t group, struct beside *other);
int most_first(const void *a, const void *b); /* sorts numbers, and what begins with one */
/* What sub-cores initiate in a row; returns what they share. */
uint64_t row_work(const struct block *of, uint64_t row, uint64_t *local);
/* Of sub-cores with these amounts of work the busiest one's; adds the others' to `extras` unless NULL. Sorts
 * the amounts. */
uint64_t busiest(const struct block *of, uint64_t *local, ranking *extras, uint64_t often);

/* ---- All that is known of a certificate ---- */

/* What was compared with a cubin (flow.c); of branches that have a predicate those whose way is known. */
struct followed {
    bool code, in_part, cut_short;
    uint64_t blocks, warps, branches, decided;
};

struct check {
    const char *name;      /* of the file */
    uint64_t line;         /* the one at hand; 0: none */
    uint64_t work, listed; /* steps; bytes of lists */
    number_list numbers;   /* of the line at hand */
    LIST(struct fact) facts;
    struct machine machine;
    block_list blocks;
    struct block *block; /* the last, while it is read, or NULL */
    bool in_grid;
    struct grid *grid;
    struct code_units *units; /* of machine code, or NULL (code_units.c) */
    struct missed *missed;    /* likewise: what is missed once beside its times (code_missed.c) */
    char *const *files;       /* that it must be of */
    int file_count;
    uint64_t claims, failed, contradicted;
    uint64_t longest, least; /* executions of the block, and bounds of it */
    const char *least_by;    /* the method that shows least */
    struct followed followed;
    number_list on_paper; /* methods that are claimed, */
    number_list shown;    /* and what theorems that Coq checked show instead, or UNLIMITED */
};

#endif
