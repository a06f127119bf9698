/* The code that a certificate is of, and the ways of its warps. No claim rests on these files. */
#ifndef WARPBOUND_CHECK_CUBIN_H
#define WARPBOUND_CHECK_CUBIN_H

#include "code.h"

/* ---- The cubin (cubin.c) ---- */

#define INST_BYTES 16
#define HOPPER 90
#define PT 7 /* the predicate that always holds */

/* Opcodes without the form of their operands. */
enum { OP_DEPBAR = 0x11a, OP_BAR = 0x11d, OP_MEMBAR = 0x192 };
enum { OP_CONTROL = 0x140, OP_CONTROL_END = 0x15f }; /* from .. to: control goes on in other ways */
enum { OP_CALL = 0x144, OP_BRA = 0x147, OP_EXIT = 0x14d, OP_RET = 0x150 };
enum { OP_CALL_ABSOLUTE = 0x143, OP_BRX = 0x149, OP_JMX = 0x14c };
enum { OP_BSSY = 0x145, OP_BMOV = 0x155, OP_BMOV_TO = 0x156 }; /* sets of lanes that meet */
enum { OP_BSYNC = 0x141, OP_BREAK = 0x142, OP_YIELD = 0x146, OP_WARPSYNC = 0x148, OP_NANOSLEEP = 0x15d };

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

/* ---- What lanes have in registers (launch.c, lanes.c) ---- */

#define LANES 32
#define ALL_LANES UINT32_MAX
#define REGISTERS 332 /* of lanes, the uniform ones behind them, and what is special */

/* Bank 0 of the constants, in bytes; what the launch does not say is not known. */
#define BANK_BYTES ((uint64_t)1 << 16)
struct constants {
    unsigned char bytes[BANK_BYTES];
    bool known[BANK_BYTES];
};

/* A block of a launch. */
struct launched {
    const struct constants *constants;
    uint64_t threads[3], index[3];
};

bool three_numbers(const struct check *check, const char *name, uint64_t numbers[3]); /* what it is of */
/* Whether enough is said to follow warps of whole blocks: then the constants. */
bool read_launch(const struct check *check, const struct cubin *cubin, struct launched *launch,
                 struct constants *constants);

/* What lanes have in a register. */
struct lanes {
    uint32_t value[LANES], known; /* a bit each */
    bool same;                    /* all that run have the same, be it unknown */
};

/* Of predicates the values are bits, too. */
struct truth {
    uint32_t value, known;
    bool same;
};

struct registers {
    const struct launched *launch;
    uint64_t warp;
    uint32_t live;
    struct lanes of[REGISTERS];
    struct truth predicates[16]; /* PT is 7; UP0 is 8 */
};

void begin_registers(struct registers *registers, const struct launched *launch, uint64_t warp);
/* The predicate in `bits` bits, the last of which says that it is the opposite. */
struct truth guard_of(const struct registers *registers, uint64_t bits, bool uniform);
/* Of these lanes; `certain`: it is they that execute it. */
void execute_word(struct registers *registers, const struct word *word, uint32_t lanes, bool certain);
/* A number that all these lanes have in a pair of registers. */
bool number_in(const struct registers *registers, uint64_t first, uint32_t lanes, uint64_t *number);

/* ---- Paths (flow.c, follow.c) ---- */

bool lets_wait(uint64_t op); /* lanes may wait behind it while others go on */
/* Refuses instructions and paths that are not those of the cubin, and fills in check->followed. */
void follow_code(struct check *check);
void follow_cubin(struct check *check, struct cubin *cubin);
/* The same of paths that the warps do not take by their launch. */
void follow_warps(struct check *check, const struct cubin *cubin);
void print_not_followed(const struct check *check);

#endif
