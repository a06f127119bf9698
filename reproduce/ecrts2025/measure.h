/* One thread block on one machine: what the bounds say of it, and how long simulations of it take. */
#ifndef WB_REPRODUCE_MEASURE_H
#define WB_REPRODUCE_MEASURE_H

#include "warpbound.h"

/* The bounds that are compared, in the order of the tables. */
enum method { METHOD_GUB, METHOD_SIB, METHOD_FIB, METHOD_ALN, METHOD_FIFO, METHOD_ELB, METHOD_COUNT };

/* The scheduling policies of the paper. */
enum policy { POLICY_LRR, POLICY_GTO, POLICY_COUNT };

/* "SIB", "LRR": how tables call them. */
extern const char *const method_titles[METHOD_COUNT];
extern const char *const policy_titles[POLICY_COUNT];

/* Times are cycles from the first issue to the last commit. */
struct measurement {
    uint64_t bounds[METHOD_COUNT];
    uint64_t simulated[POLICY_COUNT];
    uint64_t profile;  /* end of the multi-phase profile of warp 0, barriers passed */
    uint64_t isolated; /* simulation of warp 0, isolated */
};

/* Sets KEY=VALUE after KEY=VALUE, up to NULL. */
wb_status measure_settings(wb_machine *machine, const char *const *settings, wb_diagnostics *diagnostics);

/* A preset with settings; freed by the caller. */
wb_status measure_machine(const char *preset, const char *const *settings, wb_diagnostics *diagnostics,
                          wb_machine **machine);

/* Bounds and simulates a block that was traced with its accesses. */
wb_status measure_block(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                        struct measurement *measurement);

/* The simulations only. */
wb_status measure_simulations(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                              uint64_t simulated[POLICY_COUNT]);

/* How far `bound` lies above `simulated`, in percent. */
double overestimation(uint64_t bound, uint64_t simulated);

#endif
