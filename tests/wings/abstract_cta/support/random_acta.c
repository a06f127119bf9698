#include "random_acta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acta_text.h"
#include "base/containers.h"
#include "synthetic_text.h"

/* Most parts of a program, and instructions of one stretch. */
#define PARTS_MAX 64u
#define STRETCH_MAX 4u

enum part_kind { PART_STRETCH, PART_BARRIER, PART_BRANCH, PART_LOOP };

/* An instruction of a stretch: a load or not, with at most one operand, which is of the same execution of the
 * stretch, or of whatever was executed before it. */
struct part_inst {
    bool is_load;
    uint32_t back; /* operand: so many instructions before; 0: none */
};

/* A part of the program: structured code as a tree. */
struct part {
    enum part_kind kind;
    struct part_inst insts[STRETCH_MAX]; /* of a stretch */
    uint32_t inst_count;
    bool diverges;               /* of a branch */
    uint32_t side[2], length[2]; /* of a branch or loop: parts of each side, from index `side` on */
    uint32_t number;             /* of a loop */
};

struct generator {
    struct random_state random;
    struct random_acta *made;
    struct part parts[PARTS_MAX];
    uint32_t part_count;
    /* of the execution of one warp */
    struct text *program;
    uint32_t executed; /* instructions without barriers, which is how the notation counts operands */
    uint32_t steps;    /* with them */
    uint32_t warp;
};

static uint32_t below(struct generator *generator, uint32_t bound) {
    return (uint32_t)random_below(&generator->random, bound);
}

static bool chance(struct generator *generator, uint32_t percent) {
    return below(generator, 100) < percent;
}

/* ---- The program ------------------------------------------------------------------------------------------
 */

/* How many times the stretch waits for its own loads at most: each is waited for by its first reader, or at
 * the end, and loads that are under way together are waited for together. */
static uint32_t stretch_waits(const struct part *part) {
    uint32_t arrives[STRETCH_MAX] = {0}, waits = 0, end = 0;
    for (uint32_t i = 0; i < part->inst_count; i++) {
        uint32_t back = part->insts[i].back;
        if (back != 0 && back <= i && arrives[i - back] > waits) waits = arrives[i - back];
        if (!part->insts[i].is_load) continue;
        arrives[i] = waits + 1;
        end = waits + 1;
    }
    return end > waits ? end : waits;
}

static void must(wb_status status) {
    if (status != WB_OK) abort();
}

static void make_stretch(struct generator *generator, struct part *part, struct acta_sequence *sequence) {
    struct acta_warp *warp = &generator->made->cta.warp;
    part->kind = PART_STRETCH;
    part->inst_count = 1 + below(generator, STRETCH_MAX);
    for (uint32_t i = 0; i < part->inst_count; i++) {
        part->insts[i].is_load = chance(generator, 35);
        if (chance(generator, 60)) part->insts[i].back = 1 + below(generator, 3);
    }
    must(acta_add_time(warp, part->inst_count, 0, sequence));
    for (uint32_t i = stretch_waits(part); i > 0; i--)
        must(acta_add_memory(warp, false, sequence));
}

static void make_parts(struct generator *generator, uint32_t depth, bool barriers, uint32_t *first,
                       uint32_t *length, struct acta_sequence *sequence);

static void make_branch(struct generator *generator, uint32_t index, uint32_t depth,
                        struct acta_sequence *sequence) {
    struct acta_sequence sides[2] = {ACTA_SEQUENCE_EMPTY, ACTA_SEQUENCE_EMPTY};
    struct part part = {.kind = PART_BRANCH, .diverges = chance(generator, 50)};
    const struct acta_node branch = {.diverges = part.diverges, .block = ACTA_NONE};
    make_parts(generator, depth + 1, false, &part.side[0], &part.length[0], &sides[0]);
    if (chance(generator, 50))
        make_parts(generator, depth + 1, false, &part.side[1], &part.length[1], &sides[1]);
    must(acta_add_branch(&generator->made->cta.warp, &branch, sides, sequence));
    generator->parts[index] = part;
}

static void make_loop(struct generator *generator, uint32_t index, uint32_t depth, bool barriers,
                      struct acta_sequence *sequence) {
    struct acta_sequence sides[2] = {ACTA_SEQUENCE_EMPTY, ACTA_SEQUENCE_EMPTY};
    struct part part = {.kind = PART_LOOP};
    make_parts(generator, depth + 1, barriers, &part.side[0], &part.length[0], &sides[0]);
    if (chance(generator, 60))
        make_parts(generator, depth + 1, barriers, &part.side[1], &part.length[1], &sides[1]);
    part.number = (uint32_t)generator->made->cta.warp.loops.count;
    must(acta_add_loop(&generator->made->cta.warp, ACTA_NONE, &sides[0], &sides[1], sequence));
    generator->parts[index] = part;
}

/* One to three parts, which stand together. */
static void make_parts(struct generator *generator, uint32_t depth, bool barriers, uint32_t *first,
                       uint32_t *length, struct acta_sequence *sequence) {
    *length = 1 + below(generator, 3);
    if (generator->part_count + *length > PARTS_MAX) *length = 0;
    *first = generator->part_count;
    generator->part_count += *length;
    for (uint32_t i = *first; i < *first + *length; i++) {
        uint32_t kind = below(generator, depth < 2 ? 10 : 6);
        if (kind >= 8)
            make_branch(generator, i, depth, sequence);
        else if (kind >= 6)
            make_loop(generator, i, depth, barriers, sequence);
        else if (kind >= 4 && barriers) {
            generator->parts[i].kind = PART_BARRIER;
            must(acta_add_barrier(&generator->made->cta.warp, sequence));
        } else {
            make_stretch(generator, &generator->parts[i], sequence);
        }
    }
}

/* ---- An execution -----------------------------------------------------------------------------------------
 */

static void execute_parts(struct generator *generator, uint32_t first, uint32_t length);

static void execute_stretch(struct generator *generator, const struct part *part) {
    for (uint32_t i = 0; i < part->inst_count; i++) {
        text_printf(generator->program, "%c", part->insts[i].is_load ? 'M' : 'A');
        uint32_t back = part->insts[i].back;
        if (back != 0 && back <= generator->executed)
            text_printf(generator->program, ".%u", generator->executed - back);
        text_char(generator->program, ' ');
        generator->executed++;
        generator->steps++;
    }
}

/* A uniform branch takes one side; a divergent one the first, the second, or one after the other. */
static void execute_branch(struct generator *generator, const struct part *part) {
    uint32_t sides = part->diverges ? 1 + below(generator, 3) : 1 + below(generator, 2);
    for (uint32_t i = 0; i < 2; i++)
        if ((sides >> i & 1) != 0) execute_parts(generator, part->side[i], part->length[i]);
}

static void execute_loop(struct generator *generator, const struct part *part, bool exactly) {
    const struct acta_group *cta = &generator->made->cta;
    uint64_t iterations = cta->iterations[generator->warp * cta->warp.loops.count + part->number];
    if (!exactly) iterations = below(generator, (uint32_t)iterations + 1);
    for (uint64_t i = 0; i < iterations; i++) {
        execute_parts(generator, part->side[0], part->length[0]);
        execute_parts(generator, part->side[1], part->length[1]);
    }
    if (part->length[1] > 0) execute_parts(generator, part->side[0], part->length[0]);
}

static bool loop_has_barrier(const struct generator *generator, const struct part *part) {
    const struct acta_warp *warp = &generator->made->cta.warp;
    return warp->nodes.items[warp->loops.items[part->number]].has_barrier;
}

static void execute_parts(struct generator *generator, uint32_t first, uint32_t length) {
    for (uint32_t i = first; i < first + length && generator->steps < 1000; i++) {
        const struct part *part = &generator->parts[i];
        switch (part->kind) {
        case PART_STRETCH: execute_stretch(generator, part); break;
        case PART_BRANCH: execute_branch(generator, part); break;
        case PART_LOOP: execute_loop(generator, part, loop_has_barrier(generator, part)); break;
        case PART_BARRIER:
            text_string(generator->program, "A! ");
            generator->executed++; /* a barrier with a slot is an instruction of the notation */
            generator->steps++;
            break;
        }
    }
}

/* Loop counts of each warp, and what it then executes. */
static bool execute_warps(struct generator *generator, const struct random_acta_shape *shape,
                          struct text *programs, uint32_t length) {
    struct acta_group *cta = &generator->made->cta;
    uint32_t warps = 1 + below(generator, shape->warps);
    must(acta_group_allocate(cta, warps));
    for (size_t i = 0; i < warps * cta->warp.loops.count; i++)
        cta->iterations[i] = below(generator, 4);
    generator->program = programs;
    for (generator->warp = 0; generator->warp < warps; generator->warp++) {
        if (generator->warp > 0) text_string(programs, "; ");
        generator->executed = generator->steps = 0;
        execute_parts(generator, 0, length);
        if (generator->steps == 0 || generator->steps > shape->insts) return false;
    }
    return true;
}

static void put_label(struct random_acta *made, uint64_t seed) {
    text_printf(&made->label, "# seed %" PRIu64 "\n# ", seed);
    acta_text_print(&made->cta.warp, &made->label);
    text_string(&made->label, "\n# iterations:");
    for (size_t i = 0; i < made->cta.warp_count * made->cta.warp.loops.count; i++)
        text_printf(&made->label, " %" PRIu64, made->cta.iterations[i]);
    text_char(&made->label, '\n');
    synthetic_block_print(&made->block, &made->label);
}

bool random_acta_make(uint64_t seed, const struct random_acta_shape *shape, struct random_acta *made) {
    struct generator generator = {.random = random_seeded(seed), .made = made};
    struct acta_sequence sequence = ACTA_SEQUENCE_EMPTY;
    struct text programs = {0}, units = {0};
    uint32_t first, length;
    *made = (struct random_acta){.cta = {.warp = {.first = ACTA_NONE}}};
    make_parts(&generator, 0, true, &first, &length, &sequence);
    made->cta.warp.first = sequence.first;
    bool fits = execute_warps(&generator, shape, &programs, length);
    text_printf(&units, "A(1,0) M(1,%u)", 1 + below(&generator, shape->latency));
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (fits) {
        must(synthetic_block_parse(units.data, programs.data, diagnostics, &made->block));
        made->block.machine.barrier_release = below(&generator, shape->release + 1);
        put_label(made, seed);
    }
    wb_diagnostics_free(diagnostics);
    text_free(&units);
    text_free(&programs);
    return fits;
}

void random_acta_free(struct random_acta *made) {
    acta_group_free(&made->cta);
    synthetic_block_free(&made->block);
    text_free(&made->label);
}
