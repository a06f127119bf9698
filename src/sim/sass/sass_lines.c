/* Lines of instructions and constants that each cache misses once. */
#include "sim/sass/sass_sm.h"

static cycles *absent(struct sass_sm *sm, size_t count) {
    cycles *lines = arena_array(&sm->arena, count, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = CYCLES_SATURATED;
    return lines;
}

void sass_lines_init(struct sass_sm *sm) {
    const struct sass_footprint *footprint = &sm->code->footprint;
    struct sass_lines *lines = &sm->lines;
    const struct sass_line_range *range = &lines->range;
    const uint32_t sub_cores = sm->machine->sub_cores;
    const bool has_l1 = footprint->l1_instructions.lines > 0;
    lines->range = sm->program->lines;
    if (footprint->instructions.lines > 0) lines->l0 = absent(sm, (size_t)sub_cores * range->count);
    if (has_l1) lines->l1 = absent(sm, range->l1_count);
    if (footprint->constants.lines == 0) return;
    lines->constant = absent(sm, (size_t)sub_cores * range->constants);
    if (has_l1) lines->l1_constant = absent(sm, range->constants);
}

/* When a line of the L1 is there that is asked for now; `at`: its place, or NULL without such a cache. */
static cycles in_l1(const struct sass_sm *sm, cycles *at) {
    if (at == NULL) return sm->now;
    if (*at == CYCLES_SATURATED) *at = sm->now + sm->code->footprint.l1_instructions.miss;
    return cycles_max(*at, sm->now);
}

/* When a line of instructions is in the L1. */
static cycles line_in_l1(struct sass_sm *sm, uint32_t line) {
    const struct sass_lines *lines = &sm->lines;
    if (lines->l1 == NULL) return sm->now;
    return in_l1(sm, &lines->l1[sass_l1_line(sm->machine, line) - lines->range.l1_first]);
}

cycles sass_line_fetched(struct sass_sm *sm, uint32_t sub_core, uint32_t line) {
    struct sass_lines *lines = &sm->lines;
    if (lines->l0 == NULL) return line_in_l1(sm, line);
    cycles *l0 = &lines->l0[(size_t)sub_core * lines->range.count];
    const uint32_t number = line - lines->range.first, behind = sm->machine->sass.l0_prefetch;
    const cycles miss = sm->code->footprint.instructions.miss;
    if (l0[number] != CYCLES_SATURATED) return l0[number];
    for (uint32_t i = number; i - number <= behind && i < lines->range.count; i++)
        if (l0[i] == CYCLES_SATURATED) l0[i] = line_in_l1(sm, lines->range.first + i) + miss;
    return l0[number];
}

cycles sass_constant_there(struct sass_sm *sm, uint32_t sub_core, uint32_t line, bool *missed) {
    struct sass_lines *lines = &sm->lines;
    *missed = false;
    if (lines->constant == NULL) return 0;
    cycles *at = &lines->constant[(size_t)sub_core * lines->range.constants + line];
    if (*at != CYCLES_SATURATED) return *at;
    *missed = true;
    *at = in_l1(sm, lines->l1_constant == NULL ? NULL : &lines->l1_constant[line]) +
          sm->code->footprint.constants.miss;
    return *at;
}
