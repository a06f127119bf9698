#include "example.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* An option of the command, the key that it sets, and its value. */
struct setting {
    const char *option, *key, *value;
};

enum { SETTING_COUNT = 8 };

static void list_settings(const struct example *example, struct setting settings[SETTING_COUNT]) {
    const struct setting all[SETTING_COUNT] = {
        {"-w", "warps", example->warps},
        {"-u", "units", example->units},
        {"--warp-size", "warp_size", example->warp_size},
        {"--issue", "issue", example->issue},
        {"--iterations", "iterations", example->iterations},
        {"-x", "x", example->x},
        {"--memory-limit", "memory", example->memory},
        {"--processor-limit", "processor_limit", example->processor_limit},
    };
    memcpy(settings, all, sizeof all);
}

/* The problem that the operand describes. */
static wb_status load_operand(const struct example *example, wb_diagnostics *diagnostics,
                              wb_makespan **makespan) {
    if (example->refute != NULL) return wb_makespan_refute(example->refute, NULL, diagnostics, makespan);
    if (strchr(example->operand, '.') != NULL)
        return wb_makespan_read(example->operand, diagnostics, makespan);
    *makespan = wb_makespan_new();
    if (*makespan == NULL) return diagnose_out_of_memory(diagnostics, example->operand);
    return wb_makespan_add_warps(*makespan, example->operand, diagnostics);
}

wb_status example_solve(const struct example *example, wb_diagnostics *diagnostics, wb_makespan **makespan) {
    wb_makespan *made = NULL;
    struct setting settings[SETTING_COUNT];
    wb_status status = load_operand(example, diagnostics, &made);
    list_settings(example, settings);
    for (size_t i = 0; status == WB_OK && i < SETTING_COUNT; i++)
        if (settings[i].value != NULL)
            status = wb_makespan_set(made, settings[i].key, settings[i].value, diagnostics);
    if (status == WB_OK) status = wb_makespan_solve(made, example->methods, NULL, diagnostics);
    if (status == WB_ERR_LIMIT && made != NULL && wb_makespan_bound(made, 0) != NULL) status = WB_OK;
    if (status == WB_OK)
        *makespan = made;
    else
        wb_makespan_free(made);
    return status;
}

static void put_command(const struct example *example, struct text *page) {
    struct setting settings[SETTING_COUNT];
    text_string(page, "    $ warpbound makespan");
    if (example->operand != NULL) text_printf(page, " %s", example->operand);
    list_settings(example, settings);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (settings[i].value != NULL) text_printf(page, " %s %s", settings[i].option, settings[i].value);
    if (example->refute != NULL) text_printf(page, " --refute %s", example->refute);
    text_printf(page, " --method %s", example->methods);
    if (example->schedule) text_string(page, " --schedule");
    text_char(page, '\n');
}

void example_put_block(const char *lines, struct text *page) {
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        if (length > 0) text_string(page, "    ");
        text_append(page, lines, length);
        text_char(page, '\n');
        lines += length + (lines[length] == '\n');
    }
    text_char(page, '\n');
}

wb_status example_show(const struct example *example, wb_diagnostics *diagnostics, struct text *page) {
    static const wb_report_options options = {.size = sizeof options};
    wb_makespan *makespan = NULL;
    char *printed = NULL;
    WB_TRY(example_solve(example, diagnostics, &makespan));
    wb_status status = example->schedule
                           ? wb_makespan_witness(makespan, NULL, WB_WITNESS_TEXT, diagnostics, &printed)
                           : wb_makespan_report(makespan, WB_REPORT_TEXT, &options, diagnostics, &printed);
    if (status == WB_OK) {
        put_command(example, page);
        example_put_block(printed, page);
    }
    free(printed);
    wb_makespan_free(makespan);
    return status;
}

wb_status example_bound(const struct example *example, wb_diagnostics *diagnostics, wb_bound *bound) {
    wb_makespan *makespan = NULL;
    WB_TRY(example_solve(example, diagnostics, &makespan));
    *bound = *wb_makespan_bound(makespan, 0);
    bound->reason = NULL; /* its text ends with the problem */
    bound->assumption_count = 0;
    wb_makespan_free(makespan);
    return WB_OK;
}

wb_status example_worst_case(const char *string, const char *units, const char *issue, unsigned warps,
                             wb_diagnostics *diagnostics, uint64_t *cycles) {
    char number[16];
    wb_bound bound;
    (void)snprintf(number, sizeof number, "%u", warps);
    const struct example example = {
        .operand = string, .warps = number, .units = units, .issue = issue, .methods = "exact"};
    WB_TRY(example_bound(&example, diagnostics, &bound));
    *cycles = bound.cycles;
    if (bound.kind == WB_EXACT) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, string,
             "the worst case of %u warps was not found, only that it is from %" PRIu64 " to %" PRIu64
             " cycles",
             warps, bound.lower, bound.cycles);
    return WB_ERR_LIMIT;
}
