/* The command `sweep`: what its options say, and the parts that it has. */
#ifndef WB_WINGS_SWEEP_CLI_SWEEP_H
#define WB_WINGS_SWEEP_CLI_SWEEP_H

#include "command.h"
#include "warpbound_sweep.h"

/* What the command line says; as in struct options. */
struct sweep_options {
    struct options common;
    bool dry_run, retry, slurm;
    struct option_number jobs;
    const char *shard, *known, *fail_above;
    wb_plot_options plot;        /* but for its size and `where` */
    struct option_list where;    /* of plots */
    struct option_list sbatch;   /* of the jobs of --slurm, as the next line */
    double task_time, unit_time; /* seconds; 0: not given */
    double unit_limit;           /* the same, of units wherever they run */
    struct option_number rounds;
    uint64_t memory_share; /* bytes of a unit, of what its task got from Slurm, which nobody asked for; 0: not
                              given */
};

/* Every `count`th unit of a sweep, from number `index` on; of all of them 1 and 0. */
struct shard {
    uint64_t index, count;
};

/* How many units there are in it. */
uint64_t shard_size(struct shard shard, uint64_t units);

/* run.c: which units of a shard a database has, so that they need not run. */
struct known {
    bool *is;       /* by the number of the unit in the shard; NULL: none of them */
    uint64_t units; /* of the shard */
    uint64_t count, failed, missed, contradicted; /* units that it has, those without a result, with a
                                                     deadline missed, and with a contradiction */
};

/* Looks all of them up; without --retry failures count, too. The sweep then stands at its start. */
wb_status known_find(const struct sweep_options *options, wb_sweep *sweep, struct shard shard,
                     const wb_results *results, wb_diagnostics *diagnostics, struct known *known);

/* Runs the units of a sweep that `results` does not have yet, but for those that are known. The exit status
 * of the command. */
int run_sweep(const struct sweep_options *options, wb_sweep *sweep, struct shard shard,
              const struct known *known, wb_results *results, wb_diagnostics *diagnostics);

/* submit.c: --slurm. */
int submit_sweep(const struct sweep_options *options, wb_sweep *sweep, wb_diagnostics *diagnostics);

#endif
