#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "example.h"
#include "makespan/analysis/makespan.h"
#include "makespan/anneal/precedence_string.h"
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
    struct arena arena; /* of the schedule; protected while that is made */
};

static void figure_free(struct figure *figure) {
    arena_free(&figure->arena);
    wb_makespan_free(figure->makespan);
}

static void schedule_string(void *context) {
    struct figure *figure = context;
    (void)precedence_schedule(&figure->makespan->problem, figure->string, NULL, NULL, &figure->arena,
                              &figure->schedule);
}

/* The figure of four warps LCL with that string, one place of each type. */
static wb_status figure_of_string(const char *identifiers, wb_diagnostics *diagnostics,
                                  struct figure *figure) {
    *figure = (struct figure){.makespan = wb_makespan_new()};
    if (figure->makespan == NULL) return diagnose_out_of_memory(diagnostics, identifiers);
    WB_TRY(wb_makespan_add_warps(figure->makespan, "4:LCL", diagnostics));
    WB_TRY(wb_makespan_set(figure->makespan, "units", "L=1,C=1", diagnostics));
    WB_TRY(makespan_prepare(figure->makespan, diagnostics));
    for (size_t i = 0; i < IDENTIFIERS_MAX; i++)
        figure->string[i] = (uint32_t)(identifiers[i] - '1');
    wb_status status = arena_protect(&figure->arena, schedule_string, figure);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, "a schedule");
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

/* The string of Fig. 2 and 4, and Fig. 3: the last instruction of warp 1, in cycle 5, moved to the only other
 * cycle with room. */
static wb_status put_fig2_and_3(const struct output *output, struct figure *figure, struct text *page) {
    WB_TRY(figure_of_string(STRING_FIG2, output->diagnostics, figure));
    output_put_words(page, "Fig. 2 and 4: read from left to right, each identifier of the pseudo-precedence "
                           "string `1 1 2 2 3 3 4 1 4 2 3 4` gives the next instruction of its warp the "
                           "earliest cycle with room. The schedule is the published one:");
    WB_TRY(put_check(figure, output, "fig2.yaml", page));
    output_put_words(page, "Fig. 3: the third instruction of warp 1 is moved to cycle 9, so that the "
                           "load/store unit is idle in cycle 5 while warps 1, 2 and 3 need it. The check "
                           "refuses it and names the first of them:");
    figure->schedule.cycle[2] = ++figure->schedule.makespan;
    return put_check(figure, output, "fig3.yaml", page);
}

/* Fig. 5, and that another string gives the same schedule. */
static wb_status put_fig5(const struct output *output, struct figure *figure, struct text *page) {
    struct figure other;
    WB_TRY(figure_of_string(STRING_FIG5, output->diagnostics, figure));
    output_put_words(page,
                     "Fig. 5: with all identifiers of warp 4 at the end it takes 9 cycles, as published:");
    WB_TRY(put_check(figure, output, "fig5.yaml", page));
    wb_status status = figure_of_string(STRING_SAME, output->diagnostics, &other);
    if (status == WB_OK) {
        const bool same = memcmp(other.schedule.cycle, figure->schedule.cycle,
                                 IDENTIFIERS_MAX * sizeof *other.schedule.cycle) == 0;
        output_put_words(page,
                         "The paper's other string for it gives %s schedule. `exact` proves that no schedule "
                         "is longer. Fig. 6 and 7 are not compared: their letters are missing in the text "
                         "that we have.",
                         same ? "the same" : "a different");
    }
    figure_free(&other);
    return status;
}

wb_status figures_put(const struct output *output, struct text *page) {
    static wb_status (*const put[])(const struct output *, struct figure *, struct text *) = {put_fig2_and_3,
                                                                                              put_fig5};
    wb_status status = WB_OK;
    text_string(page, "## The examples: four warps `LCL`, one place of each type\n\n");
    for (size_t i = 0; status == WB_OK && i < sizeof put / sizeof *put; i++) {
        struct figure figure = {0};
        status = put[i](output, &figure, page);
        figure_free(&figure);
    }
    return status;
}
