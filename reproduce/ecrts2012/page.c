#include "page.h"

#include <inttypes.h>

#include "example.h"
#include "timing.h"
#include "wings/makespan/analysis/makespan.h"

const char *const page_convergence_charts[CONVERGENCE_FIGURES] = {"fig6.svg", "fig7.svg"};

static void put_introduction(struct text *page) {
    text_string(page, "# Reproduction of ECRTS 2012\n\n");
    output_put_words(
        page, "This page repeats the figures of *Makespan Computation for GPU Threads Running on a Single "
              "Streaming Multiprocessor* (Berezovskyi, Bletsas, Andersson) with `warpbound makespan` "
              "([makespan.md](../makespan.md)). *T*(*W*) is the latest end of *W* warps with one kernel "
              "instruction string under any work-conserving scheduler. The paper bounds it by eq. (5), gives "
              "integer programs for it, and extrapolates it from few warps by eq. (42).");
    text_string(
        page, "`make reproduce-ecrts2012` writes the page. Runs differ only in processor seconds, here on\n");
    timing_put_machine(page);
    text_string(page, ".\n\n");
}

/* The worst case of all warps of Fig. 6 or 7, or what is known of it. */
static void put_proven(const struct convergence *convergence, struct text *page) {
    if (convergence->lower < convergence->upper)
        text_printf(page, "at least %" PRIu64 " and at most ", convergence->lower);
    text_printf(page, "%" PRIu64, convergence->upper);
}

/* The most warps that a method solved within the limit. */
static unsigned most_solved(const struct study *study, enum fig5_method method) {
    unsigned most = 0;
    for (unsigned w = 0; w < FIG5_WARPS; w++)
        if (study->fig5[w][method].solved) most = w + 1;
    return most;
}

/* What agrees and what does not, a line each. */
static void put_summary(const struct study *study, struct text *page) {
    text_printf(page,
                "| | published | here |\n| --- | --- | --- |\n"
                "| Fig. 1, 2, 4 | `LC` on 16 load/store units is `LLC`; a schedule of it | the same; none "
                "exceeds its 9 cycles |\n"
                "| eq. (5) | upper bound | only if every σ is 1 |\n"
                "| eq. (42) | safe estimate | no bound, even if every σ is 1 |\n"
                "| Fig. 5 | a proprietary solver reaches 8 warps of `" FIG5_STRING
                "` | CBC reaches %u, `exact` %u |\n",
                most_solved(study, FIG5_CUMULATIVE), most_solved(study, FIG5_EXACT));
    for (size_t f = 0; f < CONVERGENCE_FIGURES; f++) {
        const struct convergence *convergence = &study->convergence[f];
        const enum convergence_figure figure = (enum convergence_figure)f;
        text_printf(page,
                    "| Fig. %zu: %u warps of `%s` | the estimate falls with *x* | %" PRIu64 ", %" PRIu64
                    ", %" PRIu64 " at *x* = 1, 8, %u; exact: ",
                    6 + f, convergence_settings[f].warps, convergence_settings[f].string,
                    convergence_estimate(convergence, figure, 1),
                    convergence_estimate(convergence, figure, 8),
                    convergence_estimate(convergence, figure, CONVERGENCE_X), CONVERGENCE_X);
        put_proven(convergence, page);
        text_string(page, " |\n");
    }
    text_char(page, '\n');
}

static wb_status put_equation5(wb_diagnostics *diagnostics, struct text *page) {
    static const struct example example = {.refute = "pessimistic", .methods = "exact", .schedule = true};
    text_string(page, "## Eq. (5): no bound where a unit type has several places\n\n");
    output_put_words(
        page, "*T* = ⌈*W*/σ_L⌉ *I_L* + ⌈*W*/σ_C⌉ *I_C* is an upper bound if every σ is 1, as in the paper's "
              "examples ([makespan-proofs.md](../makespan-proofs.md), T1). With more places, warps can end "
              "one by one and leave places empty. In the smallest such problem eq. (5) says 4:");
    WB_TRY(example_show(&example, diagnostics, page));
    text_string(page, "The method `closed` replaces the formula.\n\n");
    return WB_OK;
}

static wb_status put_equation42(wb_diagnostics *diagnostics, struct text *page) {
    static const struct example example = {
        .operand = "LCL", .warps = "4", .units = "L=1,C=1", .methods = "exact", .schedule = true};
    text_string(page, "## Eq. (42): the extrapolation is no bound\n\n");
    output_put_words(
        page,
        "The least ⌈*W*/*y*⌉ *T*(*y*), *y* = 1 .. *x*, is said to be safe. But *y* warps that take *T*(*y*) "
        "cycles by themselves can delay the next *y* for longer. Here *T*(2) = 4, so that eq. (42) says 8: "
        "three warps keep the load/store unit busy and end, then the fourth runs by itself.");
    return example_show(&example, diagnostics, page);
}

static void put_fig5(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Fig. 5: the integer programs\n\n");
    output_put_image(output, PAGE_FIG5, "Time of CBC by warps, for three programs", page);
    output_put_words(page,
                     "Within %d s, `%s` solves %u warps, `%s` %u, `%s` %u and `%s` %u ([" PAGE_FIG5_DATA
                     "](ecrts2012/" PAGE_FIG5_DATA ")).",
                     FIG5_TIME_LIMIT, fig5_methods[FIG5_SHORT], most_solved(study, FIG5_SHORT),
                     fig5_methods[FIG5_LONG], most_solved(study, FIG5_LONG), fig5_methods[FIG5_CUMULATIVE],
                     most_solved(study, FIG5_CUMULATIVE), fig5_methods[FIG5_EXACT],
                     most_solved(study, FIG5_EXACT));
    output_put_words(page, "As in the paper, the short form is faster than the long one. The printed "
                           "programs would give wrong answers; ours differ:");
    output_put_words(page, "- In (33), (34), (36) and (37) the free term in the middle makes the rows "
                           "vacuous. It is 1, as (22), (23) demand.");
    output_put_words(page,
                     "- The horizon is `closed`: eq. (5) cuts off longer schedules where some σ exceeds 1.");
    output_put_words(page, "- *TL*, a disjunction in the paper, is a sum: only where *IL* is 1, which "
                           "excludes its other two terms from each other.");
    text_char(page, '\n');
}

static void put_convergence(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Fig. 6 and 7: the estimates converge\n\n");
    for (size_t f = 0; f < CONVERGENCE_FIGURES; f++)
        output_put_image(output, page_convergence_charts[f], "Estimates by x, and what is proven", page);
    text_printf(page,
                "    warpbound makespan %s -w %u -u %s --memory-limit 1G --method exact\n\nproves the worst "
                "case of Fig. 6 in ",
                convergence_settings[FIG6].string, convergence_settings[FIG6].warps,
                convergence_settings[FIG6].units);
    timing_put(study->convergence[FIG6].interval_seconds, page);
    text_string(page, ".\nData: [fig6.csv](ecrts2012/fig6.csv), [fig7.csv](ecrts2012/fig7.csv).\n\n");
    output_put_words(page,
                     "There, *T*(*W*) ≤ 4*W* + 1 for every *W*: the unit of L idles only in a cycle in which "
                     "all warps that have not ended stand at their C. From then on a C executes in every "
                     "cycle until none is left; two loads follow each, so it does not idle again.");
    output_put_words(page,
                     "In Fig. 7, L=1/2 makes the string `LLCLLCLL`. Eq. (43) rises from %" PRIu64
                     " at *x* = 2 to %" PRIu64 " at 3, as the paper remarks; eq. (42) takes the least.",
                     convergence_scaled(&study->convergence[FIG7], FIG7, 2),
                     convergence_scaled(&study->convergence[FIG7], FIG7, 3));
}

wb_status page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(page);
    put_summary(study, page);
    WB_TRY(put_equation5(output->diagnostics, page));
    WB_TRY(put_equation42(output->diagnostics, page));
    put_fig5(output, study, page);
    put_convergence(output, study, page);
    return WB_OK;
}

wb_status page_write_fig5(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "warps,worst_case");
    for (size_t m = 0; m < FIG5_METHODS; m++)
        text_printf(&table, ",%s_seconds", fig5_methods[m]);
    text_char(&table, '\n');
    for (unsigned w = 0; w < FIG5_WARPS; w++) {
        text_printf(&table, "%u,%" PRIu64, w + 1, study->fig5_worst[w]);
        for (size_t m = 0; m < FIG5_METHODS; m++) {
            text_char(&table, ',');
            if (study->fig5[w][m].solved) text_printf(&table, "%.3f", study->fig5[w][m].seconds);
        }
        text_char(&table, '\n');
    }
    return output_file(output, PAGE_FIG5_DATA, &table);
}

wb_status page_write_convergence(const struct output *output, const struct study *study,
                                 enum convergence_figure figure) {
    static const char *const files[CONVERGENCE_FIGURES] = {"fig6.csv", "fig7.csv"};
    const struct convergence *convergence = &study->convergence[figure];
    struct text table = {0};
    text_string(&table, "x,worst_case,eq43,eq42,seconds\n");
    for (unsigned x = 1; x <= CONVERGENCE_X; x++)
        text_printf(&table, "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3f\n", x, convergence->worst[x - 1],
                    convergence_scaled(convergence, figure, x), convergence_estimate(convergence, figure, x),
                    convergence->seconds[x - 1]);
    return output_file(output, files[figure], &table);
}
