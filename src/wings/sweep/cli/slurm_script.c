/* The scripts of a sweep's jobs, made to be read: whoever wants something else changes them, and submits
 * them. */
#include <inttypes.h>
#include <string.h>

#include "slurm.h"

/* Megabytes of a task beside those of its units. */
#define MEMORY_OF_SWEEP 64u

/* As the shell takes it for one word. */
static void put_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        (void)fputs(word, out);
        return;
    }
    (void)fputc('\'', out);
    for (; *word != '\0'; word++)
        (void)fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    (void)fputc('\'', out);
}

static void put_words(FILE *out, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) (void)fputc(' ', out);
        put_word(out, words[i]);
    }
}

/* "1-50", "3,7-9": the shards that lack something, from 1 on. */
static void put_tasks(const struct slurm_sweep *sweep, FILE *out) {
    const char *comma = "";
    for (uint64_t i = 0; i < sweep->tasks; i++) {
        const uint64_t first = i;
        if (sweep->lacking[i] == 0) continue;
        while (i + 1 < sweep->tasks && sweep->lacking[i + 1] > 0)
            i++;
        (void)fprintf(out, "%s%" PRIu64, comma, first + 1);
        if (i > first) (void)fprintf(out, "-%" PRIu64, i + 1);
        comma = ",";
    }
}

static void put_head(const struct slurm_sweep *sweep, const char *end, const char *log, FILE *out) {
    (void)fprintf(out, "#SBATCH --job-name=");
    put_word(out, sweep->name);
    (void)fprintf(out, "%s\n#SBATCH --chdir=", end);
    put_word(out, sweep->folder);
    (void)fprintf(out, "\n#SBATCH --output=logs/%s.txt\n#SBATCH --open-mode=append\n#SBATCH --requeue\n",
                  log);
}

/* The user's come last, so that they count. */
static void put_options(const struct slurm_sweep *sweep, FILE *out) {
    for (size_t i = 0; i < sweep->options->sbatch.count; i++)
        (void)fprintf(out, "#SBATCH %s\n", sweep->options->sbatch.items[i]);
    (void)fputc('\n', out);
}

/* Where Slurm limits the memory of a task, each of its units has a share: one that needs more is a row then,
 * and not the end of the task. Limits that are known are those of the tasks anyway. */
static void put_memory_of_units(const struct slurm_sweep *sweep, const char *option, FILE *out) {
    if (sweep->mebibytes > 0) return;
    (void)fprintf(out,
                  "memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * %" PRIu64
                  "))} # MB; 0: not limited\n"
                  "limit=()\n"
                  "[ \"$memory\" -le %u ] || limit=(%s \"$(((memory - %u) / %" PRIu64 "))M\")\n",
                  sweep->jobs, 2 * MEMORY_OF_SWEEP, option, MEMORY_OF_SWEEP, sweep->jobs);
}

static void put_memory_limit(const struct slurm_sweep *sweep, FILE *out) {
    if (sweep->mebibytes == 0)
        (void)fputs(" \"${limit[@]}\"", out);
    else if (sweep->options->common.memory_limit > 0)
        (void)fprintf(out, " --memory-limit %" PRIu64, sweep->options->common.memory_limit);
}

void slurm_write_array(const struct slurm_sweep *sweep, FILE *out) {
    const char *const run[] = {sweep->program, "sweep", sweep->file};
    (void)fprintf(out,
                  "#!/bin/bash\n# %" PRIu64
                  " units of a sweep, about %.3g s each: a task for every shard that "
                  "lacks any.\n# What ends before its time continues where it was when it is submitted "
                  "again.\n",
                  sweep->units, sweep->unit_seconds);
    put_head(sweep, "", "%a", out);
    (void)fprintf(out, "#SBATCH --array=");
    put_tasks(sweep, out);
    (void)fprintf(out, "\n#SBATCH --cpus-per-task=%" PRIu64 "\n#SBATCH --time=%" PRIu64 "\n", sweep->jobs,
                  sweep->minutes);
    if (sweep->mebibytes > 0) (void)fprintf(out, "#SBATCH --mem=%" PRIu64 "M\n", sweep->mebibytes);
    put_options(sweep, out);
    put_memory_of_units(sweep, "--memory-limit", out);
    put_words(out, run, sizeof run / sizeof *run);
    (void)fprintf(out, " --shard \"$SLURM_ARRAY_TASK_ID/%" PRIu64 "\" --jobs %" PRIu64, sweep->tasks,
                  sweep->jobs);
    if (sweep->has_database) {
        (void)fputs(" --known ", out);
        put_word(out, sweep->database);
    }
    put_memory_limit(sweep, out);
    if (sweep->unit_limit > 0) (void)fprintf(out, " --unit-limit %f", sweep->unit_limit);
    (void)fputs(" -o \"parts/$SLURM_ARRAY_TASK_ID.db\"\nstatus=$?\n"
                "exit $((status == 1 ? 0 : status)) # 1: a deadline is not met, which is a result\n",
                out);
}

void slurm_write_finish(const struct slurm_sweep *sweep, FILE *out) {
    const char *const run[] = {sweep->program, "sweep", sweep->file, "-o", sweep->database, "--slurm"};
    (void)fprintf(
        out,
        "#!/bin/bash\n# Puts the parts into the database, and submits what is still lacking %" PRIu64
        " times more at most.\n",
        sweep->rounds - 1);
    put_head(sweep, "-finish", "finish", out);
    put_options(sweep, out);
    put_memory_of_units(sweep, "--memory-share", out);
    (void)fputs("exec ", out);
    put_words(out, run, sizeof run / sizeof *run);
    (void)fprintf(out, " --rounds %" PRIu64 " --jobs %" PRIu64, sweep->rounds - 1, sweep->jobs);
    if (sweep->options->task_time > 0) (void)fprintf(out, " --task-time %f", sweep->options->task_time);
    if (sweep->options->unit_time > 0) (void)fprintf(out, " --unit-time %f", sweep->options->unit_time);
    if (sweep->options->unit_limit > 0) (void)fprintf(out, " --unit-limit %f", sweep->options->unit_limit);
    for (size_t i = 0; i < sweep->options->sbatch.count; i++) {
        (void)fputs(" --sbatch=", out);
        put_word(out, sweep->options->sbatch.items[i]);
    }
    put_memory_limit(sweep, out);
    (void)fputc('\n', out);
}
