/* Reports of tasks: the answer, a row for each node, and what it rests on. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/html/page.h"
#include "report/parts/document.h"
#include "report/parts/parts.h"
#include "report/write/output.h"
#include "report/write/write.h"
#include "report/write/xml.h"
#include "wings/task/task.h"

/* Where the columns end, or start. */
enum { MARK_START = 0, NODE_START = 2, PLACE_START = 16, TIME_END = 40, BESIDE_END = 52, END_END = 66 };

static void put_time(struct text *out, const wb_task *task, cycles time) {
    report_put_time(out, task->machine->clock_mhz, time);
}

static void put_line(struct text *out, const wb_task *task, const wb_report_options *options,
                     wb_state state) {
    text_printf(out, "%s: %sthe task takes at most ", wb_state_name(state),
                task->of_model ? "in the PTX model, " : "");
    put_time(out, task, task->time);
    if (options->has_deadline) {
        const bool within = task->time <= options->deadline;
        text_string(out, " of ");
        put_time(out, task, options->deadline);
        text_string(out, within ? ", margin " : ", ");
        put_time(out, task, within ? options->deadline - task->time : task->time - options->deadline);
        if (!within) text_string(out, " more");
    }
    if (!task->shared) {
        text_string(out, "; slowest found ");
        put_time(out, task, task->slowest);
    }
    text_printf(out, ", on %s at %g MHz\n", task->machine->name, task->machine->clock_mhz);
}

/* What a node runs on. */
static void put_place(struct sheet *table, const wb_task *task, const struct task_node *node) {
    if (node->kind != TASK_KERNEL) {
        sheet_printf(table, "%s (%s)", node->kind == TASK_COPY ? "copy" : "host", node->place);
    } else if (node->part == WHOLE_GPU) {
        sheet_printf(table, "%" PRIu32 " SMs", task->machine->memory.sms);
    } else {
        const struct task_part *part = &task->parts.items[node->part];
        sheet_printf(table, "%" PRIu32 " SMs of %s", part->partition.sms, part->name);
    }
}

static void put_table(struct text *out, const struct layout *layout, const wb_task *task) {
    struct sheet table = {.layout = layout};
    sheet_column(&table, SHEET_LEFT, MARK_START, "");
    sheet_column(&table, SHEET_LEFT, NODE_START, "node");
    sheet_column(&table, SHEET_LEFT, PLACE_START, "runs on");
    sheet_column(&table, SHEET_RIGHT, TIME_END, "at most");
    sheet_column(&table, SHEET_RIGHT, BESIDE_END, "others");
    sheet_column(&table, SHEET_RIGHT, END_END, "ends by");
    sheet_row_style(&table, STYLE_BOLD);
    sheet_headings(&table);
    for (size_t n = 0; n < task->nodes.count; n++) {
        const struct task_node *node = &task->nodes.items[n];
        sheet_text(&table, node->critical ? "*" : "");
        sheet_text(&table, node->name);
        put_place(&table, task, node);
        report_time_cell(&table, task->machine->clock_mhz, cycles_add(node->time, node->overhead));
        if (node->beside > 0)
            report_time_cell(&table, task->machine->clock_mhz, node->beside);
        else
            sheet_skip(&table);
        report_time_cell(&table, task->machine->clock_mhz, node->end);
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
    text_string(out, "* the longest path\n");
    if (task->shared)
        layout_printf(out, layout, 0, "%s\n",
                      "kernels without an order share SMs, and count among each other's others: ordered, or "
                      "each on a partition, they may take less");
}

struct condition_list task_conditions(const struct task_node *node) {
    static const wb_assumption own[] = {WB_ASSUME_TASK_ORDER};
    struct condition_list list = {0};
    const wb_bound *bound = node->analysis != NULL ? wb_analysis_best(node->analysis) : NULL;
    conditions_add(&list, own, 1, 0);
    if (bound != NULL) conditions_add_bound(&list, bound, 0);
    assumptions_sort(list.items, list.count);
    return list;
}

/* All that its numbers assume. */
static struct condition_list conditions_of(const wb_task *task) {
    struct condition_list list = {0};
    for (size_t n = 0; n < task->nodes.count; n++) {
        const struct condition_list node = task_conditions(&task->nodes.items[n]);
        conditions_add(&list, node.items, node.count, 0);
    }
    return list;
}

static void put_text(struct text *out, const wb_task *task, const wb_report_options *options) {
    const struct layout layout = layout_of(options);
    struct condition_list list = conditions_of(task);
    const wb_state state = wb_task_judge(task, options->has_deadline ? &options->deadline : NULL);
    const size_t start = out->length;
    put_line(out, task, options, state);
    if (options->quiet) return;
    out->length--; /* layout_wrap ends it */
    layout_wrap(out, &layout, start, 0, 2);
    conditions_put_brief(out, &layout, "holds if", &list);
    text_char(out, '\n');
    put_table(out, &layout, task);
    if (!options->all) return;
    text_char(out, '\n');
    conditions_put_titled(out, &layout, "holds if", &list, 0, true);
}

static void node_json(struct json *json, const struct wb_task *task, size_t number) {
    wb_task_node node;
    (void)wb_task_node_at(task, number, &node);
    const wb_bound *bound = node.analysis != NULL ? wb_analysis_best(node.analysis) : NULL;
    json_open_object(json, NULL);
    json_put(json,
             "name %s, kind %s, place %s, cycles %" PRIu64 ", overhead %" PRIu64 ", beside %" PRIu64
             ", end %" PRIu64 ", slowest %*" PRIu64 ", critical %d, method %s",
             node.name, node.kind, node.place, node.cycles, node.overhead, node.beside, node.end,
             node.slowest > 0, node.slowest, node.critical, bound != NULL ? bound->method : NULL);
    task_node_json(json, task, &task->nodes.items[number]);
    json_close(json);
}

static void put_json(struct json *json, const wb_task *task, const wb_report_options *options) {
    const wb_state state = wb_task_judge(task, options->has_deadline ? &options->deadline : NULL);
    struct condition_list list = conditions_of(task);
    document_open(json, "warpbound-task", 1);
    json_put(json,
             "task %s, state %s, machine %s, clock_mhz %g, model %d, cycles %" PRIu64 ", slowest %*" PRIu64
             ", deadline %*" PRIu64,
             task->name, wb_state_name(state), task->machine->name, task->machine->clock_mhz, task->of_model,
             task->time, !task->shared, task->slowest, options->has_deadline, options->deadline);
    json_open_array(json, "nodes");
    for (size_t n = 0; n < task->nodes.count; n++)
        node_json(json, task, n);
    json_close(json);
    json_open_array(json, "assumptions");
    assumptions_sort(list.items, list.count);
    for (size_t i = 0; i < list.count; i++)
        json_put_text(json, NULL, wb_assumption_id(list.items[i]));
    json_close(json);
    json_close(json);
}

wb_status wb_task_report(const wb_task *task, wb_report_format format, const wb_report_options *options,
                         wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    struct text out = {0};
    struct json json = json_begin(&out, JSON_LINES);
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    if (format == WB_REPORT_JSON)
        put_json(&json, task, &asked);
    else
        put_text(&out, task, &asked);
    return report_take(WB_OK, &out, diagnostics, text);
}

wb_status wb_task_html_report(const wb_task *task, const wb_report_options *options,
                              wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    struct text out = {0}, line = {0}, body = {0}, document = {0};
    struct json json = json_begin(&document, JSON_LINES);
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    const cycles *deadline = asked.has_deadline ? &asked.deadline : NULL;
    const wb_state state = wb_task_judge(task, deadline);
    put_line(&line, task, &asked, state);
    put_json(&json, task, &asked);
    asked.quiet = false;
    asked.all = true;
    asked.color = false;
    put_text(&body, task, &asked);
    out.failed = line.failed || body.failed || document.failed;
    if (!out.failed) {
        html_begin(&out, task->name, state, &line);
        text_string(&out, "<figure>");
        task_picture(task, deadline, &out);
        text_string(&out, "</figure>\n<pre>");
        xml_text(&out, body.data);
        text_string(&out, "</pre>\n");
        html_end(&out, &document);
        text_string(&out, "</body>\n</html>\n");
    }
    text_free(&line);
    text_free(&body);
    text_free(&document);
    return report_take(WB_OK, &out, diagnostics, text);
}
