#include "page.h"

#include <inttypes.h>

#include "example.h"
#include "figures.h"
#include "makespan/anneal/precedence_string.h"
#include "timing.h"

static void put_introduction(struct text *page) {
    text_string(
        page,
        "# Reproduction of ETFA 2013\n\n"
        "In *Faster Makespan Estimation for GPU Threads on a Single Streaming Multiprocessor* (ETFA 2013) "
        "Berezovskyi, Bletsas and Petters look for long\n"
        "schedules of the model of [ECRTS 2012](ecrts2012.md) by simulated annealing on warp "
        "pseudo-precedence strings. This page repeats their examples and their\n"
        "case study with `warpbound makespan` ([makespan.md](../makespan.md)). `make reproduce-etfa2013` "
        "writes it.\n\n");
}

/* A worst case, or the interval that is proven to have it. */
static void put_worst(const wb_bound *bound, struct text *page) {
    if (bound->kind != WB_EXACT) text_printf(page, "%" PRIu64 " to ", bound->lower);
    text_printf(page, "%" PRIu64, bound->cycles);
}

static uint64_t voronoi_worst(const struct study *study, unsigned warps) {
    return study->worst[warps - 1].cycles;
}

static void put_summary(const struct study *study, struct text *page) {
    text_printf(page,
                "**Summary.** The examples come out as published. So does the case study: annealing finds "
                "%" PRIu64 " cycles for 16 warps of the Voronoi kernel, and\n"
                "%" PRIu64
                " is now known to be the worst case. The %u cycles that the paper takes for an upper "
                "bound rest on an extrapolation that is none, and on *T*(4) = %u, which is %" PRIu64
                ".\n\nTimes are processor seconds of all threads, on ",
                study->annealing.bound.cycles, voronoi_worst(study, VORONOI_WARPS), PUBLISHED_EXTRAPOLATION,
                PUBLISHED_EXTRAPOLATION / (VORONOI_WARPS / PUBLISHED_X), voronoi_worst(study, PUBLISHED_X));
    timing_put_machine(page);
    text_string(page, ", shared with other work; they are all that differs when this page is written "
                      "again.\n\n");
}

static void put_row(const char *what, const char *published, uint64_t cycles, const char *kind,
                    struct text *page) {
    text_printf(page, "| %s | %s | %" PRIu64 " | %s |\n", what, published, cycles, kind);
}

/* 160 against 176. */
static void put_comparison(const struct study *study, struct text *page) {
    const struct worst_case *exact = &study->worst[VORONOI_WARPS - 1];
    text_string(page, "## The case study: 160 and 176\n\n"
                      "`" VORONOI_STRING "`, 16 warps, σ_L = 1, σ_C = 4.\n\n"
                      "| | published | here | kind |\n| --- | --- | ---: | --- |\n");
    put_row("annealing, 8 instances, T0 = 0.3, 2,000,000 iterations each", "160",
            study->annealing.bound.cycles, wb_kind_name(study->annealing.bound.kind), page);
    put_row("`exact`", "", exact->cycles, "exact", page);
    put_row("*T*(4), the most warps that the integer program could solve", "44 (= 176 / 4)",
            voronoi_worst(study, PUBLISHED_X), "exact", page);
    put_row("extrapolated from 4 warps, ECRTS 2012, eq. (42)", "176, called an upper bound",
            study->extrapolation.bound.cycles, "estimate", page);
    put_row("ECRTS 2012, eq. (5)", "", study->pessimistic.cycles, wb_kind_name(study->pessimistic.kind),
            page);
    put_row("`closed`", "", study->closed.cycles, wb_kind_name(study->closed.kind), page);
    text_string(page, "\nThe published 176 took 58 hours. Here `exact` takes ");
    timing_put(exact->seconds, page);
    text_string(page, ", the annealing ");
    timing_put(study->annealing.seconds, page);
    text_string(page, ":\n\n    $ warpbound makespan " VORONOI_STRING " -w 16 -u " VORONOI_UNITS
                      " --iterations 2000000 --method pessimistic,closed,exact,anneal --timing\n\n");
}

/* What differs, and why. */
static void put_differences(const struct study *study, struct text *page) {
    const uint64_t worst = voronoi_worst(study, VORONOI_WARPS);
    text_printf(page,
                "- **44**: 176 is 4 × 44, but four warps of the string as printed can take %" PRIu64
                " cycles; the three methods agree that share no code, as shown "
                "below.\n"
                "  `" SHORTER_STRING "`, one C less, has *T*(4) = %" PRIu64
                ": perhaps that is what was solved.\n",
                voronoi_worst(study, PUBLISHED_X), study->shorter);
    text_printf(page,
                "- **Upper bound**: eq. (42) is no bound ([ECRTS 2012](ecrts2012.md)), and with σ_C = 4 eq. "
                "(5), the horizon of the integer program, is none either. Here both are\n"
                "  above the worst case, but nothing says so beforehand.\n"
                "- **9.1 %%**: by so much annealing lies below 176, which the paper takes for how far it may "
                "fall short of the "
                "worst case. It does not fall short at all: %" PRIu64 " is exact.\n",
                worst);
    text_printf(
        page,
        "- **Schedulers**: with the four warp schedulers of Kepler at most " VORONOI_SCHEDULERS
        " instructions issue in a cycle, of the 5 that there are places for. The paper does not\n"
        "  say whether its case study has this limit. With it the worst case is %" PRIu64
        " (`--issue " VORONOI_SCHEDULERS "`), and the same annealing finds %" PRIu64
        "; 160 is the value without it.\n"
        "- **The string**: made by hand from PTX written by hand. `kernels/voronoi_case_study.ptx`, written "
        "after the paper's Fig. 10, has it, too, as the next section shows. What nvcc makes\n"
        "  of such a kernel is longer ([makespan.md](../makespan.md), *Voronoi*).\n\n",
        study->limited[VORONOI_WARPS - 1].cycles, study->limited_annealing.cycles);
}

static void put_warps(const struct study *study, struct text *page) {
    text_string(
        page,
        "## Exact worst cases by warps\n\n"
        "Of the same string; Ω is the limit of issues in a cycle, with which `--memory-limit " VORONOI_MEMORY
        "` is given.\n\n"
        "| warps | *T* | time | *T* with Ω = " VORONOI_SCHEDULERS " |\n"
        "| ---: | ---: | ---: | ---: |\n");
    for (unsigned w = 1; w <= VORONOI_WARPS; w++) {
        text_printf(page, "| %u | %" PRIu64 " | ", w, voronoi_worst(study, w));
        timing_put(study->worst[w - 1].seconds, page);
        text_string(page, " | ");
        put_worst(&study->limited[w - 1], page);
        text_string(page, " |\n");
    }
    text_char(page, '\n');
}

/* T(4), by methods that share no code. */
static wb_status put_four_warps(wb_diagnostics *diagnostics, struct text *page) {
    static const struct example example = {
        .operand = VORONOI_STRING, .warps = "4", .units = VORONOI_UNITS, .methods = "exact,sat,brute"};
    text_string(page, "*T*(4), found by a search that is guided by a table, by a SAT solver, and by plain "
                      "enumeration:\n\n");
    return example_show(&example, diagnostics, page);
}

/* Fig. 10 and 11: the string from a kernel. */
static wb_status put_kernel(wb_diagnostics *diagnostics, struct text *page) {
    static const struct example example = {.operand = VORONOI_KERNEL ".ptx",
                                           .launch = VORONOI_KERNEL ".yaml",
                                           .units = VORONOI_UNITS,
                                           .methods = "closed,exact,anneal"};
    text_string(page, "## Fig. 10 and 11: from PTX to the string\n\n"
                      "The text that we have of the paper lacks the listing of Fig. 11. `" VORONOI_KERNEL
                      ".ptx` is written by hand after the code of Fig. 10, up to the end of the loop's first "
                      "passage in as\nmany loads and other instructions, in this order; 512 threads of a "
                      "block are the 16 warps.\n\n");
    return example_show(&example, diagnostics, page);
}

/* A row of an instance: its steps are `first` and those behind it. */
static void put_instance(const struct anneal_step *first, const struct anneal_step *end, struct text *page) {
    const struct anneal_step *reached = first;
    for (const struct anneal_step *step = first; step < end && step->instance == first->instance; step++)
        if (step->makespan > reached->makespan) reached = step;
    text_printf(page, "| %u | %s | %u | %u | %" PRIu64 " | ", first->instance + 1,
                anneal_start_name(anneal_start_of(first->instance)), first->makespan, reached->makespan,
                reached->iteration);
    timing_put(reached->seconds, page);
    text_string(page, " |\n");
}

/* Instances that have found a schedule of so many cycles. */
static unsigned count_reaching(const struct anneal_log *log, uint64_t cycles) {
    unsigned count = 0;
    for (size_t i = 0; i < log->steps.count; i++) {
        const struct anneal_step *step = &log->steps.items[i];
        bool last = i + 1 == log->steps.count || step[1].instance != step->instance;
        count += last && step->makespan == cycles;
    }
    return count;
}

static void put_fig12(const struct output *output, const struct study *study, struct text *page) {
    const struct anneal_log *log = &makespan_find_result(study->annealed, "anneal")->anneal_log;
    const struct anneal_step *end = log->steps.items + log->steps.count;
    text_string(page, "## Fig. 12: convergence\n\n");
    text_string(page,
                "Over time, as in the paper: every instance by itself, as if it had a processor of its "
                "own. Its processor time is measured, so that the picture differs from run to run.\n\n");
    output_put_image(output, PAGE_FIG12_SECONDS, "Longest schedule found by each instance, over time", page);
    text_string(page, "The same over iterations, where every run gives the same:\n\n");
    output_put_image(output, PAGE_FIG12_ITERATIONS,
                     "Longest schedule found by each instance, over iterations", page);
    text_string(page,
                "| instance | initial solution | its makespan | longest found | in iteration | after |\n"
                "| ---: | --- | ---: | ---: | ---: | ---: |\n");
    for (const struct anneal_step *step = log->steps.items; step < end; step++)
        if (step == log->steps.items || step->instance != (step - 1)->instance) put_instance(step, end, page);
    text_printf(
        page,
        "\nThe paper's curves, on a Pentium E5400, reach 160 at the end, the longest of all "
        "8 instances. Here %u of 8 reach it. As the paper observes, *round-robin* is a good\n"
        "estimate before any iteration, and random strings catch up soon. Which neighbours of a string "
        "the paper tries is not said; here two identifiers that stand near each other are exchanged.\n",
        count_reaching(log, study->annealing.bound.cycles));
}

wb_status page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(page);
    put_summary(study, page);
    WB_TRY(figures_put(output, page));
    put_comparison(study, page);
    put_differences(study, page);
    WB_TRY(put_kernel(output->diagnostics, page));
    put_warps(study, page);
    WB_TRY(put_four_warps(output->diagnostics, page));
    put_fig12(output, study, page);
    return WB_OK;
}
