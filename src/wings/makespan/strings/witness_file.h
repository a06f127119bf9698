/* A schedule with its problem as a YAML file, so that it can be checked by anyone: docs/makespan.md describes
 * it. */
#ifndef WB_STRINGS_WITNESS_FILE_H
#define WB_STRINGS_WITNESS_FILE_H

#include "wings/makespan/strings/schedule.h"

/* What a witness file says. */
struct witness {
    struct makespan_problem problem;
    struct schedule schedule;
    struct arena arena; /* of the schedule */
};

/* Appends the file. WB_ERR_LIMIT with a message when it would be larger than what can be read back, or when
 * memory is exhausted. */
wb_status witness_file_print(const struct makespan_problem *problem, const struct schedule *schedule,
                             wb_diagnostics *diagnostics, struct text *out);

/* Appends the part of the file that describes the problem. */
void witness_file_print_problem(const struct makespan_problem *problem, struct text *out);

/* Reads `size` bytes; `name` stands for the file in messages. Whether the schedule is one of the problem is
 * for schedule_check to say. WB_ERR_INPUT with a message that names the place. Freed with witness_free, also
 * after an error. */
wb_status witness_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                             struct witness *witness);
void witness_free(struct witness *witness);

#endif
