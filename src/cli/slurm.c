#include "slurm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "process.h"
#include "values.h"

/* Where messages say that they are from. */
#define OPTION "--slurm"

/* Most characters of a job's number and its cluster's name. */
#define ANSWER_MAX 200u

/* Runs a command of Slurm; what goes wrong is said. */
static wb_status ask(const char **arguments, wb_diagnostics *diagnostics, char **printed) {
    char message[ANSWER_MAX];
    const int status = process_run(arguments, printed);
    if (status == 0) return WB_OK;
    if (status < 0 && errno == ENOENT)
        (void)snprintf(
            message, sizeof message,
            "%s is not found in PATH: there is no Slurm on this machine (--dry-run prints what would be "
            "submitted)",
            arguments[0]);
    else
        (void)snprintf(message, sizeof message, "%s has failed: Slurm does not answer, or refuses",
                       arguments[0]);
    wb_diagnostics_error(diagnostics, OPTION, message);
    free(*printed);
    *printed = NULL;
    return WB_ERR_INPUT;
}

wb_status slurm_ask(wb_diagnostics *diagnostics, uint64_t *most_tasks) {
    const char *arguments[] = {"scontrol", "show", "config", NULL};
    static const char key[] = "MaxArraySize";
    char *printed;
    uint64_t size = 1001; /* unless the site sets another one */
    const wb_status status = ask(arguments, diagnostics, &printed);
    if (status != WB_OK) return status;
    const char *found = strstr(printed, key);
    if (found != NULL) {
        found += sizeof key - 1;
        found += strspn(found, " =");
        if (!read_number(found, strspn(found, "0123456789"), 2, UINT32_MAX, &size)) size = 1001;
    }
    *most_tasks = size - 1; /* the size is above the largest number */
    free(printed);
    return WB_OK;
}

wb_status slurm_submit(const char *script, const char *after, wb_diagnostics *diagnostics,
                       char job[SLURM_JOB_MAX]) {
    char dependency[SLURM_JOB_MAX + 40];
    const char *arguments[] = {"sbatch", "--parsable", script, NULL, NULL};
    char *printed;
    if (after != NULL) {
        (void)snprintf(dependency, sizeof dependency, "--dependency=afterany:%s", after);
        arguments[2] = dependency;
        arguments[3] = script;
    }
    const wb_status status = ask(arguments, diagnostics, &printed);
    if (status != WB_OK) return status;
    const size_t length = strspn(printed, "0123456789"); /* ";CLUSTER" may follow */
    const bool is_number = length > 0 && length < SLURM_JOB_MAX;
    if (is_number) {
        memcpy(job, printed, length);
        job[length] = '\0';
    }
    free(printed);
    if (is_number) return WB_OK;
    wb_diagnostics_error(diagnostics, OPTION, "sbatch does not say the number of the job");
    return WB_ERR_INPUT;
}

wb_status slurm_has(const char *const *jobs, size_t count, wb_diagnostics *diagnostics, bool *has) {
    const char *arguments[] = {"squeue", "--me", "--noheader", "--format=%F", NULL};
    const char *self = getenv("SLURM_JOB_ID");
    char *printed;
    const wb_status status = ask(arguments, diagnostics, &printed);
    *has = false;
    if (status != WB_OK) return status;
    char *rest = printed;
    for (const char *line; (line = strtok_r(rest, " \n", &rest)) != NULL;)
        for (size_t i = 0; i < count; i++)
            *has |= strcmp(line, jobs[i]) == 0 && (self == NULL || strcmp(line, self) != 0);
    free(printed);
    return WB_OK;
}
