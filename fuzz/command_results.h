/* What must hold of everything that the command prints. */
#ifndef WB_FUZZ_COMMAND_RESULTS_H
#define WB_FUZZ_COMMAND_RESULTS_H

/* Aborts, having said why, unless the sub-command may end like this: with one of its statuses, a message
 * where it fails, and results that fit together where it printed JSON. */
void require_command_results(const char *command, int status, const char *output, const char *messages);

#endif
