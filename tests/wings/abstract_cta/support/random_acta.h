/* Random abstract warps with executions of them: small structured programs whose branches go this way and
 * that.
 */
#ifndef WB_TESTS_RANDOM_ACTA_H
#define WB_TESTS_RANDOM_ACTA_H

#include "base/base.h"
#include "warp/synthetic/synthetic.h"
#include "wings/abstract_cta/acta_window.h"

/* Largest values. */
struct random_acta_shape {
    uint32_t warps, latency, release;
    uint32_t insts; /* of a warp's execution, barriers included: more are tried again with another seed */
};

struct random_acta {
    struct acta_group cta;        /* the warps */
    struct synthetic_block block; /* one execution of them, on a machine with that latency and release */
    struct text label;            /* both as text, for a test that fails */
};

/* The abstract warps of a seed, and an execution of them; false when the execution is too long. Free it with
 * random_acta_free in any case. */
bool random_acta_make(uint64_t seed, const struct random_acta_shape *shape, struct random_acta *random);
void random_acta_free(struct random_acta *random);

#endif
