#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "example.h"
#include "makespan/analysis/makespan.h"
#include "makespan/anneal/precedence_string.h"
#include "report/makespan/witness.h"
#include "strings/witness_file.h"

/* The strings of the text: an identifier a character. */
#define STRING_FIG2 "112233414234"
#define STRING_FIG5 "112233123444"
#define STRING_SAME "121323123444" /* a different string for Fig. 5 */

/* The identifiers of one schedule. */
#define IDENTIFIERS_MAX 12u

/* The schedule of a string, with the problem that it belongs to. */
struct figure {
    wb_makespan *makespan; /* has the problem */
    uint32_t string[IDENTIFIERS_MAX];
    struct schedule schedule;
    uint32_t cycles[IDENTIFIERS_MAX];
    struct arena arena; /* of the schedule; protected while that is made */
    enum anneal_start start;
    bool starts; /* from `start`, else the string is given */
};

/* Prepares the problem of a figure, "4:LCL" with one place of each type. */
static wb_status figure_start(const char *warps, wb_diagnostics *diagnostics, struct figure *figure) {
    *figure = (struct figure){.makespan = wb_makespan_new()};
    if (figure->makespan == NULL) return diagnose_out_of_memory(diagnostics, warps);
    WB_TRY(wb_makespan_add_warps(figure->makespan, warps, diagnostics));
    WB_TRY(wb_makespan_set(figure->makespan, "units", "L=1,C=1", diagnostics));
    return makespan_prepare(figure->makespan, diagnostics);
}

static void figure_free(struct figure *figure) {
    arena_free(&figure->arena);
    wb_makespan_free(figure->makespan);
}

static void schedule_string(void *context) {
    struct figure *figure = context;
    const struct makespan_problem *problem = &figure->makespan->problem;
    struct random_state random = random_seeded(1);
    if (figure->starts) anneal_start_string(problem, figure->start, &random, &figure->arena, figure->string);
    (void)precedence_schedule(problem, figure->string, NULL, NULL, &figure->arena, &figure->schedule);
    precedence_cycles(problem, figure->string, &figure->schedule, &figure->arena, figure->cycles);
}

/* Makes the schedule of the figure's string. */
static wb_status figure_schedule(struct figure *figure, wb_diagnostics *diagnostics) {
    wb_status status = arena_protect(&figure->arena, schedule_string, figure);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, "a schedule");
}

/* The figure of four warps LCL with that string. */
static wb_status figure_of_string(const char *identifiers, wb_diagnostics *diagnostics,
                                  struct figure *figure) {
    WB_TRY(figure_start("4:LCL", diagnostics, figure));
    for (size_t i = 0; i < IDENTIFIERS_MAX; i++)
        figure->string[i] = (uint32_t)(identifiers[i] - '1');
    return figure_schedule(figure, diagnostics);
}

/* The figure of an initial solution. */
static wb_status figure_of_start(const char *warps, enum anneal_start start, wb_diagnostics *diagnostics,
                                 struct figure *figure) {
    WB_TRY(figure_start(warps, diagnostics, figure));
    figure->start = start;
    figure->starts = true;
    return figure_schedule(figure, diagnostics);
}

static void put_numbers(const char *name, const uint32_t *numbers, uint64_t count, uint32_t first,
                        struct text *page) {
    text_printf(page, "    %-27s", name);
    for (uint64_t i = 0; i < count; i++)
        text_printf(page, " %u", numbers[i] + first);
    text_char(page, '\n');
}

static wb_status put_table(const struct figure *figure, wb_diagnostics *diagnostics, struct text *page) {
    struct text table = {0};
    witness_text(&table, &figure->makespan->problem, &figure->schedule);
    char *lines = text_take(&table);
    if (lines == NULL) return diagnose_out_of_memory(diagnostics, "a schedule");
    example_put_block(lines, page);
    free(lines);
    return WB_OK;
}

/* The string, its warp cycle string, and the schedule as a table. */
static wb_status put_figure(const struct figure *figure, wb_diagnostics *diagnostics, struct text *page) {
    const struct makespan_problem *problem = &figure->makespan->problem;
    put_numbers("pseudo-precedence string", figure->string, problem->instruction_count, 1, page);
    put_numbers("warp cycle string", figure->cycles, problem->instruction_count, 0, page);
    text_char(page, '\n');
    return put_table(figure, diagnostics, page);
}

/* Writes the schedule to a file, checks that, and appends what the check says. */
static wb_status put_check(const struct figure *figure, const struct output *output, const char *file,
                           struct text *page) {
    struct text witness = {0};
    char *said = NULL;
    char path[256];
    WB_TRY(witness_file_print(&figure->makespan->problem, &figure->schedule, output->diagnostics, &witness));
    WB_TRY(output_file(output, file, &witness));
    wb_diagnostics *errors = wb_diagnostics_new();
    if (errors == NULL) return diagnose_out_of_memory(output->diagnostics, file);
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s/%s", output->paper, file);
    wb_status status = wb_makespan_check(path, errors, &said);
    text_printf(page, "    $ warpbound makespan --check %s\n", path);
    example_put_block(status == WB_OK ? said : wb_diagnostics_text(errors), page);
    free(said);
    wb_diagnostics_free(errors);
    return status == WB_OK || status == WB_ERR_INPUT ? WB_OK : status;
}

static wb_status put_fig2(const struct output *output, struct figure *figure, struct text *page) {
    text_string(
        page,
        "## Fig. 2 and 4: from a string to a schedule\n\n"
        "Four warps `LCL`, one place of each type. Read from left to right, every identifier gives the "
        "next instruction of its warp the earliest cycle with room.\n"
        "The string is (2) of the paper, the warp cycle string that of its section VII: both agree.\n\n");
    WB_TRY(figure_of_string(STRING_FIG2, output->diagnostics, figure));
    WB_TRY(put_figure(figure, output->diagnostics, page));
    return put_check(figure, output, "fig2.yaml", page);
}

/* Fig. 2 with the last instruction of warp 1, in cycle 5, moved to the only other cycle with room. */
static wb_status put_fig3(const struct output *output, struct figure *figure, struct text *page) {
    text_string(
        page, "## Fig. 3: an invalid solution\n\n"
              "The same with one load moved, such that in cycle 5 the load/store unit is idle while warps 1, "
              "2 and 3 need it: only cycle 9 has room for it. The check refuses it and names the first of "
              "them:\n\n");
    WB_TRY(figure_of_string(STRING_FIG2, output->diagnostics, figure));
    figure->schedule.cycle[2] = ++figure->schedule.makespan;
    WB_TRY(put_table(figure, output->diagnostics, page));
    return put_check(figure, output, "fig3.yaml", page);
}

/* Fig. 5, and that another string gives the same schedule. */
static wb_status put_fig5(const struct output *output, struct figure *figure, struct text *page) {
    struct figure other;
    text_string(page, "## Fig. 5: a neighbour with a larger makespan\n\n"
                      "All identifiers of warp 4 moved to the end: 9 cycles, as published.\n\n");
    WB_TRY(figure_of_string(STRING_FIG5, output->diagnostics, figure));
    WB_TRY(put_figure(figure, output->diagnostics, page));
    WB_TRY(put_check(figure, output, "fig5.yaml", page));
    wb_status status = figure_of_string(STRING_SAME, output->diagnostics, &other);
    if (status == WB_OK) {
        bool same = memcmp(other.schedule.cycle, figure->schedule.cycle,
                           IDENTIFIERS_MAX * sizeof *other.schedule.cycle) == 0;
        text_printf(page, "The paper's other string for it, `1 2 1 3 2 3 1 2 3 4 4 4`, gives %s schedule. ",
                    same ? "the same" : "a different");
    }
    figure_free(&other);
    WB_TRY(status);
    static const struct example exact = {
        .operand = "LCL", .warps = "4", .units = "L=1,C=1", .methods = "exact"};
    text_string(page, "No schedule is longer, which the paper could not know:\n\n");
    return example_show(&exact, output->diagnostics, page);
}

static wb_status put_fig6(const struct output *output, struct figure *figure, struct text *page) {
    text_string(page,
                "## Fig. 6 and 7: initial solutions\n\n"
                "The text that we have of the paper lacks the letters in these two figures; both are of "
                "three warps. For three warps `LCL` *fixed-priority* gives\n\n");
    WB_TRY(figure_of_start("3:LCL", START_FIXED_PRIORITY, output->diagnostics, figure));
    return put_figure(figure, output->diagnostics, page);
}

static wb_status put_fig7(const struct output *output, struct figure *figure, struct text *page) {
    text_string(page, "and *most pending warp executes first*\n\n");
    WB_TRY(figure_of_start("3:LCL", START_MOST_PENDING, output->diagnostics, figure));
    WB_TRY(put_figure(figure, output->diagnostics, page));
    text_string(page,
                "of which the paper explains the first two cycles: warp 1 in the first, warps 2 and 1 in the "
                "second, in this order. *Round-robin*, which the paper says is Fig. 2, gives\n"
                "for four warps:\n\n");
    figure_free(figure);
    WB_TRY(figure_of_start("4:LCL", START_ROUND_ROBIN, output->diagnostics, figure));
    return put_figure(figure, output->diagnostics, page);
}

wb_status figures_put(const struct output *output, struct text *page) {
    static wb_status (*const put[])(const struct output *, struct figure *,
                                    struct text *) = {put_fig2, put_fig3, put_fig5, put_fig6, put_fig7};
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < sizeof put / sizeof *put; i++) {
        struct figure figure = {0};
        status = put[i](output, &figure, page);
        figure_free(&figure);
    }
    return status;
}
