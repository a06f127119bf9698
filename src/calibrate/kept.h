/* What a compiler keeps between machine instructions: read from the stall counts and the dependence counters
 * of code that it made. */
#ifndef WB_CALIBRATE_KEPT_H
#define WB_CALIBRATE_KEPT_H

#include "sass/sass.h"

/* What of an instruction takes a result. */
enum kept_use {
    KEPT_REGISTER,  /* a register, uniform or not, as an operand or an address */
    KEPT_PREDICATE, /* a predicate, as an operand */
    KEPT_GUARD,     /* a predicate that says whether it is executed */
    KEPT_USES
};

struct kept_class {
    uint32_t count;       /* instructions seen */
    uint32_t counted;     /* of them those with a dependence counter */
    uint32_t read;        /* reads of a result that no counter stands for */
    uint32_t least_stall; /* of those instructions */
};

struct kept {
    uint32_t sm;
    struct kept_class classes[SASS_CLASS_COUNT];
    /* Fewest cycles from the issue of an instruction to that of one that reads its result, by stall counts
     * alone; 0: none was seen. */
    uint32_t least[KEPT_USES][SASS_CLASS_COUNT][SASS_CLASS_COUNT];
};

/* Whether the code guards the results, or the sources, of a class by dependence counters. */
static inline bool kept_counts(const struct kept *kept, enum sass_class class) {
    return kept->classes[class].counted != 0;
}

/* Whether the code reads results of a class when its stall counts say so, and by no counter. */
static inline bool kept_stalls(const struct kept *kept, enum sass_class class) {
    return kept->classes[class].counted == 0 && kept->classes[class].read != 0;
}

/* Reads all kernels, behind those read before; zero-initialised there are none. */
void kept_add(const struct machine_code *code, struct kept *kept);

#endif
