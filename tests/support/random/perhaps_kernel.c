#include "perhaps_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/containers.h"
#include "launch/launch.h"

/* From this seed on every fourth grid gathers: seeds below keep the grids that tests name. */
#define GATHERING 20000u

/* Words of an access in the constants: whether it is executed, then of each lane whether it takes part, then
 * which of its lines it accesses. Behind those of all blocks the barriers have one each. */
#define OP_WORDS 8u
#define BLOCK_WORDS (PERHAPS_WARPS * PERHAPS_OPS * OP_WORDS)
#define BARRIER_WORDS (PERHAPS_BLOCKS * BLOCK_WORDS)

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 data[1024];\n"
    ".visible .entry k(.param .u64 first, .param .u64 second)\n{\n"
    ".reg .pred %q, %left, %middle;\n.reg .b64 %x, %x0, %x1, %x2, %table, %second, %mine, %shared;\n"
    ".reg .b32 %t, %s, %d, %lane, %warp, %g0, %g1, %g2;\n"
    "ld.param.u64 %table, [first];\ncvta.to.global.u64 %table, %table;\n"
    "ld.param.u64 %second, [second];\ncvta.to.global.u64 %second, %second;\n"
    "mov.u32 %t, %tid.x;\nand.b32 %lane, %t, 31;\nshr.u32 %warp, %t, 5;\n"
    "setp.ge.u32 %q, %lane, 3;\n@%q exit;\nsetp.eq.u32 %left, %lane, 0;\n"
    "setp.eq.u32 %middle, %lane, 1;\nmov.u32 %t, %ctaid.x;\nmov.u64 %shared, data;\n";

/* Sets a register to 0 or 1, or to the number of one of some lines, from a word of the constants. */
static void put_choice(struct text *ptx, const char *into, uint32_t word, uint32_t first, uint32_t count,
                       bool unknown) {
    if (!unknown) {
        text_printf(ptx, "mov.u32 %s, %u;\n", into, first);
        return;
    }
    text_printf(ptx, "ld.const.u32 %s, [%%mine+%u];\nand.b32 %s, %s, %u;\nadd.u32 %s, %s, %u;\n", into,
                4 * word, into, into, count - 1, into, into, first);
}

static void put_op(struct perhaps_kernel *kernel, uint32_t warp, uint32_t number, uint32_t *labels,
                   struct text *ptx) {
    static const char *const kinds[] = {"ld.global.u32 %d, [%x];\n", "st.global.u32 [%x], %lane;\n",
                                        "red.global.add.u32 [%x], %lane;\n", "exit;\n"};
    const struct perhaps_op *op = &kernel->grid.program[warp].ops[number];
    const uint32_t word = (warp * PERHAPS_OPS + number) * OP_WORDS, behind = ++*labels;
    bool guarded = false;
    if (op->maybe_executed) {
        text_printf(ptx, "ld.const.u32 %%t, [%%mine+%u];\nand.b32 %%t, %%t, 1;\n", 4 * word);
        text_string(ptx, "setp.eq.u32 %q, %t, 0;\n");
        if (op->kind == PERHAPS_EXIT && number % 2 == 0) {
            text_string(ptx, "@!%q exit;\n");
            return;
        }
        text_printf(ptx, "@%%q bra $L%u;\n", behind);
    }
    for (uint32_t l = 0; l < PERHAPS_LANES && op->kind != PERHAPS_EXIT; l++) {
        const struct perhaps_lane *lane = &op->lanes[l];
        char name[8];
        guarded = guarded || lane->maybe_executed || lane->lines == 0;
        (void)snprintf(name, sizeof name, "%%g%u", l);
        put_choice(ptx, name, word + 1 + l, lane->lines == 0 ? 0 : 1, 0, false);
        if (lane->maybe_executed && lane->lines > 0) put_choice(ptx, name, word + 1 + l, 0, 2, true);
        const bool second = lane->first >= PERHAPS_SECOND;
        put_choice(ptx, "%t", word + 1 + PERHAPS_LANES + l,
                   second ? lane->first - PERHAPS_SECOND : lane->first, lane->lines, lane->lines > 1);
        text_printf(ptx, "mul.wide.u32 %%x%u, %%t, 128;\nadd.s64 %%x%u, %%x%u, %s;\n", l, l, l,
                    second ? "%second" : "%table");
    }
    if (op->kind != PERHAPS_EXIT)
        text_string(ptx, "selp.b64 %x, %x1, %x2, %middle;\nselp.b64 %x, %x0, %x, %left;\n"
                         "mul.wide.u32 %shared, %lane, 4;\nadd.s64 %x, %x, %shared;\n");
    if (guarded)
        text_string(ptx, "selp.b32 %t, %g1, %g2, %middle;\nselp.b32 %t, %g0, %t, %left;\n"
                         "setp.ne.u32 %q, %t, 0;\n@%q ");
    kernel->at[warp][number] = (uint32_t)ptx->length;
    text_string(ptx, kinds[op->kind]);
    text_printf(ptx, "$L%u:\n", behind);
}

/* Threads that end in a branch leave it unknown whether they come to barriers, unless facts say so. */
static bool has_exits(const struct perhaps_grid *grid) {
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t i = 0; i < grid->program[w].count; i++)
            if (grid->program[w].ops[i].kind == PERHAPS_EXIT) return true;
    return false;
}

/* What all warps do in front of a phase. */
static void put_barrier(struct perhaps_kernel *kernel, uint32_t phase, uint32_t *labels, struct text *ptx) {
    if (phase == 0) return;
    const uint32_t behind = ++*labels, label = ++*labels;
    if (has_exits(&kernel->grid)) kernel->barrier_labels[phase] = label;
    if (!kernel->grid.skipped[phase]) {
        text_printf(ptx, "$L%u:\nbar.sync 0;\n", label);
        return;
    }
    kernel->barrier_labels[phase] = label;
    text_printf(ptx, "mov.u64 %%shared, data;\nld.const.u32 %%t, [%%shared+%u];\nand.b32 %%t, %%t, 1;\n",
                4 * (BARRIER_WORDS + phase));
    text_printf(ptx, "setp.eq.u32 %%q, %%t, 0;\n@%%q bra $L%u;\n$L%u:\nbar.sync 0;\n$L%u:\n", behind, label,
                behind);
}

void perhaps_kernel_write(const struct perhaps_grid *grid, uint32_t first_lines, uint32_t second_lines,
                          struct perhaps_kernel *kernel) {
    struct text ptx = {0};
    uint32_t labels = 0;
    *kernel =
        (struct perhaps_kernel){.grid = *grid, .first_lines = first_lines, .second_lines = second_lines};
    text_string(&ptx, head);
    text_printf(&ptx, "mul.wide.u32 %%mine, %%t, %u;\nadd.s64 %%mine, %%mine, %%shared;\n", 4 * BLOCK_WORDS);
    for (uint32_t p = 0; p < grid->phases; p++) {
        put_barrier(kernel, p, &labels, &ptx);
        for (uint32_t w = 0; w < grid->warps; w++) {
            const uint32_t behind = ++labels;
            text_printf(&ptx, "setp.ne.u32 %%q, %%warp, %u;\n@%%q bra $L%u;\n", w, behind);
            for (uint32_t i = 0; i < grid->program[w].count; i++)
                if (grid->program[w].ops[i].phase == p) put_op(kernel, w, i, &labels, &ptx);
            text_printf(&ptx, "$L%u:\n", behind);
        }
    }
    text_string(&ptx, "ret;\n}\n");
    kernel->ptx = text_take(&ptx);
    if (kernel->ptx == NULL) abort();
}

void perhaps_kernel_free(struct perhaps_kernel *kernel) {
    free(kernel->ptx);
    *kernel = (struct perhaps_kernel){0};
}

/* ---- Random ones -------------------------------------------------------------------------------------- */

static bool chance(struct random_state *random, uint32_t percent) {
    return random_below(random, 100) < percent;
}

static uint32_t up_to(struct random_state *random, uint32_t most) {
    return 1 + (uint32_t)random_below(random, most);
}

/* The lines of the arrays, powers of two. */
struct arrays {
    uint32_t first, second;
    bool gathers; /* most loads are somewhere in the second one */
};

/* A line of one of the arrays, or some of them, or all: what is known of an unknown address. */
static void random_lane(struct random_state *random, const struct arrays *arrays, struct perhaps_lane *lane) {
    const bool second = chance(random, arrays->gathers ? 75 : 35);
    const uint32_t lines = second ? arrays->second : arrays->first;
    const uint64_t kind = arrays->gathers && second ? 8 : random_below(random, 10);
    const uint32_t count = kind < 6 ? 1 : kind < 9 || lines < 2 ? lines : lines / 2;
    lane->lines = (uint8_t)count;
    lane->first = (uint8_t)((second ? PERHAPS_SECOND : 0) + random_below(random, lines - count + 1));
    lane->maybe_executed = chance(random, 20);
}

static void random_op(struct random_state *random, const struct arrays *arrays, uint32_t phase,
                      struct perhaps_op *op) {
    const uint64_t kind = random_below(random, 100);
    op->kind = kind < 74   ? PERHAPS_LOAD
               : kind < 89 ? PERHAPS_STORE
               : kind < 96 ? PERHAPS_ATOMIC
                           : PERHAPS_EXIT;
    op->maybe_executed = op->kind == PERHAPS_EXIT || chance(random, 25);
    op->phase = (uint8_t)phase;
    if (op->kind == PERHAPS_EXIT) return;
    random_lane(random, arrays, &op->lanes[0]);
    for (uint32_t l = 1; l < PERHAPS_LANES; l++)
        if (chance(random, 25)) random_lane(random, arrays, &op->lanes[l]);
}

void perhaps_kernel_make(uint64_t seed, struct perhaps_kernel *kernel) {
    static const uint32_t lengths[] = {0, 12, 8, 6, 5, 0, 4}; /* by warps of all blocks */
    struct random_state random = random_seeded(seed ^ UINT64_C(0x9e2a95));
    struct perhaps_grid grid = {.sets = up_to(&random, 2), .ways = up_to(&random, 3)};
    grid.blocks = up_to(&random, 2);
    grid.resident = up_to(&random, 2);
    grid.warps = grid.blocks == 1 ? up_to(&random, 3) : up_to(&random, 2);
    grid.phases = up_to(&random, PERHAPS_PHASES);
    grid.evicts = chance(&random, 50);
    grid.ordered = chance(&random, 80);
    struct arrays arrays = {1u << random_below(&random, 3), 1u << random_below(&random, 3), false};
    arrays.gathers = seed >= GATHERING && seed % 4 == 0;
    for (uint32_t p = 1; p < grid.phases; p++)
        grid.skipped[p] = chance(&random, 25);
    for (uint32_t w = 0; w < grid.warps; w++) {
        struct perhaps_warp *warp = &grid.program[w];
        const uint32_t count = up_to(&random, lengths[grid.blocks * grid.warps]);
        for (uint32_t i = 0; i < count; i++)
            random_op(&random, &arrays, i * grid.phases / count, &warp->ops[warp->count++]);
    }
    perhaps_kernel_write(&grid, arrays.first, arrays.second, kernel);
}

/* ---- Launch and machine ------------------------------------------------------------------------------- */

static void must(wb_status status, wb_diagnostics *diagnostics) {
    if (status == WB_OK) return;
    (void)fprintf(stderr, "%s", wb_diagnostics_text(diagnostics));
    abort();
}

wb_machine *perhaps_kernel_machine(const struct perhaps_grid *grid) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    char texts[7][40];
    (void)snprintf(texts[0], sizeof *texts, "l1_size=%u", 128 * grid->sets * grid->ways);
    (void)snprintf(texts[1], sizeof *texts, "l1_ways=%u", grid->ways);
    (void)snprintf(texts[2], sizeof *texts, "l1_store=%s", grid->evicts ? "evict" : "update");
    (void)snprintf(texts[3], sizeof *texts, "limits.blocks=%u", grid->resident);
    (void)snprintf(texts[4], sizeof *texts, "sub_cores=%u", grid->ordered ? 1 : 2);
    (void)snprintf(texts[5], sizeof *texts, "dispatch_depth=%u", grid->ordered ? 0 : 4);
    (void)snprintf(texts[6], sizeof *texts, "sms=1");
    must(wb_machine_load("jcse2017", diagnostics, &machine), diagnostics);
    for (uint32_t i = 0; i < 7; i++)
        must(wb_machine_set(machine, texts[i], diagnostics), diagnostics);
    must(wb_machine_check(machine, diagnostics), diagnostics);
    wb_diagnostics_free(diagnostics);
    return machine;
}

wb_launch *perhaps_kernel_launch(const struct perhaps_kernel *kernel, uint64_t seed) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    char contents[48], first[32], second[32];
    (void)snprintf(first, sizeof first, "buf:u32[%u]", 32 * kernel->first_lines);
    (void)snprintf(second, sizeof second, "buf:u32[%u]", 32 * kernel->second_lines);
    const uint32_t blocks[] = {kernel->grid.blocks, 1, 1}, threads[] = {32 * kernel->grid.warps, 1, 1};
    (void)snprintf(contents, sizeof contents, "data=u32[%u]=random(%llu)", PERHAPS_DATA,
                   (unsigned long long)seed);
    must(wb_launch_set_grid(launch, blocks, diagnostics), diagnostics);
    must(wb_launch_set_block(launch, threads, diagnostics), diagnostics);
    must(wb_launch_add_argument(launch, first, diagnostics), diagnostics);
    must(wb_launch_add_argument(launch, second, diagnostics), diagnostics);
    must(wb_launch_set_variable(launch, contents, diagnostics), diagnostics);
    must(wb_launch_assume(launch, WB_TAKE_ALL, diagnostics), diagnostics);
    if (seed == 0) launch->variables.items[0].contents.fill = LAUNCH_FILL_UNKNOWN;
    wb_diagnostics_free(diagnostics);
    return launch;
}

wb_facts *perhaps_kernel_facts(const struct perhaps_kernel *kernel, const wb_kernel *parsed,
                               wb_diagnostics *diagnostics) {
    struct text text = {0};
    wb_facts *facts = NULL;
    uint64_t checksum;
    if (facts_checksum(parsed, &checksum) != WB_OK) abort();
    facts_put_header(parsed, checksum, &text);
    for (uint32_t p = 1; p < kernel->grid.phases; p++)
        if (kernel->barrier_labels[p] != 0) text_printf(&text, "together $L%u;\n", kernel->barrier_labels[p]);
    if (text.failed) abort();
    must(wb_facts_parse("perhaps.facts", text.data, text.length, parsed, diagnostics, &facts), diagnostics);
    text_free(&text);
    return facts;
}
