/* Schedules: all that a simulated block or grid does, recorded. */
#ifndef WB_SIM_SCHEDULE_SCHEDULE_H
#define WB_SIM_SCHEDULE_SCHEDULE_H

#include <assert.h>

#include "sim/gpu/gpu.h"

/* Most issues that are kept, where nothing else is asked for. */
#define SCHEDULE_ISSUES_MAX ((uint64_t)10000000)

struct wb_schedule {
    wb_schedule_info info;
    const struct wb_machine *machine;
    const struct timed_code *code;
    const struct wb_block *block; /* what it was traced from, or */
    const struct wb_grid *grid;   /* this; both NULL: written by hand */
    VEC(wb_issue) issues;
    VEC(wb_wait) waits;
    VEC(wb_block_time) blocks;
};

/* What issues keep busy: the units of the machine, and behind them, where machine code is timed, the issue
 * stage for instructions that take nothing else. */
uint32_t schedule_unit_count(const struct wb_machine *machine);
const struct machine_unit *schedule_unit(const struct wb_machine *machine, uint32_t unit);

/* What is simulated, and how: a block by itself, or a grid. */
struct schedule_subject {
    const struct timed_block *block; /* or NULL, */
    const struct timed_grid *grid;   /* and then this */
    const struct sim_policy *policy;
    const struct gpu_scheme *scheme;  /* of a grid; its policy is not asked */
    const struct dispatch_plan *plan; /* or NULL */
    const struct wb_block *traced;    /* the block that is alone in the grid, or NULL */
    uint32_t threads;
};

/* Simulates and records; of *info scope, kind and method are taken over. `options` as a caller gave them, or
 * NULL. Errors leave a message. */
wb_status schedule_record(const struct schedule_subject *subject, const wb_schedule_info *info,
                          const wb_schedule_options *options, wb_diagnostics *diagnostics,
                          struct wb_schedule **schedule);

/* The one name of a list: "lrr,gto" is WB_ERR_INPUT, too. */
wb_status schedule_choose(const char *what, const char *name, const char *(*name_at)(size_t),
                          wb_diagnostics *diagnostics, size_t *index);

#endif
