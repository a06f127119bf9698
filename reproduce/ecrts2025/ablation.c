#include "ablation.h"

#include "base/base.h"

/* What all machines of the table have. */
#define TYPICAL_LATENCY "mem_latency=200"

/* Of the last machine, and of that of features by themselves. */
#define NO_SECTORS "requests=ideal"

/* Four sub-cores with units of their own, but for those that access memory; one SM. */
#define SUB_CORES "sub_cores=4"
#define SHARED_UNITS "unit.MEM.shared=true", "unit.LSU.shared=true"

#define DUAL_ISSUE "issue_per_warp=2"

/* The instruction cache that the simulator's configuration of a chip of the generation has (SM86_RTX3070), of
 * which a line comes from as far as data; an instruction of PTX takes 8 bytes there. */
#define FETCH                                                                                                \
    "fetch.size=131072", "fetch.ways=16", "fetch.line=128", "fetch.instruction_bytes=8", "fetch.buffer=2",   \
        "fetch.per_cycle=4", "fetch.miss_latency=200", "fetch.misses=2"

const char *const ablation_everything[] = {
    TYPICAL_LATENCY, "sms=1", "dispatch=static", SHARED_UNITS, SUB_CORES, DUAL_ISSUE, FETCH,
    /* As near as a preset of another chip of the generation says: 64 kB of
       the SM's 128, 4 MB behind it. */
    "l1_size=65536", "l1_ways=4", "l1_line=128", "l1_sector=32", "l1_latency=30", "l1_mshrs=256",
    "l2_size=4194304", "l2_ways=16", "l2_line=128", "l2_sector=32",
    /* What misses everywhere takes 2 x 30 + 40 + 100 cycles, mem_latency,
       and one in each of three queues. */
    "noc_latency=30", "l2_latency=40", "dram_latency=100", NULL};

const char *const *const ablation_without[COLUMN_COUNT] = {
    [COLUMN_FETCH] = (const char *const[]){"fetch.size=0", NULL},
    [COLUMN_SUB_CORES] = (const char *const[]){"sub_cores=1", NULL},
    [COLUMN_DUAL_ISSUE] = (const char *const[]){"issue_per_warp=1", NULL},
    [COLUMN_CACHE] = (const char *const[]){"l1_size=0", "service=1", NULL},
    [COLUMN_COALESCING] = (const char *const[]){"service=0", NO_SECTORS, NULL},
};

const char *const column_titles[COLUMN_COUNT] = {
    [COLUMN_FETCH] = "instruction cache",
    [COLUMN_SUB_CORES] = "four sub-cores",
    [COLUMN_DUAL_ISSUE] = "dual issue",
    [COLUMN_CACHE] = "data caches",
    [COLUMN_COALESCING] = "coalescing: sectors served one by one",
};

#define SLOW_MEMORY "sms=1", SHARED_UNITS, "service=1", NULL

const struct single_machine single_features[SINGLE_COUNT] = {
    [SINGLE_FETCH] = {"instruction cache", "ecrts2025-orin",
                      (const char *const[]){TYPICAL_LATENCY, NO_SECTORS, FETCH, NULL}},
    [SINGLE_SUB_CORES] = {"four sub-cores", "ecrts2025-orin",
                          (const char *const[]){TYPICAL_LATENCY, NO_SECTORS, SHARED_UNITS, SUB_CORES, NULL}},
    [SINGLE_DUAL_ISSUE] = {"dual issue", "ecrts2025-orin",
                           (const char *const[]){TYPICAL_LATENCY, NO_SECTORS, DUAL_ISSUE, NULL}},
    [SINGLE_DUAL_ISSUE_GPGPUSIM] = {"dual issue", "gpgpusim-orin",
                                    (const char *const[]){TYPICAL_LATENCY, DUAL_ISSUE, NULL}},
    [SINGLE_SECTORS] = {"sectors with bank conflicts", "ecrts2025-orin",
                        (const char *const[]){TYPICAL_LATENCY, NULL}},
    [SINGLE_MEMORY_400] = {"sectors served one by one; 400 cycles against 200", "ecrts2025-orin",
                           (const char *const[]){"mem_latency=400", SLOW_MEMORY}},
    [SINGLE_MEMORY_600] = {"sectors served one by one; 600 cycles against 200", "ecrts2025-orin",
                           (const char *const[]){"mem_latency=600", SLOW_MEMORY}},
};

/* Simulates the block on a preset with settings. */
static wb_status simulate_with(const wb_block *block, const char *preset, const char *const *settings,
                               wb_diagnostics *diagnostics, uint64_t simulated[POLICY_COUNT]) {
    wb_machine *machine = NULL;
    WB_TRY(measure_machine(preset, settings, diagnostics, &machine));
    wb_status status = measure_simulations(block, machine, diagnostics, simulated);
    wb_machine_free(machine);
    return status;
}

/* Simulates the block on the machine without the features of the columns before number `first`. */
static wb_status simulate_without(const wb_block *block, size_t first, wb_diagnostics *diagnostics,
                                  uint64_t simulated[POLICY_COUNT]) {
    wb_machine *machine = NULL;
    WB_TRY(measure_machine("ecrts2025-orin", ablation_everything, diagnostics, &machine));
    wb_status status = WB_OK;
    for (size_t c = 0; c < first && status == WB_OK; c++)
        status = measure_settings(machine, ablation_without[c], diagnostics);
    if (status == WB_OK) status = measure_simulations(block, machine, diagnostics, simulated);
    wb_machine_free(machine);
    return status;
}

wb_status ablation_measure(const wb_block *block, wb_diagnostics *diagnostics, struct ablation *ablation) {
    for (size_t c = 0; c <= COLUMN_COUNT; c++)
        WB_TRY(simulate_without(block, c, diagnostics, ablation->chain[c]));
    for (size_t f = 0; f < SINGLE_COUNT; f++)
        WB_TRY(simulate_with(block, single_features[f].preset, single_features[f].settings, diagnostics,
                             ablation->single[f]));
    return WB_OK;
}
