#include "page.h"

#include <inttypes.h>

#include "example.h"
#include "figures.h"
#include "timing.h"
#include "wings/makespan/anneal/precedence_string.h"

static uint64_t voronoi_worst(const struct study *study, unsigned warps) {
    return study->worst[warps - 1].cycles;
}

static void put_introduction(const struct study *study, struct text *page) {
    text_string(page, "# Reproduction of ETFA 2013\n\n");
    output_put_words(page,
                     "This page repeats the examples and the case study of *Faster Makespan Estimation for "
                     "GPU Threads on a Single Streaming Multiprocessor* (Berezovskyi, Bletsas, Petters) with "
                     "`warpbound makespan` ([makespan.md](../makespan.md)). The paper looks for long "
                     "schedules by simulated annealing, in the model of [ECRTS 2012](ecrts2012.md).");
    output_put_words(page,
                     "**Summary.** The examples come out as published, and so does the case study: annealing "
                     "finds %" PRIu64
                     " cycles, the exact worst case. The %u cycles that the paper takes for an upper bound "
                     "rest on an extrapolation that is no bound, and on a wrong *T*(4).",
                     study->annealing.bound.cycles, PUBLISHED_EXTRAPOLATION);
    text_string(
        page, "`make reproduce-etfa2013` writes the page. Runs differ only in processor seconds, here on\n");
    timing_put_machine(page);
    text_string(page, ".\n\n");
}

static void put_row(const char *what, const char *published, uint64_t cycles, const char *kind,
                    struct text *page) {
    text_printf(page, "| %s | %s | %" PRIu64 " | %s |\n", what, published, cycles, kind);
}

/* 160 against 176. */
static void put_comparison(const struct study *study, struct text *page) {
    const struct worst_case *exact = &study->worst[VORONOI_WARPS - 1];
    text_string(page, "## The case study: 160 and 176\n\nThe Voronoi kernel is `" VORONOI_STRING
                      "`, with 16 warps, σ_L = 1 and σ_C = 4.\n\n"
                      "| | published | here | kind |\n| --- | --- | ---: | --- |\n");
    put_row("annealing, 8 instances, T0 = 0.3", "160", study->annealing.bound.cycles,
            wb_kind_name(study->annealing.bound.kind), page);
    put_row("`exact`", "", exact->cycles, "exact", page);
    put_row("*T*(4)", "44", voronoi_worst(study, PUBLISHED_X), "exact", page);
    put_row("eq. (42) of ECRTS 2012, from 4 warps", "176", study->extrapolation.bound.cycles, "estimate",
            page);
    put_row("eq. (5) of ECRTS 2012", "", study->pessimistic.cycles, wb_kind_name(study->pessimistic.kind),
            page);
    put_row("`closed`", "", study->closed.cycles, wb_kind_name(study->closed.kind), page);
    text_string(page, "\nThe published 176 took 58 hours; `exact` takes ");
    timing_put(exact->seconds, page);
    text_string(page, ", annealing ");
    timing_put(study->annealing.seconds, page);
    text_string(page, ":\n\n    warpbound makespan " VORONOI_STRING " -w 16 -u " VORONOI_UNITS
                      " --iterations 2000000 \\\n        --method closed,exact,anneal --timing\n\n");
}

/* What differs, and why. */
static void put_differences(const struct study *study, struct text *page) {
    output_put_words(page,
                     "- *44*: 176 is 4 × 44, but four warps can take %" PRIu64
                     " cycles, as `exact` and `brute` agree, which share no code. `" SHORTER_STRING
                     "`, one C less, has *T*(4) = %" PRIu64 "; perhaps the paper solved that.",
                     voronoi_worst(study, PUBLISHED_X), study->shorter);
    output_put_words(page, "- *Upper bound*: with σ_C = 4, neither eq. (42) nor eq. (5), the horizon of the "
                           "integer program, is one. Here both happen to exceed the worst case.");
    output_put_words(
        page,
        "- *9.1 %%*: the paper's estimate of how far annealing may fall short. It does not: %" PRIu64
        " is exact.",
        voronoi_worst(study, VORONOI_WARPS));
    output_put_words(
        page,
        "- *Schedulers*: Kepler's four warp schedulers issue at most " VORONOI_SCHEDULERS
        " instructions in a cycle, which the paper does not mention. With it (`--issue " VORONOI_SCHEDULERS
        "`) the worst case is %" PRIu64 ", and the same annealing finds %" PRIu64 ".",
        study->limited[VORONOI_WARPS - 1].cycles, study->limited_annealing.cycles);
    output_put_words(page,
                     "- *The string* comes from PTX written by hand. `" VORONOI_KERNEL
                     ".ptx`, written after Fig. 10, has the same string and worst case (`-l " VORONOI_KERNEL
                     ".yaml --branchless-prefix`).");
    text_char(page, '\n');
    output_put_words(page,
                     "[worst-cases.csv](etfa2013/" PAGE_WORST_CASES
                     ") has *T*(1) to *T*(16), also with this limit (`--memory-limit " VORONOI_MEMORY "`).");
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
    text_string(page, "## Fig. 12: convergence\n\n");
    output_put_image(output, PAGE_FIG12_SECONDS, "Longest schedule found by each instance, over time", page);
    output_put_image(output, PAGE_FIG12_ITERATIONS,
                     "Longest schedule found by each instance, over iterations", page);
    output_put_words(page,
                     "The first picture is over processor time, as in the paper. One of the paper's 8 "
                     "instances reaches 160; here %u do ([fig12.csv](etfa2013/" PAGE_FIG12_DATA
                     ")). As the paper observes, *round-robin* is a good estimate before any iteration, and "
                     "random strings catch up soon. The paper does not define neighbours; here two nearby "
                     "identifiers are exchanged.",
                     count_reaching(log, study->annealing.bound.cycles));
}

wb_status page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(study, page);
    WB_TRY(figures_put(output, page));
    put_comparison(study, page);
    put_differences(study, page);
    put_fig12(output, study, page);
    return WB_OK;
}

wb_status page_write_worst_cases(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "warps,worst_case,seconds,limited_lower,limited_upper\n");
    for (unsigned w = 1; w <= VORONOI_WARPS; w++) {
        const wb_bound *limited = &study->limited[w - 1];
        text_printf(&table, "%u,%" PRIu64 ",%.3f,%" PRIu64 ",%" PRIu64 "\n", w, voronoi_worst(study, w),
                    study->worst[w - 1].seconds, limited->kind == WB_EXACT ? limited->cycles : limited->lower,
                    limited->cycles);
    }
    return output_file(output, PAGE_WORST_CASES, &table);
}

/* A row of an instance: its steps are `first` and those behind it. */
static void put_instance(const struct anneal_step *first, const struct anneal_step *end, struct text *table) {
    const struct anneal_step *reached = first;
    for (const struct anneal_step *step = first; step < end && step->instance == first->instance; step++)
        if (step->makespan > reached->makespan) reached = step;
    text_printf(table, "%u,%s,%u,%u,%" PRIu64 ",%.3f\n", first->instance + 1,
                anneal_start_name(anneal_start_of(first->instance)), first->makespan, reached->makespan,
                reached->iteration, reached->seconds);
}

wb_status page_write_fig12(const struct output *output, const struct study *study) {
    const struct anneal_log *log = &makespan_find_result(study->annealed, "anneal")->anneal_log;
    const struct anneal_step *end = log->steps.items + log->steps.count;
    struct text table = {0};
    text_string(&table, "instance,start,start_makespan,longest,iteration,seconds\n");
    for (const struct anneal_step *step = log->steps.items; step < end; step++)
        if (step == log->steps.items || step->instance != (step - 1)->instance)
            put_instance(step, end, &table);
    return output_file(output, PAGE_FIG12_DATA, &table);
}
