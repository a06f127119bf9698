#include "faster_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synthetic_text.h"

/* Most classes that a class becomes. */
#define PARTS 3u

/* How a warp becomes faster: the worst cases of several sub-cores have warps with the least latencies beside
 * one with all of them. */
enum speed { AS_STATED, LEAST_LATENCIES, SOME_LATENCIES, ANY_TIMES, SPEEDS };

struct maker {
    struct random_state random;
    const struct random_grid *stated;
    struct synthetic_block *block; /* that is made */
};

static void expect_ok(wb_status status) {
    if (status != WB_OK) abort();
}

static bool chance(struct maker *maker, uint32_t percent) {
    return random_below(&maker->random, 100) < percent;
}

static void shorten(struct maker *maker, enum speed speed, struct timed_inst *inst) {
    if (inst->unit == UNIT_NONE || speed == AS_STATED) return;
    const uint32_t least = inst->latency_least;
    if (speed == LEAST_LATENCIES || chance(maker, 40)) inst->latency = least;
    if (speed != ANY_TIMES) return;
    inst->latency = least + (uint32_t)random_below(&maker->random, inst->latency - least + 1);
    if (chance(maker, 30)) inst->init -= (uint32_t)random_below(&maker->random, inst->init);
}

/* A warp's path through instructions of its own. */
static struct path faster_path(struct maker *maker, const struct path *stated) {
    const enum speed speed = (enum speed)random_below(&maker->random, SPEEDS);
    struct timed_code *code = &maker->block->timed.code;
    struct path_cursor cursor = path_begin(stated);
    struct path_writer writer = {0};
    struct path_step step;
    struct path made;
    while (path_next(&cursor, &step)) {
        code->insts[code->inst_count] = maker->stated->block.timed.code.insts[step.instruction];
        shorten(maker, speed, &code->insts[code->inst_count]);
        expect_ok(path_append(&writer, code->inst_count++, step.mask));
    }
    expect_ok(path_finish(&writer, &made));
    path_writer_free(&writer);
    return made;
}

static void add_class(struct maker *maker, const struct timed_block *stated, uint32_t count) {
    struct synthetic_block *block = maker->block;
    struct synthetic_blocks made = {.count = count};
    made.timed.warp_count = made.timed.path_count = stated->warp_count;
    made.timed.warp_path =
        arena_array(&block->timed.arena, (size_t)stated->warp_count + 1, sizeof *made.timed.warp_path);
    if (made.timed.warp_path == NULL) abort();
    for (uint32_t w = 0; w < stated->warp_count; w++) {
        made.timed.warp_path[w] = w;
        expect_ok(vec_push(&block->paths, faster_path(maker, &stated->paths[stated->warp_path[w]])));
    }
    expect_ok(vec_push(&block->classes, made));
    block->block_count += count;
}

/* Room for the instructions of all warps of all classes that are made. */
static size_t most_instructions(const struct synthetic_block *stated) {
    size_t sum = 0;
    for (size_t k = 0; k < stated->classes.count; k++) {
        const struct timed_block *timed = &stated->classes.items[k].timed;
        for (uint32_t w = 0; w < timed->warp_count; w++)
            sum += (size_t)timed->paths[timed->warp_path[w]].length;
    }
    return PARTS * sum + 1;
}

static void make_block(struct maker *maker) {
    const struct synthetic_block *stated = &maker->stated->block;
    struct synthetic_block *block = maker->block;
    *block = (struct synthetic_block){
        .machine = stated->machine, .memory_unit = stated->memory_unit, .is_grid = true};
    struct timed_code *code = &block->timed.code;
    *code = stated->timed.code;
    code->inst_count = 0;
    code->insts = arena_array(&block->timed.arena, most_instructions(stated), sizeof *code->insts);
    if (code->insts == NULL) abort();
    for (size_t k = 0; k < stated->classes.count; k++) {
        uint32_t left = stated->classes.items[k].count;
        for (uint32_t part = 1; left > 0; part++) {
            const uint32_t count = part < PARTS ? 1 + (uint32_t)random_below(&maker->random, left) : left;
            add_class(maker, &stated->classes.items[k].timed, count);
            left -= count;
        }
    }
    synthetic_block_connect(block);
}

void faster_grid_make(uint64_t seed, const struct random_grid *stated, struct random_grid *made) {
    struct maker maker = {.random = random_seeded(seed), .stated = stated, .block = &made->block};
    struct text executed = {0};
    memset(made, 0, sizeof *made);
    make_block(&maker);
    synthetic_block_print(&made->block, &executed);
    (void)snprintf(made->label, sizeof made->label, "# faster, seed %" PRIu64 "\n%s", seed,
                   executed.failed ? "" : executed.data);
    text_free(&executed);
    random_grid_make_times(made);
}
