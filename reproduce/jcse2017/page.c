#include "page.h"

#include <inttypes.h>

/* Averages that the text of the paper states, in percent. */
#define PUBLISHED_REORDER_GAIN 24.4 /* of reordering over pure round-robin, 16 kB */
#define PUBLISHED_ALL_MISS "60 to 80"
#define PUBLISHED_MISS_RATE "20 to 40"

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
        "%zu: eq. (3) lets an access wait for one access of each other SM, while\n"
        "the warps of all SMs have many under way, and eq. (4) gives every access the average of all. "
        "The paper does not say how many blocks its programs have; here most SMs run several\n"
        "one after the other, and memory is busy. Where few accesses are under way at a time "
        "(`bfs_level`, `needleman_wave`), the estimates are as far above the simulation as the\n"
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

void page_write(const struct output *output, const struct study *study, struct text *page) {
    put_introduction(study, page);
    put_cycles(output, study, page);
    put_misses(output, study, page);
    put_wcet(output, study, page);
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
