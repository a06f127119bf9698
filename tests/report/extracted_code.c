/* Random blocks of machine code as code-elb, code-sib and code-fib see them, with what the library computes
 * of them, for the checkers that Coq extracts to say what is shown (proofs/extract/machine_code.ml,
 * docs/machine-checked.md), and what the simulator does with them (proofs/extract/code_schedules.ml).
 *
 * usage: extracted_code numbers|schedules FIRST_SEED COUNT
 *        extracted_code kernel CUBIN LAUNCH      schedules of its first block
 *
 * A case is `case SEED`, then lines
 *   machine RELEASE holds_issue|holds_warp
 *   unit QUEUE|unlimited own|shared
 *   warp SUB_CORE                 begins a warp
 *   inst STALL LEAST SLOT FETCH OPERAND FIXED BARRIER WRITE_COUNTER|- WRITE READ_COUNTER|- READ WAITS
 *        LEFT_COUNTER|- LEFT, and UNIT HOLD TRANSFER of each stage
 *   number NAME VALUE             what the library says
 *   schedule POLICY               begins a schedule, with a line for each instruction of each warp:
 *   at CHOSEN THERE ISSUED ROOM PACED PROBE SLOT, and BEGUN HELD of each stage
 *   releases TIME..               its start, and when its barriers open
 * and `end`. What lines that are missed once add is in the times (docs/machine-code-bounds.md, theorem 4a).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound/sass/code_profile.h"
#include "loaded_code.h"
#include "random_sass.h"
#include "sass_block.h"
#include "sim/sass/sass_simulate.h"

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
    struct printed_warp *warps = calloc(block->warp_count, sizeof *warps);
    bool more = true;
    if (warps == NULL) give_up("out of memory");
    if (cold_block_init(&cold, block, &arena) != WB_OK) give_up("out of memory");
    for (uint32_t w = 0; w < block->warp_count; w++) {
        warps[w].cursor = path_begin(&block->paths[block->warp_path[w]]);
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
    free(warps);
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
        printf(" %s %s\n", machine->units[u].shared ? "shared" : "own",
               machine->units[u].any_order ? "any" : "program");
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

/* ---- Schedules ----------------------------------------------------------------------------------------- */

struct done {
    cycles chosen, there, issue, room, paced, probe, begun[SASS_STAGES_MAX], held[SASS_STAGES_MAX];
    uint32_t instruction;
    bool missed, waited;
};

struct recorder {
    const struct timed_block *block;
    struct done **done; /* [warp][step] */
    cycles *releases;   /* by section, as far as somebody goes on */
    uint32_t sections;
    bool
        twice; /* an instruction misses a line of constants, and another cache each time: no real code does */
};

static void note_moment(void *user, const struct sim_moment *moment) {
    struct recorder *recorder = user;
    struct done *done = &recorder->done[moment->warp][moment->step];
    if (moment->kind == SIM_STAGE) {
        done->begun[moment->stage] = moment->at;
        done->held[moment->stage] = moment->until - moment->at;
    } else if (moment->kind == SIM_ROOM) {
        done->room = moment->at;
        done->waited = true;
    } else {
        recorder->twice = recorder->twice || done->missed;
        done->chosen = moment->at;
        done->probe = moment->probe;
        done->there = moment->until;
        done->missed = true;
    }
}

static wb_status note_issue(void *user, const struct sim_event *event) {
    struct recorder *recorder = user;
    const struct sass_timed *code = recorder->block->code.sass;
    struct done *done = &recorder->done[event->warp][event->step];
    const struct done *before = event->step == 0 ? NULL : done - 1;
    done->issue = event->issue;
    done->instruction = event->instruction;
    if (!done->missed) done->chosen = done->there = event->issue;
    if (!done->waited) done->room = event->issue;
    if (event->flight == FLIGHT_NONE && code[event->instruction].stage_count > 0) {
        done->begun[0] = event->start;
        done->held[0] = event->init_end - event->start;
    }
    done->paced = event->waits.fetched;
    if (before == NULL) return WB_OK;
    done->paced = cycles_max(done->paced, before->issue + code[before->instruction].stall);
    if (!code[before->instruction].barrier) return WB_OK;
    uint32_t section = 0;
    for (uint64_t s = 0; s < event->step; s++)
        section += code[recorder->done[event->warp][s].instruction].barrier;
    recorder->releases[section] = event->waits.barrier;
    if (section >= recorder->sections) recorder->sections = section + 1;
    return WB_OK;
}

static void put_done(const struct done *done, const struct sass_timed *timed) {
    /* The slot counts from the issue, be there room or not; the cycle in which there is belongs to it. */
    const cycles slot =
        cycles_max(1, timed->slot - cycles_min(done->probe, timed->operand > 0 ? done->probe : 0));
    const cycles end = cycles_max(done->issue + slot, done->room + 1);
    printf("at %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
           done->chosen, done->there, done->issue, done->room, done->paced, done->probe, end - done->room);
    for (uint32_t i = 0; i < timed->stage_count; i++)
        printf(" %" PRIu64 " %" PRIu64, done->begun[i], done->held[i]);
    printf("\n");
}

static void print_schedule(const struct timed_block *block, const struct sim_policy *policy) {
    struct arena arena = {0};
    struct wb_diagnostics messages = {0};
    wb_simulation result;
    struct recorder recorder = {.block = block, .sections = 1};
    uint64_t longest = 1;
    recorder.done = arena_array(&arena, block->warp_count, sizeof(struct done *));
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const uint64_t length = block->paths[block->warp_path[w]].length;
        recorder.done[w] = arena_array(&arena, length + 1, sizeof **recorder.done);
        longest = length > longest ? length : longest;
    }
    recorder.releases = arena_array(&arena, longest + 1, sizeof *recorder.releases);
    const struct sass_run run = {.policy = policy};
    const struct sim_sink sink = {.event = note_issue, .user = &recorder, .moment = note_moment};
    if (sass_simulate(block, &run, &sink, NULL, &messages, &result) != WB_OK) give_up("no simulation");
    if (recorder.twice) {
        arena_free(&arena);
        return;
    }
    printf("schedule %s\n", policy->name);
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t s = 0; s < block->paths[block->warp_path[w]].length; s++)
            put_done(&recorder.done[w][s], &block->code.sass[recorder.done[w][s].instruction]);
    printf("releases");
    for (uint32_t s = 0; s < recorder.sections; s++)
        printf(" %" PRIu64, recorder.releases[s]);
    printf("\n");
    arena_free(&arena);
}

static void print_schedules(const struct timed_block *block) {
    print_schedule(block, &policy_cggty);
    print_schedule(block, &policy_gto);
    print_schedule(block, &policy_lrr);
}

/* ---- Cases --------------------------------------------------------------------------------------------- */

static void print_block(const char *name, const struct timed_block *block, bool schedules) {
    printf("case %s\n", name);
    print_machine(block->machine);
    print_warps(block);
    if (schedules)
        print_schedules(block);
    else
        print_numbers(block);
    printf("end\n");
}

/* The families by turns. */
static void print_case(uint64_t seed, bool schedules) {
    const struct sass_family *family = &sass_families[seed % SASS_FAMILIES];
    struct sass_grid grid;
    struct wb_machine machine;
    struct timed_block block;
    char name[32];
    random_sass_grid(family, seed, &grid);
    if (schedules) sass_grid_state_all(&grid);
    sass_block_from(&grid, 1, false, &machine, &block);
    machine.sass.constant_probe = SASS_PROBE;
    (void)snprintf(name, sizeof name, "%" PRIu64, seed);
    print_block(name, &block, schedules);
    timed_block_free(&block);
}

static void print_kernel(const char *cubin, const char *launch) {
    struct loaded_code code = code_load(cubin, launch);
    if (code.block != NULL) {
        struct timed_block block = *code.analysis->timed;
        block.traffic = NULL; /* the rules hold outside of what caches fill once, which theorem 7 adds */
        print_block(cubin, &block, true);
    }
    code_unload(&code);
}

int main(int count, char **words) {
    if (count != 4) give_up("expected numbers|schedules FIRST_SEED COUNT, or kernel CUBIN LAUNCH");
    const uint64_t first = strtoull(words[2], NULL, 10), cases = strtoull(words[3], NULL, 10);
    if (strcmp(words[1], "kernel") == 0) {
        print_kernel(words[2], words[3]);
        return 0;
    }
    for (uint64_t i = 0; i < cases; i++)
        print_case(first + i, strcmp(words[1], "schedules") == 0);
    return 0;
}
