#include "cost/code_walk.h"

#include <string.h>

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 8u

wb_status code_walker_init(struct code_walker *walker, struct chains *chains, const struct way_rules *rules,
                           uint32_t path, bool alone, struct cold_block *cold, struct arena *arena) {
    const struct timed_block *block = rules->block;
    const uint32_t units = block->machine->unit_count;
    *walker = (struct code_walker){
        .chains = chains, .rules = rules, .cursor = path_begin(&block->paths[path]), .alone = alone};
    walker->time_count = (size_t)3 + units;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        walker->time_count += (size_t)1 + rules->recent[c];
    walker->times = arena_array(arena, walker->time_count, sizeof *walker->times);
    walker->roots = arena_array(arena, walker->time_count, sizeof(struct chain_time *));
    if (walker->times == NULL || walker->roots == NULL) return WB_ERR_LIMIT;
    for (size_t t = 0; t < walker->time_count; t++)
        walker->roots[t] = &walker->times[t];
    walker->next = walker->times;
    walker->issue = walker->next + 1;
    walker->complete = walker->issue + 1;
    walker->units = walker->complete + 1;
    struct chain_time *done = walker->units + units;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++) {
        walker->done[c] = done;
        done += 1 + rules->recent[c];
    }
    return cold == NULL ? WB_OK : cold_path_init(&walker->cold, cold, arena);
}

void code_walker_free(struct code_walker *walker) {
    vec_free(&walker->runs);
    vec_free(&walker->misses);
}

cycles code_bubbles(const struct timed_code *code, uint32_t entry) {
    const struct sass_timed *inst = &code->sass[entry];
    const cycles probe = inst->operand > 0 ? code->footprint.constants.hold : 0;
    return cycles_sub(inst->slot, 1 + probe);
}

/* ---- Counters ------------------------------------------------------------------------------------------ */

/* The later of `at` and when all but the last `left` increments of a counter are undone. */
static struct chain_time when_undone(const struct code_walker *walker, struct chain_time at, uint32_t counter,
                                     uint32_t left) {
    const struct chain_time *done = walker->done[counter];
    const uint32_t recent = walker->rules->recent[counter];
    at = chain_later(at, done[0]);
    for (uint32_t i = 0; i + left < recent; i++)
        at = chain_later(at, done[1 + i]);
    return at;
}

static struct chain_time counters_allow(const struct code_walker *walker, struct chain_time at,
                                        const struct sass_timed *inst) {
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        if (inst->waits >> c & 1) at = when_undone(walker, at, c, 0);
    if (inst->left_counter != SASS_NO_COUNTER) at = when_undone(walker, at, inst->left_counter, inst->left);
    return at;
}

static void count_up(struct code_walker *walker, uint8_t counter, struct chain_time at) {
    if (counter == SASS_NO_COUNTER) return;
    struct chain_time *done = walker->done[counter];
    const uint32_t recent = walker->rules->recent[counter];
    if (recent == 0) {
        *done = chain_later(*done, at);
        return;
    }
    done[0] = chain_later(done[0], done[1]);
    memmove(&done[1], &done[2], (recent - 1) * sizeof *done);
    done[recent] = at;
}

/* ---- The walk ------------------------------------------------------------------------------------------ */

/* The later of `at` and a time behind another one. */
static struct chain_time or_behind(struct code_walker *walker, struct chain_time at, struct chain_time time,
                                   enum chain_step step, uint32_t entry, cycles takes) {
    if (time.at + takes <= at.at) return at;
    return chain_behind(walker->chains, time, step, entry, takes);
}

/* The later of `at` and when the fetch of an instruction lets it be issued behind the last one. */
static struct chain_time when_fetched(struct code_walker *walker, struct chain_time at, uint32_t entry,
                                      cycles fetch) {
    const cycles passed = walker->alone ? 0 : walker->hold;
    return or_behind(walker, at, *walker->issue, CHAIN_FETCH, entry, cycles_sub(fetch, passed));
}

/* The later of `at` and when the own holds of some units are over. */
static struct chain_time when_free(const struct code_walker *walker, struct chain_time at, uint32_t units) {
    for (; units != 0; units &= units - 1)
        at = chain_later(at, walker->units[__builtin_ctz(units)]);
    return at;
}

/* Whether its way begins in a unit that nothing waits for in a queue. */
static bool waits_for_unit(const struct code_walker *walker, const struct sass_timed *inst) {
    const struct way_rules *rules = walker->rules;
    if (inst->stage_count == 0) return false;
    return code_starts_at_issue(rules, inst) ||
           rules->block->machine->units[inst->stages[0].unit].queue != DEPTH_UNLIMITED;
}

/* When an instruction is issued. */
static struct chain_time issue_of(struct code_walker *walker, uint32_t entry, const struct sass_timed *inst) {
    const struct way_rules *rules = walker->rules;
    struct chain_time at = *walker->next;
    if (walker->begun || !walker->later) at = when_fetched(walker, at, entry, inst->fetch);
    at = counters_allow(walker, at, inst);
    if (walker->alone) {
        uint32_t waits = rules->held_issue;
        if (waits_for_unit(walker, inst)) waits |= rules->blocking[inst->stages[0].unit];
        at = when_free(walker, at, waits);
    }
    return chain_behind(walker->chains, at, CHAIN_CONSTANTS, entry, inst->operand);
}

/* Behind a stage that was begun at `start`. What bubbles lengthen a latch by are theirs. */
static struct chain_time behind_stage(struct code_walker *walker, uint32_t entry, uint32_t stage,
                                      struct chain_time start) {
    const struct timed_code *code = &walker->rules->block->code;
    const struct sass_timed *inst = &code->sass[entry]; /* stages are the same when it misses something */
    const cycles init = inst->stages[stage].init;
    if (stage > 0 || !code_starts_at_issue(walker->rules, inst))
        return chain_behind(walker->chains, start, CHAIN_STAGE + (enum chain_step)stage, entry, init);
    const cycles bubbles = inst->fixed ? cycles_min(code_bubbles(code, entry), init - 1) : 0;
    start = chain_behind(walker->chains, start, CHAIN_UNIT, entry, init - bubbles);
    return chain_behind(walker->chains, start, CHAIN_BANKS, entry, bubbles);
}

/* Follows it through its stages; when the last of them is over, or, of latencies alone, begins. */
static struct chain_time end_of_way(struct code_walker *walker, uint32_t entry, const struct sass_timed *inst,
                                    struct chain_time issue) {
    const struct way_rules *rules = walker->rules;
    struct chain_time at = issue;
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        const uint8_t unit = inst->stages[i].unit;
        if (i > 0) at = chain_behind(walker->chains, at, CHAIN_LATENCY, entry, inst->stages[i - 1].transfer);
        if (!walker->alone)
            at = chain_later(at, walker->units[unit]);
        else if (i > 0 || !code_starts_at_issue(rules, inst))
            at = when_free(walker, at, rules->blocking[unit]);
        if (walker->alone) at = behind_stage(walker, entry, i, at);
        walker->units[unit] = chain_later(walker->units[unit], at);
    }
    return at;
}

/* Notes when the next instruction may be issued. */
static void step_next(struct code_walker *walker, uint32_t entry, const struct sass_timed *inst,
                      struct chain_time issue) {
    struct chains *chains = walker->chains;
    walker->hold = walker->rules->parts ? 0 : code_hold(inst);
    *walker->issue = issue;
    if (!walker->alone) {
        *walker->next =
            chain_behind(chains, issue, CHAIN_STALL, entry, cycles_sub(inst->stall, code_hold(inst)));
        return;
    }
    const bool by_stall = inst->stall >= inst->slot;
    const cycles bubbles = by_stall ? 0 : code_bubbles(&walker->rules->block->code, entry);
    struct chain_time at = chain_behind(chains, issue, CHAIN_ISSUE, entry, 1);
    if (by_stall) at = chain_behind(chains, at, CHAIN_STALL, entry, cycles_sub(inst->stall, 1));
    at = chain_behind(chains, at, CHAIN_BANKS, entry, bubbles);
    if (!by_stall) at = chain_behind(chains, at, CHAIN_CONSTANTS, entry, inst->slot - 1 - bubbles);
    *walker->next = at;
    *walker->complete = or_behind(walker, *walker->complete, issue, CHAIN_ISSUE, entry, inst->slot);
}

/* Executes an entry of the code, with the times of `inst`. */
static void step(struct code_walker *walker, uint32_t entry, const struct sass_timed *inst) {
    struct chains *chains = walker->chains;
    const struct chain_time issue = issue_of(walker, entry, inst),
                            end = end_of_way(walker, entry, inst, issue);
    if (inst->read_counter != SASS_NO_COUNTER)
        count_up(walker, inst->read_counter,
                 chain_behind(chains, end, CHAIN_LATENCY, entry, inst->read_most));
    if (inst->write_counter != SASS_NO_COUNTER)
        count_up(walker, inst->write_counter,
                 chain_behind(chains, end, CHAIN_LATENCY, entry, inst->write_most));
    *walker->complete = or_behind(walker, *walker->complete, end, CHAIN_LATENCY, entry,
                                  cycles_max(inst->write_most, inst->read_most));
    step_next(walker, entry, inst, issue);
    walker->begun = true;
}

/* Executes an entry with what it misses then, as in own_times.c. */
static wb_status step_cold(struct code_walker *walker, uint32_t entry) {
    const struct sass_timed *inst = &walker->rules->block->code.sass[entry];
    struct walked_miss miss = {.entry = entry};
    if (walker->cold.block != NULL && !walker->begun) cold_executed(&walker->cold, inst);
    if (walker->cold.block == NULL || !is_cold(&walker->cold, inst)) {
        step(walker, entry, inst);
        return WB_OK;
    }
    (void)cold_executes(&walker->cold, inst, &miss.timed);
    step(walker, entry, &miss.timed);
    return miss.timed.slot == inst->slot ? WB_OK : vec_push(&walker->misses, miss);
}

/* Walks the rest of the run that `cursor` is in, up to behind the first barrier in it. */
static void walk_run(struct code_walker *walker, struct path_cursor *cursor) {
    walker->at_barrier = false;
    while (cursor->left > 0 && !walker->at_barrier) {
        const uint32_t entry = cursor->instruction++;
        cursor->left--;
        if (step_cold(walker, entry) != WB_OK) walker->chains->failed = true;
        walker->at_barrier = walker->rules->block->code.sass[entry].barrier;
    }
}

/* ---- Loops without barriers ---------------------------------------------------------------------------- */

static void loop_read(const void *user, cycles *times) {
    const struct code_walker *walker = user;
    for (size_t i = 0; i < walker->time_count; i++)
        times[i] = walker->times[i].at;
}

static void loop_write(void *user, const cycles *times) {
    const struct code_walker *walker = user;
    for (size_t i = 0; i < walker->time_count; i++)
        walker->times[i].at = times[i];
}

static cycles loop_once(void *user) {
    struct code_walker *walker = user;
    struct path_cursor cursor = walker->body;
    while (path_next_run(&cursor))
        walk_run(walker, &cursor);
    return 0;
}

static void loop_mark(void *user) {
    struct code_walker *walker = user;
    walker->mark = chain_mark(walker->chains, walker->roots, walker->time_count);
}

static void loop_jump(void *user, uint64_t periods) {
    struct code_walker *walker = user;
    walker->jump = chain_jump(walker->chains, walker->mark, periods, walker->roots, walker->time_count);
}

static void loop_back(void *user) {
    const struct code_walker *walker = user;
    chain_back(walker->chains, walker->jump, walker->roots, walker->time_count);
}

static bool has_barrier(const struct timed_code *code, struct path_cursor cursor) {
    struct path_step at;
    while (path_next(&cursor, &at))
        if (code->sass[at.instruction].barrier) return true;
    return false;
}

/* Takes a walker that is at a loop which is worth it behind the loop; others stay where they are. */
static wb_status skip_loop(struct code_walker *walker) {
    static const struct max_plus_trace trace = {loop_mark, loop_jump, loop_back};
    struct path_fold found;
    if (!path_at_fold(&walker->cursor, &found) || found.repetitions < FOLD_WORTH_SKIPPING) return WB_OK;
    if (has_barrier(&walker->rules->block->code, found.body)) return WB_OK;
    const struct max_plus_map map = {walker, walker->time_count, loop_read, loop_write, loop_once, &trace};
    walker->body = found.body;
    WB_TRY(max_plus_repeat(&map, found.repetitions));
    path_skip_fold(&walker->cursor);
    for (struct path_cursor cursor = found.body; path_next_run(&cursor); cursor.left = 0) {
        const struct walked_run run = {cursor.instruction, cursor.left, found.repetitions};
        WB_TRY(vec_push(&walker->runs, run));
    }
    return WB_OK;
}

/* ---- Sections ------------------------------------------------------------------------------------------ */

static void begin_section(struct code_walker *walker) {
    for (size_t t = 0; t < walker->time_count; t++)
        walker->times[t] = (struct chain_time){0, CHAIN_NONE};
    walker->hold = 0;
    walker->begun = false;
    walker->runs.count = walker->misses.count = 0;
}

/* The barrier that the walker is behind ends the section when the instruction behind it may be issued. */
static void end_at_barrier(struct code_walker *walker) {
    struct path_cursor behind = walker->cursor;
    struct path_step at;
    struct chain_time last = *walker->next;
    if (path_next(&behind, &at)) {
        const struct sass_timed *inst = &walker->rules->block->code.sass[at.instruction];
        const cycles cold = walker->cold.block == NULL ? 0 : cold_asks(&walker->cold, inst);
        last = when_fetched(walker, last, at.instruction, inst->fetch + cold);
    }
    *walker->complete = chain_later(*walker->complete, last);
}

wb_status code_walker_section(struct code_walker *walker) {
    walker->at_barrier = false;
    begin_section(walker);
    while (!walker->ended && !walker->at_barrier) {
        if (walker->cursor.left == 0) {
            WB_TRY(skip_loop(walker));
            walker->ended = !path_next_run(&walker->cursor);
        }
        if (walker->ended) break;
        struct walked_run run = {walker->cursor.instruction, walker->cursor.left, 1};
        walk_run(walker, &walker->cursor);
        run.count -= walker->cursor.left;
        if (run.count > 0) WB_TRY(vec_push(&walker->runs, run));
        chains_tend(walker->chains);
        if (walker->chains->failed) return WB_ERR_LIMIT;
    }
    if (walker->at_barrier) end_at_barrier(walker);
    walker->later = true;
    return walker->chains->failed ? WB_ERR_LIMIT : WB_OK;
}
