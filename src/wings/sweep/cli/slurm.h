/* Jobs of a Slurm cluster: its commands, and the scripts that it runs. */
#ifndef WB_WINGS_SWEEP_CLI_SLURM_H
#define WB_WINGS_SWEEP_CLI_SLURM_H

#include <stdio.h>

#include "sweep.h"

/* Longest number of a job. */
enum { SLURM_JOB_MAX = 24 };

/* Asks the controller for the most tasks of an array; a message where there is no Slurm, none that answers,
 * or the environment names another cluster. Variables of the environment that would change what is asked, or
 * what sweeps say themselves, are taken away. */
wb_status slurm_ask(wb_diagnostics *diagnostics, uint64_t *most_tasks);

/* Submits a script, to be held until it is released, or to run once the job `after` has ended in whatever way
 * (NULL: held). */
wb_status slurm_submit(const char *script, const char *after, wb_diagnostics *diagnostics,
                       char job[SLURM_JOB_MAX]);
wb_status slurm_release(const char *job, wb_diagnostics *diagnostics);
void slurm_cancel(const char *job, wb_diagnostics *diagnostics);

/* Jobs that have not ended, of whatever user. */
struct slurm_jobs {
    char least[SLURM_JOB_MAX]; /* their smallest number; "": there are none */
    char all[100];             /* "12 13 of somebody", to be read */
};

/* Those that run in a folder, but for the one that this process is part of and the job `own` ("": none). */
wb_status slurm_find(const char *folder, const char *own, wb_diagnostics *diagnostics,
                     struct slurm_jobs *jobs);

/* Whether a job was submitted before another one. */
bool slurm_is_before(const char *job, const char *other);

/* What the scripts of a sweep say. Paths are absolute. */
struct slurm_sweep {
    const struct sweep_options *options;
    const char *name, *program, *file, *database, *folder;
    bool has_database;
    uint64_t units, tasks;   /* units that are lacking; shards of the sweep */
    const uint64_t *lacking; /* units, by shard */
    double unit_seconds;
    double unit_limit;           /* 0: the file says it */
    uint64_t minutes, mebibytes; /* of a task; mebibytes 0: not limited */
    uint64_t jobs;               /* processors of a task */
    uint64_t rounds;             /* that are left, this one included */
};

/* The array: a task for each shard that lacks something. And the job behind it. */
void slurm_write_array(const struct slurm_sweep *sweep, FILE *out);
void slurm_write_finish(const struct slurm_sweep *sweep, FILE *out);

#endif
