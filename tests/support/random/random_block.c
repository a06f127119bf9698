#include "random_block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address_sanitizer.h"
#include "synthetic_text.h"

uint32_t random_rounds(uint32_t rounds) {
    const char *asked = getenv("WB_ROUNDS");
    if (asked != NULL && strcmp(asked, "all") == 0) return rounds;
    return rounds / (ADDRESS_SANITIZER ? 30 : 10) + 1;
}

static uint32_t between(struct random_state *random, uint32_t low, uint32_t high) {
    return low + (uint32_t)random_below(random, high - low + 1);
}

static bool chance(struct random_state *random, uint32_t percent) {
    return random_below(random, 100) < percent;
}

/* Appends to a fixed buffer; a block that does not fit is a mistake in the test. */
static void append(char *buffer, size_t size, const char *text) {
    if (strlen(buffer) + strlen(text) + 1 > size) abort();
    strcat(buffer, text);
}

void random_block_units(struct random_state *random, const struct random_shape *shape,
                        struct random_block *made, char *kinds) {
    uint32_t units = between(random, 1, shape->units);
    for (uint32_t u = 0; u < units; u++) {
        char text[64];
        uint32_t count = between(random, 1, shape->instances);
        snprintf(text, sizeof text, "%c*%u(%u,%u) ", 'A' + (int)u, count, between(random, 1, shape->init),
                 between(random, 0, shape->latency));
        append(made->units, sizeof made->units, text);
        *kinds++ = (char)('A' + u);
        if (!chance(random, shape->alias_percent)) continue;
        snprintf(text, sizeof text, "%c(%u,%u)@%c ", 'a' + (int)u, between(random, 1, shape->init),
                 between(random, 0, shape->latency), 'A' + (int)u);
        append(made->units, sizeof made->units, text);
        *kinds++ = (char)('a' + u);
    }
    *kinds = '\0';
}

/* What the i-th instruction has to do with queues. */
static void write_queues(struct random_state *random, const struct random_shape *shape,
                         struct random_block *made) {
    static const char *const marks[] = {"~", "~", "~", "^", "^", "~^", "?0", "?1", "?2", "?*", "^?1", "~?0"};
    if (shape->copy_percent > 0 && chance(random, shape->copy_percent))
        append(made->warps, sizeof made->warps, marks[random_below(random, sizeof marks / sizeof *marks)]);
    if (shape->fence_percent > 0 && chance(random, shape->fence_percent))
        append(made->warps, sizeof made->warps, chance(random, 60) ? "%" : chance(random, 50) ? "#" : "%#");
}

static void write_program(struct random_state *random, const struct random_shape *shape,
                          struct random_block *made, const char *kinds) {
    uint32_t insts = between(random, 1, shape->insts);
    for (uint32_t i = 0; i < insts; i++) {
        char text[32] = {kinds[random_below(random, strlen(kinds))], '\0'};
        append(made->warps, sizeof made->warps, text);
        bool reads = i > 0 && chance(random, 40);
        for (uint32_t sources = reads ? between(random, 1, 2) : 0; sources > 0; sources--) {
            snprintf(text, sizeof text, ".%u", (uint32_t)random_below(random, i));
            append(made->warps, sizeof made->warps, text);
        }
        write_queues(random, shape, made);
        append(made->warps, sizeof made->warps, chance(random, shape->barrier_percent) ? " | " : " ");
    }
}

void random_block_warps(struct random_state *random, const struct random_shape *shape,
                        struct random_block *made, const char *kinds) {
    uint32_t warps = between(random, 1, shape->warps);
    if (chance(random, 50)) {
        snprintf(made->warps, sizeof made->warps, "%ux ", warps);
        write_program(random, shape, made, kinds);
        return;
    }
    for (uint32_t w = 0; w < warps; w++) {
        if (w > 0) append(made->warps, sizeof made->warps, "; ");
        write_program(random, shape, made, kinds);
    }
}

void random_block_vary(struct random_state *random, const struct random_shape *shape, const uint32_t *depths,
                       uint32_t depth_count, struct synthetic_block *block) {
    struct wb_machine *machine = &block->machine;
    machine->dispatch_depth = depths[random_below(random, depth_count)];
    machine->sub_cores = between(random, 1, shape->sub_cores);
    machine->issue_width = between(random, 1, shape->width);
    for (uint32_t u = 0; u < machine->unit_count; u++)
        machine->units[u].shared = machine->sub_cores == 1 || chance(random, 50);
    for (uint32_t i = 0; i < block->timed.code.inst_count; i++) {
        struct timed_inst *inst = &block->timed.code.insts[i];
        if (inst->barrier || !chance(random, shape->real_percent)) continue;
        inst->barrier = true;
    }
    if (shape->release > 0) machine->barrier_release = between(random, 0, shape->release);
    if (shape->per_warp > 1) machine->issue_per_warp = between(random, 1, shape->per_warp);
}

void random_block_make(uint64_t seed, const struct random_shape *shape, const uint32_t *depths,
                       uint32_t depth_count, struct random_block *made) {
    struct random_state random = random_seeded(seed);
    char kinds[RANDOM_KINDS];
    memset(made, 0, sizeof *made);
    random_block_units(&random, shape, made, kinds);
    random_block_warps(&random, shape, made, kinds);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(made->units, made->warps, diagnostics, &made->block) != WB_OK) abort();
    wb_diagnostics_free(diagnostics);
    random_block_vary(&random, shape, depths, depth_count, &made->block);
    struct text yaml = {0};
    synthetic_block_print(&made->block, &yaml);
    snprintf(made->label, sizeof made->label, "# seed %" PRIu64 "\n%s", seed, yaml.failed ? "" : yaml.data);
    text_free(&yaml);
}

struct machine_fetch random_fetch(struct random_state *random) {
    struct machine_fetch fetch;
    machine_fetch_defaults(&fetch);
    fetch.instruction_bytes = chance(random, 50) ? 8 : 16;
    fetch.line = fetch.instruction_bytes << between(random, 0, 3);
    fetch.ways = between(random, 1, 3);
    fetch.size = fetch.ways * fetch.line * between(random, 1, 4);
    fetch.buffer = between(random, 1, 4);
    fetch.per_cycle = between(random, 1, 3);
    fetch.latency = chance(random, 50) ? 0 : between(random, 1, 4);
    fetch.miss_latency = chance(random, 30) ? between(random, 10, 60) : between(random, 1, 9);
    fetch.misses = between(random, 1, 3);
    return fetch;
}

void random_fetch_print(const struct machine_fetch *fetch, struct text *out) {
    text_string(out, "fetch: {");
    for (const struct field *field = machine_fetch_fields; field->key != NULL; field++) {
        text_printf(out, "%s: ", field->key);
        field_print(field, fetch, out);
        text_string(out, field[1].key != NULL ? ", " : "}\n");
    }
}
