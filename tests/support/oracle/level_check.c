#include "level_check.h"

#include <inttypes.h>
#include <string.h>

#include "base/containers.h"

/* ---- Bounds ---------------------------------------------------------------------------------------------
 */

uint64_t level_transfers(const struct level_machine *machine, uint32_t first, uint32_t end, bool stores,
                         bool kept) {
    uint32_t fetched = 0, stored = 0, again = 0;
    for (uint32_t w = first * machine->grid.warps; w < end * machine->grid.warps; w++)
        for (uint32_t k = 0; k < machine->grid.programs[w].count; k++) {
            const struct level_access *access = &machine->accesses[w][k];
            for (uint32_t i = 0; i < access->count && access->kind != LEVEL_STORE; i++)
                fetched |= 1u << access->sectors[i];
            if (access->kind != LEVEL_STORE) again += access->count;
            if (access->kind == LEVEL_STORE || access->kind == LEVEL_ATOMIC) stored += access->count;
        }
    return (kept ? (uint32_t)__builtin_popcount(fetched) : again) + (stores ? stored : 0);
}

static uint64_t page_count(const struct level_machine *machine) {
    uint32_t pages = 0;
    for (uint32_t w = 0; w < machine->grid.blocks * machine->grid.warps; w++)
        for (uint32_t k = 0; k < machine->grid.programs[w].count; k++)
            for (uint32_t i = 0; i < machine->accesses[w][k].count; i++)
                pages |= 1u << machine->accesses[w][k].sectors[i] / (LEVEL_SECTORS / LEVEL_PAGES);
    return (uint64_t)__builtin_popcount(pages);
}

/* The longest hold of the LSU, of accesses of global memory or all. */
static uint32_t longest_pass(const struct level_machine *machine, bool all) {
    uint32_t longest = 0;
    for (uint32_t w = 0; w < machine->grid.blocks * machine->grid.warps; w++)
        for (uint32_t k = 0; k < machine->grid.programs[w].count; k++) {
            const struct sass_timed *timed = &machine->grid.programs[w].steps[k].stated;
            const bool is_access = machine->accesses[w][k].kind != LEVEL_NONE;
            if (timed->stage_count < 2 || (!all && !is_access)) continue;
            if (timed->stages[1].init > longest) longest = timed->stages[1].init;
        }
    return longest;
}

static uint64_t least_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t sum_of(uint64_t bound, uint64_t more) {
    return bound == UINT64_MAX ? bound : bound + more;
}

uint32_t level_kept(const struct level_machine *machine) {
    uint32_t changed = 0;
    for (uint32_t w = 0; w < machine->grid.blocks * machine->grid.warps; w++)
        for (uint32_t k = 0; k < machine->grid.programs[w].count; k++)
            for (uint32_t i = 0; i < machine->accesses[w][k].count; i++)
                if (machine->accesses[w][k].kind != LEVEL_LOAD)
                    changed |= 1u << machine->accesses[w][k].sectors[i];
    return ~changed;
}

/* Sectors that a block asks the second level for. */
static uint32_t requests_of(const struct level_machine *machine, uint32_t block, uint32_t kept) {
    const uint32_t warps = machine->grid.warps;
    uint32_t loaded = 0, others = 0;
    for (uint32_t w = block * warps; w < (block + 1) * warps; w++)
        for (uint32_t k = 0; k < machine->grid.programs[w].count; k++) {
            const struct level_access *access = &machine->accesses[w][k];
            for (uint32_t i = 0; i < access->count; i++) {
                const bool is_kept = access->kind == LEVEL_LOAD && (kept >> access->sectors[i] & 1) != 0;
                if (is_kept) loaded |= 1u << access->sectors[i];
                if (!is_kept) others++;
            }
        }
    return others + (uint32_t)__builtin_popcount(loaded);
}

/* Counts what blocks ask the second level for beside the ways of their instructions. */
static void count_requests(const struct level_machine *machine, enum level_sum sum, struct sass_grid *grid) {
    const uint32_t kept = sum == LEVEL_STORES_KEPT ? UINT32_MAX : level_kept(machine);
    for (uint32_t b = 0; b < grid->blocks; b++)
        grid->beside[b] = (uint16_t)(machine->l2_sector * requests_of(machine, b, kept));
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            struct sass_timed *timed = &grid->programs[w].steps[k].stated;
            if (timed->stage_count == 3) timed->stage_count = 2;
        }
}

/* The longest time of which others have no more than their budget. */
static uint64_t beside_others(const struct level_machine *machine, enum level_sum sum, uint64_t alone) {
    const struct level_others *others = &machine->others;
    const uint64_t all = alone + (sum == LEVEL_NO_BURST ? 0 : others->requests * others->hold);
    if (others->every == 0 || sum == LEVEL_NO_RATE) return all;
    return all * others->every / (others->every - others->hold);
}

static uint64_t bound_alone(const struct level_machine *machine, enum level_sum sum) {
    struct sass_grid grid = machine->grid;
    if (machine->rules.keeps_loads) count_requests(machine, sum, &grid);
    const bool waits = sum != LEVEL_NO_PASS && sum != LEVEL_ONE_PASS && machine->tlb > 0;
    if (sum == LEVEL_IN_ORDER) grid.any_order[LEVEL_L2] = false;
    if (waits && machine->rules.again == LEVEL_ANY_AGAIN) grid.any_order[LEVEL_LSU] = true;
    const struct sass_bounds bounds = naive_sass_grid(&grid, SASS_AS_PROVEN);
    uint64_t page = machine->tlb;
    if (sum != LEVEL_NO_PASS) page += longest_pass(machine, false);
    if (waits && machine->rules.again == LEVEL_ASKED_AGAIN) page += longest_pass(machine, true);
    const uint64_t pages = machine->tlb > 0 ? page_count(machine) * page : 0;
    const bool kept = machine->others.hold == 0 || sum == LEVEL_KEPT_BESIDE;
    const uint64_t sectors =
        machine->service * level_transfers(machine, 0, grid.blocks, sum != LEVEL_NO_STORES, kept);
    if (grid.blocks == 1) return least_of(least_of(bounds.sib, bounds.fib), bounds.elb) + pages + sectors;
    const uint64_t one_wave = least_of(bounds.kernel, bounds.chain);
    const uint64_t waves =
        least_of(least_of(bounds.area, bounds.balance), least_of(bounds.chain_area, bounds.chain_balance));
    const uint64_t again = sum == LEVEL_PAGES_ONCE ? pages : 2 * pages;
    return least_of(one_wave + pages, sum_of(waves, again)) + sectors;
}

uint64_t level_bound(const struct level_machine *machine, enum level_sum sum) {
    return beside_others(machine, sum, bound_alone(machine, sum));
}

/* ---- Random grids ---------------------------------------------------------------------------------------
 */

const struct level_family level_families[LEVEL_FAMILIES] = {
    {.name = "pages", .pages = true},
    {.name = "sectors", .sectors = true},
    {.name = "pages and sectors", .pages = true, .sectors = true},
    {.name = "pages and sectors, barriers", .pages = true, .sectors = true, .barriers = true},
    {.name = "grids, pages", .pages = true, .several = true},
    {.name = "grids, sectors", .sectors = true, .several = true},
    {.name = "grids, pages and sectors", .pages = true, .sectors = true, .several = true},
    {.name = "loads", .loads = true},
    {.name = "grids, loads", .several = true, .loads = true},
    {.name = "grids, all", .pages = true, .sectors = true, .several = true, .loads = true},
    {.name = "others", .sectors = true, .others = true},
    {.name = "others, barriers", .sectors = true, .barriers = true, .others = true},
    {.name = "grids, all, others",
     .pages = true,
     .sectors = true,
     .several = true,
     .loads = true,
     .others = true},
};

struct draft {
    struct random_state random;
    struct level_machine *machine;
    uint32_t sectors, latency, passes; /* most of the LSU */
};

static uint32_t below(struct draft *draft, uint32_t limit) {
    return (uint32_t)random_below(&draft->random, limit);
}

static bool one_in(struct draft *draft, uint32_t n) {
    return below(draft, n) == 0;
}

static void draw_machine(struct draft *draft, const struct level_family *family) {
    struct level_machine *machine = draft->machine;
    struct sass_grid *grid = &machine->grid;
    static const uint8_t queues[] = {1, 1, 2, 4, SASS_UNLIMITED, SASS_UNLIMITED, 0};
    grid->units = LEVEL_UNITS;
    grid->shared[LEVEL_LSU] = grid->shared[LEVEL_L2] = grid->any_order[LEVEL_L2] = true;
    grid->queue[LEVEL_ADDRESS] = queues[below(draft, 6)];
    grid->queue[LEVEL_LSU] = queues[below(draft, 7)];
    grid->queue[LEVEL_L2] = queues[below(draft, 7)];
    grid->rules.full_holds_issue = one_in(draft, 2);
    grid->rules.late_stall = one_in(draft, 2);
    grid->rules.hidden_count = one_in(draft, 3);
    grid->lines.halves = 1;
    machine->walkers = 1 + (one_in(draft, 2) ? below(draft, LEVEL_PAGES) : 0);
    if (family->pages) machine->tlb = 1 + below(draft, one_in(draft, 2) ? 4 : 16);
    if (family->sectors) machine->service = 1 + below(draft, one_in(draft, 2) ? 3 : 10);
    if (family->others) {
        machine->others.requests = below(draft, 8);
        machine->others.hold = 1 + below(draft, one_in(draft, 2) ? 3 : 10);
        if (!one_in(draft, 3)) machine->others.every = machine->others.hold + 1 + below(draft, 30);
    }
    machine->dram = below(draft, one_in(draft, 3) ? 4 : 50);
    machine->l2_sector = 1 + below(draft, 4);
    machine->rules = (struct level_rules){.again = (enum level_order)below(draft, 3),
                                          .page_holds_lsu = one_in(draft, 4),
                                          .page_after_page = one_in(draft, 2),
                                          .replay_in_queue = one_in(draft, 2),
                                          .merged_passes = one_in(draft, 3),
                                          .walks_pause = one_in(draft, 3),
                                          .dram_pauses = !one_in(draft, 3),
                                          .store_waits = one_in(draft, 3),
                                          .eager_stores = one_in(draft, 3),
                                          .ends_written_back = one_in(draft, 3),
                                          .keeps_loads = family->loads,
                                          .loads_of_all = one_in(draft, 4)};
    draft->sectors = 1 + below(draft, LEVEL_SECTORS);
    draft->latency = machine->dram + below(draft, 3);
    draft->passes = 1 + below(draft, 12);
}

static void draw_access(struct draft *draft, struct sass_timed *timed, struct level_access *access) {
    static const enum level_kind kinds[] = {LEVEL_LOAD, LEVEL_LOAD, LEVEL_LOAD, LEVEL_STORE, LEVEL_ATOMIC};
    const struct level_machine *machine = draft->machine;
    timed->stage_count = 2;
    timed->stages[0] = (struct sass_stage){.unit = LEVEL_ADDRESS, .init = 1 + below(draft, 3)};
    timed->stages[1] = (struct sass_stage){.unit = LEVEL_LSU, .init = 1 + below(draft, draft->passes)};
    if (!one_in(draft, 3)) timed->write_counter = (uint8_t)below(draft, 2);
    if (one_in(draft, 4)) timed->read_counter = (uint8_t)below(draft, 2);
    timed->read_most = timed->read_counter == SASS_NO_COUNTER ? 0 : below(draft, 4);
    if (one_in(draft, 3)) { /* of shared memory */
        timed->stages[1].init += below(draft, 3) * draft->passes;
        timed->write_most = below(draft, 4);
        return;
    }
    access->kind = kinds[below(draft, 5)];
    for (uint32_t i = 0, most = 1 + below(draft, LEVEL_ACCESS); i < most; i++) {
        const uint8_t sector = (uint8_t)below(draft, draft->sectors);
        bool is_new = true;
        for (uint32_t j = 0; j < access->count; j++)
            is_new &= access->sectors[j] != sector;
        if (is_new) access->sectors[access->count++] = sector;
    }
    timed->write_most = draft->latency;
    timed->stages[timed->stage_count++] =
        (struct sass_stage){.unit = LEVEL_L2, .init = access->count * machine->l2_sector};
}

static void draw_step(struct draft *draft, struct sass_timed *timed, struct level_access *access) {
    *timed = (struct sass_timed){.stall = one_in(draft, 2) ? 1 : 1 + below(draft, 5),
                                 .slot = one_in(draft, 6) ? 2 : 1,
                                 .write_counter = SASS_NO_COUNTER,
                                 .read_counter = SASS_NO_COUNTER,
                                 .left_counter = SASS_NO_COUNTER,
                                 .constant_line = SASS_NO_LINE};
    timed->stall_least = timed->stall;
    if (one_in(draft, 3)) timed->waits = (uint8_t)(one_in(draft, 2) ? 1 + below(draft, 3) : 0);
    if (one_in(draft, 12)) {
        timed->left_counter = (uint8_t)below(draft, 2);
        timed->left = (uint8_t)below(draft, 2);
    }
    if (!one_in(draft, 4)) {
        draw_access(draft, timed, access);
        return;
    }
    timed->fixed = true;
    if (one_in(draft, 4)) return;
    timed->stage_count = 1;
    timed->stages[0] =
        (struct sass_stage){.unit = LEVEL_ALU, .init = timed->slot + below(draft, one_in(draft, 3) ? 8 : 2)};
}

static void draw_program(struct draft *draft, uint32_t w, uint32_t barriers, uint32_t most) {
    struct sass_program *program = &draft->machine->grid.programs[w];
    for (uint32_t s = 0; s <= barriers; s++) {
        const uint32_t steps = barriers > 0 ? below(draft, most + 1) : 1 + below(draft, most);
        for (uint32_t i = 0; i < steps && program->count < SASS_GRID_INSTS; i++, program->count++)
            draw_step(draft, &program->steps[program->count].stated,
                      &draft->machine->accesses[w][program->count]);
        if (s == barriers || program->count == SASS_GRID_INSTS) return;
        const uint32_t stall = 1 + (one_in(draft, 2) ? below(draft, 5) : 0);
        program->steps[program->count++].stated = (struct sass_timed){.stall = stall,
                                                                      .stall_least = stall,
                                                                      .slot = 1,
                                                                      .fixed = true,
                                                                      .barrier = true,
                                                                      .write_counter = SASS_NO_COUNTER,
                                                                      .read_counter = SASS_NO_COUNTER,
                                                                      .left_counter = SASS_NO_COUNTER,
                                                                      .constant_line = SASS_NO_LINE};
    }
}

void level_draw(const struct level_family *family, uint64_t seed, struct level_machine *machine) {
    struct draft draft = {.random = random_seeded(seed), .machine = machine};
    struct sass_grid *grid = &machine->grid;
    memset(machine, 0, sizeof *machine);
    grid->sub_cores = 1 + below(&draft, 2);
    grid->warps = 1 + below(&draft, 4);
    grid->blocks = grid->sms = grid->slots = 1;
    if (family->several) {
        grid->warps = 1 + below(&draft, 2);
        grid->blocks = 2 + below(&draft, SASS_GRID_WARPS / grid->warps - 1);
        grid->slots = 1 + below(&draft, 2);
        grid->sms = 1 + below(&draft, 2);
        grid->is_static = one_in(&draft, 4);
    }
    draw_machine(&draft, family);
    const bool barriers = family->barriers || one_in(&draft, 5);
    const uint32_t count = barriers ? 1 + below(&draft, 2) : 0;
    const uint32_t most = barriers ? 3 : family->several ? 4 : 2 + below(&draft, 5);
    if (barriers && one_in(&draft, 3)) grid->release = below(&draft, 4);
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++) {
        const uint32_t like = w < grid->warps ? 0 : w % grid->warps;
        if (w > 0 && one_in(&draft, 3)) {
            grid->programs[w] = grid->programs[like];
            memcpy(machine->accesses[w], machine->accesses[like], sizeof machine->accesses[w]);
        } else {
            draw_program(&draft, w, count, most);
        }
    }
}

/* ---- Executions that are long ---------------------------------------------------------------------------
 */

static void draw_tape(struct random_state *random, const struct level_machine *machine,
                      struct level_tape *tape) {
    static const uint8_t often[] = {0, 128, 230, 255};
    for (uint32_t i = 0; i < LEVEL_TAPE; i++)
        tape->bytes[i] = (uint8_t)random_below(random, 256);
    tape->most = often[random_below(random, 8) == 0 ? 1 : 2 + random_below(random, 2)];
    tape->victim = (uint8_t)random_below(random, machine->grid.blocks * machine->grid.warps);
    tape->stubborn = often[random_below(random, 4)];
}

uint32_t level_climb(const struct level_machine *machine, uint64_t seed, uint32_t runs) {
    struct random_state random = random_seeded(seed);
    struct level_tape best, tape;
    uint32_t here = 0, longest = 0;
    for (uint32_t run = 0; run < runs; run++) {
        const bool anew = run % 16 == 0 && run < runs / 2;
        if (anew) {
            draw_tape(&random, machine, &tape);
        } else {
            tape = best;
            for (uint64_t n = 1 + random_below(&random, 6); n > 0; n--)
                tape.bytes[random_below(&random, LEVEL_TAPE / (n % 2 == 0 ? 1 : 6))] =
                    (uint8_t)random_below(&random, 256);
        }
        const uint32_t time = level_run(machine, &tape);
        longest = time > longest ? time : longest;
        if (time < here && !anew) continue;
        here = time;
        best = tape;
    }
    return longest;
}

/* ---- Text -----------------------------------------------------------------------------------------------
 */

static void print_step(const struct level_machine *machine, uint32_t w, uint32_t k, struct text *out) {
    static const char *const kinds[] = {"", " load", " store", " atomic"};
    const struct sass_timed *timed = &machine->grid.programs[w].steps[k].stated;
    const struct level_access *access = &machine->accesses[w][k];
    text_printf(out, "  %s%s",
                timed->barrier ? "barrier"
                : timed->fixed ? "fixed"
                               : "queued",
                kinds[access->kind]);
    for (uint32_t i = 0; i < access->count; i++)
        text_printf(out, " %" PRIu8, access->sectors[i]);
    for (uint32_t i = 0; i < timed->stage_count; i++)
        text_printf(out, " u%" PRIu8 "(%" PRIu32 ")", timed->stages[i].unit, timed->stages[i].init);
    text_printf(out, " stall %" PRIu32 " slot %" PRIu32, timed->stall, timed->slot);
    if (timed->stage_count > 1)
        text_printf(out, " write SB%" PRIu8 " %" PRIu32 " read SB%" PRIu8 " %" PRIu32, timed->write_counter,
                    timed->write_most, timed->read_counter, timed->read_most);
    text_printf(out, " waits %" PRIx8, timed->waits);
    if (timed->left_counter != SASS_NO_COUNTER)
        text_printf(out, " SB%" PRIu8 " <= %" PRIu8, timed->left_counter, timed->left);
    text_string(out, "\n");
}

void level_print(const struct level_machine *machine, struct text *out) {
    const struct sass_grid *grid = &machine->grid;
    const struct level_rules *rules = &machine->rules;
    static const char *const again[] = {"again first", "again when asked", "again in any order"};
    text_printf(out,
                "%" PRIu32 " blocks of %" PRIu32 " warps, %" PRIu32 " SMs of %" PRIu32 " slots and %" PRIu32
                " sub-cores%s, release %" PRIu32 "\n",
                grid->blocks, grid->warps, grid->sms, grid->slots, grid->sub_cores,
                grid->is_static ? ", static" : "", grid->release);
    text_printf(out, "queues %" PRIu8 " %" PRIu8 " %" PRIu8 ", %s%s%s\n", grid->queue[LEVEL_ADDRESS],
                grid->queue[LEVEL_LSU], grid->queue[LEVEL_L2],
                grid->rules.full_holds_issue ? "full ones hold the issue stage" : "full ones hold the warp",
                grid->rules.late_stall ? ", late stall" : "",
                grid->rules.hidden_count ? ", hidden count" : "");
    text_printf(
        out,
        "tlb %" PRIu32 " walkers %" PRIu32 " dram %" PRIu32 " service %" PRIu32 " sector %" PRIu32
        ", %s%s%s%s%s%s%s%s%s%s%s\n",
        machine->tlb, machine->walkers, machine->dram, machine->service, machine->l2_sector,
        again[rules->again], rules->page_holds_lsu ? ", page holds LSU" : "",
        rules->page_after_page ? ", page after page" : "", rules->replay_in_queue ? ", replay in queue" : "",
        rules->merged_passes ? ", merged ones pass again" : "", rules->walks_pause ? ", walks pause" : "",
        rules->dram_pauses ? ", DRAM pauses" : "", rules->store_waits ? ", store waits" : "",
        rules->eager_stores ? ", eager stores" : "", rules->ends_written_back ? ", ends written back" : "",
        !rules->keeps_loads   ? ""
        : rules->loads_of_all ? ", keeps loads of all"
                              : ", keeps loads");
    if (machine->others.hold > 0)
        text_printf(
            out, "others: %" PRIu32 " requests, one in %" PRIu32 " cycles, each holds DRAM for %" PRIu32 "\n",
            machine->others.requests, machine->others.every, machine->others.hold);
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++) {
        text_printf(out, "warp %" PRIu32 "\n", w);
        for (uint32_t k = 0; k < grid->programs[w].count; k++)
            print_step(machine, w, k, out);
    }
}
