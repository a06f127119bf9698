/* The order of nodes from a CUDA graph as cudaGraphDebugDotPrint writes it: of its statements those that
 * begin with a quoted name count, nodes (`"a"[...]`) and edges (`"a" -> "b"`). */
#include <string.h>

#include "wings/task/task.h"

struct dot {
    struct wb_task *task;
    struct source source;
    wb_diagnostics *diagnostics;
};

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t");
}

/* Reads the name of a node at *at, behind which *at then is. */
static wb_status read_name(const struct dot *dot, const char **at, uint32_t *number) {
    const char *name = *at + 1;
    const size_t length = strcspn(name, "\"\n");
    const uint32_t place = (uint32_t)(*at - dot->source.text);
    for (uint32_t n = 0; n < dot->task->nodes.count && name[length] == '"'; n++) {
        const char *known = dot->task->nodes.items[n].name;
        if (strlen(known) != length || memcmp(known, name, length) != 0) continue;
        *number = n;
        *at = skip_blanks(name + length + 1);
        return WB_OK;
    }
    diagnose_at(dot->diagnostics, SEVERITY_ERROR, &dot->source, place, "'%.*s' is none of the nodes of %s",
                length < 60 ? (int)length : 60, name, dot->task->source.name);
    return WB_ERR_INPUT;
}

static wb_status read_line(const struct dot *dot, const char *at) {
    uint32_t first, second;
    if (*at != '"') return WB_OK;
    WB_TRY(read_name(dot, &at, &first));
    if (strncmp(at, "->", 2) != 0) return WB_OK;
    at = skip_blanks(at + 2);
    if (*at != '"') {
        diagnose_at(dot->diagnostics, SEVERITY_ERROR, &dot->source, (uint32_t)(at - dot->source.text),
                    "expected the name of a node");
        return WB_ERR_INPUT;
    }
    WB_TRY(read_name(dot, &at, &second));
    arena_push(&dot->task->arena, &dot->task->nodes.items[second].after, first);
    return WB_OK;
}

wb_status task_read_dot(struct wb_task *task, const char *name, const char *text,
                        wb_diagnostics *diagnostics) {
    const struct dot dot = {task, {name, text, strlen(text)}, diagnostics};
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
        WB_TRY(read_line(&dot, skip_blanks(line)));
    return WB_OK;
}
