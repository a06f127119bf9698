#include "bound/sass/own_times.h"

#include <assert.h>
#include <string.h>

#include "bound/profile/max_plus.h"

/* Rows of pending holds: one per counter, one of instructions without. */
#define PENDING_ROWS (SASS_COUNTERS + 1u)

/* Of each: pipes, by their first unit; all that is of no pipe; and that by unit. */
#define PENDING_COLUMNS(units) ((size_t)2 * (units) + 1)

wb_status own_walker_init(struct own_walker *walker, const struct way_rules *rules, uint32_t path,
                          struct cold_block *cold, struct arena *arena) {
    const struct timed_block *block = rules->block;
    const uint32_t units = block->machine->unit_count;
    *walker = (struct own_walker){.rules = rules, .cursor = path_begin(&block->paths[path])};
    walker->time_count = OWN_TIMES + (size_t)4 * units + (size_t)PENDING_ROWS * PENDING_COLUMNS(units);
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        walker->time_count += 2 * ((size_t)1 + rules->recent[c]);
    walker->times = arena_array(arena, walker->time_count, sizeof *walker->times);
    if (walker->times == NULL) return WB_ERR_LIMIT;
    walker->free_at = walker->times + OWN_TIMES;
    walker->lam_at = walker->free_at + units;
    walker->spare = walker->lam_at + units;
    walker->latched = walker->spare + units;
    walker->pending = walker->latched + units;
    cycles *next = walker->pending + (size_t)PENDING_ROWS * PENDING_COLUMNS(units);
    for (uint32_t c = 0; c < SASS_COUNTERS; c++) {
        walker->done[c] = next;
        walker->lam_done[c] = next += 1 + rules->recent[c];
        next += 1 + rules->recent[c];
    }
    assert(next == walker->times + walker->time_count);
    return cold == NULL ? WB_OK : cold_path_init(&walker->cold, cold, arena);
}

/* ---- Counters ------------------------------------------------------------------------------------------ */

/* When all but the last `left` of the increments in a list of a counter are undone, of which `recent` are
 * told apart. */
static cycles undone(const cycles *done, uint32_t recent, uint32_t left) {
    cycles at = done[0];
    for (uint32_t i = 0; i + left < recent; i++)
        at = cycles_max(at, done[1 + i]);
    return at;
}

static void increment(cycles *done, uint32_t recent, cycles at) {
    if (recent == 0) {
        done[0] = cycles_max(done[0], at);
        return;
    }
    done[0] = cycles_max(done[0], done[1]);
    memmove(&done[1], &done[2], (recent - 1) * sizeof *done);
    done[recent] = at;
}

/* When the counters allow the instruction, in one of both kinds of times. */
static cycles counters_allow(const struct way_rules *rules, cycles *const *done,
                             const struct sass_timed *inst) {
    cycles at = 0;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        if (inst->waits >> c & 1) at = cycles_max(at, undone(done[c], rules->recent[c], 0));
    if (inst->left_counter != SASS_NO_COUNTER)
        at = cycles_max(at, undone(done[inst->left_counter], rules->recent[inst->left_counter], inst->left));
    return at;
}

static void count_up(const struct way_rules *rules, cycles *const *done, const struct sass_timed *inst,
                     cycles end) {
    const uint8_t read = inst->read_counter, write = inst->write_counter;
    if (read != SASS_NO_COUNTER) increment(done[read], rules->recent[read], end + inst->read_most);
    if (write != SASS_NO_COUNTER) increment(done[write], rules->recent[write], end + inst->write_most);
}

/* ---- Holds that are left behind a barrier ---------------------------------------------------------------
 */

static cycles *pending_of(const struct own_walker *walker, uint32_t row, uint32_t unit) {
    return &walker->pending[row * PENDING_COLUMNS(walker->rules->block->machine->unit_count) + unit];
}

static void forget_pending(const struct own_walker *walker, uint32_t counter) {
    memset(pending_of(walker, counter, 0), 0,
           PENDING_COLUMNS(walker->rules->block->machine->unit_count) * sizeof *walker->pending);
}

/* Behind an instruction that waits, and that is then on its way itself. A barrier is released when nothing of
 * it is left. What waits may be no part of what a warp executes. */
static void note_pending(const struct own_walker *walker, const struct sass_timed *inst) {
    const struct way_rules *rules = walker->rules;
    for (uint32_t c = 0; c < SASS_COUNTERS && !rules->parts && !rules->unseen; c++)
        if ((inst->waits >> c & 1) != 0 || (inst->left_counter == c && inst->left == 0))
            forget_pending(walker, c);
    if (inst->stage_count == 0 || inst->fixed) return;
    uint32_t row = PENDING_ROWS - 1;
    if (inst->read_counter != SASS_NO_COUNTER) row = inst->read_counter;
    if (inst->write_counter != SASS_NO_COUNTER) row = inst->write_counter;
    uint32_t pipe = inst->stages[0].unit;
    const uint32_t elsewhere = rules->block->machine->unit_count;
    for (uint32_t i = 1; i < inst->stage_count; i++)
        if ((rules->blocking[inst->stages[0].unit] >> inst->stages[i].unit & 1) == 0) pipe = elsewhere;
    *pending_of(walker, row, pipe) += code_stage_time(inst);
    for (uint32_t i = 0; i < inst->stage_count && pipe == elsewhere; i++)
        if ((rules->clash >> inst->stages[i].unit & 1) == 0)
            *pending_of(walker, row, elsewhere + 1 + inst->stages[i].unit) += inst->stages[i].init;
}

/* Notes when the latch of an instruction is free again, and what passes until the next one is issued, or
 * behind a barrier, until that is released: nothing; of parts of a path only what passes behind itself is
 * known. */
static void note_latch(const struct own_walker *walker, const struct sass_timed *inst) {
    cycles *passed = &walker->times[OWN_PASSED];
    const cycles passes = inst->barrier ? 0 : inst->stall_least;
    if (inst->fixed && inst->stage_count > 0) {
        cycles *latched = &walker->latched[inst->stages[0].unit];
        const cycles until = *passed + inst->stages[0].init;
        *latched = cycles_max(*latched, walker->rules->parts ? cycles_sub(until, passes) : until);
    }
    if (!walker->rules->parts) *passed += passes;
}

/* What latches can still be busy with when a barrier is released, at the earliest in the cycle behind the
 * section's last issue, whose stall nobody waits for. Each has only the last instruction that was issued to
 * it. */
static cycles left_latched(const struct own_walker *walker) {
    const cycles issued = cycles_sub(walker->times[OWN_PASSED], walker->last_stall) + 1;
    cycles sum = walker->rules->parts && walker->last_fixed ? walker->last_stall : 0;
    for (uint32_t unit = 0; unit < walker->rules->block->machine->unit_count; unit++)
        sum += cycles_sub(walker->latched[unit], issued);
    return sum;
}

/* What queues can have left to do behind the release of a barrier, and be overtaken by what follows: all that
 * is pending but the most of one pipe or unit, which keeps its order. */
static cycles left_pending(const struct own_walker *walker) {
    const uint32_t units = walker->rules->block->machine->unit_count;
    cycles sum = 0, most = 0;
    for (uint32_t column = 0; column < PENDING_COLUMNS(units); column++) {
        cycles one = 0;
        for (uint32_t row = 0; row < PENDING_ROWS; row++)
            one += *pending_of(walker, row, column);
        if (column <= units) sum += one;
        if (column != units) most = cycles_max(most, one);
    }
    return sum - most;
}

/* What of a section may be left when a barrier is released: that which ends it, or, where the warp ends with
 * it, one of the others. The slot of what waits for room begins late. */
static cycles left_behind(const struct own_walker *walker) {
    if (walker->last_slot == 0) return 0;
    const uint32_t slot = walker->last_slot - (walker->last_queued ? 0 : 1);
    return left_pending(walker) + left_latched(walker) + slot;
}

/* ---- The walk ------------------------------------------------------------------------------------------ */

static cycles latest_of(const cycles *at, uint32_t units) {
    cycles latest = 0;
    for (; units != 0; units &= units - 1)
        latest = cycles_max(latest, at[__builtin_ctz(units)]);
    return latest;
}

/* How long its fetch keeps it from issue behind the one before. Behind a barrier the section before has
 * waited for it. */
static uint32_t own_fetch(const struct own_walker *walker, const struct sass_timed *inst) {
    return walker->begun || !walker->later ? inst->fetch : 0;
}

/* When the own graph lets the instruction be issued. */
static cycles own_issue(const struct own_walker *walker, const struct sass_timed *inst) {
    const struct way_rules *rules = walker->rules;
    cycles at = cycles_max(walker->times[OWN_NEXT], walker->times[OWN_ISSUE] + own_fetch(walker, inst));
    at = cycles_max(at, counters_allow(rules, walker->done, inst));
    uint32_t waits = rules->held_issue;
    if (inst->stage_count != 0) {
        const uint8_t first = inst->stages[0].unit;
        const bool queued = !code_starts_at_issue(rules, inst);
        if (!queued || rules->block->machine->units[first].queue != DEPTH_UNLIMITED)
            waits |= rules->blocking[first];
    }
    return cycles_max(at, latest_of(walker->free_at, waits)) + inst->operand;
}

/* Follows it through its stages; when the last of them is free again. */
static cycles own_stages(struct own_walker *walker, const struct sass_timed *inst, cycles issue) {
    const struct way_rules *rules = walker->rules;
    cycles start = issue, end = issue;
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        const struct sass_stage *stage = &inst->stages[i];
        if (i > 0) start = end + inst->stages[i - 1].transfer;
        if (i > 0 || !code_starts_at_issue(rules, inst))
            start = cycles_max(start, latest_of(walker->free_at, rules->blocking[stage->unit]));
        end = start + stage->init;
        walker->free_at[stage->unit] = cycles_max(walker->free_at[stage->unit], end);
    }
    return end;
}

static void own_step(struct own_walker *walker, const struct sass_timed *inst) {
    cycles *times = walker->times;
    const cycles issue = own_issue(walker, inst);
    const cycles end = own_stages(walker, inst, issue);
    count_up(walker->rules, walker->done, inst, end);
    times[OWN_ISSUE] = issue;
    times[OWN_NEXT] = issue + cycles_max(inst->stall, inst->slot);
    const cycles done = cycles_max(end + cycles_max(inst->write_most, inst->read_most), issue + inst->slot);
    times[OWN_COMPLETE] = cycles_max(times[OWN_COMPLETE], done);
}

/* The same by latencies alone: what is held is counted by ELB anyway, also of fetches, unless what they are
 * counted from may be no part of what a warp executes. */
static void lam_step(struct own_walker *walker, const struct sass_timed *inst) {
    cycles *times = walker->times;
    const cycles hold = code_hold(inst);
    cycles issue = cycles_max(times[OWN_LAM_NEXT], counters_allow(walker->rules, walker->lam_done, inst));
    const cycles fetched = times[OWN_LAM_ISSUE] + own_fetch(walker, inst);
    if (fetched > OWN_LAM_SHIFT) issue = cycles_max(issue, fetched - OWN_LAM_SHIFT);
    issue += inst->operand;
    cycles start = issue;
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        const struct sass_stage *stage = &inst->stages[i];
        if (i > 0) start += inst->stages[i - 1].transfer;
        start = cycles_max(start, walker->lam_at[stage->unit]);
        walker->lam_at[stage->unit] = start;
    }
    count_up(walker->rules, walker->lam_done, inst, start);
    times[OWN_LAM_NEXT] = issue + cycles_sub(cycles_max(inst->stall, hold), hold);
    times[OWN_LAM_ISSUE] = issue + OWN_LAM_SHIFT - (walker->rules->parts ? 0 : hold);
    times[OWN_LAM_COMPLETE] =
        cycles_max(times[OWN_LAM_COMPLETE], start + cycles_max(inst->write_most, inst->read_most));
}

static void add_charges(struct own_walker *walker, const struct sass_timed *inst) {
    const struct way_rules *rules = walker->rules;
    cycles *times = walker->times;
    const cycles near = code_charge_near(rules, inst);
    times[OWN_INSTRUCTIONS]++;
    times[OWN_WORK] += code_work(inst);
    times[OWN_NEAR] += near;
    times[OWN_FAR] += code_charge_far(rules, inst);
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        const uint32_t bit = UINT32_C(1) << inst->stages[i].unit;
        walker->units |= bit;
        if ((rules->clash & bit) != 0) times[OWN_CLASH] += inst->stages[i].init;
    }
    if (inst->fixed && inst->stage_count == 1) walker->spare[inst->stages[0].unit] += near - inst->slot;
}

static void note_last(struct own_walker *walker, const struct sass_timed *inst) {
    walker->last_slot = inst->slot;
    walker->last_stall = inst->barrier ? 0 : inst->stall_least;
    walker->last_fixed = inst->fixed;
    walker->last_queued = inst->stage_count > 0 && !inst->fixed;
}

/* Walks the rest of the run that `cursor` is in, up to behind the first barrier in it; whether there is one.
 */
static bool own_run(struct own_walker *walker, struct path_cursor *cursor) {
    const struct sass_timed *insts = walker->rules->block->code.sass;
    struct sass_timed missed;
    while (cursor->left > 0) {
        const struct sass_timed *inst = &insts[cursor->instruction++];
        cursor->left--;
        if (walker->cold.block != NULL) {
            if (!walker->begun) cold_executed(&walker->cold, inst);
            if (is_cold(&walker->cold, inst)) inst = cold_executes(&walker->cold, inst, &missed);
        }
        own_step(walker, inst);
        lam_step(walker, inst);
        add_charges(walker, inst);
        note_pending(walker, inst);
        note_latch(walker, inst);
        walker->begun = true;
        note_last(walker, inst);
        if (inst->barrier) return true;
    }
    return false;
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 8u

/* A fold without a barrier. */
struct own_fold {
    struct own_walker *walker;
    struct path_cursor body;
};

static void fold_read(const void *user, cycles *times) {
    const struct own_walker *walker = ((const struct own_fold *)user)->walker;
    memcpy(times, walker->times, walker->time_count * sizeof *times);
}

static void fold_write(void *user, const cycles *times) {
    const struct own_walker *walker = ((const struct own_fold *)user)->walker;
    memcpy(walker->times, times, walker->time_count * sizeof *times);
}

static cycles fold_once(void *user) {
    const struct own_fold *fold = user;
    struct path_cursor cursor = fold->body;
    while (path_next_run(&cursor))
        (void)own_run(fold->walker, &cursor); /* there is no barrier */
    return 0;                                 /* no sums of differences */
}

static bool has_barrier(const struct timed_code *code, struct path_cursor cursor) {
    struct path_step step;
    while (path_next(&cursor, &step))
        if (code->sass[step.instruction].barrier) return true;
    return false;
}

/* Takes a walker that is at a fold without a barrier, and of enough repetitions to be worth it, behind the
 * fold (exactly as walking would); others are left where they are. WB_ERR_LIMIT when memory is exhausted. */
static wb_status skip_fold(struct own_walker *walker) {
    struct path_fold found;
    if (!path_at_fold(&walker->cursor, &found) || found.repetitions < FOLD_WORTH_SKIPPING) return WB_OK;
    if (has_barrier(&walker->rules->block->code, found.body)) return WB_OK;
    struct own_fold fold = {walker, found.body};
    const struct max_plus_map map = {&fold, walker->time_count, fold_read, fold_write, fold_once, NULL};
    WB_TRY(max_plus_repeat(&map, found.repetitions));
    path_skip_fold(&walker->cursor);
    return WB_OK;
}

/* ---- Sections ------------------------------------------------------------------------------------------ */

/* Everything older is complete, and long enough ago. */
static void begin_section(struct own_walker *walker) {
    memset(walker->times, 0, walker->time_count * sizeof *walker->times);
    walker->times[OWN_LAM_ISSUE] = OWN_LAM_SHIFT;
    walker->units = 0;
    walker->last_slot = walker->last_stall = 0;
    walker->last_fixed = walker->last_queued = false;
    walker->begun = false;
}

/* The barrier that the walker is behind ends the section when the instruction behind it may be issued. */
static void end_at_barrier(struct own_walker *walker) {
    const struct sass_timed *insts = walker->rules->block->code.sass;
    cycles *times = walker->times;
    struct path_cursor behind = walker->cursor;
    struct path_step step;
    cycles fetch = 0;
    if (path_next(&behind, &step)) {
        const struct sass_timed *next = &insts[step.instruction];
        fetch = next->fetch;
        if (walker->cold.block != NULL) fetch += cold_asks(&walker->cold, next);
    }
    times[OWN_COMPLETE] =
        cycles_max(times[OWN_COMPLETE], cycles_max(times[OWN_NEXT], times[OWN_ISSUE] + fetch));
    const cycles fetched = times[OWN_LAM_ISSUE] + fetch;
    cycles lam_next = times[OWN_LAM_NEXT];
    if (fetched > OWN_LAM_SHIFT) lam_next = cycles_max(lam_next, fetched - OWN_LAM_SHIFT);
    times[OWN_LAM_COMPLETE] = cycles_max(times[OWN_LAM_COMPLETE], lam_next);
}

static wb_status walk_to_barrier(struct own_walker *walker, bool *at_barrier) {
    *at_barrier = false;
    while (!walker->ended && !*at_barrier) {
        if (walker->cursor.left == 0) {
            WB_TRY(skip_fold(walker));
            walker->ended = !path_next_run(&walker->cursor);
        }
        if (!walker->ended) *at_barrier = own_run(walker, &walker->cursor);
    }
    return WB_OK;
}

wb_status own_walker_section(struct own_walker *walker, struct own_section *section) {
    const cycles *times = walker->times;
    bool at_barrier;
    begin_section(walker);
    WB_TRY(walk_to_barrier(walker, &at_barrier));
    walker->left = left_behind(walker);
    if (at_barrier) end_at_barrier(walker);
    walker->later = true;
    *section = (struct own_section){.instructions = times[OWN_INSTRUCTIONS],
                                    .iso = times[OWN_COMPLETE],
                                    .lam = times[OWN_LAM_COMPLETE],
                                    .work = times[OWN_WORK],
                                    .near = times[OWN_NEAR],
                                    .far = times[OWN_FAR],
                                    .clash = times[OWN_CLASH],
                                    .left = walker->left,
                                    .units = walker->units,
                                    .barrier = at_barrier};
    memcpy(section->spare, walker->spare, walker->rules->block->machine->unit_count * sizeof *walker->spare);
    return WB_OK;
}

void own_sections_end(const struct own_walker *walkers, uint32_t count, struct own_section *sections) {
    bool ended = true;
    for (uint32_t p = 0; p < count; p++)
        ended = ended && walkers[p].ended;
    for (uint32_t p = 0; p < count && ended; p++)
        sections[p].left = 0;
}
