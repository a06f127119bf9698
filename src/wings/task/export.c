/* A task as analyses of response times take it (docs/task.md): segments, work and span, or its graph. Times
 * are whole nanoseconds, rounded up. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "report/parts/document.h"
#include "report/parts/parts.h"
#include "report/write/output.h"
#include "wings/task/task.h"

struct export {
    const wb_task *task;
    const cycles *deadline, *preemption; /* or NULL */
    struct text *out;
    wb_diagnostics *diagnostics;
};

static uint64_t ns_of(const struct export *export, cycles time) {
    return time == 0 ? 0 : (uint64_t)((double)time * 1e3 / export->task->machine->clock_mhz) + 1;
}

/* Rounded down, of a deadline. */
static uint64_t deadline_ns(const struct export *export) {
    if (export->deadline == NULL) return 0;
    return (uint64_t)((double)*export->deadline * 1e3 / export->task->machine->clock_mhz);
}

static const struct task_node *node_at(const struct export *export, uint32_t number) {
    return &export->task->nodes.items[number];
}

/* ---- What all formats have ----------------------------------------------------------------------------- */

static void put_ids(struct text *out, const struct task_node *node) {
    struct condition_list list = task_conditions(node);
    for (size_t i = 0; i < list.count; i++)
        text_printf(out, "%s%s", i > 0 ? " " : "", wb_assumption_id(list.items[i]));
}

static void ids_json(struct json *json, const struct condition_list *list) {
    json_open_array(json, "assumptions");
    for (size_t i = 0; i < list->count; i++)
        json_put_text(json, NULL, wb_assumption_id(list->items[i]));
    json_close(json);
}

void task_node_json(struct json *json, const wb_task *task, const struct task_node *node) {
    const struct condition_list list = task_conditions(node);
    json_open_array(json, "after");
    for (size_t a = 0; a < node->after.count; a++)
        json_put_text(json, NULL, task->nodes.items[node->after.items[a]].name);
    json_close(json);
    ids_json(json, &list);
}

static void open_document(const struct export *export, struct json *json, const char *format) {
    document_open(json, format, 1);
    json_put(json, "task %s, machine %s, clock_mhz %g, model %d, unit %s, D %*" PRIu64, export->task->name,
             export->task->machine->name, export->task->machine->clock_mhz, export->task->of_model, "ns",
             export->deadline != NULL, deadline_ns(export));
}

/* ---- GCAPS: segments of the CPU and the GPU in turn (ECRTS 2024, section 4) -------------------------------
 */

/* The nodes order[first ..] up to `end`, of the host all or none, and when those before have ended. */
struct segment {
    size_t first, end;
    cycles start;
    bool is_host;
};

/* A node of the host that has no order with another node is in no sequence of segments. */
static wb_status check_sequence(const struct export *export) {
    const wb_task *task = export->task;
    for (uint32_t host = 0; host < task->nodes.count; host++)
        for (uint32_t n = 0; n < task->nodes.count && node_at(export, host)->kind == TASK_HOST; n++) {
            if (task_are_ordered(task, host, n)) continue;
            diagnose_at(
                export->diagnostics, SEVERITY_ERROR, &task->source, node_at(export, host)->at,
                "%s may run beside %s, but segments of the CPU and the GPU take turns: order them (after)",
                node_at(export, host)->name, node_at(export, n)->name);
            return WB_ERR_DECLINED;
        }
    return WB_OK;
}

/* Finds where the segment from order[first] on ends, and *end of its last node. */
static struct segment segment_from(const struct export *export, size_t first, cycles *end) {
    const wb_task *task = export->task;
    struct segment segment = {.first = first, .start = *end};
    segment.is_host = node_at(export, task->order.items[first])->kind == TASK_HOST;
    for (segment.end = first; segment.end < task->order.count; segment.end++) {
        const struct task_node *node = node_at(export, task->order.items[segment.end]);
        if ((node->kind == TASK_HOST) != segment.is_host) break;
        *end = cycles_max(*end, node->end);
    }
    return segment;
}

static void segment_json(struct json *json, const struct export *export, const struct segment *segment,
                         cycles end) {
    struct condition_list list = {0};
    cycles overhead = 0;
    json_open_object(json, NULL);
    json_open_array(json, "nodes");
    for (size_t i = segment->first; i < segment->end; i++) {
        const struct task_node *node = node_at(export, export->task->order.items[i]);
        const struct condition_list own = task_conditions(node);
        overhead = cycles_add(overhead, node->overhead);
        conditions_add(&list, own.items, own.count, 0);
        json_put_text(json, NULL, node->name);
    }
    json_close(json);
    const uint64_t time = ns_of(export, end - segment->start);
    if (segment->is_host)
        json_put(json, "C %" PRIu64, time);
    else
        json_put(json, "G %" PRIu64 ", Gm %" PRIu64 ", Ge %" PRIu64, time, ns_of(export, overhead), time);
    assumptions_sort(list.items, list.count);
    ids_json(json, &list);
    json_close(json);
}

static wb_status export_gcaps(const struct export *export) {
    struct json json = json_begin(export->out, JSON_LINES);
    cycles end = 0;
    uint64_t sums[2] = {0}; /* C, G */
    WB_TRY(check_sequence(export));
    open_document(export, &json, "warpbound-gcaps");
    json_put(&json, "epsilon %*" PRIu64, export->preemption != NULL,
             export->preemption != NULL ? ns_of(export, *export->preemption) : 0);
    json_open_array(&json, "segments");
    for (size_t first = 0; first < export->task->order.count;) {
        const struct segment segment = segment_from(export, first, &end);
        segment_json(&json, export, &segment, end);
        sums[!segment.is_host] += ns_of(export, end - segment.start);
        first = segment.end;
    }
    json_close(&json);
    json_put(&json, "C %" PRIu64 ", G %" PRIu64, sums[0], sums[1]);
    json_close(&json);
    return WB_OK;
}

/* ---- RTGPU and federated scheduling: work and span of each kernel (TPDS 2023, section 4) ------------------
 */

static wb_status export_rtgpu(const struct export *export) {
    struct json json = json_begin(export->out, JSON_LINES);
    assert(export->task->federated);
    open_document(export, &json, "warpbound-rtgpu");
    json_open_array(&json, "nodes");
    for (uint32_t n = 0; n < export->task->nodes.count; n++) {
        static const char *const kinds[] = {[TASK_KERNEL] = "GPU", [TASK_COPY] = "ML", [TASK_HOST] = "CL"};
        const struct task_node *node = node_at(export, n);
        json_open_object(&json, NULL);
        json_put(&json, "name %s, kind %s", node->name, kinds[node->kind]);
        if (node->kind == TASK_KERNEL) {
            const struct task_span span = task_span_of_node(node);
            json_put(&json, "GW %" PRIu64 ", GL %" PRIu64 ", overhead %" PRIu64, ns_of(export, span.work),
                     ns_of(export, span.span), ns_of(export, node->overhead));
        } else {
            json_put(&json, "upper %" PRIu64, ns_of(export, node->time));
        }
        task_node_json(&json, export->task, node);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    return WB_OK;
}

/* ---- The graph with the time of each node ----------------------------------------------------------------
 */

static void put_quoted(struct text *out, const char *words, const char *escaped, char escape) {
    text_char(out, '"');
    for (; *words != '\0'; words++) {
        if (strchr(escaped, *words) != NULL) text_char(out, escape);
        text_char(out, *words);
    }
    text_char(out, '"');
}

#define DOT_QUOTED(out, words) put_quoted(out, words, "\"\\", '\\')
#define CSV_QUOTED(out, words) put_quoted(out, words, "\"", '"')

static uint64_t wcet_of(const struct export *export, const struct task_node *node) {
    return ns_of(export, cycles_add(cycles_add(node->time, node->overhead), node->beside));
}

static wb_status export_dot(const struct export *export) {
    struct text *out = export->out;
    text_string(out, "digraph ");
    DOT_QUOTED(out, export->task->name);
    text_string(out, " {\n");
    for (uint32_t n = 0; n < export->task->nodes.count; n++) {
        const struct task_node *node = node_at(export, n);
        text_string(out, "  ");
        DOT_QUOTED(out, node->name);
        text_printf(out, " [wcet_ns=%" PRIu64 ", xlabel=\"%" PRIu64 " ns\", assumptions=\"",
                    wcet_of(export, node), wcet_of(export, node));
        put_ids(out, node);
        text_printf(out, "\"%s];\n", node->critical ? ", penwidth=3" : "");
        for (size_t a = 0; a < node->after.count; a++) {
            text_string(out, "  ");
            DOT_QUOTED(out, node_at(export, node->after.items[a])->name);
            text_string(out, " -> ");
            DOT_QUOTED(out, node->name);
            text_string(out, ";\n");
        }
    }
    text_string(out, "}\n");
    return WB_OK;
}

static wb_status export_csv(const struct export *export) {
    struct text *out = export->out;
    text_string(out, "node,kind,after,wcet_ns,end_ns,critical,assumptions\n");
    for (uint32_t n = 0; n < export->task->nodes.count; n++) {
        const struct task_node *node = node_at(export, n);
        struct text after = {0};
        wb_task_node said;
        (void)wb_task_node_at(export->task, n, &said);
        for (size_t a = 0; a < node->after.count; a++)
            text_printf(&after, "%s%s", a > 0 ? " " : "", node_at(export, node->after.items[a])->name);
        CSV_QUOTED(out, node->name);
        text_printf(out, ",%s,", said.kind);
        CSV_QUOTED(out, after.data != NULL ? after.data : "");
        text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%d,", wcet_of(export, node), ns_of(export, node->end),
                    node->critical);
        put_ids(out, node);
        text_char(out, '\n');
        out->failed |= after.failed;
        text_free(&after);
    }
    return WB_OK;
}

wb_status wb_task_export(const wb_task *task, wb_task_format format, const uint64_t *deadline,
                         const uint64_t *preemption, wb_diagnostics *diagnostics, char **text) {
    static wb_status (*const formats[])(const struct export *export) = {[WB_TASK_GCAPS] = export_gcaps,
                                                                        [WB_TASK_RTGPU] = export_rtgpu,
                                                                        [WB_TASK_DOT] = export_dot,
                                                                        [WB_TASK_CSV] = export_csv};
    struct text out = {0};
    const struct export export = {task, deadline, preemption, &out, diagnostics};
    const wb_status status = formats[format](&export);
    return report_take(status, &out, diagnostics, text);
}
