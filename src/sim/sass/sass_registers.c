/* The register cache of a sub-core, after Huerta et al. (MICRO 2025, section 5.3): for each bank and each of
 * the operands A, B and C the register that was read there last, if the instruction says that it is used
 * again. Whoever reads it next at that place, of the same warp, needs no port of the bank; with any read of
 * the bank at that place it is lost. */
#include "sim/sass/sass_sm.h"

/* Whether the operand needs no port, and what is kept of it. An operand of several registers is never kept:
 * nobody has said how. */
static bool read_operand(const struct sass_sm *sm, struct sass_core *core, uint32_t index, uint32_t place,
                         const struct sass_operand *operand) {
    const uint32_t banks = sm->machine->sass.register_banks;
    bool found = false;
    for (uint32_t r = 0; r < operand->count; r++) {
        struct sass_kept *kept = &core->kept[(operand->number + r) % banks][place];
        found = operand->count == 1 && kept->warp == index && kept->number == operand->number;
        *kept = (struct sass_kept){.warp = WARP_NONE};
        if (operand->kept && operand->count == 1) *kept = (struct sass_kept){index, operand->number};
    }
    return found;
}

uint32_t sass_bubbles_saved(const struct sass_sm *sm, struct sass_core *core, uint32_t index) {
    const struct machine_sass *sass = &sm->machine->sass;
    const struct sass_timed *timed = sm->warps[index].head;
    uint8_t reads[SASS_BANKS_MAX];
    memcpy(reads, timed->bank_reads, sizeof reads);
    for (uint32_t i = 0; i < SASS_OPERANDS; i++)
        if (read_operand(sm, core, index, i, &timed->operands[i]))
            reads[timed->operands[i].number % sass->register_banks]--;
    return timed->fixed ? sass_bubbles(sass, timed->bank_reads) - sass_bubbles(sass, reads) : 0;
}

void sass_registers_forget(struct sass_sm *sm, uint32_t first, uint32_t count) {
    for (uint32_t c = 0; c < sm->machine->sub_cores; c++)
        for (uint32_t bank = 0; bank < SASS_BANKS_MAX; bank++)
            for (uint32_t i = 0; i < SASS_OPERANDS; i++) {
                struct sass_kept *kept = &sm->cores[c].kept[bank][i];
                if (kept->warp - first < count) kept->warp = WARP_NONE;
            }
}
