/* An early end of the command: at a signal, or when its time is up. */
#ifndef WB_CLI_STOP_H
#define WB_CLI_STOP_H

#include "warpbound.h"

/* From here on Ctrl-C, SIGTERM, SIGHUP and, if `seconds` is not 0, the end of that time
 * ask the command to stop: long work sees it where it asks the watch whether to go on, and what was found so
 * far is printed. A command that has not ended soon afterwards, or is interrupted again, is ended at once. */
void stop_listen(double seconds);

/* What erases a terminal's line. */
#define STOP_ERASE_LINE "\r\033[K"

/* Says whether a line of progress is on the terminal: a command that is ended at once erases it before it
 * says why. */
void stop_note_line(bool drawn);

/* Whether the command has been asked to stop. */
bool stop_requested(void);

/* Adds why it has, and behind that what was said, as far as it is more than that something was stopped. */
void stop_explain(const wb_diagnostics *said, wb_diagnostics *diagnostics);

#endif
