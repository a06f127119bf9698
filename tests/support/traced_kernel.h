/* A kernel traced for a test: one block of it, on a machine, through the library's front door. */
#ifndef WB_TESTS_TRACED_KERNEL_H
#define WB_TESTS_TRACED_KERNEL_H

#include "warpbound.h"

/* What to trace. */
struct traced_launch {
    const char *file, *text; /* the PTX: a file, or if that is NULL a text */
    const char *kernel;
    const char *threads;          /* of the one block */
    const char *const *arguments; /* NULL-terminated */
    const char *machine;
    const char *const *settings; /* "KEY=VALUE", NULL-terminated */
    bool record_accesses;
    bool analyze; /* make the analysis, too */
};

struct traced_kernel {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_machine *machine;
    wb_block *block;
    wb_analysis *analysis; /* or NULL */
};

/* Traces it, or fails the running test with the messages. */
struct traced_kernel traced_kernel_open(const struct traced_launch *launch);
void traced_kernel_close(struct traced_kernel *traced);

/* Fails the running test with the messages unless `status` is WB_OK. */
void traced_expect_ok(const struct traced_kernel *traced, wb_status status);

#endif
