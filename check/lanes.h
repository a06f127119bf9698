/* The path of a warp by the data of its launch (launch.c, lanes.c, follow.c). */
#ifndef WARPBOUND_CHECK_LANES_H
#define WARPBOUND_CHECK_LANES_H

#include "code.h"

#define LANES 32
#define ALL_LANES UINT32_MAX
#define REGISTERS (256 + 64) /* of lanes, and the uniform ones behind them */

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

/* Refuses paths that the warps do not take, and fills in check->followed. */
void follow_warps(struct check *check, const struct cubin *cubin);

#endif
