#include "bound/sass/own_times.h"

#include <assert.h>
#include <string.h>

#include "bound/profile/max_plus.h"
#include "bound/profile/sections.h"

/* Rows of pending holds: one per counter, one of instructions without. */
#define PENDING_ROWS (SASS_COUNTERS + 1u)

/* Of each: pipes, by their first unit; all that is of no pipe; and that by unit. */
#define PENDING_COLUMNS(units) ((size_t)2 * (units) + 1)

/* Puts the times of a graph in their places from `times` on. */
static void own_graph_init(struct own_graph *graph, const struct pipeline_rules *rules,
                           struct chain_time **times) {
    *graph = (struct own_graph){
        .times = times, .next = times[0], .issue = times[1], .complete = times[2], .units = times[3]};
    struct chain_time *done = graph->units + rules->block->machine->unit_count;
    for (uint32_t c = 0; c < SASS_COUNTERS; done += 1 + rules->recent[c++])
        graph->done[c] = done;
}

wb_status own_walker_init(struct own_walker *walker, const struct pipeline_rules *rules, uint32_t path,
                          struct cold_block *cold, struct arena *arena) {
    const struct timed_block *block = rules->block;
    const uint32_t units = block->machine->unit_count;
    *walker = (struct own_walker){.rules = rules, .cursor = path_begin(&block->paths[path])};
    walker->sum_count = OWN_SUMS + (size_t)2 * units + (size_t)PENDING_ROWS * PENDING_COLUMNS(units);
    walker->graph_times = (size_t)3 + units;
    for (uint32_t c = 0; c < SASS_COUNTERS; c++)
        walker->graph_times += (size_t)1 + rules->recent[c];
    struct chain_time *times = arena_array(arena, 2 * walker->graph_times, sizeof *times);
    struct chain_time **pointers = arena_array(arena, 2 * walker->graph_times, sizeof *pointers);
    walker->sums = arena_array(arena, walker->sum_count, sizeof *walker->sums);
    walker->all = arena_array(arena, 2 * walker->graph_times + walker->sum_count, sizeof(cycles *));
    walker->misses =
        arena_array(arena, cold == NULL ? 1 : (size_t)cold->constants + 1, sizeof *walker->misses);
    if (times == NULL || pointers == NULL || walker->sums == NULL || walker->all == NULL ||
        walker->misses == NULL)
        return WB_ERR_LIMIT;
    walker->spare = walker->sums + OWN_SUMS;
    walker->latched = walker->spare + units;
    walker->pending = walker->latched + units;
    for (size_t t = 0; t < 2 * walker->graph_times; t++) {
        walker->all[t] = &times[t].at;
        pointers[t] = &times[t];
    }
    own_graph_init(&walker->alone, rules, pointers);
    own_graph_init(&walker->latencies, rules, pointers + walker->graph_times);
    for (size_t s = 0; s < walker->sum_count; s++)
        walker->all[2 * walker->graph_times + s] = &walker->sums[s];
    return cold == NULL ? WB_OK : cold_path_init(&walker->cold, cold, arena);
}

/* ---- Counters ------------------------------------------------------------------------------------------ */

/* The later of `at` and when all but the last `left` increments of a counter are undone; only recent ones are
 * distinguished. */
CHAIN_INLINE struct chain_time when_undone(const struct own_graph *graph, const struct pipeline_rules *rules,
                                           struct chain_time at, uint32_t counter, uint32_t left) {
    const struct chain_time *done = graph->done[counter];
    at = chain_later(at, done[0]);
    for (uint32_t i = 0; i + left < rules->recent[counter]; i++)
        at = chain_later(at, done[1 + i]);
    return at;
}

/* The later of `at` and when the counters allow the instruction. */
CHAIN_INLINE struct chain_time counters_allow(const struct own_graph *graph,
                                              const struct pipeline_rules *rules, struct chain_time at,
                                              const struct sass_timed *inst) {
    for (uint32_t waits = inst->waits; waits != 0; waits &= waits - 1)
        at = when_undone(graph, rules, at, (uint32_t)__builtin_ctz(waits), 0);
    if (inst->left_counter != SASS_NO_COUNTER)
        at = when_undone(graph, rules, at, inst->left_counter, inst->left);
    return at;
}

CHAIN_INLINE void count_up(const struct own_graph *graph, const struct pipeline_rules *rules, uint8_t counter,
                           struct chain_time at) {
    struct chain_time *done = graph->done[counter];
    const uint32_t recent = rules->recent[counter];
    if (recent == 0) {
        done[0] = chain_later(done[0], at);
        return;
    }
    done[0] = chain_later(done[0], done[1]);
    memmove(&done[1], &done[2], (recent - 1) * sizeof *done);
    done[recent] = at;
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
    const struct pipeline_rules *rules = walker->rules;
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
    cycles *passed = &walker->sums[OWN_PASSED];
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
    const cycles issued = cycles_sub(walker->sums[OWN_PASSED], walker->last_stall) + 1;
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

cycles code_bubbles(const struct timed_code *code, uint32_t entry) {
    const struct sass_timed *inst = &code->sass[entry];
    const cycles probe = inst->operand > 0 ? code->footprint.constants.hold : 0;
    return cycles_sub(inst->slot, 1 + probe);
}

/* The later of `at` and when some units are free. */
CHAIN_INLINE struct chain_time when_free(const struct own_graph *graph, struct chain_time at,
                                         uint32_t units) {
    for (; units != 0; units &= units - 1)
        at = chain_later(at, graph->units[__builtin_ctz(units)]);
    return at;
}

/* The later of `at` and a time behind another one. */
CHAIN_INLINE struct chain_time or_behind(struct chains *chains, struct chain_time at, struct chain_time time,
                                         enum chain_step step, uint32_t entry, cycles takes) {
    return time.at + takes <= at.at ? at : chain_behind(chains, time, step, entry, takes);
}

/* A time behind a miss of a cache of instructions or constants, of which it takes `own` if the SM's cache has
 * the line. */
CHAIN_INLINE struct chain_time behind_miss(struct chains *chains, struct chain_time time,
                                           enum chain_step step, uint32_t entry, cycles takes, cycles own) {
    if (chains == NULL) return (struct chain_time){time.at + takes, CHAIN_NONE};
    time = chain_behind(chains, time, step, entry, cycles_min(takes, own));
    return chain_behind(chains, time, CHAIN_CODE, entry, cycles_sub(takes, own));
}

/* The later of `at` and when its fetch lets the instruction be issued behind the last one. What is held is
 * counted by ELB anyway, also of fetches, unless what they are counted from may be no part of what a warp
 * executes. */
CHAIN_INLINE struct chain_time when_fetched(const struct own_walker *walker, const struct own_graph *graph,
                                            struct chains *chains, struct chain_time at, uint32_t entry,
                                            cycles fetch) {
    const cycles takes = cycles_sub(fetch, graph->hold);
    if (graph->issue->at + takes <= at.at) return at;
    const cycles own = walker->rules->block->machine->sass.l0.miss;
    return behind_miss(chains, *graph->issue, CHAIN_FETCH, entry, takes, own);
}

/* When a graph lets the instruction be issued. Behind a barrier the section before has waited for its fetch.
 */
CHAIN_INLINE struct chain_time issue_of(const struct own_walker *walker, const struct own_graph *graph,
                                        bool alone, struct chains *chains, uint32_t entry,
                                        const struct sass_timed *inst) {
    const struct pipeline_rules *rules = walker->rules;
    struct chain_time at = *graph->next;
    if (walker->begun || !walker->later) at = when_fetched(walker, graph, chains, at, entry, inst->fetch);
    at = counters_allow(graph, rules, at, inst);
    if (alone) {
        uint32_t waits = rules->held_issue;
        if (inst->stage_count != 0) {
            const uint8_t first = inst->stages[0].unit;
            if (code_starts_at_issue(rules, inst) ||
                rules->block->machine->units[first].queue != DEPTH_UNLIMITED)
                waits |= rules->blocking[first];
        }
        at = when_free(graph, at, waits);
    }
    const cycles own = rules->block->machine->sass.constants.miss;
    return behind_miss(chains, at, CHAIN_CONSTANTS, entry, inst->operand, own);
}

/* Behind a stage that was begun at `start`. What bubbles lengthen a latch by are theirs. */
static struct chain_time behind_stage(const struct own_walker *walker, struct chains *chains, uint32_t entry,
                                      uint32_t stage, struct chain_time start) {
    const struct timed_code *code = &walker->rules->block->code;
    const struct sass_timed *inst = &code->sass[entry]; /* stages are the same when it misses something */
    const cycles init = inst->stages[stage].init;
    if (stage > 0 || !code_starts_at_issue(walker->rules, inst))
        return chain_behind(chains, start, CHAIN_STAGE + (enum chain_step)stage, entry, init);
    const cycles bubbles = inst->fixed ? cycles_min(code_bubbles(code, entry), init - 1) : 0;
    start = chain_behind(chains, start, CHAIN_UNIT, entry, init - bubbles);
    return chain_behind(chains, start, CHAIN_BANKS, entry, bubbles);
}

/* Follows it through its stages; when the last of them is over, or, for latencies only, begins. */
CHAIN_INLINE struct chain_time end_of_way(const struct own_walker *walker, const struct own_graph *graph,
                                          bool alone, struct chains *chains, uint32_t entry,
                                          const struct sass_timed *inst, struct chain_time at) {
    const struct pipeline_rules *rules = walker->rules;
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        const struct sass_stage *stage = &inst->stages[i];
        struct chain_time *unit = &graph->units[stage->unit];
        if (i > 0) at = chain_behind(chains, at, CHAIN_LATENCY, entry, inst->stages[i - 1].transfer);
        if (!alone)
            at = chain_later(at, *unit);
        else if (i > 0 || !code_starts_at_issue(rules, inst))
            at = when_free(graph, at, rules->blocking[stage->unit]);
        if (alone && chains == NULL) at.at += stage->init;
        if (alone && chains != NULL) at = behind_stage(walker, chains, entry, i, at);
        *unit = chain_later(*unit, at);
    }
    return at;
}

/* When the next instruction may be issued by the stall count and the slot of one, part by part. */
static struct chain_time behind_issue(const struct own_walker *walker, struct chains *chains, uint32_t entry,
                                      const struct sass_timed *inst, struct chain_time issue) {
    const bool by_stall = inst->stall >= inst->slot;
    const cycles bubbles = by_stall ? 0 : code_bubbles(&walker->rules->block->code, entry);
    struct chain_time at = chain_behind(chains, issue, CHAIN_ISSUE, entry, 1);
    if (by_stall) return chain_behind(chains, at, CHAIN_STALL, entry, cycles_sub(inst->stall, 1));
    at = chain_behind(chains, at, CHAIN_BANKS, entry, bubbles);
    return chain_behind(chains, at, CHAIN_CONSTANTS, entry, inst->slot - 1 - bubbles);
}

/* When the data of an access is there that has ended its last stage at `end`, level by level, or the result
 * of another instruction. */
static struct chain_time behind_levels(const struct own_walker *walker, struct chains *chains, uint32_t entry,
                                       const struct sass_timed *inst, struct chain_time end) {
    const struct machine_sass *sass = &walker->rules->block->machine->sass;
    const struct machine_sass_class *class = &sass->classes[inst->class_];
    const bool memory = class->plus == SASS_PLUS_MEMORY;
    const bool constants = inst->class_ == SASS_CLASS_LOAD_CONSTANT;
    const uint32_t own = memory      ? class->write_most
                         : constants ? u32_sub(inst->write_most, sass->l1_instructions.miss)
                                     : inst->write_most;
    const struct {
        enum chain_step step;
        uint32_t most;
    } parts[] = {{CHAIN_LATENCY, own},
                 {CHAIN_CODE, constants ? UINT32_MAX : 0},
                 {CHAIN_TRANSLATIONS, sass->tlb_most},
                 {CHAIN_L1, sass->l1_most},
                 {CHAIN_L2, u32_sub(sass->l2_most, sass->l1_most)},
                 {CHAIN_DRAM, UINT32_MAX}};
    cycles left = inst->write_most;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const cycles takes = cycles_min(left, parts[p].most);
        end = chain_behind(chains, end, parts[p].step, entry, takes);
        left -= takes;
    }
    return end;
}

/* When its result is written. */
CHAIN_INLINE struct chain_time when_written(const struct own_walker *walker, struct chains *chains,
                                            uint32_t entry, const struct sass_timed *inst,
                                            struct chain_time end) {
    if (chains == NULL) return (struct chain_time){end.at + inst->write_most, CHAIN_NONE};
    return behind_levels(walker, chains, entry, inst, end);
}

/* Executes an entry of the code, with the times of `inst`, in one of both graphs. */
CHAIN_INLINE void graph_step(const struct own_walker *walker, struct own_graph *graph, bool alone,
                             struct chains *chains, uint32_t entry, const struct sass_timed *inst) {
    const struct pipeline_rules *rules = walker->rules;
    const uint8_t read = inst->read_counter, write = inst->write_counter;
    const struct chain_time issue = issue_of(walker, graph, alone, chains, entry, inst),
                            end = end_of_way(walker, graph, alone, chains, entry, inst, issue);
    struct chain_time *complete = graph->complete;
    if (read != SASS_NO_COUNTER)
        count_up(graph, rules, read, chain_behind(chains, end, CHAIN_LATENCY, entry, inst->read_most));
    if (write != SASS_NO_COUNTER)
        count_up(graph, rules, write, when_written(walker, chains, entry, inst, end));
    *complete = or_behind(chains, *complete, end, CHAIN_LATENCY, entry, inst->read_most);
    if (end.at + inst->write_most > complete->at) *complete = when_written(walker, chains, entry, inst, end);
    *graph->issue = issue;
    if (!alone) {
        const cycles hold = code_hold(inst);
        graph->hold = rules->parts ? 0 : hold;
        *graph->next = chain_behind(chains, issue, CHAIN_STALL, entry, cycles_sub(inst->stall, hold));
        return;
    }
    if (chains == NULL)
        graph->next->at = issue.at + cycles_max(inst->stall, inst->slot);
    else
        *graph->next = behind_issue(walker, chains, entry, inst, issue);
    *complete = or_behind(chains, *complete, issue, CHAIN_ISSUE, entry, inst->slot);
}

static void add_charges(struct own_walker *walker, const struct sass_timed *inst) {
    const struct pipeline_rules *rules = walker->rules;
    cycles *sums = walker->sums;
    const cycles near = code_charge_near(rules, inst);
    sums[OWN_INSTRUCTIONS]++;
    sums[OWN_WORK] += code_work(inst);
    sums[OWN_NEAR] += near;
    sums[OWN_FAR] += code_charge_far(rules, inst);
    for (uint32_t i = 0; i < inst->stage_count; i++) {
        const uint32_t bit = UINT32_C(1) << inst->stages[i].unit;
        walker->units |= bit;
        if ((rules->clash & bit) != 0) sums[OWN_CLASH] += inst->stages[i].init;
    }
    if (inst->fixed && inst->stage_count == 1) walker->spare[inst->stages[0].unit] += near - inst->slot;
}

static void note_last(struct own_walker *walker, const struct sass_timed *inst) {
    walker->last_slot = inst->slot;
    walker->last_stall = inst->barrier ? 0 : inst->stall_least;
    walker->last_fixed = inst->fixed;
    walker->last_queued = inst->stage_count > 0 && !inst->fixed;
}

/* The graph whose times are followed back, if one is. */
static struct own_graph *traced_graph(struct own_walker *walker) {
    return walker->latencies.chains != NULL ? &walker->latencies : &walker->alone;
}

/* The instruction as it is executed: with what it misses then, if that is counted, as written to *missed. */
static const struct sass_timed *as_executed(struct own_walker *walker, uint32_t entry,
                                            struct sass_timed *missed) {
    const struct sass_timed *inst = &walker->rules->block->code.sass[entry];
    if (walker->cold.block == NULL) return inst;
    if (!walker->begun) cold_executed(&walker->cold, inst);
    if (!is_cold(&walker->cold, inst)) return inst;
    (void)cold_executes(&walker->cold, inst, missed);
    /* Each constant is missed once. */
    if (missed->slot != inst->slot && traced_graph(walker)->chains != NULL)
        walker->misses[walker->miss_count++] = (struct walked_miss){entry, *missed};
    return missed;
}

/* What is counted apart begins when all older instructions are complete, and has to be before any later one
 * begins; it takes no time itself. */
static void graph_wait(struct own_walker *walker, struct own_graph *graph) {
    struct chain_time last = *graph->complete;
    for (size_t t = 0; t < walker->graph_times; t++)
        last = chain_later(last, *graph->times[t]);
    for (size_t t = 0; t < walker->graph_times; t++)
        *graph->times[t] = last;
    walker->begun = true;
}

/* Walks the rest of the run that `cursor` is in, up to behind the first barrier in it; whether there is one.
 */
static bool own_run(struct own_walker *walker, struct path_cursor *cursor) {
    const bool traced = traced_graph(walker)->chains != NULL;
    struct sass_timed missed;
    while (cursor->left > 0) {
        const uint32_t entry = cursor->instruction++;
        cursor->left--;
        if (walker->rules->apart != NULL && walker->rules->apart[entry] != 0) {
            graph_wait(walker, &walker->alone);
            graph_wait(walker, &walker->latencies);
            continue;
        }
        const struct sass_timed *inst = as_executed(walker, entry, &missed);
        if (traced) { /* apart, so that who asks for no chains pays for none */
            graph_step(walker, &walker->alone, true, walker->alone.chains, entry, inst);
            graph_step(walker, &walker->latencies, false, walker->latencies.chains, entry, inst);
        } else {
            graph_step(walker, &walker->alone, true, NULL, entry, inst);
            graph_step(walker, &walker->latencies, false, NULL, entry, inst);
        }
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
    wb_status status;
};

static wb_status skip_folds(struct own_walker *walker, struct path_cursor *cursor);

static time_sum fold_once(void *user) {
    struct own_fold *fold = user;
    struct path_cursor cursor = fold->body;
    for (bool more = true; more && fold->status == WB_OK; (void)own_run(fold->walker, &cursor)) {
        fold->status = skip_folds(fold->walker, &cursor);
        more = path_next_run(&cursor); /* there is no barrier */
    }
    return 0; /* no sums of differences */
}

/* Walks the body of a fold as often as it is repeated. */
static wb_status repeat_fold(struct own_walker *walker, const struct path_fold *found) {
    time_sum sum;
    struct own_fold fold = {walker, found->body, WB_OK};
    const struct own_graph *traced = traced_graph(walker);
    const struct max_plus_map map = {&fold,
                                     walker->all,
                                     2 * walker->graph_times + walker->sum_count,
                                     fold_once,
                                     traced->chains,
                                     traced->times,
                                     walker->graph_times};
    WB_TRY(max_plus_repeat(&map, found->repetitions, &sum));
    return fold.status;
}

/* Takes a walker whose cursor is at folds without barriers, and of enough repetitions to be worth it, behind
 * them (exactly as walking would); others are left where they are. WB_ERR_LIMIT when memory is exhausted. */
static wb_status skip_folds(struct own_walker *walker, struct path_cursor *cursor) {
    struct path_fold found;
    while (path_at_fold(cursor, &found) && found.repetitions >= FOLD_WORTH_SKIPPING &&
           !path_has_barrier(&walker->rules->block->code, &found)) {
        WB_TRY(repeat_fold(walker, &found));
        path_skip_fold(cursor);
    }
    return WB_OK;
}

/* ---- Sections ------------------------------------------------------------------------------------------ */

/* Everything older is complete, and long enough ago. */
static void begin_section(struct own_walker *walker) {
    for (size_t t = 0; t < 2 * walker->graph_times; t++)
        *walker->alone.times[t] = (struct chain_time){0, CHAIN_NONE};
    memset(walker->sums, 0, walker->sum_count * sizeof *walker->sums);
    walker->begin = walker->cursor;
    walker->latencies.hold = 0;
    walker->units = walker->miss_count = 0;
    walker->last_slot = walker->last_stall = 0;
    walker->last_fixed = walker->last_queued = false;
    walker->begun = false;
}

/* The barrier that the walker is behind ends the section when the instruction behind it may be issued. */
static void end_at_barrier(struct own_walker *walker) {
    struct own_graph *const graphs[] = {&walker->alone, &walker->latencies};
    struct path_cursor behind = walker->cursor;
    struct path_step step = {0};
    cycles fetch = 0;
    if (path_next(&behind, &step)) {
        const struct sass_timed *next = &walker->rules->block->code.sass[step.instruction];
        fetch = next->fetch;
        if (walker->cold.block != NULL) fetch += cold_asks(&walker->cold, next);
    }
    for (size_t g = 0; g < 2; g++) {
        const struct chain_time last =
            when_fetched(walker, graphs[g], graphs[g]->chains, *graphs[g]->next, step.instruction, fetch);
        *graphs[g]->complete = chain_later(*graphs[g]->complete, last);
    }
}

static wb_status walk_to_barrier(struct own_walker *walker, bool *at_barrier) {
    struct chains *chains = traced_graph(walker)->chains;
    *at_barrier = false;
    while (!walker->ended && !*at_barrier) {
        if (walker->cursor.left == 0) {
            WB_TRY(skip_folds(walker, &walker->cursor));
            walker->ended = !path_next_run(&walker->cursor);
        }
        if (!walker->ended) *at_barrier = own_run(walker, &walker->cursor);
        if (chains != NULL && !chains_compact(chains)) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

wb_status own_walker_section(struct own_walker *walker, struct own_section *section) {
    const cycles *sums = walker->sums;
    bool at_barrier;
    begin_section(walker);
    WB_TRY(walk_to_barrier(walker, &at_barrier));
    walker->left = left_behind(walker);
    if (at_barrier) end_at_barrier(walker);
    walker->later = true;
    *section = (struct own_section){.instructions = sums[OWN_INSTRUCTIONS],
                                    .iso = walker->alone.complete->at,
                                    .lam = walker->latencies.complete->at,
                                    .work = sums[OWN_WORK],
                                    .near = sums[OWN_NEAR],
                                    .far = sums[OWN_FAR],
                                    .clash = sums[OWN_CLASH],
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
