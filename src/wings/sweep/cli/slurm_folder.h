/* The folder of a sweep's jobs: scripts, logs, parts of the database, and the lock of whoever submits. */
#ifndef WB_WINGS_SWEEP_CLI_SLURM_FOLDER_H
#define WB_WINGS_SWEEP_CLI_SLURM_FOLDER_H

#include <limits.h>
#include <stdio.h>

#include "warpbound.h"

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
