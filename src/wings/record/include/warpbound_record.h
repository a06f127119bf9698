/*
 * Warpbound: what unmodified programs launch on a GPU, as launch files (docs/record.md).
 */
#ifndef WARPBOUND_RECORD_H
#define WARPBOUND_RECORD_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The log in the folder of a recording. */
#define WB_RECORD_LOG "record.log"

typedef struct {
    size_t size;        /* sizeof(wb_record_options) */
    const char *folder; /* is made, or empty */
    const char *driver; /* the file of the driver's library; NULL: libcuda.so.1, as the system finds it */
    const char *const
        *arguments; /* the program, as execvp finds it, and its arguments; NULL behind the last */
    wb_watch watch; /* asked while the program runs: false ends it, and what it launched before is recorded */
} wb_record_options;

/* Runs a program and leaves in the folder the log of what it had the driver do, and what wb_record_read makes
 * of that. The program has the streams of this process; what it leaves there and elsewhere is its own.
 * WB_ERR_INPUT when it cannot be started or the folder is not empty; WB_ERR_DECLINED when there is no driver,
 * the program launched nothing or failed, or some of what it launched is not in the files: *text is made if
 * there are files. WB_ERR_LIMIT when the watch ended the program. */
wb_status wb_record(const wb_record_options *options, wb_diagnostics *diagnostics, char **text);

/* Reads a log and writes into a folder, which exists: the code that was loaded, a launch file for each launch
 * that differs from all before it, a list of the launches of each stream and code, and a sweep. *text says
 * what there is; to be freed. WB_ERR_INPUT when the log is damaged; WB_ERR_DECLINED, with messages, when its
 * end is missing or some launch is not in the files, which are written, or there is none. */
wb_status wb_record_read(const char *log, const char *folder, wb_diagnostics *diagnostics, char **text);

#ifdef __cplusplus
}
#endif

#endif
