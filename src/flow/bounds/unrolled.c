#include "flow/bounds/bounds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sass/sass.h"

/* More iterations are not looked for in a pass: compilers unroll by less. */
#define FACTOR_MAX 64u

/* Loops that are held against each other, in one function. */
#define LOOPS_MAX 256u

/* How often an opcode that shows the work of a loop stands in it. */
struct work_count {
    const struct ptx_form *form;
    uint32_t count;
};

/* The work of a loop: what accesses memory and computes with floating point, by opcode, in the order of the
 * addresses of the forms, which are one for each text. */
struct loop_work {
    struct work_count *items;
    uint32_t count;
    uint32_t accesses; /* opcodes among them that access memory */
    uint64_t step;     /* the largest step of a counter or an address */
};

static bool accesses_memory(const struct ptx_form *form) {
    return form->exec == PTX_EXEC_MEMORY && form->space != PTX_SPACE_PARAM;
}

static bool is_work(const struct ptx_form *form) {
    return accesses_memory(form) ||
           (form->exec == PTX_EXEC_ALU && ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT);
}

static int by_form(const void *a, const void *b) {
    const struct work_count *x = a, *y = b;
    return (uintptr_t)x->form < (uintptr_t)y->form ? -1 : (uintptr_t)x->form > (uintptr_t)y->form;
}

static uint32_t instructions_of(const struct cfg *cfg, const struct loops *loops, uint32_t loop) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < loops->items[loop].member_count; m++)
        count += cfg->blocks[loops->members[loops->items[loop].first_member + m]].count;
    return count;
}

/* Whether a loop has none inside it. */
static bool is_innermost(const struct loops *loops, uint32_t loop) {
    return loops->items[loop].last_inside == loop;
}

/* The number of a constant that an instruction adds to a register of its own, an integer; else 0. */
static uint64_t step_of(const struct ptx_function *function, const struct ptx_inst *inst) {
    const struct ptx_form *form = inst->form;
    const enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)form->type);
    const struct ptx_operand *operands = ptx_operands(function, inst);
    if (form->op != PTX_OP_ADD || kind == PTX_KIND_FLOAT || inst->operand_count < 3) return 0;
    if (operands[0].kind != PTX_OPERAND_REG || operands[1].kind != PTX_OPERAND_REG ||
        operands[0].index != operands[1].index || operands[2].kind != PTX_OPERAND_INT)
        return 0;
    const int64_t step = (int64_t)operands[2].value;
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

static struct loop_work work_of(const struct cfg *cfg, const struct loops *loops, uint32_t loop,
                                struct arena *arena) {
    struct loop_work work = {
        .items = arena_array(arena, instructions_of(cfg, loops, loop) + 1, sizeof *work.items)};
    uint32_t found = 0;
    for (uint32_t m = 0; m < loops->items[loop].member_count; m++) {
        const struct cfg_block *block = &cfg->blocks[loops->members[loops->items[loop].first_member + m]];
        for (uint32_t i = 0; i < block->count; i++) {
            const struct ptx_inst *inst = &cfg->function->insts[block->first + i];
            const uint64_t step = step_of(cfg->function, inst);
            if (is_work(inst->form)) work.items[found++] = (struct work_count){inst->form, 1};
            if (step > work.step) work.step = step;
        }
    }
    qsort(work.items, found, sizeof *work.items, by_form);
    for (uint32_t i = 0; i < found; i++) {
        if (work.count > 0 && work.items[work.count - 1].form == work.items[i].form) {
            work.items[work.count - 1].count++;
            continue;
        }
        work.items[work.count++] = work.items[i];
        work.accesses += accesses_memory(work.items[work.count - 1].form);
    }
    return work;
}

/* How many times the work of `once` stands in `often`; 0 when it is another work. */
static uint32_t times(const struct loop_work *often, const struct loop_work *once) {
    if (often->count != once->count || once->accesses == 0) return 0;
    const uint32_t factor = often->items[0].count / once->items[0].count;
    for (uint32_t i = 0; i < once->count; i++)
        if (often->items[i].form != once->items[i].form ||
            often->items[i].count != (uint64_t)factor * once->items[i].count)
            return 0;
    return factor <= FACTOR_MAX ? factor : 0;
}

/* Whether what accesses memory stands there `factor` times each, or a multiple of that. */
static bool has_copies(const struct loop_work *work, uint32_t factor) {
    for (uint32_t i = 0; i < work->count; i++)
        if (accesses_memory(work->items[i].form) && work->items[i].count % factor != 0) return false;
    return work->accesses > 0;
}

/* The largest step of a counter that fits the copies of the work; 1 when none does. */
static uint32_t factor_of_steps(const struct cfg *cfg, const struct loops *loops, uint32_t loop,
                                const struct loop_work *work) {
    uint32_t factor = 1;
    for (uint32_t m = 0; m < loops->items[loop].member_count; m++) {
        const struct cfg_block *block = &cfg->blocks[loops->members[loops->items[loop].first_member + m]];
        for (uint32_t i = 0; i < block->count; i++) {
            const uint64_t step = step_of(cfg->function, &cfg->function->insts[block->first + i]);
            if (step > factor && step <= FACTOR_MAX && has_copies(work, (uint32_t)step))
                factor = (uint32_t)step;
        }
    }
    return factor;
}

/* Whether the compiler says of a loop that it is not to be unrolled, as it does of what it leaves over. */
static bool is_left_alone(const struct cfg *cfg, const struct loops *loops, uint32_t loop) {
    const struct ptx_function *function = cfg->function;
    const struct cfg_block *header = &cfg->blocks[loops->items[loop].header];
    for (uint32_t i = 0; i < function->pragma_count; i++)
        if (function->pragma_inst[i] >= header->first &&
            function->pragma_inst[i] < header->first + header->count &&
            strstr(function->pragmas[i], "nounroll") != NULL)
            return true;
    return false;
}

/* Whether one loop steps `factor` times as far as the other, with steps that are plain to see. */
static bool steps_farther(const struct loop_work *often, const struct loop_work *once, uint32_t factor) {
    return once->step != 0 && often->step / factor == once->step && often->step % factor == 0;
}

/* Finds a loop that does once what `loop` does several times, among those beside it. */
static void find_remainder(const struct cfg *cfg, const struct loops *loops, const struct loop_work *work,
                           uint32_t loop, struct unrolled *found) {
    for (uint32_t other = 0; other < loops->count; other++) {
        if (other == loop || !is_innermost(loops, other) ||
            loops->items[other].parent != loops->items[loop].parent)
            continue;
        const uint32_t factor = times(&work[loop], &work[other]);
        if (factor < 2 || factor <= found[loop].factor) continue;
        if (!steps_farther(&work[loop], &work[other], factor) && !is_left_alone(cfg, loops, other)) continue;
        found[loop] = (struct unrolled){UNROLLED_MAIN, factor, loop};
        found[other] = (struct unrolled){UNROLLED_REMAINDER, factor, loop};
    }
}

/* ---- Machine code whose lines of PTX are known ---- */

/* Whether every pass of a loop goes through all of its blocks, as far as it does not leave. */
static bool is_one_way(const struct cfg *cfg, const struct loops *loops, uint32_t loop) {
    const struct adjacency *out = &cfg->graph.out;
    for (uint32_t m = 0; m < loops->items[loop].member_count; m++) {
        const uint32_t block = loops->members[loops->items[loop].first_member + m];
        uint32_t inside = 0;
        for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++)
            inside += loop_contains(loops, loop, out->nodes[e]);
        if (inside != 1) return false;
    }
    return true;
}

static int by_line(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The PTX lines of the accesses to memory in a loop, sorted; *known: all have one. */
static uint32_t *access_lines(const struct cfg *cfg, const struct loops *loops, uint32_t loop,
                              struct arena *arena, uint32_t *count, bool *known) {
    const struct ptx_function *function = cfg->function;
    uint32_t *lines = arena_array(arena, instructions_of(cfg, loops, loop) + 1, sizeof *lines);
    *count = 0;
    *known = true;
    for (uint32_t m = 0; m < loops->items[loop].member_count; m++) {
        const struct cfg_block *block = &cfg->blocks[loops->members[loops->items[loop].first_member + m]];
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct ptx_inst *inst = &function->insts[i];
            if (inst->untimed || !accesses_memory(inst->form)) continue;
            lines[*count] = function->code->insts[inst->machine].ptx_line;
            *known &= lines[(*count)++] != 0;
        }
    }
    qsort(lines, *count, sizeof *lines, by_line);
    return lines;
}

/* How often each access of the PTX stands in a loop of machine code; 1 where that is not the same of all. */
static uint32_t copies_by_lines(const struct cfg *cfg, const struct loops *loops, uint32_t loop,
                                struct arena *arena) {
    uint32_t count, factor = 0;
    bool known;
    if (cfg->function->code == NULL || !is_one_way(cfg, loops, loop)) return 1;
    const uint32_t *lines = access_lines(cfg, loops, loop, arena, &count, &known);
    for (uint32_t i = 0, end; known && i < count; i = end) {
        for (end = i; end < count && lines[end] == lines[i];)
            end++;
        if (factor != 0 && end - i != factor) return 1;
        factor = end - i;
    }
    return known && factor != 0 && factor <= FACTOR_MAX ? factor : 1;
}

struct unrolled *unrolled_find(const struct cfg *cfg, const struct loops *loops, struct arena *arena) {
    assert(arena_is_protected(arena));
    struct unrolled *found = arena_array(arena, loops->count + 1, sizeof *found);
    struct loop_work *work = arena_array(arena, loops->count + 1, sizeof *work);
    for (uint32_t loop = 0; loop < loops->count; loop++)
        found[loop] = (struct unrolled){UNROLLED_NOT, 1, loop};
    if (loops->count > LOOPS_MAX) return found;
    for (uint32_t loop = 0; loop < loops->count; loop++)
        if (is_innermost(loops, loop)) work[loop] = work_of(cfg, loops, loop, arena);
    for (uint32_t loop = 0; loop < loops->count; loop++)
        if (is_innermost(loops, loop)) find_remainder(cfg, loops, work, loop, found);
    for (uint32_t loop = 0; loop < loops->count; loop++) {
        if (!is_innermost(loops, loop) || found[loop].sign != UNROLLED_NOT) continue;
        const uint32_t copies = copies_by_lines(cfg, loops, loop, arena);
        const uint32_t factor = copies > 1 ? 1 : factor_of_steps(cfg, loops, loop, &work[loop]);
        if (copies > 1) found[loop] = (struct unrolled){UNROLLED_COPIES, copies, loop};
        if (factor > 1) found[loop] = (struct unrolled){UNROLLED_PERHAPS, factor, loop};
    }
    return found;
}
