#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "example.h"
#include "wings/makespan/analysis/makespan.h"
#include "wings/makespan/anneal/precedence_string.h"
#include "wings/makespan/strings/witness_file.h"

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
    uint32_t cycle[IDENTIFIERS_MAX]; /* of the schedule */
    struct arena arena;              /* of the schedule; protected while that is made */
};

static void figure_free(struct figure *figure) {
    arena_free(&figure->arena);
    wb_makespan_free(figure->makespan);
}

static void schedule_string(void *context) {
    struct figure *figure = context;
    (void)precedence_schedule(&figure->makespan->problem, figure->string, NULL, NULL, &figure->arena,
                              &figure->schedule);
    memcpy(figure->cycle, figure->schedule.cycle, sizeof figure->cycle);
    figure->schedule.cycle = figure->cycle;
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

static wb_status write_schedule(const struct figure *figure, const struct output *output, const char *file) {
    struct text witness = {0};
    WB_TRY(witness_file_print(&figure->makespan->problem, &figure->schedule, output->diagnostics, &witness));
    return output_file(output, file, &witness);
}

/* Checks the file of a schedule and appends what the check says. */
static wb_status put_check(const struct output *output, const char *file, struct text *page) {
    char *said = NULL;
    char path[256];
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

/* The schedules of Fig. 2 and 4, of Fig. 5, and of the paper's other string for that. */
struct figures {
    struct figure fig2, fig5, same;
};

static void put_schedules(const struct figures *figures, struct text *page) {
    const bool same = memcmp(figures->same.cycle, figures->fig5.cycle, sizeof figures->fig5.cycle) == 0;
    text_string(page, "## The examples: four warps `LCL`, one place of each type\n\n");
    output_put_words(page,
                     "The pseudo-precedence strings of Fig. 2 and 5 give the published schedules of %u and "
                     "%u cycles ([fig2.yaml](etfa2013/fig2.yaml), [fig5.yaml](etfa2013/fig5.yaml)), and the "
                     "paper's other string for the latter gives %s. `exact` proves that none is longer. Our "
                     "text of the paper lacks the letters of Fig. 6 and 7. In Fig. 3 an instruction is moved "
                     "so that a unit idles; the check refuses it:",
                     figures->fig2.schedule.makespan, figures->fig5.schedule.makespan,
                     same ? "the same one" : "another one");
}

static wb_status write_and_put(const struct output *output, struct figures *figures, struct text *page) {
    WB_TRY(figure_of_string(STRING_FIG2, output->diagnostics, &figures->fig2));
    WB_TRY(figure_of_string(STRING_FIG5, output->diagnostics, &figures->fig5));
    WB_TRY(figure_of_string(STRING_SAME, output->diagnostics, &figures->same));
    put_schedules(figures, page);
    WB_TRY(write_schedule(&figures->fig2, output, "fig2.yaml"));
    WB_TRY(write_schedule(&figures->fig5, output, "fig5.yaml"));
    /* Fig. 3: the last instruction of warp 1, in cycle 5, in the only other cycle with room. */
    figures->fig2.cycle[2] = ++figures->fig2.schedule.makespan;
    WB_TRY(write_schedule(&figures->fig2, output, "fig3.yaml"));
    return put_check(output, "fig3.yaml", page);
}

wb_status figures_put(const struct output *output, struct text *page) {
    struct figures figures = {0};
    wb_status status = write_and_put(output, &figures, page);
    figure_free(&figures.fig2);
    figure_free(&figures.fig5);
    figure_free(&figures.same);
    return status;
}
