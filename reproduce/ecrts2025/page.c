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

static double mean_of(const struct study *study, enum model model, enum method method, enum policy policy) {
    struct sample sample = sample_method(study, model, STUDY_TYPICAL, method, policy);
    return sample_mean(&sample);
}

/* What was found, in a paragraph. */
static void put_summary(struct text *out, const struct study *study) {
    const struct published_overestimation *published = published_gub[STUDY_TYPICAL];
    text_string(out, "# Reproduction of the experiments of ECRTS 2025\n\n");
    text_string(
        out,
        "In *Bounding the WCET of a GPU Thread Block with a Multi-Phase Representation of Warps Execution* "
        "(ECRTS 2025) Jeanmougin, Carle and\n"
        "Rochange bound the time of a thread block by multi-phase profiles of its warps (the General Upper "
        "Bound, GUB) and compare it with\n"
        "simulations of Rodinia and of two matrix products. This page repeats the tables of their section 4 "
        "with Warpbound: its analyses, its\n"
        "simulators, and kernels of its own. `make reproduce-ecrts2025` writes it.\n\n");
    text_printf(out,
                "**Summary.** With a memory latency of %u cycles SIB, Warpbound's default bound (proven on "
                "its plain machine), lies on average %.2f %% above\n"
                "LRR and %.2f %% above GTO on the machine that follows GPGPU-Sim, over %zu blocks; GUB lies "
                "%.2f %% and %.2f %% above. The paper reports\n"
                "%.2f %% and %.2f %% for GUB on 583 calls of Rodinia kernels. On the plain machine the means "
                "of SIB are %.2f %% and %.2f %%.\n\n",
                study_latencies[STUDY_TYPICAL], mean_of(study, MODEL_GPGPUSIM, METHOD_SIB, POLICY_LRR),
                mean_of(study, MODEL_GPGPUSIM, METHOD_SIB, POLICY_GTO), study->kernels.count,
                mean_of(study, MODEL_GPGPUSIM, METHOD_GUB, POLICY_LRR),
                mean_of(study, MODEL_GPGPUSIM, METHOD_GUB, POLICY_GTO), published[POLICY_LRR].mean,
                published[POLICY_GTO].mean, mean_of(study, MODEL_PLAIN, METHOD_SIB, POLICY_LRR),
                mean_of(study, MODEL_PLAIN, METHOD_SIB, POLICY_GTO));
}

/* What was run, and how that differs from the paper. */
static void put_setting(struct text *out, const struct study *study) {
    text_printf(
        out,
        "## What was run\n\n"
        "- **Kernels**: the %zu cases of [kernels/index.txt](../../kernels/README.md), of each the block "
        "(0,0,0). They are not Rodinia: twelve have its themes, the others\n"
        "  were written to cover features of PTX, most are short, and several are the same kernel compiled "
        "differently (`sgemm_tiled` counts four times). Means over them\n"
        "  and means over Rodinia are figures of different samples: compare their course over the "
        "latencies rather than their values.\n",
        study->kernels.count);
    text_string(
        out, "- **Matrix products**: [reproduce/ecrts2025/sgemm.cu](../../reproduce/ecrts2025/sgemm.cu), "
             "written after the paper's "
             "description (tiles in shared memory; two barriers a\n"
             "  tile, or one and double buffering; inner dimension = threads of the block, so four tiles for "
             "4 warps). The\n"
             "  paper's sources are not known to us.\n- **Machines**: `gpgpusim-orin`, which follows "
             "GPGPU-Sim 4 with the authors' settings cycle by "
             "cycle "
             "([docs/gpgpusim.md](../gpgpusim.md)), with\n"
             "  `--set mem_latency=L`; for 5 cycles `gpgpusim-orin-5l`, since their settings for 5 cycles "
             "differ in "
             "stores, operand collectors and register banks\n"
             "  as well. And `ecrts2025-orin --memory ideal`, the plain machine of "
             "[docs/proofs.md](../proofs.md).\n"
             "- **Kinds**: on `gpgpusim-orin` every bound is an estimate, since no proof covers it. On "
             "`ecrts2025-orin` "
             "SIB, FIB, ALN, FIFO and ELB are proven; GUB is an\n"
             "  estimate everywhere.\n- **Time**: from the first issue to the last "
             "commit, for bounds and simulations alike "
             "(GPGPU-Sim counts "
             "from the block's placement, two cycles\n"
             "  before its first issue; these two are taken off).\n"
             "- **Single warp** (S.w. in the paper): the end of the multi-phase profile of warp 0 against a "
             "simulation of warp 0 without the\n"
             "  others. It waits for nobody at barriers, so its profile is not divided there.\n- "
             "**Statistics**: overestimation is bound / simulation - 1, in percent. The weighted mean "
             "weights each "
             "block with its simulated time; the\n"
             "  standard deviation has the number of blocks as divisor. The paper says of neither how it is "
             "computed.\n"
             "- **In parentheses**: the figure that the paper published.\n\n");
}

/* Table 3 on one machine. */
static void put_table3(struct text *out, const struct study *study, enum model model) {
    text_string(out, "### Single warps\n\n");
    table_single(out, study, model);
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        text_printf(out, "\n### %s\n\n", method_titles[m]);
        table_method(out, study, model, (enum method)m);
    }
    text_char(out, '\n');
}

static void put_kernels(const struct output *output, struct text *out, const struct study *study) {
    text_string(out, "## Table 3, on the machine that follows GPGPU-Sim\n\n");
    for (size_t p = 0; p < POLICY_COUNT; p++)
        output_put_image(output, page_policy_charts[p], "Mean overestimation by latency", out);
    put_table3(out, study, MODEL_GPGPUSIM);
    text_string(out, "## Table 3, on the plain machine\n\n"
                     "The published figures were measured on GPGPU-Sim; they stand here for comparison.\n\n");
    put_table3(out, study, MODEL_PLAIN);
    text_printf(out, "## Each block, with a memory latency of %u cycles\n\n", study_latencies[STUDY_TYPICAL]);
    text_string(out, "Cycles and the first four overestimations are of `gpgpusim-orin`, the last two of "
                     "`ecrts2025-orin`.\n\n");
    table_kernels(out, study);
}

/* Idle cycles that a warp alone has in each iteration at the longest latency, those behind the last left out:
 * what GUB grows by, beyond the one wait before the first iteration. */
static uint64_t idle_of_iteration(const struct study *study, enum sgemm sgemm, uint32_t depth) {
    const size_t longest = LATENCY_COUNT - 1, before = longest - 1;
    const struct measurement *at = &study->sgemm[sgemm][longest][0];
    const uint64_t grown = at->bounds[METHOD_GUB] - study->sgemm[sgemm][before][0].bounds[METHOD_GUB] -
                           (study_latencies[longest] - study_latencies[before]);
    return grown / (study_warps[0] * 32 / depth - 1);
}

/* Why the course over the latencies is another one. */
static void put_sgemm_reasons(struct text *out, const struct study *study) {
    text_string(out, "### Why double buffering falls with the latency here\n\n");
    table_sgemm_cycles(out, study);
    text_printf(
        out,
        "\nThe published figures of double buffering do not depend on the latency up to 200 cycles, and rise "
        "at 400. "
        "Those of the first version fall. It is the code:\n\n"
        "- *The first tiles.* nvcc writes their loads as load, store, load, store, so that each waits for "
        "the one "
        "before: 9 loads one after another with 4 warps, 5 with 8, 3 with 16, 2 with 32. This\n"
        "  takes bound and simulation the same time, in which nothing is overestimated, and there are few "
        "tiles: as "
        "many as warps. With all these loads issued before the first store (`sgemm_loads_together`)\n"
        "  one latency is left, and the overestimation is as flat as the published one; with 32 warps it is "
        "the same one.\n"
        "- *The length of an iteration.* GUB rises where a warp alone waits for the next tiles although the "
        "others "
        "would have kept the SM busy meanwhile: where an iteration takes one warp alone less than the\n"
        "  latency. With tiles 32 deep it takes about as long as the longest latency. The published rise, "
        "from 40 to "
        "58 %% with 4 warps and from 8.5 to 11 %% with 32, is what a wait of the same length in each of\n"
        "  many short iterations gives. `sgemm_register_tiled` has tiles 8 deep and four elements a thread, "
        "after "
        "the code of *maxas* that the paper names as its model: a warp alone waits %" PRIu64 " cycles in\n"
        "  each iteration at a latency of 400, none at 200, and the course is the published one for all "
        "numbers of "
        "warps. The level stays a few percent above it.\n\n",
        idle_of_iteration(study, SGEMM_REGISTER_TILED, 8));
}

static void put_sgemm(const struct output *output, struct text *out, const struct study *study) {
    static const char *const titles[SGEMM_COUNT] = {
        [SGEMM_NAIVE] = "Naive",
        [SGEMM_DOUBLE_BUFFERED] = "Double buffering",
        [SGEMM_LOADS_TOGETHER] = "Double buffering, first loads together",
        [SGEMM_REGISTER_TILED] =
            "Double buffering, first loads together, tiles 8 deep, four elements a thread",
    };
    text_string(out, "\n## Table 4: matrix products\n\n"
                     "On `gpgpusim-orin`, above LRR / above GTO. The paper does not name the policy of its "
                     "figures.\n\n");
    for (size_t k = 0; k < SGEMM_COUNT; k++) {
        if (k == SGEMM_LOADS_TOGETHER) put_sgemm_reasons(out, study);
        output_put_image(output, page_sgemm_charts[k], "Overestimation of GUB by latency and warps", out);
        text_printf(out, "### %s, GUB\n\n", titles[k]);
        table_sgemm(out, study, (enum sgemm)k, METHOD_GUB);
        text_printf(out, "\n### %s, SIB\n\n", titles[k]);
        table_sgemm(out, study, (enum sgemm)k, METHOD_SIB);
        text_char(out, '\n');
    }
}

static void put_settings(struct text *out, const char *const *settings) {
    for (; *settings != NULL; settings++)
        text_printf(out, " --set %s", *settings);
}

/* What tables 2 and the next are about. */
static void put_ablation_machines(struct text *out) {
    text_string(
        out, "The first machine has all five features, as the paper's baseline; each row takes one away, and "
             "the next goes on from there. The machine with everything is `ecrts2025-orin` with\n\n   ");
    put_settings(out, ablation_everything);
    text_string(out, "\n\nand the features are taken away, in this order, by\n\n");
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        text_string(out, "   ");
        put_settings(out, ablation_without[c]);
        text_char(out, '\n');
    }
    text_string(out, "\nThat is: a miss of the instruction cache takes as long as memory does, an "
                     "instruction of PTX stands for one of 8 bytes; sub-cores have units of their own but "
                     "for shared memory and global loads, "
                     "of which the SM has "
                     "one; dual issue is two instructions of one warp for different units\n"
                     "([docs/machine.md](../machine.md)); a load that misses in both caches takes as long as "
                     "one without caches, "
                     "and three cycles in queues; without caches one memory serves a sector of 32 bytes\n"
                     "a cycle, and a block waits for its stores; last every access is one transaction, for "
                     "which nobody else "
                     "waits. Times are from the first issue to the end of the block (0,0,0), under 100: the "
                     "feature saves time.\n\n");
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

/* What differs from the published columns. */
static void put_ablation_reasons(struct text *out, const struct study *study) {
    text_printf(
        out,
        "\nWhat differs from the paper, and why as far as this shows it:\n\n"
        "- *Instruction cache*. It holds the code of every kernel, so what costs time is the first use of "
        "each line, "
        "200 cycles for 16 instructions. Blocks of a few thousand cycles feel that: the mean is above\n"
        "  the published one. The sum of the times of all blocks, in which long ones weigh more, is %.2f %% "
        "of that "
        "without.\n"
        "- *Four sub-cores* save more here. A block gains where its warps have something to issue: the paper "
        "says of "
        "Rodinia that most of it waits for memory. Behind caches, where\n"
        "  the paper measures this column too, sub-cores gain less than on the plain machine, since shared "
        "units "
        "serve sectors.\n"
        "- *Dual issue* saves a few percent on the plain machine, half of that on the one that follows "
        "GPGPU-Sim, and "
        "close to nothing in the paper: there only two instructions that were fetched\n"
        "  together can be issued together, and operand collectors and the registers in front of units are "
        "in the way. "
        "Both machines have blocks that it slows down, as in the paper: the order of warps changes.\n"
        "- *Data caches* agree in mean and range.\n",
        all_blocks(study, COLUMN_FETCH));
    text_string(
        out,
        "- *Coalescing*: sectors alone, pipelined, cost a mean of some percent, and about double the time of "
        "one "
        "kernel only, `integer_mix`, whose lanes access memory far apart. A mean far above 200 % with so "
        "small\n"
        "  a deviation and a least of 100 % cannot come from such kernels: nearly every block that loads at "
        "all "
        "would have to be one. It is what a longer way to memory does: with sectors served one by one\n"
        "  and a latency of three times that of the plain machine, mean, least and greatest come close to "
        "the "
        "published ones. So we read the published column as one of latencies and queues of the simulated\n"
        "  memory more than of the number of transactions. The paper does not say how long a load takes in "
        "that "
        "variant.\n\n");
}

static void put_ablation(struct text *out, const struct study *study) {
    text_string(out, "## Table 2: ablation\n\n");
    put_ablation_machines(out);
    table_ablation(out, study);
    text_string(
        out, "\n### One feature at a time\n\n"
             "Against the plain machine of the last row (`gpgpusim-orin` where it is named), in which memory "
             "takes 200 cycles for a load.\n\n");
    table_lone_features(out, study);
    put_ablation_reasons(out, study);
}

/* Every case in which a simulation took longer than a bound. */
static void put_exceeded(struct text *out, const struct study *study) {
    const size_t runs = study->kernels.count * LATENCY_COUNT;
    text_string(out, "## Simulations that exceed a bound\n\n");
    for (size_t m = 0; m < MODEL_COUNT; m++)
        text_printf(
            out,
            "- `%s`: %zu of %zu comparisons of a bound with a simulation of the block, %zu of %zu of a "
            "profile with a simulation of warp 0.\n",
            study_preset((enum model)m, STUDY_TYPICAL), count_exceeded(study, (enum model)m),
            runs * POLICY_COUNT * METHOD_COUNT, count_profiles_exceeded(study, (enum model)m), runs);
    text_string(out, "\n### Blocks\n\nBounds that are exceeded have the excess in cycles behind them.\n\n");
    table_exceeded(out, study);
    text_string(
        out,
        "\nWhy: with the settings for 5 cycles a store to global memory occupies the load/store unit for a "
        "cycle per sector of 32 bytes that it\n"
        "touches, up to 32 cycles, while the analyses charge its initiation of one cycle. The last column "
        "changes this one setting\n"
        "(`gpgpusim.store_banks`) to that of the other configurations.\n\n"
        "### Single warps\n\nExcess of the simulation of warp 0 over its profile in cycles, by latency.\n\n");
    table_profiles_exceeded(out, study);
    text_printf(
        out,
        "\nWhy: *jumps* counts where the path of warp 0 goes on elsewhere than with the next instruction, or "
        "with other lanes. There the model spends\n"
        "a cycle on emptying the warp's instruction buffer (other warps can use it), of which the profile "
        "knows nothing. Where stores are not\n"
        "narrow, which is everywhere but in the column of 5 cycles, the excess is at most %" PRIu64
        " cycles more than the jumps. What\n"
        "is left is the model's other resources that the profile does not have, such as "
        "two results of a unit that cannot leave it in the same cycle.\n",
        profile_excess_beyond_jumps(study));
}

void page_write(const struct output *output, struct text *out, const struct study *study) {
    put_summary(out, study);
    put_setting(out, study);
    put_kernels(output, out, study);
    put_sgemm(output, out, study);
    put_ablation(out, study);
    put_exceeded(out, study);
}
