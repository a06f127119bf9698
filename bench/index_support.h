/* The kernels of kernels/index.txt for benchmarks that execute one block of each. */
#ifndef WB_BENCH_INDEX_SUPPORT_H
#define WB_BENCH_INDEX_SUPPORT_H

#include <string.h>

#include "bench_support.h"

struct index_kernel {
    const char *name;               /* of the case */
    const char *code, *launch_file; /* in kernels/ */
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    const wb_kernel *kernel;
};

/* Loads a kernel and its launch; ends the program when it cannot. */
static inline void index_open(const char *ptx, const char *launch, struct index_kernel *kernel) {
    char path[256];
    wb_diagnostics *diagnostics = kernel->diagnostics = wb_diagnostics_new();
    (void)snprintf(path, sizeof path, "kernels/%s", ptx);
    require(wb_module_read(path, diagnostics, &kernel->module), diagnostics);
    (void)snprintf(path, sizeof path, "kernels/%s", launch);
    require(wb_launch_read(path, WB_FILES_BELOW, diagnostics, &kernel->launch), diagnostics);
    require(
        wb_module_find_kernel(kernel->module, wb_launch_kernel(kernel->launch), diagnostics, &kernel->kernel),
        diagnostics);
}

/* Loads the machine code of a PTX kernel for an architecture, with its launch; false when there is none. */
static inline bool index_open_code(const struct index_kernel *ptx, int architecture,
                                   struct index_kernel *kernel) {
    char code[160], path[200];
    const char *end = strstr(ptx->code, ".ptx");
    (void)snprintf(code, sizeof code, "cubin/%.*s.sm_%d.cubin", (int)(end - ptx->code), ptx->code,
                   architecture);
    (void)snprintf(path, sizeof path, "kernels/%s", code);
    FILE *there = fopen(path, "rb");
    if (there == NULL) return false;
    (void)fclose(there);
    *kernel = (struct index_kernel){.name = ptx->name};
    index_open(code, ptx->launch_file, kernel);
    return true;
}

static inline void index_close(struct index_kernel *kernel) {
    wb_launch_free(kernel->launch);
    wb_module_free(kernel->module);
    wb_diagnostics_free(kernel->diagnostics);
}

/* Executes block 0 again and again for at least `least` processor seconds: millions of instructions on the
 * paths of its warps, a second. */
static inline double index_rate(const struct index_kernel *kernel, const wb_trace_options *options,
                                double least) {
    uint64_t instructions = 0;
    double spent = 0.0;
    while (spent < least) {
        wb_block *block = NULL;
        double start = seconds();
        require(wb_block_trace(kernel->kernel, kernel->launch, options, kernel->diagnostics, &block),
                kernel->diagnostics);
        spent += seconds() - start;
        for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
            instructions += wb_block_warp_instructions(block, w);
        wb_block_free(block);
    }
    return (double)instructions / spent / 1e6;
}

/* Calls `one` for every case of the index whose data is known. */
static inline void index_each(void (*one)(const struct index_kernel *kernel)) {
    char line[512], name[128], ptx[128], launch[128];
    FILE *index = fopen("kernels/index.txt", "r");
    if (index == NULL) {
        perror("kernels/index.txt");
        exit(EXIT_FAILURE);
    }
    while (fgets(line, sizeof line, index) != NULL) {
        if (line[0] == '#' || sscanf(line, "%127s %127s %127s", name, ptx, launch) != 3) continue;
        if (strstr(launch, "unknown") != NULL) continue;
        struct index_kernel kernel = {.name = name, .code = ptx, .launch_file = launch};
        index_open(ptx, launch, &kernel);
        one(&kernel);
        index_close(&kernel);
    }
    (void)fclose(index);
}

#endif
