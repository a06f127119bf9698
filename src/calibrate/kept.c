#include "calibrate/kept.h"

#include <string.h>

#include "warp/timed/timed.h"

/* ---- What was written last ---- */

/* Registers, uniform ones, predicates and uniform predicates in a row. */
enum {
    REGISTERS = 0,
    UNIFORM_REGISTERS = REGISTERS + SASS_RZ,
    PREDICATES = UNIFORM_REGISTERS + SASS_URZ,
    UNIFORM_PREDICATES = PREDICATES + SASS_PT,
    PLACES = UNIFORM_PREDICATES + SASS_PT,
    NOWHERE = PLACES
};

/* Most registers of a result. */
#define RESULT_REGISTERS_MAX 8u

struct written {
    bool known; /* false: nothing is known of who wrote it and when */
    enum sass_class by;
    uint32_t at; /* cycle of the issue, by stall counts */
};

struct walk {
    struct kept *kept;
    struct written written[PLACES];
    uint32_t now; /* issue of the instruction at hand */
};

static uint32_t place_of_register(uint32_t number, bool uniform) {
    if (uniform) return number < SASS_URZ ? UNIFORM_REGISTERS + number : NOWHERE;
    return number < SASS_RZ ? REGISTERS + number : NOWHERE;
}

static uint32_t place_of_predicate(const struct sass_predicate *predicate) {
    if (!predicate->present || predicate->number >= SASS_PT) return NOWHERE;
    return (predicate->uniform ? UNIFORM_PREDICATES : PREDICATES) + predicate->number;
}

/* ---- Reads ---- */

static void read_place(struct walk *walk, uint32_t place, enum kept_use use, enum sass_class reader) {
    if (place == NOWHERE || !walk->written[place].known) return;
    const struct written *written = &walk->written[place];
    const uint32_t between = walk->now - written->at;
    uint32_t *least = &walk->kept->least[use][written->by][reader];
    if (*least == 0 || between < *least) *least = between;
    walk->kept->classes[written->by].read++;
}

static void read_sources(struct walk *walk, const struct sass_inst *inst, enum sass_class reader) {
    const struct sass_source *sources[] = {&inst->a, &inst->b, &inst->c};
    for (uint32_t s = 0; s < 3; s++) {
        const bool uniform = sources[s]->kind == SASS_SOURCE_UREG || sources[s]->kind == SASS_SOURCE_BINDLESS;
        if (sources[s]->kind == SASS_SOURCE_REG || uniform)
            read_place(walk, place_of_register(sources[s]->number, uniform), KEPT_REGISTER, reader);
    }
    for (uint32_t p = 0; p < 3; p++)
        read_place(walk, place_of_predicate(&inst->from[p]), KEPT_PREDICATE, reader);
    read_place(walk, place_of_predicate(&inst->guard), KEPT_GUARD, reader);
}

/* Whether the instruction has an address, in registers whose numbers stand for something. */
static bool has_address(enum sass_class class) {
    return class >= SASS_CLASS_LOAD_GLOBAL && class <= SASS_CLASS_ASYNC_COPY;
}

static void read_address(struct walk *walk, const struct sass_inst *inst, enum sass_class reader) {
    if (!has_address(reader)) return;
    read_place(walk, place_of_register(inst->address.reg, false), KEPT_REGISTER, reader);
    read_place(walk, place_of_register(inst->address.ureg, true), KEPT_REGISTER, reader);
}

/* ---- Writes ---- */

static bool has_counters(const struct sass_inst *inst) {
    return inst->control.write_counter != SASS_NO_COUNTER || inst->control.read_counter != SASS_NO_COUNTER;
}

/* Registers of a result; 0: one or several. */
static uint32_t result_registers(const struct sass_inst *inst, enum sass_class class) {
    switch (class) {
    case SASS_CLASS_ALU:
    case SASS_CLASS_FMA:
    case SASS_CLASS_IMAD:
    case SASS_CLASS_FP16:
    case SASS_CLASS_MUFU:
    case SASS_CLASS_BIT_COUNT:
    case SASS_CLASS_VOTE:
    case SASS_CLASS_SHUFFLE:
    case SASS_CLASS_SPECIAL: return 1;
    case SASS_CLASS_IMAD_WIDE: return inst->op == SASS_OP_IMAD_HI ? 1 : 2;
    case SASS_CLASS_FP64: return 2;
    default: return 0;
    }
}

/* Where it is not known how many registers a result has, those behind the first are forgotten. */
static void write_results(struct walk *walk, const struct sass_inst *inst, enum sass_class class) {
    const struct written written = {!has_counters(inst), class, walk->now};
    const uint32_t first = inst->has_d ? place_of_register(inst->d, inst->d_uniform) : NOWHERE;
    const uint32_t end = inst->d_uniform ? PREDICATES : UNIFORM_REGISTERS;
    const uint32_t count = result_registers(inst, class);
    for (uint32_t i = 0; i < (count == 0 ? RESULT_REGISTERS_MAX : count) && first + i < end; i++)
        walk->written[first + i] = i == 0 || i < count ? written : (struct written){0};
    for (uint32_t p = 0; p < 2; p++) {
        const uint32_t place = place_of_predicate(&inst->to[p]);
        if (place != NOWHERE) walk->written[place] = written;
    }
}

/* ---- A kernel ---- */

static void forget(struct walk *walk) {
    memset(walk->written, 0, sizeof walk->written);
}

/* Whether nobody goes on to the next instruction. */
static bool ends_path(const struct sass_inst *inst, enum sass_class class) {
    const bool always = inst->guard.number == SASS_PT && !inst->guard.negated;
    return class == SASS_CLASS_BRANCH && inst->op != SASS_OP_LEPC && always;
}

/* Nobody counts how long a wait for a counter takes: what was written before it may be read at once. */
static bool waits(const struct sass_inst *inst) {
    return inst->control.waits != 0 || inst->op == SASS_OP_DEPBAR;
}

static void walk_instruction(struct walk *walk, const struct sass_inst *inst) {
    const enum sass_class class = sass_class_of(inst);
    if (waits(inst)) forget(walk);
    if (class == SASS_CLASS_COUNT) {
        forget(walk);
    } else {
        struct kept_class *kept = &walk->kept->classes[class];
        const uint32_t stall = sass_stall_least(inst);
        kept->count++;
        kept->counted += has_counters(inst);
        if (kept->least_stall == 0 || stall < kept->least_stall) kept->least_stall = stall;
        read_sources(walk, inst, class);
        read_address(walk, inst, class);
        write_results(walk, inst, class);
        if (ends_path(inst, class)) forget(walk);
    }
    walk->now += sass_stall_least(inst);
}

/* The branch to itself behind the end of a kernel. */
static bool is_end(const struct machine_inst *inst) {
    return inst->sass.op == SASS_OP_BRA && inst->sass.target == inst->address;
}

void kept_add(const struct machine_code *code, struct kept *kept) {
    kept->sm = code->sm;
    struct walk walk = {.kept = kept};
    for (uint32_t k = 0; k < code->kernel_count; k++) {
        const struct machine_kernel *kernel = &code->kernels[k];
        forget(&walk);
        walk.now = 0;
        for (uint32_t i = kernel->first; i < kernel->first + kernel->count; i++)
            if (!is_end(&code->insts[i])) walk_instruction(&walk, &code->insts[i].sass);
    }
}
