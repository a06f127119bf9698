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
    text_printf(page,
                "| Fig. 12: cycles under reordering, below pure round-robin, 16 kB | %.1f %% | %.1f %% |\n",
                PUBLISHED_REORDER_GAIN, gain);
    text_printf(page,
                "| Fig. 14: estimated misses, 16 kB | close to those simulated | %.4f of those simulated |\n",
                study_mean(study, 0, value_estimate_ratio));
    text_printf(page, "| Fig. 16: WCET estimate without the miss rate, above the simulation | %s %% |",
                PUBLISHED_ALL_MISS);
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "%s %.0f %%", size == 0 ? "" : ",", study_mean(study, size, value_over_all_miss));
    text_printf(page, " |\n| Fig. 16: with it | %s %% |", PUBLISHED_MISS_RATE);
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "%s %.0f %%", size == 0 ? "" : ",", study_mean(study, size, value_over_miss_rate));
    text_string(page, " |\n| a proven bound under reordering, above the simulation | none |");
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "%s %.0f %%", size == 0 ? "" : ",", study_mean(study, size, value_over_upper));
    text_string(page, " |\n\nThree numbers: 16, 32 and 64 kB.\n\n");
}

static void put_introduction(const struct study *study, struct text *page) {
    text_printf(
        page,
        "# Reproduction of JCSE 2017\n\n"
        "In *Warp-Based Load/Store Reordering to Improve GPU Time Predictability* (JCSE 2017) Huangfu and "
        "Zhang put the requests to the first-level cache\n"
        "in a fixed order, so that its misses can be counted before the kernel runs, and estimate the WCET "
        "with that number. This page repeats their figures on %zu\n"
        "kernels of [kernels/](../../kernels/README.md), written after the Rodinia programs that the paper "
        "chose, with `warpbound`'s own simulator\n"
        "([memory-model.md](../memory-model.md)) on the machine `jcse2017` (table 2 of the paper). `make "
        "reproduce-jcse2017` writes it.\n\n",
        study->kernel_count);
    put_summary(study, page);
    text_string(
        page,
        "The paper prints its curves without their numbers; the averages are those of its text. All numbers "
        "are in [measurements.csv](jcse2017/measurements.csv).\n\n");
}

static void put_cycles(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Fig. 12 and 13: cycles of the three schemes\n\n");
    output_put_image(output, "fig12.svg", "Cycles of the schemes with 16 kB", page);
    text_string(page, "Mean of the cycles relative to the default with the same cache:\n\n"
                      "| first level | pure round-robin | reordering | reordering / pure round-robin |\n"
                      "| --- | --- | --- | --- |\n");
    for (size_t size = 0; size < SIZE_COUNT; size++)
        text_printf(page, "| %s | %.3f | %.3f | %.3f |\n", size_names[size],
                    relative_cycles(study, size, SCHEME_PURE_RR, SCHEME_DEFAULT),
                    relative_cycles(study, size, SCHEME_REORDER, SCHEME_DEFAULT),
                    relative_cycles(study, size, SCHEME_REORDER, SCHEME_PURE_RR));
    text_char(page, '\n');
    output_put_image(output, "fig13_32k.svg", "Cycles of the schemes with 32 kB", page);
    output_put_image(output, "fig13_64k.svg", "Cycles of the schemes with 64 kB", page);
}

static void put_misses(const struct output *output, const struct study *study, struct text *page) {
    uint64_t different = 0;
    for (size_t k = 0; k < study->kernel_count; k++)
        for (size_t size = 0; size < SIZE_COUNT; size++)
            different += study->kernels[k].at[size].misses_estimated !=
                         study->kernels[k].at[size].misses[SCHEME_REORDER];
    text_string(page, "## Fig. 14 and 15: estimated miss rates\n\n");
    output_put_image(output, "fig14.svg", "Estimated above simulated misses with 16 kB", page);
    text_printf(page,
                "The estimate replays the order that the reordering unit enforces "
                "([access-order.md](../access-order.md)). It differs from the simulation in %" PRIu64
                " of %zu cases.\n\n",
                different, study->kernel_count * SIZE_COUNT);
    output_put_image(output, "fig15.svg", "Miss rates with the three caches", page);
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
    text_printf(
        page,
        "Both estimates are the segment equations (1) to (4) as published, which are no bounds "
        "([memory-bounds.md](../memory-bounds.md) has counterexamples).\n"
        "The simulation exceeds the one without the miss rate in %zu of %zu cases, the one with it in "
        "%zu. Eq. (3) lets an access wait for one access of each other SM, while\n"
        "the warps of all SMs have many under way; the paper does not say how many blocks its programs "
        "have, here most SMs run several. Eq. (4) is too low for other reasons, which the\n"
        "next section takes apart. Where few accesses are under way at a time (`bfs_level`, "
        "`needleman_wave`), eq. (3) is as far above the simulation as the\n"
        "paper found, and further. Beside them stand the proven bounds, which charge all requests of "
        "the grid to one queue:\n\n"
        "| kernel | blocks x warps | warp instructions | simulated | eq. (3) | eq. (4) | proven, "
        "reordering | proven, default |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
        count_negative(study, value_over_all_miss), study->kernel_count * SIZE_COUNT,
        count_negative(study, value_over_miss_rate));
    for (size_t k = 0; k < study->kernel_count; k++) {
        const struct study_kernel *kernel = &study->kernels[k];
        const struct measurement *at = &kernel->at[0];
        text_printf(page,
                    "| `%s` | %u x %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
                    " | %" PRIu64 " |\n",
                    kernel->name, kernel->blocks, kernel->warps, kernel->instructions,
                    at->simulated[SCHEME_REORDER], at->wcet_all_miss, at->wcet_miss_rate, at->upper_reorder,
                    at->upper_default);
    }
    text_string(page, "\nCycles with 16 kB; simulated under reordering.\n");
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
        const struct alone *alone = &study->kernels[k].alone;
        double by = short_hits ? over(alone->short_wcet, alone->short_simulated)
                               : over(alone->wcet_miss_rate, alone->simulated);
        if (by >= 0) continue;
        below++;
        *mean -= by;
    }
    if (below > 0) *mean /= (double)below;
    return below;
}

static double most_under_way(const struct study *study) {
    double most = 0;
    for (size_t k = 0; k < study->kernel_count; k++)
        most = fmax(most, part(study->kernels[k].alone.under_miss, study->kernels[k].alone.requests));
    return most;
}

static void put_alone(const struct study *study, struct text *page) {
    double mean, short_mean;
    const size_t below = count_below(study, false, &mean),
                 short_below = count_below(study, true, &short_mean);
    text_printf(
        page,
        "\n## Why eq. (4) is below the simulation\n\n"
        "Not because SMs run several blocks: with 15 blocks, one on each SM, it is below the simulation in "
        "%zu of %zu kernels, there by %.0f %% on average. What it leaves out:\n\n"
        "- **Hits on lines that are still on their way.** Warps that share lines ask for them one after the "
        "other, long before the data of the first miss is there. Each of these requests is a hit for the "
        "miss rate,\n"
        "  and waits nearly as long as the miss. In the table *under way* is their part of the requests of "
        "loads: at most %.0f %%.\n"
        "- **The slowest request decides.** A warp goes on when the last request of its load has come, and "
        "the loads of a segment together. Requests that wait (misses and those under way) are fewer than "
        "loads that have one (*loads that wait*);\n"
        "  the mean over all requests is what no load takes. Of different kernels with the same miss rate "
        "one has all warps wait in every segment, as its misses are spread evenly, the other in a few.\n"
        "- **A hit takes no time.** The equation charges a hit the turns of its requests, but not the %d "
        "cycles of the first level. With hits of one cycle, in the simulation, too, eq. (4) is below it in "
        "%zu kernels, by %.0f %% on average.\n"
        "- **Warps wait for each other**: for turns at the first level and for service below it, of which "
        "the "
        "equation counts those of one instruction of each SM, and at barriers, which it does not have. Where "
        "all "
        "loads miss\n  (`lu_internal`, `transpose`), this alone is what both equations lack.\n\n"
        "| kernel | simulated | eq. (4) | off | misses | under way | loads that wait |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n",
        below, study->kernel_count, mean, most_under_way(study), L1_LATENCY, short_below, short_mean);
    for (size_t k = 0; k < study->kernel_count; k++) {
        const struct alone *alone = &study->kernels[k].alone;
        text_printf(page, "| `%s` | %" PRIu64 " | %" PRIu64 " | %+.0f %% | %.0f %% | %.0f %% | %.0f %% |\n",
                    study->kernels[k].name, alone->simulated, alone->wcet_miss_rate,
                    over(alone->wcet_miss_rate, alone->simulated), part(alone->misses, alone->requests),
                    part(alone->under_miss, alone->requests), part(alone->waiting, alone->instructions));
    }
    text_string(page,
                "\n15 blocks on 15 SMs, 16 kB, reordering; the last three columns are of the first SM.\n");
}

void page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(study, page);
    put_cycles(output, study, page);
    put_misses(output, study, page);
    put_wcet(output, study, page);
    put_alone(study, page);
}

wb_status page_write_table(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table,
                "kernel,l1,blocks,warps_per_block,warp_instructions,loads,cycles_default,cycles_pure_rr,"
                "cycles_reorder,misses_default,misses_pure_rr,misses_reorder,misses_estimated,"
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
    return output_file(output, "measurements.csv", &table);
}
