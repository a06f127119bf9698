/* code-k-sm, code-k-area and code-k-bal of a kernel of machine code: docs/machine-code-bounds.md, section 7.
 */
#include "code.h"
#include "kernel.h"

#include <stdlib.h>

static void meet_holds(struct walk *walk, uint64_t number) {
    const struct code *code = &walk->block->code.items[number];
    walk->times[HELD_WORK] = add(walk->times[HELD_WORK], work_of(code));
    walk->times[HELD_NEAR] = add(walk->times[HELD_NEAR], charge_near(code));
    walk->times[HELD_WIDE] = add(walk->times[HELD_WIDE], holds(code, units.wide));
}

uint64_t *held_by_sub_core(const struct block *of) {
    uint64_t *sums = zeroed(mul(machine.sub_cores, HELD), sizeof *sums);
    uint64_t *of_sections = zeroed(mul(of->sections.count, HELD), sizeof *sums);
    for (uint64_t s = 0; s < of->sections.count; s++) {
        struct walk walk = {
            of, &of->sections.items[s].steps, meet_holds, of_sections + s * HELD, HELD, NULL, false};
        walk_all(&walk);
    }
    for (struct rows at = {0}; next_row(of, &at);)
        for (uint64_t g = 0; g < of->warps.count; g++) {
            const struct warps *warps = &of->warps.items[g];
            const uint64_t section = cell(of, at.row, warps->path);
            for (uint64_t h = 0; h < HELD; h++) {
                uint64_t *sum = &sums[warps->sub_core * HELD + h];
                *sum = add(*sum, mul(of_sections[section * HELD + h], mul(warps->count, at.often)));
            }
        }
    free(of_sections);
    return sums;
}

/* E, lam, SIB, H, and what such a block takes that has an SM to itself. */
void measure_code(struct class *class) {
    struct block *of = &blocks.items[class->block];
    finish(of);
    find_units(of);
    uint64_t *sums = held_by_sub_core(of);
    class->initiations = class->held = 0;
    for (uint64_t c = 0; c < machine.sub_cores; c++) {
        class->initiations = add(class->initiations, sums[c * HELD + HELD_WORK]);
        class->held = add(class->held, sums[c * HELD + HELD_NEAR]);
    }
    free(sums);
    class->latency = code_latency(of);
    class->alpha = code_sib(of);
    class->alone = min(min(class->alpha, code_fib(of)), add(class->initiations, class->latency));
}
