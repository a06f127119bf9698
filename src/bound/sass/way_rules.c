#include "bound/sass/way_rules.h"

#include <assert.h>

#include "warp/path/path.h"
#include "warp/timed/timed.h"

static uint32_t unit_bit(uint8_t unit) {
    return UINT32_C(1) << unit;
}

/* How the ways of the code reach each unit, while they are looked through. */
struct unit_ways {
    uint32_t before; /* the units that an instruction has passed before it, in order */
    bool reached, latched;
};

static void note_way(struct pipeline_rules *rules, const struct sass_timed *inst, uint32_t stage,
                     struct unit_ways *ways) {
    const uint8_t unit = inst->stages[stage].unit;
    uint32_t before = 0;
    bool twice = false;
    for (uint32_t i = 0; i < stage; i++) {
        before = before * (MACHINE_UNITS_MAX + 1) + inst->stages[i].unit + 1;
        twice |= inst->stages[i].unit == unit;
    }
    const bool latched = code_starts_at_issue(rules, inst);
    struct unit_ways *way = &ways[unit];
    const bool differs = way->reached && (way->before != before || way->latched != latched);
    if (differs || twice) rules->clash |= unit_bit(unit);
    *way = (struct unit_ways){before, true, latched};
    if (inst->fixed) rules->latches |= unit_bit(unit);
}

static void note_inst(struct pipeline_rules *rules, const struct sass_timed *inst, struct unit_ways *ways) {
    const struct machine_unit *units = rules->block->machine->units;
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        note_way(rules, inst, i, ways);
        if (i == 0) continue;
        const uint8_t unit = inst->stages[i].unit;
        if (units[unit].queue != DEPTH_UNLIMITED) rules->blocking[inst->stages[i - 1].unit] |= unit_bit(unit);
    }
    if (inst->left_counter != SASS_NO_COUNTER && inst->left > rules->recent[inst->left_counter])
        rules->recent[inst->left_counter] = inst->left;
}

/* What blocks a unit is blocked by what blocks that. */
static void close_blocking(struct pipeline_rules *rules, uint32_t unit_count) {
    for (uint32_t through = 0; through < unit_count; through++)
        for (uint32_t u = 0; u < unit_count; u++)
            if (rules->blocking[u] >> through & 1) rules->blocking[u] |= rules->blocking[through];
}

/* A blocked shared unit delays warps of all sub-cores, whoever blocks it. */
static void close_shared(struct pipeline_rules *rules, uint32_t unit_count) {
    const uint32_t shared = rules->shared;
    for (uint32_t u = 0; u < unit_count; u++)
        if ((shared >> u & 1) != 0) rules->shared |= rules->blocking[u];
}

/* Own instructions that overtake in front of a unit that blocks another one come to that in any order. */
static void close_clash(struct pipeline_rules *rules, uint32_t unit_count) {
    const uint32_t clash = rules->clash;
    for (uint32_t u = 0; u < unit_count; u++)
        if ((clash >> u & 1) != 0) rules->clash |= rules->blocking[u];
}

/* Whether the instruction waits for a counter that the one before it counts up, in the next cycle, in which
 * that may not be seen yet. */
static bool waits_too_soon(const struct sass_timed *before, const struct sass_timed *inst) {
    uint32_t waits = inst->waits;
    if (inst->left_counter != SASS_NO_COUNTER) waits |= UINT32_C(1) << inst->left_counter;
    const bool write = before->write_counter != SASS_NO_COUNTER && (waits >> before->write_counter & 1) != 0;
    const bool read = before->read_counter != SASS_NO_COUNTER && (waits >> before->read_counter & 1) != 0;
    return before->stall_least < 2 && (write || read);
}

/* What an instruction waits for that finds the queue of its first unit full holds the issue stage. */
static void note_held_issue(struct pipeline_rules *rules, const struct sass_timed *inst) {
    if (inst->stage_count == 0 || code_starts_at_issue(rules, inst)) return;
    const uint8_t first = inst->stages[0].unit;
    if (rules->block->machine->units[first].queue != DEPTH_UNLIMITED)
        rules->held_issue |= rules->blocking[first];
}

/* Looks through the ways of the block's instructions, and of those beside them: entries that nobody executes
 * have none. */
static void note_ways(struct pipeline_rules *rules, const bool *used) {
    const struct timed_code *code = &rules->block->code, *beside = code->beside;
    const struct wb_machine *machine = rules->block->machine;
    const uint32_t others = beside == NULL ? 0 : beside->inst_count;
    const bool holds_issue = machine->sass.full_queue == SASS_FULL_HOLDS_ISSUE;
    struct unit_ways ways[MACHINE_UNITS_MAX] = {{0}};
    for (uint32_t i = 0; i < code->inst_count; i++)
        if (used[i]) note_inst(rules, &code->sass[i], ways);
    for (uint32_t i = 0; i < others; i++)
        note_inst(rules, &beside->sass[i], ways);
    close_blocking(rules, machine->unit_count);
    close_shared(rules, machine->unit_count);
    close_clash(rules, machine->unit_count);
    for (uint32_t i = 0; holds_issue && i < code->inst_count; i++)
        if (used[i]) note_held_issue(rules, &code->sass[i]);
    for (uint32_t i = 0; holds_issue && i < others; i++)
        note_held_issue(rules, &beside->sass[i]);
}

/* Notes whether some instruction comes to a wait too soon: of those that a path has one behind the other, in
 * a run, from a run to the next and to a repetition. `within` has room for all entries, and one more. */
static void note_unseen(struct pipeline_rules *rules, uint32_t *within) {
    const struct timed_block *block = rules->block;
    const struct sass_timed *sass = block->code.sass;
    for (uint32_t p = 0; p < block->path_count; p++) {
        const struct sass_timed *last = sass; /* of the entry before: the first is no fold */
        for (size_t e = 0; e < block->paths[p].entries.count; e++) {
            const struct path_entry *entry = &block->paths[p].entries.items[e];
            const bool again = entry->count == PATH_REPEAT;
            const struct sass_timed *next = &sass[again ? (entry - entry->first)->first : entry->first];
            rules->unseen |= e > 0 && waits_too_soon(last, next);
            if (again) continue;
            last = next + entry->count - 1;
            within[entry->first + 1]++; /* sums wrap round; only their differences count */
            within[entry->first + entry->count]--;
        }
    }
    uint32_t depth = 0;
    for (uint32_t i = 1; i < block->code.inst_count; i++) {
        depth += within[i];
        rules->unseen |= depth != 0 && waits_too_soon(&sass[i - 1], &sass[i]);
    }
}

wb_status pipeline_rules_make(const struct timed_block *block, struct pipeline_rules *rules) {
    const struct wb_machine *machine = block->machine;
    const struct timed_code *code = &block->code;
    struct arena arena = {0};
    assert(code->sass != NULL);
    *rules =
        (struct pipeline_rules){.block = block, .parts = block->traced != NULL && block->traced->covering};
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        rules->blocking[u] = UINT32_C(1) << u;
        if (machine->units[u].shared) rules->shared |= UINT32_C(1) << u;
        if (machine->units[u].any_order) rules->clash |= UINT32_C(1) << u;
    }
    const bool *used = executed_instructions(block->paths, block->path_count, code->inst_count, &arena);
    uint32_t *within = arena_array(&arena, (size_t)code->inst_count + 1, sizeof *within);
    const bool made = used != NULL && within != NULL;
    if (made) {
        note_ways(rules, used);
        note_unseen(rules, within);
    }
    arena_free(&arena);
    return made ? WB_OK : WB_ERR_LIMIT;
}

bool code_starts_at_issue(const struct pipeline_rules *rules, const struct sass_timed *inst) {
    return inst->stage_count != 0 &&
           (inst->fixed || rules->block->machine->units[inst->stages[0].unit].queue == 0);
}

cycles code_charge_near(const struct pipeline_rules *rules, const struct sass_timed *inst) {
    const cycles stages = code_stage_time(inst);
    if (!code_starts_at_issue(rules, inst)) return inst->slot + stages;
    const cycles first = inst->stages[0].init;
    /* A constant is looked up before the unit starts: its probe and the unit are held one after the other. */
    if (inst->operand > 0) return inst->slot - 1 + stages;
    return cycles_max(inst->slot, first) + stages - first;
}

cycles code_charge_far(const struct pipeline_rules *rules, const struct sass_timed *inst) {
    cycles sum = 0;
    for (uint32_t i = 0; i < inst->stage_count; i++)
        if (rules->shared >> inst->stages[i].unit & 1) sum += inst->stages[i].init;
    return sum;
}

cycles code_work(const struct sass_timed *inst) {
    const cycles stages = code_stage_time(inst);
    if (inst->operand > 0 || inst->stage_count == 0) return inst->slot + stages;
    return cycles_max(inst->slot, inst->stages[0].init) + stages - inst->stages[0].init;
}

cycles code_hold(const struct sass_timed *inst) {
    const cycles first = inst->stage_count == 0 ? 1 : inst->stages[0].init;
    if (inst->operand > 0) return cycles_max(1, first);
    return cycles_max(inst->slot, inst->stage_count == 0 ? inst->slot : first);
}
