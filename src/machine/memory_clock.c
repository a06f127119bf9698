/* Figures of DRAM at a lower clock of that. How much of them depends on it nobody says: all of it at most. */
#include "machine/machine.h"

/* The figure at `to` MHz of one at `from`, rounded up; too large for a machine: it stays so. */
static uint32_t at_clock(uint32_t figure, uint32_t from, uint32_t to, bool *fits) {
    const uint64_t made = ((uint64_t)figure * from + to - 1) / to;
    *fits = *fits && made <= SASS_TIME_MAX;
    return made > UINT32_MAX ? UINT32_MAX : (uint32_t)made;
}

/* Mask: the units that sectors hold. */
static uint32_t sector_units(const struct machine_sass *sass) {
    uint32_t units = 0;
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++)
        for (uint32_t s = 0; s < sass->classes[c].stage_count; s++)
            if (sass->classes[c].stages[s].count == SASS_COUNT_SECTORS)
                units |= UINT32_C(1) << sass->classes[c].stages[s].unit;
    return units;
}

bool machine_slow_memory(struct wb_machine *machine, uint32_t clock) {
    struct machine_sass *sass = &machine->sass;
    const uint32_t before = sass->memory_clock, units = sector_units(sass);
    uint32_t *const figures[] = {&sass->dram_most, &sass->tlb_most, &sass->row_cycle,
                                 &sass->l1_instructions.miss};
    bool fits = true;
    sass->memory_clock = clock;
    if (clock >= before) return true;
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
        *figures[f] = at_clock(*figures[f], before, clock, &fits);
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        struct machine_sass_class *class = &sass->classes[c];
        const bool misses = c == SASS_CLASS_LOAD_CONSTANT; /* its times have a miss in them */
        if (!misses && class->plus != SASS_PLUS_MEMORY) continue;
        class->write_most = at_clock(class->write_most, before, clock, &fits);
        class->read_most = at_clock(class->read_most, before, clock, &fits);
        for (uint32_t s = 0; s < class->stage_count; s++) {
            struct machine_sass_stage *stage = &class->stages[s];
            if (!misses && (units >> stage->unit & 1) == 0) continue;
            stage->init = at_clock(stage->init, before, clock, &fits);
            stage->each = at_clock(stage->each, before, clock, &fits);
        }
    }
    return fits;
}
