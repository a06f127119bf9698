#include "cost/chain_walk.h"

#include "warp/timed/timed.h"

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 8u

/* Entries of a unit's queue whose starts are kept. */
static uint32_t queue_length(const struct chain_walker *walker) {
    const uint32_t depth = walker->block->machine->dispatch_depth;
    return depth == DEPTH_UNLIMITED ? 0 : depth;
}

wb_status chain_walker_init(struct chain_walker *walker, struct chains *chains, struct chain_watch *watch,
                            const struct timed_block *block, uint32_t path, bool alone, struct arena *arena) {
    const size_t registers = block->code.register_count, units = block->machine->unit_count;
    const struct chain_time start = {0, CHAIN_NONE};
    *walker = (struct chain_walker){.chains = chains,
                                    .watch = watch,
                                    .block = block,
                                    .cursor = path_begin(&block->paths[path]),
                                    .alone = alone,
                                    .now = start,
                                    .complete = start};
    const size_t queued = alone ? units * queue_length(walker) : 0;
    walker->registers = arena_array(arena, registers + 1, sizeof *walker->registers);
    walker->units = arena_array(arena, units + 1, sizeof *walker->units);
    walker->times = arena_array(arena, registers + units + queued + 2, sizeof(struct chain_time *));
    walker->touched = arena_array(arena, registers + units + 1, sizeof *walker->touched);
    struct chain_time *starts = arena_array(arena, queued + 1, sizeof *starts);
    if (walker->registers == NULL || walker->units == NULL || walker->times == NULL ||
        walker->touched == NULL || starts == NULL)
        return WB_ERR_LIMIT;
    for (size_t r = 0; r < registers; r++)
        walker->registers[r] = start;
    for (size_t u = 0; u < units; u++)
        walker->units[u] = (struct chain_unit){start, alone ? starts + u * queue_length(walker) : NULL};
    for (size_t s = 0; s < queued; s++)
        starts[s] = start;
    return WB_OK;
}

void chain_walker_free(struct chain_walker *walker) {
    vec_free(&walker->runs);
}

/* The initiation of an instruction that could be issued at `issue`, alone on the machine: when it ends. */
static struct chain_time initiate(struct chain_walker *walker, uint32_t entry, struct chain_time issue) {
    const struct timed_inst *inst = &walker->block->code.insts[entry];
    struct chain_unit *unit = &walker->units[inst->unit];
    const uint32_t depth = walker->block->machine->dispatch_depth, queued = queue_length(walker);
    if (depth == 0) issue = chain_later(issue, unit->free);
    if (queued > 0) issue = chain_later(issue, unit->starts[0]);
    const struct chain_time start = chain_later(issue, unit->free);
    for (uint32_t i = 0; i < queued; i++)
        unit->starts[i] = i + 1 < queued ? unit->starts[i + 1] : start;
    walker->now = chain_behind(walker->chains, issue, CHAIN_ISSUE, entry, 1);
    unit->free = chain_behind(walker->chains, start, CHAIN_UNIT, entry, inst->init);
    return unit->free;
}

void chain_queues_step(const struct timed_code *code, const struct timed_inst *inst,
                       struct chain_time *registers, struct chain_time at) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &code->queues[q];
        if (queue->count == 0) continue;
        struct chain_time *all = registers + queue->first;
        if (inst->joins >> q & 1) *all = chain_later(*all, at);
        for (uint32_t j = queue->count; (inst->commits >> q & 1) != 0 && j-- > 1;)
            all[j] = all[j - 1];
    }
}

static void step(struct chain_walker *walker, uint32_t entry) {
    const struct timed_inst *inst = &walker->block->code.insts[entry];
    const uint32_t *operands = walker->block->code.operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    struct chain_time issue = walker->now;
    for (uint32_t i = 0; i < count; i++)
        issue = chain_later(issue, walker->registers[operands[i]]);
    struct chain_time result = issue;
    walker->now = issue;
    if (walker->alone && inst->unit != UNIT_NONE) result = initiate(walker, entry, issue);
    result = chain_behind(walker->chains, result, CHAIN_LATENCY, entry, inst->latency);
    for (uint32_t i = inst->source_count; i < count; i++)
        walker->registers[operands[i]] = result;
    chain_queues_step(&walker->block->code, inst, walker->registers, result);
    walker->complete = chain_later(walker->complete, result);
}

/* Walks the rest of the run that `cursor` is in, up to behind the first barrier in it. */
static void walk_run(struct chain_walker *walker, struct path_cursor *cursor, bool *at_barrier) {
    *at_barrier = false;
    while (cursor->left > 0 && !*at_barrier) {
        const uint32_t entry = cursor->instruction++;
        cursor->left--;
        step(walker, entry);
        *at_barrier = walker->block->code.insts[entry].barrier;
    }
}

/* ---- Loops without barriers ---------------------------------------------------------------------------- */

static void touch(struct chain_walker *walker, uint32_t number, struct chain_time *time) {
    if (walker->touched[number] == walker->loop) return;
    walker->touched[number] = walker->loop;
    walker->times[walker->time_count++] = time;
}

static void touch_queues(struct chain_walker *walker, const struct timed_inst *inst) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &walker->block->code.queues[q];
        for (uint32_t j = 0; ((inst->joins | inst->commits) >> q & 1) != 0 && j < queue->count; j++)
            touch(walker, queue->first + j, &walker->registers[queue->first + j]);
    }
}

static void touch_unit(struct chain_walker *walker, uint8_t number) {
    struct chain_unit *unit = &walker->units[number];
    const uint32_t stamp = walker->block->code.register_count + number;
    if (!walker->alone || number == UNIT_NONE || walker->touched[stamp] == walker->loop) return;
    touch(walker, stamp, &unit->free);
    for (uint32_t i = 0; i < queue_length(walker); i++)
        walker->times[walker->time_count++] = &unit->starts[i];
}

/* Finds the times that the body of a loop touches; false when there is a barrier in it. */
static bool touch_body(struct chain_walker *walker, struct path_cursor cursor) {
    const struct timed_code *code = &walker->block->code;
    struct path_step at;
    walker->loop++;
    walker->time_count = 0;
    walker->times[walker->time_count++] = &walker->now;
    walker->times[walker->time_count++] = &walker->complete;
    while (path_next(&cursor, &at)) {
        const struct timed_inst *inst = &code->insts[at.instruction];
        const uint32_t *operands = code->operands + inst->first_operand;
        if (inst->barrier) return false;
        for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++)
            touch(walker, operands[i], &walker->registers[operands[i]]);
        touch_queues(walker, inst);
        touch_unit(walker, inst->unit);
    }
    return true;
}

static void loop_read(const void *user, cycles *times) {
    const struct chain_walker *walker = user;
    for (size_t i = 0; i < walker->time_count; i++)
        times[i] = walker->times[i]->at;
}

static void loop_write(void *user, const cycles *times) {
    const struct chain_walker *walker = user;
    for (size_t i = 0; i < walker->time_count; i++)
        walker->times[i]->at = times[i];
}

static cycles loop_once(void *user) {
    struct chain_walker *walker = user;
    struct path_cursor cursor = walker->body;
    bool at_barrier;
    while (path_next_run(&cursor))
        walk_run(walker, &cursor, &at_barrier);
    return 0;
}

static void loop_mark(void *user) {
    struct chain_walker *walker = user;
    walker->mark = chain_mark(walker->chains, walker->times, walker->time_count);
}

static void loop_jump(void *user, uint64_t periods) {
    struct chain_walker *walker = user;
    walker->jump = chain_jump(walker->chains, walker->mark, periods, walker->times, walker->time_count);
}

static void loop_back(void *user) {
    struct chain_walker *walker = user;
    chain_back(walker->chains, walker->jump, walker->times, walker->time_count);
}

/* Notes the runs of a loop's body. */
static wb_status note_body(struct chain_walker *walker, struct path_cursor cursor, uint64_t times) {
    while (path_next_run(&cursor)) {
        const struct walked_run run = {cursor.instruction, cursor.left, times};
        WB_TRY(vec_push(&walker->runs, run));
        cursor.left = 0;
    }
    return WB_OK;
}

/* Takes a walker that is at a loop which is worth it behind the loop; others stay where they are. */
static wb_status skip_loop(struct chain_walker *walker) {
    static const struct max_plus_trace trace = {loop_mark, loop_jump, loop_back};
    struct path_fold found;
    if (!path_at_fold(&walker->cursor, &found) || found.repetitions < FOLD_WORTH_SKIPPING) return WB_OK;
    if (!touch_body(walker, found.body)) return WB_OK;
    const struct max_plus_map map = {walker, walker->time_count, loop_read, loop_write, loop_once, &trace};
    walker->body = found.body;
    WB_TRY(max_plus_repeat(&map, found.repetitions));
    path_skip_fold(&walker->cursor);
    return note_body(walker, found.body, found.repetitions);
}

/* Instructions that pass between two looks at the watch. */
#define WATCH_INSTRUCTIONS ((uint64_t)1 << 20)

/* Notes that instructions were walked; whether to go on. */
static bool may_go_on(struct chain_watch *watch, uint32_t walked) {
    watch->walked += walked;
    if (watch->watch == NULL || watch->watch->poll == NULL || watch->walked < watch->ask_at) return true;
    watch->ask_at = watch->walked + WATCH_INSTRUCTIONS;
    watch->stopped = !watch->watch->poll(watch->watch->user, "costs", watch->walked, 0);
    return !watch->stopped;
}

wb_status chain_walker_section(struct chain_walker *walker) {
    bool at_barrier = false;
    walker->runs.count = 0;
    while (!walker->ended && !at_barrier) {
        if (walker->cursor.left == 0) {
            WB_TRY(skip_loop(walker));
            walker->ended = !path_next_run(&walker->cursor);
        }
        struct walked_run run = {walker->cursor.instruction, walker->cursor.left, 1};
        walk_run(walker, &walker->cursor, &at_barrier);
        run.count -= walker->cursor.left;
        if (run.count > 0) WB_TRY(vec_push(&walker->runs, run));
        chains_tend(walker->chains);
        if (!may_go_on(walker->watch, run.count) || walker->chains->failed) return WB_ERR_LIMIT;
    }
    return walker->chains->failed ? WB_ERR_LIMIT : WB_OK;
}
