/* SIB of a checker that lies, in place of its own: an execution in the certificate contradicts it
 * (contradiction_test.py). */
#include "check.h"

uint64_t sib(struct block *of) {
    (void)of;
    return 1;
}
