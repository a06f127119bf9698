/* Lines of instructions and constants that each cache misses once. */
#include "sim/sass/sass_sm.h"

static cycles *absent(struct sass_sm *sm, size_t count) {
    cycles *lines = arena_array(&sm->arena, count, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = CYCLES_SATURATED;
    return lines;
}

/* The number of a line of the L1 that has the beginning of line `line` of the L0. */
static uint32_t l1_line(const struct sass_sm *sm, uint32_t line) {
    const struct machine_sass *sass = &sm->machine->sass;
    return (uint32_t)((uint64_t)line * sass->l0.line_bytes / sass->l1_instructions.line_bytes);
}

/* The lines that the block's paths touch, from the first to the last. */
static void find_lines(const struct sass_sm *sm, struct sass_lines *lines) {
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t p = 0; p < sm->block->path_count; p++) {
        const struct path *path = &sm->block->paths[p];
        for (size_t e = 0; e < path->entries.count; e++) {
            const struct path_entry *run = &path->entries.items[e];
            for (uint32_t i = 0; i < run->count; i++) {
                const struct sass_timed *timed = &sm->block->code.sass[run->first + i];
                first = timed->line < first ? timed->line : first;
                last = timed->line > last ? timed->line : last;
                if (timed->constant_line != SASS_NO_LINE && timed->constant_line >= lines->constants)
                    lines->constants = timed->constant_line + 1;
            }
        }
    }
    if (first > last) return;
    lines->first = first;
    lines->count = last - first + 1;
    if (sm->block->code.footprint.l1_instructions.lines == 0) return;
    lines->l1_first = l1_line(sm, first);
    lines->l1_count = l1_line(sm, last) - lines->l1_first + 1;
}

void sass_lines_init(struct sass_sm *sm) {
    const struct sass_footprint *footprint = &sm->block->code.footprint;
    struct sass_lines *lines = &sm->lines;
    const uint32_t sub_cores = sm->machine->sub_cores;
    const bool has_l1 = footprint->l1_instructions.lines > 0;
    find_lines(sm, lines);
    if (footprint->instructions.lines > 0) lines->l0 = absent(sm, (size_t)sub_cores * lines->count);
    if (has_l1) lines->l1 = absent(sm, lines->l1_count);
    if (footprint->constants.lines == 0) return;
    lines->constant = absent(sm, (size_t)sub_cores * lines->constants);
    if (has_l1) lines->l1_constant = absent(sm, lines->constants);
}

/* When a line of the L1 is there that is asked for now; `at`: its place, or NULL without such a cache. */
static cycles in_l1(const struct sass_sm *sm, cycles *at) {
    if (at == NULL) return sm->now;
    if (*at == CYCLES_SATURATED) *at = sm->now + sm->block->code.footprint.l1_instructions.miss;
    return cycles_max(*at, sm->now);
}

cycles sass_line_fetched(struct sass_sm *sm, uint32_t sub_core, uint32_t line) {
    struct sass_lines *lines = &sm->lines;
    cycles *behind = lines->l1 == NULL ? NULL : &lines->l1[l1_line(sm, line) - lines->l1_first];
    if (lines->l0 == NULL) return in_l1(sm, behind);
    cycles *at = &lines->l0[(size_t)sub_core * lines->count + line - lines->first];
    if (*at == CYCLES_SATURATED) *at = in_l1(sm, behind) + sm->block->code.footprint.instructions.miss;
    return *at;
}

cycles sass_constant_there(struct sass_sm *sm, uint32_t sub_core, uint32_t line, bool *missed) {
    struct sass_lines *lines = &sm->lines;
    *missed = false;
    if (lines->constant == NULL) return 0;
    cycles *at = &lines->constant[(size_t)sub_core * lines->constants + line];
    if (*at != CYCLES_SATURATED) return *at;
    *missed = true;
    *at = in_l1(sm, lines->l1_constant == NULL ? NULL : &lines->l1_constant[line]) +
          sm->block->code.footprint.constants.miss;
    return *at;
}
