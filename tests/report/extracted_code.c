/* Random blocks of machine code as code-elb, code-sib and code-fib see them, with what the library computes
 * of them, for the checkers that Coq extracts to say what is shown (proofs/extract/machine_code.ml,
 * docs/machine-checked.md).
 *
 * usage: extracted_code FIRST_SEED COUNT
 *
 * A case is `case SEED`, then lines
 *   machine RELEASE holds_issue|holds_warp
 *   unit QUEUE|unlimited own|shared
 *   warp SUB_CORE                 begins a warp
 *   inst STALL LEAST SLOT FETCH OPERAND FIXED BARRIER WRITE_COUNTER|- WRITE READ_COUNTER|- READ WAITS
 *        LEFT_COUNTER|- LEFT, and UNIT HOLD TRANSFER of each stage
 *   number NAME VALUE             what the library says
 * and `end`. What lines that are missed once add is in the times (docs/machine-code-bounds.md, theorem 4a).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bound/sass/code_profile.h"
#include "random_sass.h"
#include "sass_block.h"

static _Noreturn void give_up(const char *why) {
    fprintf(stderr, "extracted_code: %s\n", why);
    exit(2);
}

/* A warp on the way through its path, and what it has written. */
struct printed_warp {
    struct path_cursor cursor;
    struct cold_path cold;
    struct text text;
    uint32_t asked; /* the fetch of the next instruction, which a barrier has asked for */
    bool at_start, ended;
};

static void put_counter(struct text *out, uint8_t counter) {
    if (counter == SASS_NO_COUNTER)
        text_string(out, " -");
    else
        text_printf(out, " %u", counter);
}

static void put_inst(struct text *out, const struct sass_timed *inst) {
    text_printf(out, "inst %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %d %d", inst->stall,
                inst->stall_least, inst->slot, inst->fetch, inst->operand, inst->fixed, inst->barrier);
    put_counter(out, inst->write_counter);
    text_printf(out, " %" PRIu32, inst->write_most);
    put_counter(out, inst->read_counter);
    text_printf(out, " %" PRIu32 " %u", inst->read_most, inst->waits);
    put_counter(out, inst->left_counter);
    text_printf(out, " %u", inst->left);
    for (uint32_t i = 0; i < inst->stage_count; i++)
        text_printf(out, " %u %" PRIu32 " %" PRIu32, inst->stages[i].unit, inst->stages[i].init,
                    inst->stages[i].transfer);
    text_char(out, '\n');
}

/* Of the instruction behind a barrier how long its fetch takes, which the barrier asks for. */
static uint32_t ask_behind(struct printed_warp *warp, const struct timed_code *code) {
    struct path_cursor behind = warp->cursor;
    struct path_step step;
    if (!path_next(&behind, &step)) return 0;
    return code->sass[step.instruction].fetch + cold_asks(&warp->cold, &code->sass[step.instruction]);
}

static void put_section(struct printed_warp *warp, const struct timed_code *code) {
    struct path_step step;
    struct sass_timed missed;
    bool first = true;
    while (path_next(&warp->cursor, &step)) {
        const struct sass_timed *inst = &code->sass[step.instruction];
        if (first) cold_executed(&warp->cold, inst);
        missed = *inst;
        if (is_cold(&warp->cold, inst)) (void)cold_executes(&warp->cold, inst, &missed);
        if (first && !warp->at_start) missed.fetch = warp->asked;
        put_inst(&warp->text, &missed);
        first = warp->at_start = false;
        if (!inst->barrier) continue;
        warp->asked = ask_behind(warp, code);
        return;
    }
    warp->ended = true;
}

static void print_warps(const struct timed_block *block) {
    struct arena arena = {0};
    struct cold_block cold;
    struct printed_warp warps[SASS_GRID_WARPS] = {{.ended = false}};
    bool more = true;
    if (cold_block_init(&cold, block, &arena) != WB_OK) give_up("out of memory");
    for (uint32_t w = 0; w < block->warp_count; w++) {
        warps[w].cursor = path_begin(&block->paths[w]);
        warps[w].at_start = true;
        if (cold_path_init(&warps[w].cold, &cold, &arena) != WB_OK) give_up("out of memory");
    }
    while (more) {
        more = false;
        for (uint32_t w = 0; w < block->warp_count; w++) {
            if (!warps[w].ended) put_section(&warps[w], &block->code);
            more = more || !warps[w].ended;
        }
        cold_section_ends(&cold);
    }
    for (uint32_t w = 0; w < block->warp_count; w++) {
        printf("warp %" PRIu32 "\n%s", w % block->machine->sub_cores,
               warps[w].text.data == NULL ? "" : warps[w].text.data);
        text_free(&warps[w].text);
    }
    arena_free(&arena);
}

static void print_machine(const struct wb_machine *machine) {
    printf("machine %" PRIu32 " %s\n", machine->barrier_release,
           machine->sass.full_queue == SASS_FULL_HOLDS_ISSUE ? "holds_issue" : "holds_warp");
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        if (machine->units[u].queue == DEPTH_UNLIMITED)
            printf("unit unlimited");
        else
            printf("unit %" PRIu32, machine->units[u].queue);
        printf(machine->units[u].shared ? " shared\n" : " own\n");
    }
}

static void print_numbers(const struct timed_block *block) {
    struct code_profile profile;
    if (code_profile_make(block, MISSES_ON_PATHS, &profile) != WB_OK) give_up("out of memory");
    const cycles beside = code_profile_releases(&profile) + profile.misses;
    printf("number code-elb %" PRIu64 "\nnumber code-sib %" PRIu64 "\nnumber code-fib %" PRIu64 "\n",
           profile.work + profile.latency + beside, code_profile_sum(&profile, false) + beside,
           code_profile_sum(&profile, true) + beside);
    code_profile_free(&profile);
}

/* The families by turns. */
static void print_case(uint64_t seed) {
    const struct sass_family *family = &sass_families[seed % SASS_FAMILIES];
    struct sass_grid grid;
    struct wb_machine machine;
    struct timed_block block;
    random_sass_grid(family, seed, &grid);
    sass_block_from(&grid, 1, false, &machine, &block);
    printf("case %" PRIu64 "\n", seed);
    print_machine(&machine);
    print_warps(&block);
    print_numbers(&block);
    printf("end\n");
    timed_block_free(&block);
}

int main(int count, char **words) {
    if (count != 3) give_up("expected FIRST_SEED COUNT");
    const uint64_t first = strtoull(words[1], NULL, 10), cases = strtoull(words[2], NULL, 10);
    for (uint64_t i = 0; i < cases; i++)
        print_case(first + i);
    return 0;
}
