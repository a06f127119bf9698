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
        sample_add(&sample, overestimation(at->profile, at->isolated), (double)at->isolated);
    }
    return sample;
}

struct sample sample_ablation(const struct study *study, enum column column, enum policy policy) {
    struct sample sample = {0};
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct ablation *of = &study->kernels.items[i].ablation;
        sample_add(&sample, 100.0 * (double)of->chain[column][policy] / (double)of->chain[column + 1][policy],
                   1);
    }
    return sample;
}

struct sample sample_single_feature(const struct study *study, enum single_feature feature,
                                    enum policy policy) {
    const enum model model = feature == SINGLE_DUAL_ISSUE_GPGPUSIM ? MODEL_GPGPUSIM : MODEL_PLAIN;
    struct sample sample = {0};
    for (size_t i = 0; i < study->kernels.count; i++) {
        const struct study_kernel *kernel = &study->kernels.items[i];
        sample_add(&sample,
                   100.0 * (double)kernel->ablation.single[feature][policy] /
                       (double)kernel->at[model][STUDY_TYPICAL].simulated[policy],
                   1);
    }
    return sample;
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

/* Latencies at which the profile of warp 0 is exceeded. */
static size_t exceeded_profiles(const struct study_kernel *kernel, enum model model) {
    size_t count = 0;
    for (size_t l = 0; l < LATENCY_COUNT; l++)
        count += excess(kernel->at[model][l].isolated, kernel->at[model][l].profile) > 0;
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
            const uint64_t beyond = excess(excess(at->isolated, at->profile), kernel->jumps);
            if (beyond > most) most = beyond;
        }
    }
    return most;
}

/* Appends bounds and simulations. */
static void put_measurement(const struct measurement *at, struct text *table) {
    for (size_t p = 0; p < POLICY_COUNT; p++)
        text_printf(table, ",%" PRIu64, at->simulated[p]);
    for (size_t m = 0; m < METHOD_COUNT; m++)
        text_printf(table, ",%" PRIu64, at->bounds[m]);
}

static void put_measurement_head(struct text *table) {
    for (size_t p = 0; p < POLICY_COUNT; p++)
        text_printf(table, ",%s", policy_titles[p]);
    for (size_t m = 0; m < METHOD_COUNT; m++)
        text_printf(table, ",%s", method_titles[m]);
}

static void put_block(const struct study_kernel *kernel, const char *machine, size_t latency,
                      const struct measurement *at, struct text *table) {
    text_printf(table, "%s,%u,%s,%u,%" PRIu64 ",%" PRIu64, machine, study_latencies[latency], kernel->name,
                kernel->warps, kernel->instructions, kernel->jumps);
    put_measurement(at, table);
    text_printf(table, ",%" PRIu64 ",%" PRIu64 "\n", at->isolated, at->profile);
}

/* Every block on every machine, in cycles. */
static wb_status write_blocks(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "machine,latency,kernel,warps,instructions,jumps");
    put_measurement_head(&table);
    text_string(&table, ",warp0,warp0_profile\n");
    for (size_t m = 0; m < MODEL_COUNT; m++)
        for (size_t l = 0; l < LATENCY_COUNT; l++)
            for (size_t i = 0; i < study->kernels.count; i++)
                put_block(&study->kernels.items[i], study_preset((enum model)m, l), l,
                          &study->kernels.items[i].at[m][l], &table);
    for (size_t i = 0; i < study->kernels.count; i++)
        put_block(&study->kernels.items[i], "gpgpusim-orin-5l " STUDY_WIDE_STORES, STUDY_SHORTEST,
                  &study->kernels.items[i].wide_stores, &table);
    return output_file(output, TABLES_BLOCKS, &table);
}

/* Appends the statistics of a row of table 3; `published` may be NULL. */
static void put_statistics(const struct sample *sample, const struct published_overestimation *published,
                           struct text *table) {
    text_printf(table, ",%.2f,%.2f,%.2f,%.2f,%.2f", sample_mean(sample), sample_weighted_mean(sample),
                sample->greatest, sample_deviation(sample), sample->least);
    if (published != NULL)
        text_printf(table, ",%.2f,%.2f,%.2f,%.2f\n", published->mean, published->weighted, published->max,
                    published->deviation);
    else
        text_string(table, ",,,,\n");
}

static void put_table3(const struct study *study, enum model model, size_t latency, struct text *table) {
    const char *machine = study_preset(model, latency);
    struct sample sample = sample_single(study, model, latency);
    text_printf(table, "%s,%u,single warps,", machine, study_latencies[latency]);
    put_statistics(&sample, &published_single[latency], table);
    for (size_t m = 0; m < METHOD_COUNT; m++)
        for (size_t p = 0; p < POLICY_COUNT; p++) {
            sample = sample_method(study, model, latency, (enum method)m, (enum policy)p);
            text_printf(table, "%s,%u,%s,%s", machine, study_latencies[latency], method_titles[m],
                        policy_titles[p]);
            put_statistics(&sample, m == METHOD_GUB ? &published_gub[latency][p] : NULL, table);
        }
}

static wb_status write_table3(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "machine,latency,bound,policy,mean,weighted_mean,max,deviation,least,published_mean,"
                        "published_weighted_mean,published_max,published_deviation\n");
    for (size_t m = 0; m < MODEL_COUNT; m++)
        for (size_t l = 0; l < LATENCY_COUNT; l++)
            put_table3(study, (enum model)m, l, &table);
    return output_file(output, TABLES_TABLE3, &table);
}

/* The matrix products, in cycles, with the published overestimation of GUB in percent. */
static wb_status write_products(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "product,latency,warps");
    put_measurement_head(&table);
    text_string(&table, ",published_GUB_percent\n");
    for (size_t k = 0; k < SGEMM_COUNT; k++)
        for (size_t l = 0; l < LATENCY_COUNT; l++)
            for (size_t w = 0; w < WARPS_COUNT; w++) {
                text_printf(&table, "%s,%u,%u", study_sgemm_kernels[k].name, study_latencies[l],
                            study_warps[w]);
                put_measurement(&study->sgemm[k][l][w], &table);
                text_printf(&table, ",%.2f\n", published_sgemm((enum sgemm)k)[l][w]);
            }
    return output_file(output, TABLES_PRODUCTS, &table);
}

/* Appends "KEY=VALUE KEY=VALUE". */
static void put_settings(const char *const *settings, struct text *table) {
    text_string(table, *settings);
    while (*++settings != NULL)
        text_printf(table, " %s", *settings);
}

static void put_ablation(const struct sample *sample, struct text *table) {
    text_printf(table, ",%.2f,%.2f,%.2f,%.2f", sample_mean(sample), sample_deviation(sample), sample->least,
                sample->greatest);
}

/* Table 2, and features by themselves. The first row has the settings of the machine with all features. */
static wb_status write_ablation(const struct output *output, const struct study *study) {
    struct text table = {0};
    text_string(&table, "machine,feature,settings,policy,mean,deviation,min,max,published_mean,"
                        "published_deviation,published_min,published_max\n"
                        "all features,all,");
    put_settings(ablation_everything, &table);
    text_string(&table, ",,,,,,,,,\n");
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        for (size_t p = 0; p < POLICY_COUNT; p++) {
            const struct published_ablation *published = &published_ablation[c];
            const struct sample sample = sample_ablation(study, (enum column)c, (enum policy)p);
            text_printf(&table, "features of earlier rows removed,%s,", column_titles[c]);
            put_settings(ablation_without[c], &table);
            text_printf(&table, ",%s", policy_titles[p]);
            put_ablation(&sample, &table);
            text_printf(&table, ",%.2f,%.2f,%.2f,%.2f\n", published->mean, published->deviation,
                        published->min, published->max);
        }
    for (size_t f = 0; f < SINGLE_COUNT; f++)
        for (size_t p = 0; p < POLICY_COUNT; p++) {
            const struct sample sample = sample_single_feature(study, (enum single_feature)f, (enum policy)p);
            text_printf(&table, "%s,%s,", single_features[f].preset, single_features[f].title);
            put_settings(single_features[f].settings, &table);
            text_printf(&table, ",%s", policy_titles[p]);
            put_ablation(&sample, &table);
            text_string(&table, ",,,,\n");
        }
    return output_file(output, TABLES_ABLATION, &table);
}

wb_status tables_write(const struct output *output, const struct study *study) {
    WB_TRY(write_blocks(output, study));
    WB_TRY(write_table3(output, study));
    WB_TRY(write_products(output, study));
    return write_ablation(output, study);
}
