#include "tables.h"

#include <inttypes.h>

#include "published.h"

struct sample sample_method(const struct study *study, enum model model, size_t latency, enum method method,
                            enum policy policy) {
    struct sample sample = {0};
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct measurement *at = &study->kernels.items[i].at[model][latency];
        const uint64_t time = at->simulated[policy];
        sample_add(&sample, overestimation(at->bounds[method], time), (double)time);
    }
    return sample;
}

struct sample sample_single(const struct study *study, enum model model, size_t latency) {
    struct sample sample = {0};
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct measurement *at = &study->kernels.items[i].at[model][latency];
        sample_add(&sample, overestimation(at->profile, at->alone), (double)at->alone);
    }
    return sample;
}

/* Appends a cell for each statistic of table 3; `published` may be NULL. */
static void put_statistics(struct text *out, const struct sample *sample,
                           const struct published_overestimation *published) {
    const double ours[] = {sample_mean(sample), sample_weighted_mean(sample), sample->greatest,
                           sample_deviation(sample)};
    for (size_t i = 0; i < 4; i++) {
        text_printf(out, " %.2f", ours[i]);
        if (published != NULL) {
            const double theirs[] = {published->mean, published->weighted, published->max,
                                     published->deviation};
            text_printf(out, " (%.2f)", theirs[i]);
        }
        text_string(out, " |");
    }
}

void table_single(struct text *out, const struct study *study, enum model model) {
    text_string(out, "| latency | mean | weighted mean | max | std. dev. | least |\n"
                     "| ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t l = 0; l < LATENCY_COUNT; l++) {
        struct sample sample = sample_single(study, model, l);
        text_printf(out, "| %u |", study_latencies[l]);
        put_statistics(out, &sample, &published_single[l]);
        text_printf(out, " %.2f |\n", sample.least);
    }
}

void table_method(struct text *out, const struct study *study, enum model model, enum method method) {
    text_string(out,
                "| latency | LRR mean | weighted mean | max | std. dev. | GTO mean | weighted mean | max | "
                "std. dev. |\n"
                "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t l = 0; l < LATENCY_COUNT; l++) {
        text_printf(out, "| %u |", study_latencies[l]);
        for (size_t p = 0; p < POLICY_COUNT; p++) {
            struct sample sample = sample_method(study, model, l, method, (enum policy)p);
            put_statistics(out, &sample, method == METHOD_GUB ? &published_gub[l][p] : NULL);
        }
        text_char(out, '\n');
    }
}

void table_sgemm(struct text *out, const struct study *study, enum sgemm sgemm, enum method method) {
    text_string(out, "| latency |");
    for (size_t w = WARPS_COUNT; w-- > 0;)
        text_printf(out, " %u warps |", study_warps[w]);
    text_string(out, "\n| ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t l = 0; l < LATENCY_COUNT; l++) {
        text_printf(out, "| %u |", study_latencies[l]);
        for (size_t w = WARPS_COUNT; w-- > 0;) {
            const struct measurement *at = &study->sgemm[sgemm][l][w];
            text_printf(out, " %.2f / %.2f", overestimation(at->bounds[method], at->simulated[POLICY_LRR]),
                        overestimation(at->bounds[method], at->simulated[POLICY_GTO]));
            if (method == METHOD_GUB) text_printf(out, " (%.2f)", published_sgemm(sgemm)[l][w]);
            text_string(out, " |");
        }
        text_char(out, '\n');
    }
}

void table_sgemm_cycles(struct text *out, const struct study *study) {
    static const size_t latencies[] = {STUDY_SHORTEST, STUDY_TYPICAL, LATENCY_COUNT - 1};
    text_printf(out, "| %u warps: GUB, cycles under LRR |", study_warps[0]);
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        text_printf(out, " latency %u |", study_latencies[latencies[i]]);
    text_string(out, "\n| --- | ---: | ---: | ---: |\n");
    for (size_t k = 0; k < SGEMM_COUNT; k++) {
        text_printf(out, "| `%s` |", study_sgemm_kernels[k].name);
        for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
            const struct measurement *at = &study->sgemm[k][latencies[i]][0];
            text_printf(out, " %" PRIu64 ", %" PRIu64 " |", at->bounds[METHOD_GUB],
                        at->simulated[POLICY_LRR]);
        }
        text_char(out, '\n');
    }
}

/* Appends a row of table 2; `published` may be NULL. */
static void put_ablation(struct text *out, const char *title, size_t policy, const struct sample *sample,
                         const struct published_ablation *published) {
    const double ours[] = {sample_mean(sample), sample_deviation(sample), sample->least, sample->greatest};
    text_printf(out, "| %s | %s |", title, policy_titles[policy]);
    for (size_t i = 0; i < 4; i++) {
        text_printf(out, " %.2f", ours[i]);
        if (published != NULL) {
            const double theirs[] = {published->mean, published->deviation, published->min, published->max};
            text_printf(out, " (%.2f)", theirs[i]);
        }
        text_string(out, " |");
    }
    text_char(out, '\n');
}

static void put_ablation_head(struct text *out) {
    text_string(out, "| with, in percent of without | policy | mean | std. dev. | min | max |\n"
                     "| --- | --- | ---: | ---: | ---: | ---: |\n");
}

void table_ablation(struct text *out, const struct study *study) {
    static const char *const titles[COLUMN_COUNT] = {
        [COLUMN_FETCH] = "instruction cache",
        [COLUMN_SUB_CORES] = "four sub-cores",
        [COLUMN_DUAL_ISSUE] = "dual issue",
        [COLUMN_CACHE] = "data caches",
        [COLUMN_COALESCING] = "accesses of sectors that memory serves one by one",
    };
    put_ablation_head(out);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        for (size_t p = 0; p < POLICY_COUNT; p++) {
            struct sample sample = {0};
            for (size_t i = 0; i < study->kernels.count; i++) {
                const struct ablation *of = &study->kernels.items[i].ablation;
                sample_add(&sample, 100.0 * (double)of->chain[c][p] / (double)of->chain[c + 1][p], 1);
            }
            put_ablation(out, titles[c], p, &sample, &published_ablation[c]);
        }
    }
}

void table_lone_features(struct text *out, const struct study *study) {
    static const char *const titles[LONE_COUNT] = {
        [LONE_FETCH] = "instruction cache",
        [LONE_SUB_CORES] = "four sub-cores",
        [LONE_DUAL_ISSUE] = "dual issue",
        [LONE_DUAL_ISSUE_GPGPUSIM] = "dual issue, on `gpgpusim-orin`",
        [LONE_SECTORS] = "accesses of sectors, with bank conflicts",
        [LONE_MEMORY_400] = "sectors served one by one, 400 cycles against 200",
        [LONE_MEMORY_600] = "sectors served one by one, 600 cycles against 200",
    };
    put_ablation_head(out);
    for (size_t f = 0; f < LONE_COUNT; f++) {
        const enum model model = f == LONE_DUAL_ISSUE_GPGPUSIM ? MODEL_GPGPUSIM : MODEL_PLAIN;
        for (size_t p = 0; p < POLICY_COUNT; p++) {
            struct sample sample = {0};
            for (size_t i = 0; i < study->kernels.count; i++) {
                const struct study_kernel *kernel = &study->kernels.items[i];
                sample_add(&sample,
                           100.0 * (double)kernel->ablation.lone[f][p] /
                               (double)kernel->at[model][STUDY_TYPICAL].simulated[p],
                           1);
            }
            put_ablation(out, titles[f], p, &sample, NULL);
        }
    }
}

/* By how much a simulation exceeds a bound, 0 where it does not. */
static uint64_t excess(uint64_t simulated, uint64_t bound) {
    return simulated > bound ? simulated - bound : 0;
}

/* Bounds that the simulation under one policy exceeds. */
static size_t exceeded_bounds(const struct measurement *at, enum policy policy) {
    size_t count = 0;
    for (size_t m = 0; m < METHOD_COUNT; m++)
        count += excess(at->simulated[policy], at->bounds[m]) > 0;
    return count;
}

size_t count_exceeded(const struct study *study, enum model model) {
    size_t count = 0;
    for (size_t i = 0; i < study->kernels.count; i++)
        for (size_t l = 0; l < LATENCY_COUNT; l++)
            for (size_t p = 0; p < POLICY_COUNT; p++)
                count += exceeded_bounds(&study->kernels.items[i].at[model][l], (enum policy)p);
    return count;
}

/* A row of the list: `wide` is the same with wide stores, or NULL. */
static void put_exceeded(struct text *out, const char *name, size_t latency, enum policy policy,
                         const struct measurement *at, const struct measurement *wide) {
    text_printf(out, "| `%s` | %u | %s | %" PRIu64 " |", name, study_latencies[latency],
                policy_titles[policy], at->simulated[policy]);
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        text_printf(out, " %" PRIu64, at->bounds[m]);
        uint64_t over = excess(at->simulated[policy], at->bounds[m]);
        if (over > 0) text_printf(out, " (+%" PRIu64 ")", over);
        text_string(out, " |");
    }
    if (wide != NULL)
        text_printf(out, " %" PRIu64 " |\n", wide->simulated[policy]);
    else
        text_string(out, " |\n");
}

void table_exceeded(struct text *out, const struct study *study) {
    text_string(out, "| kernel | latency | policy | simulated |");
    for (size_t m = 0; m < METHOD_COUNT; m++)
        text_printf(out, " %s |", method_titles[m]);
    text_string(out, " simulated with 128 store banks |\n| --- | ---: | --- | ---: | ---: | ---: | ---: | "
                     "---: | ---: | ---: |\n");
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct study_kernel *kernel = &study->kernels.items[i];
        for (size_t l = 0; l < LATENCY_COUNT; l++) {
            const struct measurement *at = &kernel->at[MODEL_GPGPUSIM][l];
            const struct measurement *wide = l == STUDY_SHORTEST ? &kernel->wide_stores : NULL;
            for (size_t p = 0; p < POLICY_COUNT; p++)
                if (exceeded_bounds(at, (enum policy)p) > 0)
                    put_exceeded(out, kernel->name, l, (enum policy)p, at, wide);
        }
    }
}

/* Latencies at which the profile of warp 0 is exceeded. */
static size_t exceeded_profiles(const struct study_kernel *kernel, enum model model) {
    size_t count = 0;
    for (size_t l = 0; l < LATENCY_COUNT; l++)
        count += excess(kernel->at[model][l].alone, kernel->at[model][l].profile) > 0;
    return count;
}

size_t count_profiles_exceeded(const struct study *study, enum model model) {
    size_t count = 0;
    for (size_t i = 0; i < study->kernels.count; i++)
        count += exceeded_profiles(&study->kernels.items[i], model);
    return count;
}

uint64_t profile_excess_beyond_jumps(const struct study *study) {
    uint64_t most = 0;
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct study_kernel *kernel = &study->kernels.items[i];
        for (size_t l = 0; l < LATENCY_COUNT; l++) {
            const struct measurement *at =
                l == STUDY_SHORTEST ? &kernel->wide_stores : &kernel->at[MODEL_GPGPUSIM][l];
            const uint64_t beyond = excess(excess(at->alone, at->profile), kernel->jumps);
            if (beyond > most) most = beyond;
        }
    }
    return most;
}

void table_profiles_exceeded(struct text *out, const struct study *study) {
    text_string(out, "| kernel | jumps |");
    for (size_t l = 0; l < LATENCY_COUNT; l++)
        text_printf(out, " %u |", study_latencies[l]);
    text_string(out, " 5, with 128 store banks |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
                     "---: | ---: |\n");
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct study_kernel *kernel = &study->kernels.items[i];
        if (exceeded_profiles(kernel, MODEL_GPGPUSIM) == 0) continue;
        text_printf(out, "| `%s` | %" PRIu64 " |", kernel->name, kernel->jumps);
        for (size_t l = 0; l < LATENCY_COUNT; l++) {
            const struct measurement *at = &kernel->at[MODEL_GPGPUSIM][l];
            text_printf(out, " %" PRIu64 " |", excess(at->alone, at->profile));
        }
        text_printf(out, " %" PRIu64 " |\n", excess(kernel->wide_stores.alone, kernel->wide_stores.profile));
    }
}

void table_kernels(struct text *out, const struct study *study) {
    text_string(out, "| kernel | warps | instructions | LRR cycles | GTO cycles | GUB / LRR | GUB / GTO | "
                     "SIB / LRR | SIB / GTO | plain SIB / LRR | plain SIB / GTO |\n"
                     "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct study_kernel *kernel = &study->kernels.items[i];
        const struct measurement *timed = &kernel->at[MODEL_GPGPUSIM][STUDY_TYPICAL];
        const struct measurement *plain = &kernel->at[MODEL_PLAIN][STUDY_TYPICAL];
        text_printf(out, "| `%s` | %u | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", kernel->name,
                    kernel->warps, kernel->instructions, timed->simulated[POLICY_LRR],
                    timed->simulated[POLICY_GTO]);
        for (size_t p = 0; p < POLICY_COUNT; p++)
            text_printf(out, " %.2f |", overestimation(timed->bounds[METHOD_GUB], timed->simulated[p]));
        for (size_t p = 0; p < POLICY_COUNT; p++)
            text_printf(out, " %.2f |", overestimation(timed->bounds[METHOD_SIB], timed->simulated[p]));
        for (size_t p = 0; p < POLICY_COUNT; p++)
            text_printf(out, " %.2f |", overestimation(plain->bounds[METHOD_SIB], plain->simulated[p]));
        text_char(out, '\n');
    }
}
