/* Any bytes as a task file, and behind a zero as its graph: an error with a message, or a task whose nodes
 * end behind all that they wait for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wings/task/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct wb_task *task) {
    for (size_t n = 0; n < task->nodes.count; n++)
        task->nodes.items[n].time = task->nodes.items[n].held = n + 1;
    task_find_ends(task);
    for (size_t n = 0; n < task->nodes.count; n++) {
        const struct task_node *node = &task->nodes.items[n];
        for (size_t a = 0; a < node->after.count; a++)
            if (task->nodes.items[node->after.items[a]].end >= node->end) abort();
        if (node->end > task->time) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_task *task = NULL;
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t length = end != NULL ? (size_t)(end - data) : size;
    char *dot = end != NULL ? strndup((const char *)end + 1, size - length - 1) : strdup("");
    if (dot == NULL) abort();
    const wb_status status = task_parse("fuzz.yaml", (const char *)data, length, dot, diagnostics, &task);
    if (status == WB_OK)
        check(task);
    else if (wb_diagnostics_errors(diagnostics) == 0)
        abort();
    free(dot);
    wb_task_free(task);
    wb_diagnostics_free(diagnostics);
    return 0;
}
