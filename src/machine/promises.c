/* What whoever launches a kernel promises of where its memory is: `--set resident=NAMES`. A promise lowers
 * the machine's figures, so that whatever rests on those holds of it, too. */
#include "base/cycles.h"
#include "machine/machine.h"

static const char *const names[RESIDENTS] = {[RESIDENT_TRANSLATIONS] = "translations",
                                             [RESIDENT_DATA] = "data",
                                             [RESIDENT_CODE] = "code",
                                             [RESIDENT_CODE_L1] = "code-l1"};

const char *wb_resident_name_at(size_t index) {
    return index < RESIDENTS ? names[index] : NULL;
}

static void lower(uint32_t *figure, uint32_t most) {
    if (*figure > most) *figure = most;
}

/* Most cycles of a miss of the SM's cache of code and constants. From the second level they come no later
 * than data do (P3). Without a miss of the TLB a miss takes that much less, where its figure has one in it:
 * where it is more than an access of DRAM takes. */
static uint32_t code_miss_most(const struct wb_machine *machine) {
    const struct machine_sass *sass = &machine->sass;
    const uint32_t stated = sass->l1_instructions.miss, tlb = sass->tlb_most;
    const uint32_t level = u32_max(sass->l1_most, sass->l2_most), memory = u32_max(level, sass->dram_most);
    if (machine_promises(machine, RESIDENT_CODE_L1)) return 0;
    if (machine_promises(machine, RESIDENT_CODE))
        return level + (machine_promises(machine, RESIDENT_TRANSLATIONS) ? 0 : tlb);
    if (!machine_promises(machine, RESIDENT_TRANSLATIONS) || stated <= memory) return stated;
    return u32_max(memory, stated - (stated < tlb ? stated : tlb));
}

/* LDC passes the same cache: its times have a miss of it in them, or are left. */
static void lower_code(struct wb_machine *machine) {
    struct machine_sass *sass = &machine->sass;
    struct machine_sass_class *loads = &sass->classes[SASS_CLASS_LOAD_CONSTANT];
    const uint32_t before = sass->l1_instructions.miss;
    lower(&sass->l1_instructions.miss, code_miss_most(machine));
    const uint32_t saved = before - sass->l1_instructions.miss;
    for (uint32_t s = 0; s < loads->stage_count; s++)
        if (loads->stages[s].each >= before) loads->stages[s].each -= saved;
    if (loads->write_most >= before && loads->write_most - saved >= loads->write_least.value)
        loads->write_most -= saved;
}

static void lower_data(struct machine_sass *sass) {
    const uint32_t level = u32_max(sass->l1_most, sass->l2_most);
    lower(&sass->dram_most, level);
    lower(&sass->dram_least.value, sass->dram_most);
    for (size_t c = 0; sass->l2_sector > 0 && c < SASS_CLASS_COUNT; c++) {
        struct machine_sass_class *class = &sass->classes[c];
        for (uint32_t s = 0; s < class->stage_count; s++) {
            if (class->stages[s].count != SASS_COUNT_SECTORS) continue;
            lower(&class->stages[s].init, sass->l2_sector);
            lower(&class->stages[s].each, sass->l2_sector);
        }
    }
}

wb_status machine_promise(struct wb_machine *machine, const char *list, wb_diagnostics *diagnostics) {
    uint64_t chosen;
    if (machine_isa(machine) != ISA_SASS) {
        diagnose(
            diagnostics, SEVERITY_ERROR, "resident",
            "only machines that time machine code take promises, which %s is not (warpbound machine list)",
            machine->name);
        return WB_ERR_INPUT;
    }
    if (machine->resident != 0) {
        diagnose(diagnostics, SEVERITY_ERROR, "resident", "given twice: one list has all promises");
        return WB_ERR_INPUT;
    }
    WB_TRY(choose_names("resident", list, wb_resident_name_at, diagnostics, &chosen));
    machine->resident = (unsigned)chosen;
    struct machine_sass *sass = &machine->sass;
    lower_code(machine); /* before what it rests on is lowered */
    if (machine_promises(machine, RESIDENT_DATA)) lower_data(sass);
    if (machine_promises(machine, RESIDENT_TRANSLATIONS)) {
        sass->tlb_most = 0;
        sass->tlb_least.value = 0;
    }
    return WB_OK;
}
