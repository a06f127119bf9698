/* Jobs of a Slurm cluster: its commands, the scripts that it runs, and the folder that they are in. */
#ifndef WB_WINGS_SWEEP_CLI_SLURM_H
#define WB_WINGS_SWEEP_CLI_SLURM_H

#include <limits.h>
#include <stdio.h>

#include "sweep.h"

/* Runs a program, looked for in PATH, and waits for it. What it prints becomes *printed, malloc'd, which is
 * never NULL on success; its messages go where this program's go. Its exit status, 128 and its signal, or -1
 * with errno where it could not be run. `arguments` ends with NULL. */
int process_run(const char **arguments, char **printed);

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

/* ---- The folder of a sweep's jobs (slurm_folder.c): scripts, logs, parts of the database, and the lock of
 * whoever submits ---- */

/* The path of a file in the folder; the folder's own where that is too long. */
const char *slurm_folder_path(const char *folder, const char *name, char path[PATH_MAX]);

/* A message where this user may not write to the database, or to the folder that it is or will be in. */
wb_status slurm_folder_check_database(const char *database, wb_diagnostics *diagnostics);

/* Makes what is missing of the folder. A message where there are files that this user may not write to, as
 * when somebody else made them: jobs could not, either. */
wb_status slurm_folder_make(const char *folder, wb_diagnostics *diagnostics);

/* Waits until no other submission is at work in the folder; a message where that takes too long. The lock is
 * one of the open file *lock, which the programs that this one runs share: it lasts until all of them have
 * ended, also when this one is killed. *lock is -1 where the file system has no locks. */
wb_status slurm_folder_lock(const char *folder, wb_diagnostics *diagnostics, int *lock);

/* A script to be written, in place of one that is there, be it somebody else's; NULL with errno. */
FILE *slurm_folder_script(const char *path);

/* The paths of the parts, in the order of their names; `count` of them are to be freed, whatever comes back.
 */
wb_status slurm_folder_parts(const char *folder, wb_diagnostics *diagnostics, char ***parts, size_t *count);

#endif
