/* Other programs, run to their end. */
#ifndef WB_WINGS_SWEEP_CLI_PROCESS_H
#define WB_WINGS_SWEEP_CLI_PROCESS_H

/* Runs a program, looked for in PATH, and waits for it. What it prints becomes *printed, malloc'd, which is
 * never NULL on success; its messages go where this program's go. Its exit status, 128 and its signal, or -1
 * with errno where it could not be run. `arguments` ends with NULL. */
int process_run(const char **arguments, char **printed);

#endif
