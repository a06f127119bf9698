/* Whether an imported SM is one that the model gpgpusim can execute, and what else it is then told. */
#include "machine/import.h"
#include "machine/schema.h"

/* Cycles that an acknowledgement needs beyond those in the first-level cache. */
#define WAY_BACK_CYCLES 2u

/* What the model takes for granted, beside fetch that never misses: one scheduler that issues to different
 * units, one instance of each unit with one register in front of it, loads on a unit of their own, memory
 * that never makes anyone wait. */
static bool fits(const struct import_config *config) {
    const struct machine_gpgpusim *gpgpusim = &config->gpgpusim;
    uint32_t collectors = gpgpusim->generic_collectors;
    if (config->own_collectors == 1)
        for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
            collectors += gpgpusim->collectors[u];
    return config->schedulers == 1 && (config->issue_per_warp == 1 || config->issue_to_other_units == 1) &&
           config->sp_units == 1 && config->int_units == 1 && config->dp_units == 1 &&
           config->sfu_units == 1 && config->tensor_available == 1 && config->tensor_units == 1 &&
           config->mem_unit_count == 1 && config->widest_oc_ex == 1 && config->perfect_memory == 1 &&
           gpgpusim->generic_collectors > 0 && gpgpusim->generic_ports > 0 &&
           collectors <= GPGPUSIM_COLLECTORS_MAX;
}

/* Whether no unit gives a result before it is free again. The LSU is not told its times. */
static bool results_last(const struct wb_machine *machine) {
    uint8_t lsu = UNIT_NONE;
    (void)machine_unit_find(machine, "LSU", &lsu);
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        const struct machine_class *class = &machine->classes[i];
        if (class->given && class->unit != lsu && machine_latency(machine, class) < GPGPUSIM_STAGES)
            return false;
    }
    return true;
}

void import_model(const struct import_config *config, struct wb_machine *machine) {
    if (!fits(config) || !results_last(machine) || fetch_can_stall(&machine->fetch)) return;
    machine->model = MACHINE_GPGPUSIM;
    machine->gpgpusim = config->gpgpusim;
    if (config->own_collectors == 0)
        for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
            machine->gpgpusim.collectors[u] = 0;
    bool around = config->skip_l1 == 1;
    machine->gpgpusim.store_banks = around ? 1 : config->l1_banks;
    machine->gpgpusim.store_ack_delay = around ? 1 : config->l1_latency + WAY_BACK_CYCLES;
    /* The version with a unit for global loads executes all other loads but those from shared memory, and
     * what it does not know, like a move. */
    static const enum ptx_class moves[] = {PTX_CLASS_LOAD_LOCAL, PTX_CLASS_LOAD_GENERIC, PTX_CLASS_PREFETCH};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        machine->classes[moves[i]] = machine->classes[PTX_CLASS_MOVE];
}
