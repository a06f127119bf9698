#include "page.h"

#include <inttypes.h>

#include "published.h"
#include "tables.h"

const char *const page_policy_charts[POLICY_COUNT] = {"bounds-lrr.svg", "bounds-gto.svg"};
const char *const page_sgemm_charts[SGEMM_COUNT] = {
    [SGEMM_NAIVE] = "sgemm-naive.svg",
    [SGEMM_DOUBLE_BUFFERED] = "sgemm-double-buffered.svg",
    [SGEMM_LOADS_TOGETHER] = "sgemm-loads-together.svg",
    [SGEMM_REGISTER_TILED] = "sgemm-register-tiled.svg",
};

static double mean_at(const struct study *study, enum model model, size_t latency, enum method method,
                      enum policy policy) {
    struct sample sample = sample_method(study, model, latency, method, policy);
    return sample_mean(&sample);
}

static double mean_of(const struct study *study, enum model model, enum method method, enum policy policy) {
    return mean_at(study, model, STUDY_TYPICAL, method, policy);
}

static void put_introduction(const struct study *study, struct text *page) {
    const struct published_overestimation *published = published_gub[STUDY_TYPICAL];
    text_string(page, "# Reproduction of ECRTS 2025\n\n");
    output_put_words(page, "This page repeats tables 2 to 4 of *Bounding the WCET of a GPU Thread Block with "
                           "a Multi-Phase Representation of Warps Execution* (Jeanmougin, Carle, Rochange). "
                           "The paper bounds a block by multi-phase profiles of its warps (General Upper "
                           "Bound, GUB). `make reproduce-ecrts2025` writes it.");
    output_put_words(
        page,
        "**Summary.** At a memory latency of %u cycles, on the machine that follows GPGPU-Sim, GUB lies on "
        "average %.2f %% above LRR and %.2f %% above GTO, over %zu blocks; the default bound SIB %.2f %% and "
        "%.2f %%. The paper reports %.2f %% and %.2f %% for GUB on 583 calls of Rodinia kernels. The samples "
        "differ: compare their course over the latencies.",
        study_latencies[STUDY_TYPICAL], mean_of(study, MODEL_GPGPUSIM, METHOD_GUB, POLICY_LRR),
        mean_of(study, MODEL_GPGPUSIM, METHOD_GUB, POLICY_GTO), study->kernels.count,
        mean_of(study, MODEL_GPGPUSIM, METHOD_SIB, POLICY_LRR),
        mean_of(study, MODEL_GPGPUSIM, METHOD_SIB, POLICY_GTO), published[POLICY_LRR].mean,
        published[POLICY_GTO].mean);
}

/* What was run, and how that differs from the paper. */
static void put_setting(const struct study *study, struct text *page) {
    text_string(page, "## What was run\n\n");
    output_put_words(page,
                     "- *Blocks*: block (0,0,0) of the %zu cases of "
                     "[kernels/index.txt](../../kernels/README.md). Twelve have Rodinia's themes.",
                     study->kernels.count);
    output_put_words(page, "- *Matrix products*: [sgemm.cu](../../reproduce/ecrts2025/sgemm.cu), written "
                           "after the paper's description.");
    output_put_words(page, "- *Machines*: `gpgpusim-orin` (for 5 cycles `gpgpusim-orin-5l`), which follows "
                           "GPGPU-Sim 4 with the authors' settings ([gpgpusim.md](../gpgpusim.md)); every "
                           "bound is an estimate there. `ecrts2025-orin --memory ideal`, the plain machine "
                           "of [proofs.md](../proofs.md); all bounds but GUB are proven there.");
    output_put_words(page,
                     "- *Overestimation*: bound / simulation − 1, from the first issue to the last commit.");
    text_char(page, '\n');
}

static void put_table3(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Table 3: mean overestimation in per cent\n\n");
    for (size_t p = 0; p < POLICY_COUNT; p++)
        output_put_image(output, page_policy_charts[p], "Mean overestimation by latency", page);
    text_string(page, "| latency | GUB / LRR | GUB / GTO | SIB / LRR |\n"
                      "| ---: | ---: | ---: | ---: |\n");
    for (size_t l = 0; l < LATENCY_COUNT; l++) {
        text_printf(page, "| %u |", study_latencies[l]);
        for (size_t p = 0; p < POLICY_COUNT; p++)
            text_printf(page, " %.2f (%.2f) |", mean_at(study, MODEL_GPGPUSIM, l, METHOD_GUB, (enum policy)p),
                        published_gub[l][p].mean);
        text_printf(page, " %.2f |\n", mean_at(study, MODEL_GPGPUSIM, l, METHOD_SIB, POLICY_LRR));
    }
    text_char(page, '\n');
    output_put_words(
        page,
        "In parentheses: published. [" TABLES_TABLE3 "](ecrts2025/" TABLES_TABLE3
        ") has all statistics of all bounds, also on the plain machine and of single warps, [" TABLES_BLOCKS
        "](ecrts2025/" TABLES_BLOCKS ") the cycles of each block.");
}

/* Idle cycles that an isolated warp has in each iteration at the longest latency, those behind the last
 * skipped: what GUB grows by, beyond the one wait before the first iteration. */
static uint64_t idle_of_iteration(const struct study *study, enum sgemm sgemm, uint32_t depth) {
    const size_t longest = LATENCY_COUNT - 1, before = longest - 1;
    const struct measurement *at = &study->sgemm[sgemm][longest][0];
    const uint64_t grown = at->bounds[METHOD_GUB] - study->sgemm[sgemm][before][0].bounds[METHOD_GUB] -
                           (study_latencies[longest] - study_latencies[before]);
    return grown / (study_warps[0] * 32 / depth - 1);
}

static void put_products(const struct output *output, const struct study *study, struct text *page) {
    text_string(page, "## Table 4: matrix products\n\n");
    for (size_t k = 0; k < SGEMM_COUNT; k++)
        output_put_image(output, page_sgemm_charts[k], "Overestimation of GUB by latency and warps", page);
    output_put_words(page, "Published figures of double buffering are flat up to a latency of 200 cycles and "
                           "rise at 400; those of our first version fall ([" TABLES_PRODUCTS
                           "](ecrts2025/" TABLES_PRODUCTS ")). The code explains it:");
    output_put_words(page, "- *First tiles.* nvcc alternates their loads and stores, so that loads wait for "
                           "one another: time that is not overestimated. With all loads before the first "
                           "store (`sgemm_loads_together`) the course is as flat as published.");
    output_put_words(
        page,
        "- *Length of an iteration.* GUB rises where an iteration of an isolated warp is shorter than the "
        "latency, although other warps keep the SM busy. `sgemm_register_tiled`, after the paper's model "
        "*maxas*, has tiles 8 deep and four elements a thread. A warp waits %" PRIu64
        " cycles in each iteration at a latency of 400 and none at 200; the course is the published one for "
        "all numbers of warps, a few per cent higher.",
        idle_of_iteration(study, SGEMM_REGISTER_TILED, 8));
    text_char(page, '\n');
}

/* Time of all blocks together with the feature of a column under LRR, in percent of that without. */
static double all_blocks(const struct study *study, enum column column) {
    double with = 0, without = 0;
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct ablation *of = &study->kernels.items[i].ablation;
        with += (double)of->chain[column][POLICY_LRR];
        without += (double)of->chain[column + 1][POLICY_LRR];
    }
    return 100.0 * with / without;
}

static void put_ablation(const struct study *study, struct text *page) {
    text_string(page, "## Table 2: ablation\n\n");
    output_put_words(page,
                     "The first machine has all features; each row removes one more. Mean time with the "
                     "feature, in per cent of that without; [" TABLES_ABLATION "](ecrts2025/" TABLES_ABLATION
                     ") has the settings, the other statistics, and each feature by itself.");
    text_string(page, "| feature | here, LRR | published |\n| --- | ---: | ---: |\n");
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        struct sample sample = sample_ablation(study, (enum column)c, POLICY_LRR);
        text_printf(page, "| %s | %.2f | %.2f |\n", column_titles[c], sample_mean(&sample),
                    published_ablation[c].mean);
    }
    text_char(page, '\n');
    output_put_words(page,
                     "- *Instruction cache*: it holds every kernel, so only the first use of a line costs "
                     "time, above all in short blocks. The sum over all blocks is %.2f %%.",
                     all_blocks(study, COLUMN_FETCH));
    output_put_words(page, "- *Sub-cores* save more here; most of Rodinia waits for memory.");
    output_put_words(page, "- *Dual issue* saves about half as much on `gpgpusim-orin`: it issues together "
                           "only instructions that were fetched together.");
    struct sample longest = sample_single_feature(study, SINGLE_MEMORY_600, POLICY_LRR);
    output_put_words(page,
                     "- *Coalescing*: only one kernel takes twice as long with sectors. A memory of 600 "
                     "cycles instead of 200 gives %.2f, with the published range: we read the published "
                     "column as one of latency rather than of transactions.",
                     sample_mean(&longest));
    text_char(page, '\n');
}

/* Every case in which a simulation took longer than a bound. */
static void put_exceeded(const struct study *study, struct text *page) {
    const size_t runs = study->kernels.count * LATENCY_COUNT;
    text_string(page, "## Simulations that exceed a bound\n\n");
    for (size_t m = 0; m < MODEL_COUNT; m++)
        output_put_words(page, "- `%s`: %zu of %zu bounds of blocks, %zu of %zu profiles of warp 0.",
                         study_preset((enum model)m, STUDY_TYPICAL), count_exceeded(study, (enum model)m),
                         runs * POLICY_COUNT * METHOD_COUNT, count_profiles_exceeded(study, (enum model)m),
                         runs);
    text_char(page, '\n');
    output_put_words(
        page, "The blocks are `integer_mix` and its variant at 5 cycles, where a store occupies the "
              "load/store unit for a cycle per sector and the analyses charge one. With `" STUDY_WIDE_STORES
              "` no simulation exceeds a bound.");
    output_put_words(page,
                     "The profiles lack the cycle in which the model empties the warp's instruction buffer "
                     "at a jump. Narrow stores apart, the excess is at most %" PRIu64
                     " cycles more than the jumps.",
                     profile_excess_beyond_jumps(study));
}

void page_write(const struct output *output, struct text *page, const struct study *study) {
    put_introduction(study, page);
    put_setting(study, page);
    put_table3(output, study, page);
    put_products(output, study, page);
    put_ablation(study, page);
    put_exceeded(study, page);
}
