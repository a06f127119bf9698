#include "page.h"

#include <inttypes.h>
#include <math.h>

/* Averages that the text of the paper states, in percent. */
#define PUBLISHED_REORDER_GAIN 24.4 /* of reordering over pure round-robin, 16 kB */
#define PUBLISHED_ALL_MISS "60 to 80"
#define PUBLISHED_MISS_RATE "20 to 40"

/* Of the machine jcse2017. */
#define L1_LATENCY 34

static double relative_cycles(const struct study *study, size_t size, enum scheme scheme,
                              enum scheme reference) {
    double sum = 0;
    for (size_t k = 0; k < study->kernel_count; k++) {
        const struct study_kernel *kernel = &study->kernels[k];
        sum += (double)kernel->at[size].simulated[scheme] / (double)kernel->at[size].simulated[reference];
    }
    return sum / (double)study->kernel_count;
}

static void put_summary(const struct study *study, struct text *page) {
    double gain = 100 - 100 * relative_cycles(study, 0, SCHEME_REORDER, SCHEME_PURE_RR);
    text_string(page, "| | published | here |\n| --- | --- | --- |\n");
    text_printf(page, "| Fig. 12: cycles under reordering, below pure round-robin | %.1f %% | %.1f %% |\n",
                PUBLISHED_REORDER_GAIN, gain);
    text_printf(page, "| Fig. 14: estimated misses / simulated misses | close to 1 | %.4f |\n",
                study_mean(study, 0, value_estimate_ratio));
    text_printf(page, "| Fig. 16: eq. (3), without the miss rate, above the simulation | %s %% |",
                PUBLISHED_ALL_MISS);
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "%s %.0f %%", size == 0 ? "" : ",", study_mean(study, size, value_over_all_miss));
    text_printf(page,
                " |\n"
                "| Fig. 16: eq. (4), with it | %s %% |",
                PUBLISHED_MISS_RATE);
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "%s %.0f %%", size == 0 ? "" : ",", study_mean(study, size, value_over_miss_rate));
    text_string(page, " |\n"
                      "| proven bound under reordering | none |");
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "%s %.0f %%", size == 0 ? "" : ",", study_mean(study, size, value_over_upper));
    text_string(page, " |\n\n");
    output_put_words(page, "Three numbers are for 16, 32 and 64 kB; one is for 16 kB. The published averages "
                           "are in the paper's text.");
}

static void put_introduction(const struct study *study, struct text *page) {
    text_string(page, "# Reproduction of JCSE 2017\n\n");
    output_put_words(
        page,
        "This page repeats the figures of *Warp-Based Load/Store Reordering to Improve GPU Time "
        "Predictability* (Huangfu, Zhang). The paper fixes the order of requests to the first-level cache, "
        "so that its misses can be counted before the kernel runs, and estimates the WCET with that number. "
        "Here %zu kernels of [kernels/](../../kernels/README.md), written after the paper's Rodinia "
        "programs, are simulated ([memory-model.md](../memory-model.md)) on the machine `jcse2017` (table 2 "
        "of the paper). `make reproduce-jcse2017` writes the page and "
        "[measurements.csv](jcse2017/" PAGE_MEASUREMENTS ").",
        study->kernel_count);
    put_summary(study, page);
}

static void put_cycles(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Fig. 12 and 13: cycles of the three schemes\n\n");
    output_put_image(output, "fig12.svg", "Cycles of the schemes with 16 kB", page);
    output_put_image(output, "fig13_32k.svg", "Cycles of the schemes with 32 kB", page);
    output_put_image(output, "fig13_64k.svg", "Cycles of the schemes with 64 kB", page);
    output_put_words(
        page,
        "Relative to the default with 16, 32 and 64 kB, pure round-robin takes %.3f, %.3f and %.3f times the "
        "cycles on average, reordering %.3f, %.3f and %.3f times.",
        relative_cycles(study, 0, SCHEME_PURE_RR, SCHEME_DEFAULT),
        relative_cycles(study, 1, SCHEME_PURE_RR, SCHEME_DEFAULT),
        relative_cycles(study, 2, SCHEME_PURE_RR, SCHEME_DEFAULT),
        relative_cycles(study, 0, SCHEME_REORDER, SCHEME_DEFAULT),
        relative_cycles(study, 1, SCHEME_REORDER, SCHEME_DEFAULT),
        relative_cycles(study, 2, SCHEME_REORDER, SCHEME_DEFAULT));
}

static void put_misses(const struct output *output, const struct study *study, struct text *page) {
    uint64_t different = 0;
    for (size_t k = 0; k < study->kernel_count; k++)
        for (size_t size = 0; size < SIZE_COUNT; size++)
            different += study->kernels[k].at[size].misses_estimated !=
                         study->kernels[k].at[size].misses[SCHEME_REORDER];
    text_string(page, "## Fig. 14 and 15: estimated miss rates\n\n");
    output_put_image(output, "fig14.svg", "Estimated above simulated misses with 16 kB", page);
    output_put_image(output, "fig15.svg", "Miss rates with the three caches", page);
    output_put_words(page,
                     "The estimate replays the order that the reordering unit enforces "
                     "([access-order.md](../access-order.md)). It differs from the simulation in %" PRIu64
                     " of %zu cases.",
                     different, study->kernel_count * SIZE_COUNT);
}

/* How many of the cases a value is below zero in. */
static size_t count_negative(const struct study *study, study_value *value) {
    size_t count = 0;
    for (size_t k = 0; k < study->kernel_count; k++)
        for (size_t size = 0; size < SIZE_COUNT; size++)
            count += value(&study->kernels[k].at[size]) < 0;
    return count;
}

static void put_wcet(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Fig. 16: WCET estimates\n\n");
    output_put_image(output, "fig16.svg", "WCET estimates above the simulation", page);
    output_put_words(
        page,
        "Both estimates are the segment equations (1) to (4) as published, which are no bounds "
        "([memory-bounds.md](../memory-bounds.md) has counterexamples): of %zu simulations, %zu exceed the "
        "one without the miss rate, eq. (3), and %zu the one with it, eq. (4). Eq. (3) lets an access wait "
        "for one access of each other SM, while the warps of all SMs have many in progress. Where few are in "
        "progress (`bfs_level`, `needleman_wave`), it exceeds the simulation by as much as published, or "
        "more. The proven bounds charge all requests of the grid to one queue.",
        study->kernel_count * SIZE_COUNT, count_negative(study, value_over_all_miss),
        count_negative(study, value_over_miss_rate));
}

/* By how many percent an estimate lies above the simulation. */
static double over(uint64_t estimate, uint64_t simulated) {
    return 100 * (double)estimate / (double)simulated - 100;
}

static double part(uint64_t some, uint64_t all) {
    return all == 0 ? 0 : 100 * (double)some / (double)all;
}

/* In how many kernels eq. (4) is below the simulation, and by how many percent of that on average. */
static size_t count_below(const struct study *study, bool short_hits, double *mean) {
    size_t below = 0;
    *mean = 0;
    for (size_t k = 0; k < study->kernel_count; k++) {
        const struct isolated *isolated = &study->kernels[k].isolated;
        double by = short_hits ? over(isolated->short_wcet, isolated->short_simulated)
                               : over(isolated->wcet_miss_rate, isolated->simulated);
        if (by >= 0) continue;
        below++;
        *mean -= by;
    }
    if (below > 0) *mean /= (double)below;
    return below;
}

/* The largest part, in percent, of the requests of loads that hit lines in transit. */
static double most_in_transit(const struct study *study) {
    double most = 0;
    for (size_t k = 0; k < study->kernel_count; k++)
        most = fmax(most, part(study->kernels[k].isolated.under_miss, study->kernels[k].isolated.requests));
    return most;
}

static void put_isolated(const struct study *study, struct text *page) {
    double mean, short_mean;
    const size_t below = count_below(study, false, &mean),
                 short_below = count_below(study, true, &short_mean);
    text_string(page, "## Why eq. (4) is below the simulation\n\n");
    output_put_words(page,
                     "Even with one block on each of 15 SMs it is too low for %zu of %zu kernels, by %.0f %% "
                     "on average ([isolated.csv](jcse2017/" PAGE_ISOLATED ")). It omits:",
                     below, study->kernel_count, mean);
    output_put_words(page,
                     "- **Hits on lines in transit.** Warps that share a line ask for it before the data of "
                     "the first miss has come. The miss rate counts these requests, up to %.0f %% of those "
                     "of loads, as hits, but they wait nearly as long as the miss.",
                     most_in_transit(study));
    output_put_words(page, "- **The slowest request decides.** A warp waits for the last request of a "
                           "segment, not for the mean.");
    output_put_words(
        page,
        "- **The time of a hit.** The equation charges a hit its turns, but not the %d cycles of the first "
        "level. With hits of one cycle, also simulated, it is too low for %zu kernels, by %.0f %%.",
        L1_LATENCY, short_below, short_mean);
    output_put_words(page, "- **Warps wait for each other** at the first level, below it and at barriers; "
                           "the equation counts one instruction of each SM, and no barriers. Where all loads "
                           "miss (`lu_internal`, `transpose`), both equations lack only this.");
}

void page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(study, page);
    put_cycles(output, study, page);
    put_misses(output, study, page);
    put_wcet(output, study, page);
    put_isolated(study, page);
}

static wb_status write_isolated(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "kernel,simulated,eq4,simulated_short_hits,eq4_short_hits,requests,misses,in_transit,"
                        "loads,loads_that_wait\n");
    for (size_t k = 0; k < study->kernel_count; k++) {
        const struct isolated *isolated = &study->kernels[k].isolated;
        text_printf(&table,
                    "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 ",%" PRIu64 "\n",
                    study->kernels[k].name, isolated->simulated, isolated->wcet_miss_rate,
                    isolated->short_simulated, isolated->short_wcet, isolated->requests, isolated->misses,
                    isolated->under_miss, isolated->instructions, isolated->waiting);
    }
    return output_file(output, PAGE_ISOLATED, &table);
}

static wb_status write_measurements(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "kernel,l1,blocks,warps_per_block,warp_instructions,loads,cycles_default,cycles_pure_"
                        "rr,cycles_reorder,misses_default,misses_pure_rr,misses_reorder,misses_estimated,"
                        "wcet_all_miss,wcet_miss_rate,upper_default,upper_reorder\n");
    for (size_t k = 0; k < study->kernel_count; k++) {
        const struct study_kernel *kernel = &study->kernels[k];
        for (size_t size = 0; size < SIZE_COUNT; size++) {
            const struct measurement *at = &kernel->at[size];
            text_printf(&table, "%s,%s,%u,%u,%" PRIu64 ",%" PRIu64, kernel->name, size_names[size],
                        kernel->blocks, kernel->warps, kernel->instructions, at->loads);
            for (size_t s = 0; s < SCHEME_COUNT; s++)
                text_printf(&table, ",%" PRIu64, at->simulated[s]);
            for (size_t s = 0; s < SCHEME_COUNT; s++)
                text_printf(&table, ",%" PRIu64, at->misses[s]);
            text_printf(&table, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                        at->misses_estimated, at->wcet_all_miss, at->wcet_miss_rate, at->upper_default,
                        at->upper_reorder);
        }
    }
    return output_file(output, PAGE_MEASUREMENTS, &table);
}

wb_status page_write_data(const struct output *output, const struct study *study) {
    WB_TRY(write_measurements(output, study));
    return write_isolated(output, study);
}
