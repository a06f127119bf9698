/* Simulates a block on a machine that times machine code (`code: sass`): sub-cores that issue by control
 * fields, dependence counters, units with queues, what misses once. docs/sass-simulator.md says how. */
#ifndef WB_SIM_SASS_SASS_SIMULATE_H
#define WB_SIM_SASS_SASS_SIMULATE_H

#include "memory/requests/requests.h"
#include "sim/sm/host.h"
#include "warp/timed/timed.h"

/* Lines that code touches, from the first to the last. */
struct sass_line_range {
    uint32_t count, first;       /* lines of instructions of the L0 */
    uint32_t l1_count, l1_first; /* of the L1; 0: there is none */
    uint32_t constants;
};

/* What is executed: a block alone, or the blocks of a grid, and what of that is the same on all SMs. */
struct sass_sm_program {
    const struct wb_machine *machine;
    const struct timed_code *code;   /* with times: sass */
    const struct timed_block *block; /* NULL: the blocks of traffic->grid */
    const struct traffic *traffic;
    uint32_t warp_count; /* of a block */
    uint32_t clash;      /* bit u: instructions come to unit u in several ways */
    struct sass_line_range lines;
};

/* The number of a line of the L1 of instructions that has the beginning of line `line` of the L0. */
static inline uint32_t sass_l1_line(const struct wb_machine *machine, uint32_t line) {
    const struct machine_sass *sass = &machine->sass;
    return (uint32_t)((uint64_t)line * sass->l0.line_bytes / sass->l1_instructions.line_bytes);
}

/* sass_program.c: the program of a block alone. */
struct sass_sm_program sass_program_of_block(const struct timed_block *block);

/* The program of the blocks of a grid, whose accesses have entries in the code. */
struct sass_sm_program sass_program_of_grid(const struct wb_machine *machine, const struct timed_code *code,
                                            const struct traffic *traffic);

/* How it is simulated. */
struct sass_run {
    const struct sim_policy *policy;
    /* The duration of something that takes `least` to `most` cycles. NULL: the most. */
    uint32_t (*choose)(void *user, uint32_t least, uint32_t most);
    void *user;
};

/* sass_run.c: an SM with free slots; program and run must outlive it. WB_ERR_LIMIT when memory is exhausted.
 * sass_sm_free in any case; NULL does nothing. */
wb_status sass_sm_make(const struct sass_sm_program *program, const struct sass_run *run, uint32_t slots,
                       struct sm_host **host);

void sass_sm_free(struct sm_host *host);

/* Simulates a block alone, whose code has times (timed_code.sass); sink and watch may be NULL. All of *result
 * but `seconds` is set. Errors as sm_host_run_block. */
wb_status sass_simulate(const struct timed_block *block, const struct sass_run *run,
                        const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                        wb_simulation *result);

#endif
