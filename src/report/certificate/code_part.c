#include "report/certificate/parts.h"

#include <inttypes.h>
#include <stddef.h>

/* An instruction as a path sees it, in the order of its line. No padding: compared by bytes. */
struct code_inst {
    uint32_t stall, least, slot, fetch, operand;
    uint32_t behind; /* of a barrier: the fetch of what comes behind it */
    uint32_t fixed, barrier;
    uint32_t write_counter, write, read_counter, read;
    uint32_t waits, left_counter, left;
    uint32_t stages[3 * SASS_STAGES_MAX];
    uint32_t address; /* in the machine's code, or NO_ADDRESS; on a line of its own */
};

#define NUMBERS (offsetof(struct code_inst, stages) / sizeof(uint32_t))
#define NO_ADDRESS UINT32_MAX
#define NO_COUNTER 8u /* as certificates have it */

struct code_path {
    struct cold_path cold;
    bool begun; /* an older section has been read: what begins this one is asked for */
    bool fresh; /* the next instruction begins a step */
};

void code_part_machine(struct text *out, const struct wb_machine *machine) {
    text_printf(out, "code-machine %u %u %d\n", machine->sub_cores, machine->barrier_release,
                machine->sass.full_queue == SASS_FULL_HOLDS_ISSUE);
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        const struct machine_unit *unit = &machine->units[u];
        text_printf(out, "code-unit %d ", unit->shared);
        if (unit->queue == DEPTH_UNLIMITED)
            text_string(out, "unlimited");
        else
            text_printf(out, "%u", unit->queue);
        text_printf(out, " # %s\n", unit->name);
        if (unit->any_order) text_printf(out, "code-any-order %u\n", u);
    }
}

/* What is missed once beside the times of warps, of lines that follow from addresses. */
static void put_missed(struct text *out, const struct machine_sass *sass,
                       const struct sass_footprint *footprint) {
    const struct sass_cached *l0 = &footprint->instructions, *l1 = &footprint->l1_instructions,
                             *constants = &footprint->constants;
    text_printf(out, "missed-once %u %u %u %u %u %u %" PRIu64 "\n", sass->l0.line_bytes,
                l0->fits ? l0->miss : 0, sass->l1_instructions.line_bytes, l1->lines, l1->fits ? l1->miss : 0,
                constants->lines, (cycles)constants->miss + constants->hold);
}

wb_status code_part_init(struct code_part *part, const struct timed_block *block, struct text *out,
                         struct arena *arena) {
    *part = (struct code_part){.out = out, .block = block};
    part->paths = arena_array(arena, (size_t)block->path_count + 1, sizeof *part->paths);
    if (part->paths == NULL) return WB_ERR_LIMIT;
    part->beside = certificate_is_of_parts(block);
    if (part->beside) put_missed(out, &block->machine->sass, &block->code.footprint);
    if (!part->beside) WB_TRY(cold_block_init(&part->cold, block, arena));
    for (uint32_t p = 0; p < block->path_count && !part->beside; p++)
        WB_TRY(cold_path_init(&part->paths[p].cold, &part->cold, arena));
    return WB_OK;
}

void code_part_free(struct code_part *part) {
    intern_free(&part->insts);
}

void code_part_row_ends(struct code_part *part) {
    if (!part->beside) cold_section_ends(&part->cold);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

static uint32_t counter_of(uint8_t counter) {
    return counter == SASS_NO_COUNTER ? NO_COUNTER : counter;
}

static uint32_t address_of(const struct timed_code *code, uint32_t entry) {
    if (code->addresses == NULL) return NO_ADDRESS;
    return code->addresses[code->origin != NULL ? code->origin[entry] : entry];
}

static struct code_inst stated_inst(const struct sass_timed *timed) {
    struct code_inst inst = {.stall = timed->stall,
                             .least = timed->stall_least,
                             .slot = timed->slot,
                             .fetch = timed->fetch,
                             .operand = timed->operand,
                             .fixed = timed->fixed,
                             .barrier = timed->barrier,
                             .write_counter = counter_of(timed->write_counter),
                             .write = timed->write_most,
                             .read_counter = counter_of(timed->read_counter),
                             .read = timed->read_most,
                             .waits = timed->waits,
                             .left_counter = counter_of(timed->left_counter),
                             .left = timed->left};
    for (uint32_t s = 0; s < timed->stage_count; s++) {
        inst.stages[3 * s] = timed->stages[s].unit;
        inst.stages[3 * s + 1] = timed->stages[s].init;
        inst.stages[3 * s + 2] = timed->stages[s].transfer;
    }
    return inst;
}

static void put_inst(struct text *out, const struct code_inst *inst, uint32_t stage_count) {
    const uint32_t *numbers = (const uint32_t *)inst;
    text_string(out, "code");
    for (size_t i = 0; i < NUMBERS + 3 * stage_count; i++)
        text_printf(out, " %u", numbers[i]);
    if (inst->address != NO_ADDRESS) text_printf(out, "\naddress %u", inst->address);
    text_char(out, '\n');
}

/* Puts an instruction behind the steps, and writes it if it is new. */
static wb_status add_inst(struct code_part *part, struct code_path *path, const struct code_inst *inst,
                          uint32_t stage_count, section_step_list *steps) {
    uint32_t number;
    bool is_new;
    WB_TRY(intern_copy(&part->insts, inst, sizeof *inst, &number, &is_new));
    if (is_new) put_inst(part->out, inst, stage_count);
    struct section_step *last = path->fresh || steps->count == 0 ? NULL : &steps->items[steps->count - 1];
    path->fresh = false;
    if (last != NULL && last->count > 0 && last->first + last->count == number) {
        last->count++;
        return WB_OK;
    }
    const struct section_step step = {number, 1, 0};
    return vec_push(steps, step);
}

/* The time to fetch the instruction at `behind`, which a barrier asks for. */
static uint32_t ask_behind(const struct code_part *part, struct code_path *path, struct path_cursor behind) {
    const struct timed_code *code = &part->block->code;
    struct path_step step;
    if (!path_next(&behind, &step)) return 0;
    const struct sass_timed *next = &code->sass[step.instruction];
    return part->beside ? next->fetch : next->fetch + cold_asks(&path->cold, next);
}

/* Reads the rest of the run that the cursor is in, up to behind the first barrier in it; *at_barrier: there
 * is one. */
static wb_status read_run(struct code_part *part, struct code_path *path, struct path_cursor *cursor,
                          bool *at_barrier, section_step_list *steps) {
    while (cursor->left > 0 && !*at_barrier) {
        const struct sass_timed *timed = &part->block->code.sass[cursor->instruction];
        const uint32_t address = address_of(&part->block->code, cursor->instruction++);
        const bool is_asked = path->begun && steps->count == 0;
        struct sass_timed missed = *timed;
        cursor->left--;
        if (steps->count == 0 && !part->beside) cold_executed(&path->cold, timed);
        if (!part->beside && is_cold(&path->cold, timed)) (void)cold_executes(&path->cold, timed, &missed);
        struct code_inst inst = stated_inst(&missed);
        inst.address = address;
        if (is_asked) inst.fetch = 0;
        if (timed->barrier) inst.behind = ask_behind(part, path, *cursor);
        WB_TRY(add_inst(part, path, &inst, timed->stage_count, steps));
        *at_barrier = timed->barrier;
    }
    return WB_OK;
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

/* Whether there is a barrier in a loop's body, or a loop, which certificates cannot say. */
static bool is_walked(const struct timed_code *code, const struct path_fold *fold) {
    struct path_cursor cursor = fold->body;
    struct path_step step;
    if (path_is_nest(fold)) return true;
    while (path_next(&cursor, &step))
        if (code->sass[step.instruction].barrier) return true;
    return false;
}

/* Goes behind the loop at which the path is, unless it is walked. What is missed once is so in the body that
 * has been read; all others are alike. */
static wb_status read_fold(struct code_part *part, struct code_path *path, struct path_cursor *cursor,
                           section_step_list *steps) {
    const size_t before = steps->count;
    bool at_barrier = false;
    struct path_fold fold;
    if (!path_at_fold(cursor, &fold) || is_walked(&part->block->code, &fold)) return WB_OK;
    path->fresh = true;
    while (path_next_run(&fold.body))
        WB_TRY(read_run(part, path, &fold.body, &at_barrier, steps));
    const struct section_step again = {(uint32_t)(steps->count - before), 0, fold.repetitions - 1};
    path_skip_fold(cursor);
    path->fresh = true;
    return again.times == 0 ? WB_OK : vec_push(steps, again);
}

wb_status code_part_section(struct code_part *part, uint32_t number, struct path_cursor *cursor, bool *ended,
                            section_step_list *steps) {
    struct code_path *path = &part->paths[number];
    bool at_barrier = false;
    steps->count = 0;
    while (!*ended && !at_barrier) {
        if (cursor->left == 0) {
            WB_TRY(read_fold(part, path, cursor, steps));
            *ended = !path_next_run(cursor);
        }
        if (!*ended) WB_TRY(read_run(part, path, cursor, &at_barrier, steps));
    }
    path->begun = true;
    return WB_OK;
}
