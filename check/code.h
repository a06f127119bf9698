/* Machine code (docs/machine-code-bounds.md): instructions, units, and what sections amount to. */
#ifndef WARPBOUND_CHECK_CODE_H
#define WARPBOUND_CHECK_CODE_H

#include "check.h"

#define COUNTERS 8
#define NO_COUNTER COUNTERS
#define STAGES_MAX 8

struct stage {
    uint64_t unit, hold, transfer;
};

struct code {
    uint64_t stall, least, slot, fetch, operand;
    uint64_t behind; /* of a barrier: the fetch of what comes behind it */
    bool fixed, barrier;
    uint64_t writes, write, reads, read; /* counters, and when these count down */
    uint64_t waits, depbar, left;        /* counters that must be 0, and one that may be at most `left` */
    uint64_t address;                    /* in the kernel, or UNLIMITED: not said */
    uint64_t stages;
    struct stage way[STAGES_MAX];
};

uint64_t holds(const struct code *code, uint64_t of_units); /* what it holds of these units */

/* ---- Units: section 1 (code_units.c) ---- */

struct code_units {
    uint64_t blocking[UNITS_MAX]; /* B of each unit */
    uint64_t wide;                /* that all warps can reach */
    uint64_t clash;               /* clash units */
    uint64_t latches;             /* of instructions of fixed latency */
    uint64_t held;                /* that keep the issue stage from who finds a queue full */
};
/* Of a block, or of all blocks of a kernel. */
const struct code_units *units_of(struct check *check);
bool is_latch(const struct machine *machine, const struct code *code);  /* issued into its unit, or not */
bool is_queued(const struct machine *machine, const struct code *code); /* in a queue that can be full */

/* ---- Sections (code_section.c) ---- */

/* A warp on its way through a section: the context of a walk. */
struct passage {
    const struct code_units *units;
    const struct code *last;   /* the instruction before, or NULL */
    uint64_t used;             /* units of all so far */
    uint64_t recent[COUNTERS]; /* counts that DEPBAR tells apart */
};

/* What a section amounts to: by itself (iso and lam), in the sums of E, and for others. */
struct code_amount {
    uint64_t iso, lam, work, near, wide, clash;
    uint64_t left;             /* Q: behind the release of its barrier */
    uint64_t used;             /* its units */
    uint64_t spare[UNITS_MAX]; /* of each latch, what of `near` is beyond the slots */
};
const struct code_amount *amounts_of(struct block *of); /* of each section */

/* ---- What a section leaves behind a release, section 4 (code_left.c) ---- */

uint64_t times_of_left(const struct block *of);
/* `times` are those of Q. */
void meet_left(const struct block *of, const struct passage *passage, uint64_t *times,
               const struct code *code);
uint64_t left_behind(const struct block *of, const struct passage *passage, const uint64_t *times);

/* ---- Bounds (code_bounds.c) ---- */

uint64_t code_elb(struct block *of);
uint64_t code_sib(struct block *of);
uint64_t code_fib(struct block *of);

/* ---- The cubin that a certificate is of (cubin.c, flow.c) ---- */

#define INST_BYTES 16
#define HOPPER 90
#define PT 7 /* the predicate that always holds */

/* Opcodes without the form of their operands. */
enum {
    OP_DEPBAR = 0x11a,
    OP_BAR = 0x11d,
    OP_CONTROL = 0x140, /* from here on control goes on in other ways, */
    OP_BSYNC = 0x141,
    OP_BREAK = 0x142,
    OP_CALL_ABSOLUTE = 0x143,
    OP_CALL = 0x144,
    OP_BSSY = 0x145,
    OP_YIELD = 0x146,
    OP_BRA = 0x147,
    OP_WARPSYNC = 0x148,
    OP_BRX = 0x149,
    OP_JMX = 0x14c,
    OP_EXIT = 0x14d,
    OP_RET = 0x150,
    OP_BMOV = 0x155,
    OP_BMOV_TO = 0x156,
    OP_NANOSLEEP = 0x15d,
    OP_CONTROL_END = 0x15f /* up to here */
};

/* What 16 bytes say of how control goes on, and of waiting. */
struct machine_inst {
    uint64_t op, predicate; /* PT: none */
    uint64_t target;        /* of a jump */
    uint64_t stall;
    bool yields;
    uint64_t writes, reads, waits, depbar, left; /* as in struct code */
};

/* The instructions of a kernel. */
struct cubin {
    const struct check *check;
    unsigned char *bytes;     /* of the file */
    uint64_t size;            /* likewise */
    uint64_t sm;              /* 70: Volta */
    uint64_t text, text_size; /* where the kernel is in it */
};

/* The 128 bits of an instruction; no field of them is in both halves. */
struct word {
    uint64_t low, high;
};

/* Where a parameter is in the constants; none: size 0. */
struct parameter {
    uint64_t at, size;
};
#define PARAMETERS_MAX 1024

void read_bytes(struct cubin *cubin, const char *path); /* .bytes, to be freed */
/* Finds the kernel; false for a file that is no cubin of Volta to Hopper. */
bool read_cubin(struct cubin *cubin, const char *kernel);
/* Returns how many there are. */
uint64_t read_parameters(const struct cubin *cubin, const char *kernel, struct parameter *parameters);
uint64_t bits_at(const struct word *word, int first, int count);
struct word word_at(const struct cubin *cubin, uint64_t address);
struct machine_inst inst_at(const struct cubin *cubin, uint64_t address);
/* Refuses instructions and paths that are not those of the cubin; says how many are. */
void follow_code(struct check *check, struct cubin *cubin);

#endif
