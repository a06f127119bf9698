/* SIB of a checker that lies, in place of its own: an execution in the certificate contradicts it
 * (contradiction_test.py). */
#include "check.h"

static uint64_t lie(struct block *of) {
    (void)of;
    return 1;
}

static const struct method methods[] = {{.name = "sib", .of_block = lie}, {.name = NULL}};

const struct part sib_part = {NULL, methods};
