/* Any bytes as a program with debug information: nothing is known of its kernels, or types whose sizes add up
 * to what a launch file can say. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/launch.h"
#include "report/flow/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct question {
    char path[64];
    struct arena *arena;
    struct text out;
};

static void ask(void *context) {
    struct question *question = context;
    struct host_params params;
    question->out.arena = question->arena;
    if (!host_params_find(question->path, "k", question->arena, &params)) return;
    text_string(&question->out, "arguments:\n");
    for (uint32_t i = 0; i < params.count; i++)
        (void)template_put_type(&question->out, params.types[i], params.types[i]->size, "a type");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {.limit = (size_t)64 << 20};
    struct question question = {.arena = &arena};
    const int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    (void)snprintf(question.path, sizeof question.path, "/proc/self/fd/%d", file);
    if (arena_protect(&arena, ask, &question) == WB_OK && question.out.length > strlen("arguments:\n")) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_launch *launch = NULL;
        if (launch_parse("fuzz.yaml", question.out.data, question.out.length, NULL, diagnostics, &launch) !=
            WB_OK) {
            (void)fprintf(stderr, "%s%s", question.out.data, wb_diagnostics_text(diagnostics));
            abort();
        }
        wb_launch_free(launch);
        wb_diagnostics_free(diagnostics);
    }
    arena_free(&arena);
    (void)close(file);
    return 0;
}
