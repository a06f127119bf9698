/* Jobs of a Slurm cluster: its commands, and the scripts that it runs. */
#ifndef WB_CLI_SLURM_H
#define WB_CLI_SLURM_H

#include <stdio.h>

#include "options.h"

/* Longest number of a job. */
enum { SLURM_JOB_MAX = 24 };

/* Asks the controller for the most tasks of an array; a message where there is no Slurm, or none that
 * answers. */
wb_status slurm_ask(wb_diagnostics *diagnostics, uint64_t *most_tasks);

/* Submits a script, to run once the job `after` has ended in whatever way (NULL: at once). */
wb_status slurm_submit(const char *script, const char *after, wb_diagnostics *diagnostics,
                       char job[SLURM_JOB_MAX]);

/* Whether one of these jobs of this user, but for the one that this process is part of, has not ended. */
wb_status slurm_has(const char *const *jobs, size_t count, wb_diagnostics *diagnostics, bool *has);

/* What the scripts of a sweep say. Paths are absolute. */
struct slurm_sweep {
    const struct options *options;
    const char *name, *program, *file, *database, *folder;
    bool has_database;
    uint64_t units, tasks;   /* units that are lacking; shards of the sweep */
    const uint64_t *lacking; /* units, by shard */
    double unit_seconds;
    uint64_t minutes, mebibytes; /* of a task; mebibytes 0: not limited */
    uint64_t jobs;               /* processors of a task */
    uint64_t rounds;             /* that are left, this one included */
};

/* The array: a task for each shard that lacks something. And the job behind it. */
void slurm_write_array(const struct slurm_sweep *sweep, FILE *out);
void slurm_write_finish(const struct slurm_sweep *sweep, FILE *out);

#endif
