#include "hand_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTION_COUNT (HAND_OTHER + 1)

#define WARPS_MAX 32u
#define UNIT_OTHER 0
#define UNIT_MEMORY 1
#define BYTES_OF_LANE 4u

/* The program being read. */
struct reader {
    const char *at, *block;
    struct path_writer path;
    struct access_list accesses;
    uint64_t step;
};

static void must(bool holds, const struct reader *reader) {
    if (holds) return;
    (void)fprintf(stderr, "no block of a grid: '%s', near '%s'\n", reader->block, reader->at);
    abort();
}

void hand_grid_begin(struct hand_grid *hand) {
    *hand = (struct hand_grid){.grid = {.instruction_count = INSTRUCTION_COUNT}};
    struct wb_machine *machine = &hand->machine;
    (void)snprintf(machine->name, sizeof machine->name, "hand");
    machine->sub_cores = machine->issue_width = machine->issue_per_warp = 1;
    machine->warp_width = MACHINE_WARP_WIDTH;
    machine->unit_count = 2;
    machine->units[UNIT_OTHER] = (struct machine_unit){.name = "OTHER", .count = 1};
    machine->units[UNIT_MEMORY] = (struct machine_unit){.name = "MEMORY", .count = 1};
    machine_memory_defaults(&machine->memory);
    machine->memory.requests = REQUESTS_FERMI;
    machine->memory.l1.bytes = 16 * 1024;
    struct wb_grid *grid = &hand->grid;
    grid->code_first = arena_array(&grid->arena, 2, sizeof *grid->code_first);
    grid->is_barrier = arena_array(&grid->arena, INSTRUCTION_COUNT, sizeof *grid->is_barrier);
    struct timed_code *code = &hand->code;
    code->inst_count = INSTRUCTION_COUNT;
    code->register_count = HAND_INSTRUCTIONS;
    code->insts = arena_array(&hand->arena, INSTRUCTION_COUNT, sizeof *code->insts);
    code->operands = arena_array(&hand->arena, HAND_INSTRUCTIONS, sizeof *code->operands);
    if (grid->code_first == NULL || grid->is_barrier == NULL || code->insts == NULL || code->operands == NULL)
        abort();
    grid->code_first[1] = INSTRUCTION_COUNT;
    grid->is_barrier[HAND_BARRIER] = true;
    for (uint32_t i = 0; i < INSTRUCTION_COUNT; i++)
        code->insts[i] = (struct timed_inst){.unit = UNIT_OTHER, .init = 1, .latency = 1};
    code->insts[HAND_BARRIER] = (struct timed_inst){.unit = UNIT_NONE, .barrier = true, .uncounted = true};
    for (uint32_t i = 0; i < HAND_INSTRUCTIONS; i++) {
        code->operands[i] = i;
        code->insts[i].unit = UNIT_MEMORY;
        code->insts[i].first_operand = code->insts[HAND_USE_OF(i)].first_operand = i;
        code->insts[HAND_USE_OF(i)].source_count = 1;
    }
}

static uint32_t read_number(struct reader *reader) {
    char *end;
    must(*reader->at >= '0' && *reader->at <= '9', reader);
    unsigned long number = strtoul(reader->at, &end, 10);
    reader->at = end;
    must(number <= UINT32_MAX, reader);
    return (uint32_t)number;
}

static void step(struct reader *reader, uint32_t instruction) {
    must(path_append(&reader->path, instruction, UINT32_MAX) == WB_OK, reader);
    reader->step++;
}

/* `5=0,3.1` behind the letter: the lines, a lane each. */
static void read_access(struct reader *reader, struct timed_code *code, char letter) {
    uint32_t instruction = read_number(reader), lanes = 0;
    uint64_t addresses[WARP_LANES];
    must(instruction < HAND_INSTRUCTIONS, reader);
    do {
        reader->at++; /* `=` or `,` */
        must(lanes < WARP_LANES, reader);
        uint64_t address = (uint64_t)read_number(reader) * MEMORY_LINE_BYTES;
        if (*reader->at == '.') {
            reader->at++;
            address += (uint64_t)read_number(reader) * MEMORY_SECTOR_BYTES;
        }
        addresses[lanes++] = address;
    } while (*reader->at == ',');
    struct access access = {.step = reader->step,
                            .base = addresses[0],
                            .instruction = instruction,
                            .mask = (uint32_t)((UINT64_C(1) << lanes) - 1),
                            .table = lanes == 1 ? ACCESS_AFFINE : (uint32_t)reader->accesses.tables.count,
                            .bytes = BYTES_OF_LANE,
                            .space = PTX_SPACE_GLOBAL,
                            .is_store = letter == 'S',
                            .is_atomic = letter == 'A'};
    for (uint32_t l = 0; lanes > 1 && l < lanes; l++)
        must(vec_push(&reader->accesses.tables, addresses[l] - addresses[0]) == WB_OK, reader);
    must(vec_push(&reader->accesses.items, access) == WB_OK, reader);
    code->insts[instruction].destination_count = letter != 'S';
    step(reader, instruction);
}

/* One warp, up to `;` or the end. */
static void read_warp(struct reader *reader, struct timed_code *code) {
    for (;; reader->at += *reader->at == ' ') {
        char letter = *reader->at;
        if (letter == ' ') continue;
        if (letter == ';' || letter == '\0') return;
        reader->at++;
        switch (letter) {
        case 'L':
        case 'S':
        case 'A': read_access(reader, code, letter); break;
        case 'U': step(reader, HAND_USE_OF(read_number(reader))); break;
        case 'X': step(reader, HAND_OTHER); break;
        case '|': step(reader, HAND_BARRIER); break;
        default: reader->at--; must(false, reader);
        }
    }
}

/* `2x` before a warp, if it is there. */
static uint32_t read_times(struct reader *reader, char mark) {
    while (*reader->at == ' ')
        reader->at++;
    const char *start = reader->at;
    if (*start < '0' || *start > '9') return 1;
    uint32_t times = read_number(reader);
    must(*reader->at == mark, reader);
    reader->at++;
    return times;
}

void hand_grid_add(struct hand_grid *hand, const char *block) {
    struct reader reader = {.at = block, .block = block};
    struct path paths[WARPS_MAX] = {0};
    struct access_list accesses[WARPS_MAX] = {0};
    uint32_t warps = 0;
    do {
        reader.at += warps > 0; /* `;` */
        uint32_t times = read_times(&reader, 'x');
        const char *start = reader.at;
        for (uint32_t i = 0; i < times; i++) {
            must(warps < WARPS_MAX, &reader);
            reader.at = start;
            reader.step = 0;
            memset(&reader.accesses, 0, sizeof reader.accesses);
            read_warp(&reader, &hand->code);
            must(path_finish(&reader.path, &paths[warps]) == WB_OK, &reader);
            accesses[warps++] = reader.accesses;
        }
    } while (*reader.at == ';');
    must(hand->grid.blocks.count == 0 || hand->grid.warp_count == warps, &reader);
    hand->grid.warp_count = warps;
    hand->grid.block_size[0] = warps * WARP_LANES;
    hand->grid.block_size[1] = hand->grid.block_size[2] = 1;
    must(grid_add_block(&hand->grid, paths, accesses) == WB_OK, &reader);
    hand->grid.dimensions[0] = (uint32_t)hand->grid.blocks.count;
    hand->grid.dimensions[1] = hand->grid.dimensions[2] = 1;
    text_printf(&hand->text, "%s%s", hand->grid.blocks.count > 1 ? " / " : "", block);
    for (uint32_t w = 0; w < warps; w++) {
        path_free(&paths[w]);
        vec_free(&accesses[w].items);
        vec_free(&accesses[w].tables);
    }
}

void hand_grid_make(struct hand_grid *hand, const char *blocks) {
    hand_grid_begin(hand);
    for (const char *at = blocks;;) {
        struct reader reader = {.at = at, .block = at};
        const char *star = at + strspn(at, " 0123456789");
        uint32_t times = *star == '*' ? read_times(&reader, '*') : 1;
        size_t length = strcspn(reader.at, "/");
        char *block = strndup(reader.at, length);
        must(block != NULL, &reader);
        for (uint32_t i = 0; i < times; i++)
            hand_grid_add(hand, block);
        free(block);
        at = reader.at + length;
        if (*at == '\0') return;
        at++;
    }
}

/* A random list of lines behind the letter and the instruction. */
static void put_access(struct random_state *random, const struct hand_shape *shape, uint32_t instruction,
                       struct text *text) {
    /* an instruction's kind follows from its number, so that it is the same everywhere */
    struct random_state kind = random_seeded(instruction);
    uint32_t chance = (uint32_t)random_below(&kind, 100);
    bool store = chance < shape->store_percent;
    bool atomic = !store && chance < shape->store_percent + shape->atomic_percent;
    text_printf(text, "%c%u", store ? 'S' : atomic ? 'A' : 'L', instruction);
    uint32_t lanes = 1 + (uint32_t)random_below(random, shape->lanes);
    for (uint32_t l = 0; l < lanes; l++) {
        text_printf(text, "%c%u", l == 0 ? '=' : ',', (uint32_t)random_below(random, shape->lines));
        if (shape->sectors > 1) text_printf(text, ".%u", (uint32_t)random_below(random, shape->sectors));
    }
    text_string(text, " ");
    if (!store && random_below(random, 100) < shape->use_percent) text_printf(text, "U%u ", instruction);
}

static void put_warp(struct random_state *random, const struct hand_shape *shape, struct text *text) {
    uint32_t accesses = (uint32_t)random_below(random, shape->accesses + 1), instruction = 0;
    for (uint32_t a = 0; a < accesses; a++) {
        if (random_below(random, 100) < shape->barrier_percent) text_string(text, "| ");
        uint32_t least = shape->sorted ? instruction : 0;
        instruction = least + (uint32_t)random_below(random, shape->instructions - least);
        put_access(random, shape, instruction, text);
        instruction++;
        if (shape->sorted && instruction >= shape->instructions) return;
    }
}

void hand_grid_add_random(struct hand_grid *hand, struct random_state *random,
                          const struct hand_shape *shape) {
    struct text text = {0};
    for (uint32_t w = 0; w < shape->warps; w++) {
        if (w > 0) text_string(&text, "; ");
        put_warp(random, shape, &text);
    }
    char *block = text_take(&text);
    hand_grid_add(hand, block);
    free(block);
}

void hand_uncache(const struct traffic *traffic) {
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            struct traffic_access *access = &pattern->accesses[a];
            if (access->kind == TRAFFIC_LOAD && access->instruction % 6 == 5) access->kind = TRAFFIC_UNCACHED;
        }
    }
}

void hand_grid_free(struct hand_grid *hand) {
    grid_clear(&hand->grid);
    arena_free(&hand->arena);
    text_free(&hand->text);
    machine_clear(&hand->machine);
}
