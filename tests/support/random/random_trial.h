/* A random kernel held to a property: made, executed on random data, and made smaller when it fails. */
#ifndef WB_TESTS_RANDOM_TRIAL_H
#define WB_TESTS_RANDOM_TRIAL_H

#include "covering_check.h"
#include "random_kernel.h"

#define TRIAL_DATA_SEEDS 3u

struct trial {
    struct random_kernel kernel;
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *parsed;
    struct observed_flow flow;
    uint32_t given;                     /* bit b: buffer b has the same contents for all seeds of data */
    wb_block *blocks[TRIAL_DATA_SEEDS]; /* what it executes on the data of each seed */
    struct text violation;              /* what is wrong with it */
};

/* Looks at a trial: false, with trial_violated, when the property does not hold. */
typedef bool (*trial_check)(struct trial *trial);

/* Says what is wrong and returns false. */
bool trial_violated(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The launch with the data of seed `d`, or with unknown contents in the buffers that are not in `known`. */
wb_launch *trial_launch(const struct trial *trial, uint32_t d);
wb_launch *trial_launch_unknown(const struct trial *trial, uint32_t known);

/* The launch with the data of seed `d`, what the PTX ISA leaves open being what is computed: one execution.
 */
wb_launch *trial_execution(const struct trial *trial, uint32_t d);

/* Whether so many kernels have the property (a tenth of them in slow builds). Of the first that has not, all
 * statements are left out that it does not need to fail, and it is printed to stderr. */
bool trials_hold(uint32_t kernels, trial_check check);

#endif
