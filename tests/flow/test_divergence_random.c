/* Divergence analysis on random functions of any control flow, irreducible cycles included: no value and no
 * branch that it calls uniform differs between lanes that execute it together (naive_simt.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "base/base.h"
#include "flow/values/values.h"
#include "naive_simt.h"

#define PROGRAMS (ADDRESS_SANITIZER ? 1000u : 4000u)
#define RUNS 4u
#define FUEL 600u
#define FIRST_SEED UINT64_C(20140708)

/* Executed branches with a choice, by what was said of them and what they did. */
struct branch_counts {
    uint32_t uniform, divided, undivided;
};

static void count_branches(const struct simt *simt, struct branch_counts *counts) {
    for (uint32_t b = 0; b < simt->analysed->cfg.block_count; b++) {
        if (!simt->executed[b] || !cfg_has_choice(&simt->analysed->cfg, b)) continue;
        bool divergent = simt->analysed->divergence.branches[b];
        counts->uniform += !divergent;
        counts->divided += divergent && simt->parted[b];
        counts->undivided += divergent && !simt->parted[b];
    }
}

/* Runs a function from several states of memory. */
static void check_function(const struct analysed_function *analysed, uint64_t seed, const char *text,
                           void *counts) {
    static const char *const faults[] = {"", "a branch that is said to be uniform parted lanes",
                                         "a phi that is said to be uniform differs",
                                         "a result that is said to be uniform differs"};
    struct simt simt;
    check_reasons(analysed);
    if (!simt_open(analysed, &simt)) return;
    for (uint32_t run = 0; run < RUNS; run++) {
        simt_run(&simt, seed * RUNS + run, FUEL);
        if (simt.fault != SIMT_FINE)
            fail_msg("seed %llu: instruction %u: %s\n%s", (unsigned long long)seed, simt.fault_inst,
                     faults[simt.fault], text);
    }
    count_branches(&simt, counts);
}

static void test_random_functions(void **state) {
    (void)state;
    struct branch_counts counts = {0};
    each_random_function(FIRST_SEED, PROGRAMS, check_function, &counts);
    print_message("branches: %u uniform, %u divergent and divided, %u divergent but never divided\n",
                  counts.uniform, counts.divided, counts.undivided);
    /* Otherwise the programs show little. */
    assert_true(counts.uniform > PROGRAMS);
    assert_true(counts.divided > PROGRAMS / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
