/* The files that state a makespan problem (docs/makespan.md lists their keys). */
#ifndef WB_STRINGS_SPEC_FILE_H
#define WB_STRINGS_SPEC_FILE_H

#include "base/files.h"
#include "wings/makespan/strings/spec.h"

/* Each reads `size` bytes into a spec fresh from spec_init; `name` stands for the file in messages.
 * WB_ERR_INPUT with a message that names the place. The caller frees the spec, also after an error.
 */
typedef wb_status spec_file_parser(const char *name, const char *text, size_t size,
                                   wb_diagnostics *diagnostics, struct makespan_spec *spec);

/* The configuration file of ECRTS'12, Fig. 4: every key stands on a line and its value on the next one.
 *
 *     kernel
 *     lcl
 *     warp_number
 *     8
 *
 * Blank lines, spaces around a line and CRLF line ends are allowed. */
spec_file_parser config_file_parse;

/* A YAML file: its keys are the options of the command, its values what those take. */
spec_file_parser problem_file_parse;

/* Reads the YAML file where the name is one of those. */
wb_status spec_file_read(const char *path, wb_diagnostics *diagnostics, struct makespan_spec *spec);

/* What a table of fields for a file with a problem in it describes begins with this. */
struct spec_target {
    struct makespan_spec *spec;
};

/* Readers of such a table: the list of warps, and a key that spec_set knows. */
wb_status problem_read_warps(const struct ytree *document, const struct ytree_node *value, void *target);
wb_status problem_read_option(const struct ytree *document, const struct ytree_node *value, void *target);

/* The place of a scalar's text, for messages about a part of it. */
struct subject problem_value_subject(const struct ytree *document, const struct ytree_node *value);

/* What is expected of the keys, for messages. */
#define PROBLEM_WARPS_WHAT "a list of warps such as \"12:LLC\""
#define PROBLEM_UNITS_WHAT "unit types with their capacity, such as L=1,C=4"

/* The rows of the tables of both files, of problems and of witnesses, that these readers are for. */
#define PROBLEM_WARPS_FIELD                                                                                  \
    {                                                                                                        \
        .key = "warps", .kind = FIELD_NESTED, .required = true, .what = PROBLEM_WARPS_WHAT,                  \
        .read = problem_read_warps                                                                           \
    }
#define PROBLEM_UNITS_FIELD                                                                                  \
    {                                                                                                        \
        .key = "units", .kind = FIELD_NESTED, .required = true, .what = PROBLEM_UNITS_WHAT,                  \
        .read = problem_read_option                                                                          \
    }
#define PROBLEM_ISSUE_FIELD                                                                                  \
    { .key = "issue", .kind = FIELD_NESTED, .read = problem_read_option }

#endif
