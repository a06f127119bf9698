#include "sub_core_climb.h"

#include <string.h>

static uint32_t between(struct random_state *random, uint32_t low, uint32_t high) {
    return low + (uint32_t)random_below(random, high - low + 1);
}

static uint32_t barriers_of(const struct climb_program *program) {
    uint32_t barriers = 0;
    for (uint32_t i = 0; i < program->count; i++)
        barriers += program->insts[i].barrier > 0;
    return barriers;
}

static void change_inst(struct random_state *random, const struct climb_limits *limits,
                        struct climb_kind *kind) {
    struct climb_program *program = &kind->programs[between(random, 0, kind->warps - 1U)];
    const uint32_t index = between(random, 0, program->count > 0 ? program->count - 1U : 0);
    struct climb_inst *inst = &program->insts[index];
    const uint32_t variant = between(random, 0, CLIMB_VARIANTS - 1);
    if (limits->leave_out && random_below(random, 4) == 0) {
        inst->left_out = (uint8_t)(inst->left_out ^ 1U << variant);
        return;
    }
    switch (random_below(random, 8)) {
    case 0: program->count = (uint8_t)between(random, 0, limits->insts); break;
    case 1: inst->unit = (uint8_t)between(random, 0, CLIMB_UNITS - 1); break;
    case 2:
        if (index > 0) inst->sources = (uint8_t)(inst->sources ^ 1U << between(random, 0, index - 1));
        break;
    case 3: inst->barrier = (uint8_t)(random_below(random, 8) == 0 ? 2 : random_below(random, 2)); break;
    case 4: inst->latency[variant] = random_below(random, 2) == 0 ? 0 : UINT8_MAX; break;
    case 5:
        inst->latency[variant] = (uint8_t)(random_below(random, 2) == 0 ? between(random, 0, 2) : UINT8_MAX);
        break;
    case 6:
        inst->init[variant] = (uint8_t)(random_below(random, 2) == 0 ? between(random, 1, 2) : UINT8_MAX);
        break;
    default: inst->sources = (uint8_t)(index > 0 ? 1U << between(random, 0, index - 1) : 0);
    }
    for (uint32_t i = program->count; barriers_of(program) > limits->sections && i-- > 0;)
        program->insts[i].barrier = 0;
}

static void insert_inst(struct random_state *random, const struct climb_limits *limits,
                        struct climb_kind *kind) {
    struct climb_program *program = &kind->programs[between(random, 0, kind->warps - 1U)];
    if (program->count == limits->insts) return;
    const uint32_t at = between(random, 0, program->count);
    for (uint32_t i = program->count; i > at; i--) {
        struct climb_inst moved = program->insts[i - 1];
        const uint32_t low = moved.sources & ((1U << at) - 1);
        moved.sources = (uint8_t)(low | (moved.sources >> at) << (at + 1));
        program->insts[i] = moved;
    }
    memset(&program->insts[at], UINT8_MAX, sizeof program->insts[at]);
    program->insts[at].unit = (uint8_t)between(random, 0, CLIMB_UNITS - 1);
    program->insts[at].barrier = program->insts[at].sources = program->insts[at].left_out = 0;
    program->count++;
}

static void change_kind(struct random_state *random, const struct climb_limits *limits,
                        struct climb_case *changed) {
    struct climb_kind *kind = &changed->kind[between(random, 0, limits->kinds - 1)];
    switch (random_below(random, 8)) {
    case 0:
        kind->blocks[between(random, 0, limits->variants - 1)] = (uint8_t)between(random, 0, limits->blocks);
        break;
    case 1: kind->warps = (uint8_t)between(random, 1, limits->warps); break;
    case 2: /* two warps alike */
        kind->programs[between(random, 0, kind->warps - 1U)] =
            kind->programs[between(random, 0, kind->warps - 1U)];
        break;
    case 3: insert_inst(random, limits, kind); break;
    default: change_inst(random, limits, kind);
    }
    if (kind->blocks[0] + kind->blocks[1] == 0) kind->blocks[0] = 1;
}

static void change_machine(struct random_state *random, const struct climb_limits *limits,
                           struct climb_case *changed) {
    const uint32_t unit = between(random, 0, CLIMB_UNITS - 1);
    switch (random_below(random, 12)) {
    case 0:
    case 1: changed->init[unit] = (uint8_t)between(random, 1, limits->init); break;
    case 2:
    case 3: changed->latency[unit] = (uint8_t)between(random, 0, limits->latency); break;
    case 4: changed->shared[unit] = random_below(random, 4) == 0; break;
    case 5: changed->instances[unit] = random_below(random, 8) == 0 ? 2 : 1; break;
    case 6: changed->depth = limits->depths[random_below(random, limits->depth_count)]; break;
    case 7: changed->width = random_below(random, 5) == 0 ? 2 : 1; break;
    case 8: changed->release = random_below(random, 3) == 0 ? between(random, 1, 2) : 0; break;
    case 9: changed->sub_cores = between(random, 2, limits->sub_cores); break;
    case 10: changed->rooms = between(random, 1, limits->rooms); break;
    default:
        changed->sms = between(random, 1, limits->sms);
        changed->kinds = (uint8_t)between(random, 1, limits->kinds);
        if (!limits->dispatcher) break;
        changed->delay = random_below(random, 3) == 0 ? between(random, 1, 3) : 0;
        changed->service = random_below(random, 5) == 0 ? between(random, 1, 2) : 0;
        changed->is_static = random_below(random, 4) == 0;
    }
}

void climb_case_change(struct random_state *random, const struct climb_limits *limits,
                       struct climb_case *changed) {
    if (random_below(random, 3) == 0)
        change_machine(random, limits, changed);
    else
        change_kind(random, limits, changed);
    /* Something is executed. */
    for (uint32_t k = 0; k < changed->kinds; k++) {
        uint32_t insts = 0;
        for (uint32_t w = 0; w < changed->kind[k].warps; w++)
            insts += changed->kind[k].programs[w].count;
        if (insts == 0) changed->kind[k].programs[0].count = 1;
    }
}

void climb_case_make(struct random_state *random, const struct climb_limits *limits,
                     struct climb_case *made) {
    memset(made, 0, sizeof *made);
    *made = (struct climb_case){.init = {1, 1, 1},
                                .instances = {1, 1, 1},
                                .kinds = 1,
                                .width = 1,
                                .depth = limits->depths[0],
                                .sub_cores = 2,
                                .rooms = limits->rooms > 1 ? 2 : 1,
                                .sms = 1};
    for (uint32_t k = 0; k < CLIMB_KINDS; k++) {
        made->kind[k] = (struct climb_kind){.warps = (uint8_t)(limits->warps < 2 ? 1 : 2), .blocks = {2, 2}};
        if (limits->variants == 1) made->kind[k].blocks[1] = 0;
        for (uint32_t w = 0; w < CLIMB_WARPS; w++) {
            struct climb_program *program = &made->kind[k].programs[w];
            program->count = 2;
            for (uint32_t i = 0; i < CLIMB_INSTS; i++) {
                memset(&program->insts[i], UINT8_MAX, sizeof program->insts[i]);
                program->insts[i].unit = program->insts[i].barrier = program->insts[i].sources = 0;
                program->insts[i].left_out = 0;
            }
        }
    }
    for (uint32_t i = 0; i < 60; i++)
        climb_case_change(random, limits, made);
}

static uint32_t capped(uint32_t stated, uint8_t most) {
    return most < stated ? most : stated;
}

/* A program as it is stated (`variant` CLIMB_VARIANTS) or turns out. */
static void build_program(const struct climb_case *from, const struct climb_program *program,
                          uint32_t variant, struct sub_core_program *out) {
    uint32_t position[CLIMB_INSTS] = {0};
    out->count = 0;
    uint32_t executed = 0; /* bit i: instruction i is */
    for (uint32_t i = 0; i < program->count; i++) {
        const struct climb_inst *inst = &program->insts[i];
        const bool left_out = variant < CLIMB_VARIANTS && (inst->left_out >> variant & 1) != 0;
        if (!left_out) {
            struct sub_core_inst *made = &out->insts[out->count];
            *made = (struct sub_core_inst){.unit = inst->unit,
                                           .barrier = inst->barrier == 2,
                                           .init = from->init[inst->unit],
                                           .latency = from->latency[inst->unit]};
            for (uint32_t p = 0; p < i; p++)
                if ((inst->sources & executed) >> p & 1) made->operands |= UINT64_C(1) << position[p];
            if (variant < CLIMB_VARIANTS) {
                made->init = capped(made->init, inst->init[variant]);
                made->latency = capped(made->latency, inst->latency[variant]);
            }
            executed |= 1U << i;
            position[i] = out->count++;
        }
        if (inst->barrier == 1 || (left_out && inst->barrier == 2))
            out->insts[out->count++] =
                (struct sub_core_inst){.unit = UNIT_NONE, .barrier = true, .bare = true};
    }
}

static void build_kind(const struct climb_case *from, const struct climb_kind *kind, uint32_t variant,
                       struct sub_core_kind *out) {
    out->warps = kind->warps;
    for (uint32_t w = 0; w < kind->warps; w++)
        build_program(from, &kind->programs[w], variant, &out->programs[w]);
}

void climb_case_build(const struct climb_case *from, struct sub_core_grid *stated,
                      struct sub_core_grid *actual) {
    struct sub_core_grid *both[] = {stated, actual};
    for (uint32_t i = 0; i < 2; i++) {
        struct sub_core_grid *grid = both[i];
        grid->sub_cores = from->sub_cores;
        grid->width = from->width;
        grid->depth = from->depth;
        grid->release = from->release;
        grid->sms = from->sms;
        grid->rooms = from->rooms;
        grid->is_static = from->is_static;
        grid->delay = from->delay;
        grid->service = from->service;
        grid->unit_count = CLIMB_UNITS;
        for (uint32_t u = 0; u < CLIMB_UNITS; u++)
            grid->units[u] =
                (struct sub_core_unit){.shared = from->shared[u], .instances = from->instances[u]};
        grid->kind_count = 0;
    }
    for (uint32_t k = 0; k < from->kinds; k++) {
        const struct climb_kind *kind = &from->kind[k];
        struct sub_core_kind *whole = &stated->kinds[stated->kind_count++];
        build_kind(from, kind, CLIMB_VARIANTS, whole);
        whole->blocks = (uint32_t)kind->blocks[0] + kind->blocks[1];
        for (uint32_t v = 0; v < CLIMB_VARIANTS; v++) {
            if (kind->blocks[v] == 0) continue;
            struct sub_core_kind *variant = &actual->kinds[actual->kind_count++];
            build_kind(from, kind, v, variant);
            variant->blocks = kind->blocks[v];
        }
    }
}
