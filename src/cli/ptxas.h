/* The user's ptxas, where there is one: assembles a PTX text in a folder of its own, which is removed. */
#ifndef WB_CLI_PTXAS_H
#define WB_CLI_PTXAS_H

#include "warpbound.h"

enum { PTXAS_VERSION_MAX = 100 };

/* What it made of a text. */
struct ptxas_code {
    char *bytes; /* malloc'd */
    size_t size;
    char command[PTXAS_VERSION_MAX]; /* without folders and files: "ptxas -arch=sm_86 -lineinfo" */
    char version[PTXAS_VERSION_MAX]; /* such as "ptxas 13.0, V13.0.88" */
};

/* A text that is assembled. */
struct ptxas_text {
    const char *ptx;
    const char *name;    /* what messages call it */
    const char *without; /* what helps where there is no ptxas: the end of a sentence */
    unsigned sm;         /* architecture */
};

/* Assembles it with `program` or else the ptxas of PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda, keeping
 * lines of its source. WB_ERR_DECLINED when there is none, WB_ERR_INPUT when it makes no file of a usual size
 * in a minute, each with a message, and with what ptxas said. */
wb_status ptxas_assemble(const char *program, const struct ptxas_text *text, wb_diagnostics *diagnostics,
                         struct ptxas_code *code);

#endif
