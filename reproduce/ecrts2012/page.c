#include "page.h"

#include <inttypes.h>

#include "example.h"
#include "makespan/analysis/makespan.h"
#include "timing.h"

const char *const page_convergence_charts[CONVERGENCE_FIGURES] = {"fig6.svg", "fig7.svg"};

const struct example page_fig2 = {
    .operand = "LLC", .warps = "4", .units = "L=1,C=1", .methods = "sat", .schedule = true};

static void put_introduction(struct text *page) {
    text_string(
        page,
        "# Reproduction of ECRTS 2012\n\n"
        "In *Makespan Computation for GPU Threads Running on a Single Streaming Multiprocessor* (ECRTS 2012) "
        "Berezovskyi, Bletsas and\n"
        "Andersson ask how late the last of *W* warps can end that execute the same kernel instruction "
        "string, whatever a work-conserving\n"
        "scheduler does. They give an upper bound, eq. (5), an integer program for the exact value *T*(*W*), "
        "and an extrapolation from few warps to\n"
        "many, eq. (42). This page repeats their figures with `warpbound makespan` "
        "([makespan.md](../makespan.md)). `make reproduce-ecrts2012` writes it.\n\n");
}

/* The worst case of all warps of Fig. 6 or 7, or what is known of it. */
static void put_proven(const struct convergence *convergence, struct text *page) {
    if (convergence->lower < convergence->upper)
        text_printf(page, "at least %" PRIu64 " and at most ", convergence->lower);
    text_printf(page, "%" PRIu64, convergence->upper);
}

/* What agrees and what does not, a line each. */
static void put_summary(const struct study *study, struct text *page) {
    text_string(page,
                "| | published | here |\n| --- | --- | --- |\n"
                "| Fig. 1 | with 16 load/store units `LC` becomes `LLC` | the same |\n"
                "| Fig. 2 | a schedule of `LLC`, 4 warps | such a schedule; no other is longer "
                "than its 9 cycles |\n"
                "| eq. (5) | an upper bound | an upper bound where every σ is 1; else not: two places, "
                "`LL`, 4 warps take 5 cycles, not 4 |\n"
                "| Fig. 5 | 8 warps of `LLCLL` by a proprietary solver, the axis of time ends at 300 | CBC "
                "is slower than that, other methods take fractions of a second |\n"
                "| eq. (42) | a safe estimate | no bound, even where every σ is 1: 4 warps of `LCL` "
                "take 9 cycles, not 8 |\n");
    for (size_t f = 0; f < CONVERGENCE_FIGURES; f++) {
        const struct convergence *convergence = &study->convergence[f];
        const enum convergence_figure figure = (enum convergence_figure)f;
        text_printf(page,
                    "| Fig. %zu | the estimate falls fast with *x*, then little | the same: %" PRIu64
                    " at *x* = 1, %" PRIu64 " at 8, %" PRIu64 " at %u. Proven: *T*(%u) is ",
                    6 + f, convergence_estimate(convergence, figure, 1),
                    convergence_estimate(convergence, figure, 8),
                    convergence_estimate(convergence, figure, CONVERGENCE_X), CONVERGENCE_X,
                    convergence_settings[f].warps);
        put_proven(convergence, page);
        text_string(page, " |\n");
    }
    text_string(page,
                "\nThe paper prints its curves without their numbers, so curves are compared by their axes, "
                "their captions and the text about them. Times are\n"
                "processor seconds of all threads, on ");
    timing_put_machine(page);
    text_string(page, ", shared with other work; they are all that differs when this page is written "
                      "again.\n\n");
}

static wb_status put_fig1(wb_diagnostics *diagnostics, struct text *page) {
    static const struct example example = {
        .operand = "LC", .warps = "4", .units = "L=16,C=32", .warp_size = "32", .methods = "closed,exact"};
    text_string(page, "## Fig. 1: the transformation of the string\n\n"
                      "A streaming multiprocessor of compute capability 2.0 has 16 load/store units, half as "
                      "many as a warp has threads:\n\n");
    return example_show(&example, diagnostics, page);
}

/* Cycles from the first on that execute exactly one instruction. */
static wb_status count_single_cycles(wb_diagnostics *diagnostics, uint32_t *cycles) {
    wb_makespan *makespan = NULL;
    WB_TRY(example_solve(&page_fig2, diagnostics, &makespan));
    const struct schedule *schedule = &makespan_find_result(makespan, NULL)->witness;
    uint32_t executed = 1;
    for (*cycles = 0; executed == 1 && *cycles <= schedule->makespan; ++*cycles) {
        executed = 0;
        for (uint64_t i = 0; i < makespan->problem.instruction_count; i++)
            executed += schedule->cycle[i] == *cycles + 1;
    }
    --*cycles;
    wb_makespan_free(makespan);
    return WB_OK;
}

static wb_status put_fig2(const struct output *output, struct text *page) {
    uint32_t single = 0;
    WB_TRY(count_single_cycles(output->diagnostics, &single));
    text_string(page, "## Fig. 2: a schedule\n\n");
    WB_TRY(example_show(&page_fig2, output->diagnostics, page));
    output_put_image(output, PAGE_FIG2, "The schedule as a picture", page);
    text_printf(page,
                "The paper shows *a possible schedule* to say that only one instruction executes in each of "
                "the first 5 cycles, since all warps need two loads\n"
                "first. In this one those are the first %" PRIu32 ". No schedule is longer: "
                "the worst case of these 4 warps is 9 cycles; eq. (5) says 12.\n\n",
                single);
    return WB_OK;
}

static wb_status put_fig4(wb_diagnostics *diagnostics, struct text *page) {
    static const struct example example = {.operand = "docs/examples/ecrts2012-fig4.conf",
                                           .methods = "pessimistic,exact"};
    text_string(page, "## Fig. 4: the configuration file\n\n"
                      "The file of the figure is read as it stands, with the transformation of Fig. 1:\n\n");
    return example_show(&example, diagnostics, page);
}

static wb_status put_equation5(wb_diagnostics *diagnostics, struct text *page) {
    struct example example = {.refute = "pessimistic", .methods = "pessimistic,closed,exact"};
    text_string(
        page, "## Eq. (5): no bound where a unit type has several places\n\n"
              "*T* = ⌈*W*/σ_L⌉ *I_L* + ⌈*W*/σ_C⌉ *I_C* is said to be an upper bound, and the integer program "
              "takes it for its horizon. It is one where every σ is 1, as in all\n"
              "examples of the paper ([makespan-proofs.md](../makespan-proofs.md), T1). With more places it "
              "forgets that warps can end one by one and leave places\n"
              "empty. The smallest problem on which it is too low, of all over L and C by number of "
              "instructions:\n\n");
    WB_TRY(example_show(&example, diagnostics, page));
    example.methods = "exact";
    example.schedule = true;
    WB_TRY(example_show(&example, diagnostics, page));
    text_string(page, "`closed` is the formula that replaces it.\n\n");
    return WB_OK;
}

static void put_solver_time(const struct solver_time *time, struct text *page) {
    if (time->solved) {
        text_char(page, ' ');
        timing_put(time->seconds, page);
        text_string(page, " |");
    } else {
        text_printf(page, " none in %d s |", FIG5_TIME_LIMIT);
    }
}

static void put_fig5(const struct output *output, const struct study *study, struct text *page) {
    text_string(page,
                "## Fig. 5: times of the integer programs\n\n"
                "`" FIG5_STRING "` with σ = 1; the program with *short* rows for work conservation, (34) and "
                "(37), and with *long* ones, (33) and (36). For example\n"
                "`warpbound makespan " FIG5_STRING " -w 3 -u " FIG5_UNITS " --method ilp-short --timing`. "
                "Each has ");
    text_printf(page, "%d s of processor time (`--processor-limit`).\n\n", FIG5_TIME_LIMIT);
    output_put_image(output, PAGE_FIG5, "Time of CBC by warps, for three programs", page);
    text_string(page, "| warps | *T* |");
    for (size_t m = 0; m < FIG5_METHODS; m++)
        text_printf(page, " `%s` |", fig5_methods[m]);
    text_string(page, "\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (unsigned w = 0; w < FIG5_WARPS; w++) {
        text_printf(page, "| %u | %" PRIu64 " |", w + 1, study->fig5_worst[w]);
        for (size_t m = 0; m < FIG5_METHODS; m++)
            put_solver_time(&study->fig5[w][m], page);
        text_char(page, '\n');
    }
    text_string(
        page,
        "\nAll answers agree. In the picture a hollow mark is no time but the limit, at which a program "
        "without an "
        "answer was stopped.\n\n"
        "The paper's curves go to 8 warps and 300 on the axis of time, with a proprietary solver; the short "
        "form was generally faster. With CBC, which is free,\n"
        "it is, too. With more time CBC solves the short one for 5 warps, in 210 s, and `ilp-cumulative` for "
        "7, "
        "in 140 s.\n"
        "More than by the form is gained by its variables, *instruction i of warp w is done by cycle t* "
        "instead\n"
        "of *executes in t*, and most by not using an integer program: `sat` asks a SAT "
        "solver, `exact` searches states of indistinguishable warps.\n\n"
        "The programs are not quite the printed ones, which would give wrong answers:\n\n"
        "- In (33), (34), (36), (37) the term in the middle is left free, which makes the rows say nothing. "
        "It "
        "must be 1, as (22) and (23) demand.\n"
        "- The horizon is the one of `closed`: eq. (5) cuts off longer schedules where some σ is above 1.\n"
        "\n*TL*, a disjunction in the paper, stands in the rows as a sum: only where *IL* is 1, and there "
        "its two "
        "other terms exclude each other.\n\n");
}

static wb_status put_equation42(wb_diagnostics *diagnostics, struct text *page) {
    struct example smallest = {.refute = "extrapolate", .methods = "exact,extrapolate"};
    static const struct example single = {
        .operand = "LCL", .warps = "4", .units = "L=1,C=1", .x = "2", .methods = "exact,extrapolate"};
    text_string(
        page,
        "## Eq. (42): the extrapolation is no bound\n\n"
        "*T*(*W*) is said to be safely approximated by the least ⌈*W*/*y*⌉ *T*(*y*) for *y* = 1 .. *x*. "
        "It is not: that *y* warps take *T*(*y*) cycles by themselves does not\n"
        "mean that the next *y* cannot be held up by them for longer. The smallest problem on which "
        "the estimate is too low:\n\n");
    WB_TRY(example_show(&smallest, diagnostics, page));
    text_string(page,
                "And one with all σ = 1, where eq. (5) holds: three warps keep the load/store unit busy "
                "and end, then the fourth runs alone.\n\n");
    WB_TRY(example_show(&single, diagnostics, page));
    smallest = single;
    smallest.x = NULL;
    smallest.methods = "exact";
    smallest.schedule = true;
    return example_show(&smallest, diagnostics, page);
}

static void put_convergence_table(const struct convergence *convergence, enum convergence_figure figure,
                                  struct text *page) {
    text_string(page, "| *x* | *T*(*x*) | eq. (43) | eq. (42) | time of *T*(*x*) |\n"
                      "| ---: | ---: | ---: | ---: | ---: |\n");
    for (unsigned x = 1; x <= CONVERGENCE_X; x++) {
        text_printf(page, "| %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | ", x, convergence->worst[x - 1],
                    convergence_scaled(convergence, figure, x), convergence_estimate(convergence, figure, x));
        timing_put(convergence->seconds[x - 1], page);
        text_string(page, " |\n");
    }
}

static void put_convergence(const struct output *output, const struct study *study,
                            enum convergence_figure figure, struct text *page) {
    const struct convergence_setting *setting = &convergence_settings[figure];
    const struct convergence *convergence = &study->convergence[figure];
    text_printf(page, "## Fig. %d: %u warps of `%s`, %s\n\n", 6 + (int)figure, setting->warps,
                setting->string, setting->units);
    output_put_image(output, page_convergence_charts[figure], "Estimates by x, and what is proven", page);
    put_convergence_table(convergence, figure, page);
    text_printf(page, "\nEq. (5), the paper's horizontal line, is %" PRIu64 " cycles. *T*(%u) is ",
                convergence->pessimistic, setting->warps);
    put_proven(convergence, page);
    text_printf(page,
                ", which `exact` proves, with a schedule that is checked (`closed` gives %" PRIu64 "), in ",
                convergence->closed);
    timing_put(convergence->interval_seconds, page);
    text_printf(page,
                ":\n\n    $ warpbound makespan %s -w %u -u %s --memory-limit 1G --method "
                "pessimistic,closed,exact\n\n",
                setting->string, setting->warps, setting->units);
}

static void put_fig6(const struct output *output, const struct study *study, struct text *page) {
    const struct convergence *convergence = &study->convergence[FIG6];
    put_convergence(output, study, FIG6, page);
    text_printf(page,
                "The paper's axis goes from 2400 to 3100, its line stands at 3000: as here. At *x* = 8 the "
                "estimate is %" PRIu64 " cycles above the schedule that was found. That\n"
                "*T*(*W*) ≤ 4*W* + 1 for every *W* can be seen without a search: the load/store unit idles "
                "only in a cycle "
                "in which all warps that have not ended stand at their C. From then\n"
                "on a C executes in every cycle until none is left, each is followed by two loads, and so "
                "the unit does not "
                "idle again.\n\n",
                convergence_estimate(convergence, FIG6, 8) - convergence->lower);
}

static void put_fig7(const struct output *output, const struct study *study, struct text *page) {
    const struct convergence *convergence = &study->convergence[FIG7];
    put_convergence(output, study, FIG7, page);
    text_printf(
        page,
        "The string becomes `LLCLLCLL`. The paper remarks that eq. (43) can rise for small *x*, which "
        "is why eq. (42) takes the least: it does here, from %" PRIu64 " at 2 to %" PRIu64 " at 3.\n"
        "The times of the paper rise by orders of magnitude, up to *x* = 7 and 10^6 on its "
        "axis; here *x* = 7 takes ",
        convergence_scaled(convergence, FIG7, 2), convergence_scaled(convergence, FIG7, 3));
    timing_put(convergence->seconds[6], page);
    text_string(page, ".\n");
}

wb_status page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(page);
    put_summary(study, page);
    WB_TRY(put_fig1(output->diagnostics, page));
    WB_TRY(put_fig2(output, page));
    WB_TRY(put_fig4(output->diagnostics, page));
    WB_TRY(put_equation5(output->diagnostics, page));
    put_fig5(output, study, page);
    WB_TRY(put_equation42(output->diagnostics, page));
    put_fig6(output, study, page);
    put_fig7(output, study, page);
    return WB_OK;
}
