/* Parts of a warp of machine code in every order, against the execution that the interpreter chooses
 * (docs/convergence.md): random kernels are executed by an interpreter of its own, which picks a part at
 * random before each instruction, or lets a part run until it waits or ends, and merges parts that come to
 * one place by chance, or does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grid_execute.h"
#include "machine_text.h"
#include "random_block.h"
#include "random_machine.h"
#include "warp/path/path.h"

#define LANES 4u
#define SETS 16u
#define REGISTERS 64u
#define STEPS_MAX 20000u

/* How hardware may execute parts. */
struct policy {
    bool interleaves; /* another part may be picked before each instruction */
    bool merges;      /* parts that come to one place become one */
    bool own; /* each execution of BSSY has a set of its own, else parts that have not met can join one */
};

struct lane {
    uint64_t registers[REGISTERS];
    uint32_t pc, part; /* lanes of one part have the same pc */
    bool ended, waits;
    uint32_t set, expected; /* while it waits: for a set, or, SETS, for the lanes of `expected` */
    uint32_t opened[SETS];  /* per set that it is in: the number of the BSSY that it joined it by; 0: none */
    uint64_t way;           /* hash of the instructions that it has executed */
};

struct machine {
    const struct ptx_function *function;
    const uint32_t *data;
    struct lane lanes[LANES];
    bool own_sets;
    uint32_t openings; /* executions of BSSY, but for one number for each set where sets are shared */
    uint32_t *issued;  /* per instruction */
    uint32_t parts;    /* numbers given so far */
};

/* ---- One instruction --------------------------------------------------------------------------------------
 */

static uint64_t hash_step(uint64_t hash, uint32_t instruction) {
    return (hash ^ instruction) * UINT64_C(0x100000001b3) + 1;
}

static uint64_t read_operand(const struct lane *lane, uint32_t number, const struct ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_REG) return lane->registers[operand->index];
    if (operand->kind == PTX_OPERAND_SREG) return number;
    return operand->value;
}

static void compute(struct machine *m, uint32_t number, const struct ptx_inst *inst) {
    struct lane *lane = &m->lanes[number];
    const struct ptx_operand *o = ptx_operands(m->function, inst);
    uint64_t s[4] = {0};
    for (uint32_t i = 1; i < inst->operand_count && i < 5; i++)
        s[i - 1] = read_operand(lane, number, &o[i]);
    uint64_t sink, *to = o[0].kind == PTX_OPERAND_REG ? &lane->registers[o[0].index] : &sink;
    switch (inst->form->op) {
    case PTX_OP_MOV: *to = s[0]; break;
    case PTX_OP_ADD: *to = inst->form->type == PTX_U64 ? s[0] + s[1] : (uint32_t)(s[0] + s[1]); break;
    case PTX_OP_AND: *to = s[0] & s[1]; break;
    case PTX_OP_SHR: *to = (uint32_t)s[0] >> s[1]; break;
    case PTX_OP_MUL: *to = s[0] * s[1]; break;
    case PTX_OP_MAD: *to = (uint32_t)(s[0] * s[1] + s[2]); break;
    case PTX_OP_SETP: *to = (uint32_t)s[1] < (uint32_t)s[2]; break;
    case PTX_OP_CVT: *to = s[0]; break;
    case PTX_OP_LD: /* a parameter, the word of the lane, or the word that all share */
        if (inst->form->space == PTX_SPACE_PARAM)
            *to = 0;
        else
            *to = m->data[m->function->operands[o[1].index].kind == PTX_OPERAND_REG && o[1].value != 0
                              ? 255
                              : number];
        break;
    case PTX_OP_ST: break;
    default: fail_msg("'%s' is not explored", inst->form->text);
    }
}

/* The lanes that execute with `number`. */
static uint32_t part_of(const struct machine *m, uint32_t number) {
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < LANES; l++)
        lanes |= (uint32_t)(!m->lanes[l].ended && m->lanes[l].part == m->lanes[number].part) << l;
    return lanes;
}

static uint32_t live(const struct machine *m) {
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < LANES; l++)
        lanes |= (uint32_t)!m->lanes[l].ended << l;
    return lanes;
}

/* Lets lanes go on that have waited for others that have all come, or ended, or left: those as one part that
 * are at one place. */
static void release(struct machine *m) {
    for (uint32_t l = 0; l < LANES; l++) {
        const struct lane first = m->lanes[l];
        if (first.ended || !first.waits) continue;
        uint32_t there = 0;
        uint32_t wanted = first.set == SETS ? first.expected : 0;
        for (uint32_t k = 0; k < LANES; k++) {
            const struct lane *lane = &m->lanes[k];
            const bool same = first.set == SETS || lane->opened[first.set] == first.opened[first.set];
            there |= (uint32_t)(!lane->ended && lane->waits && lane->set == first.set && same) << k;
            if (first.set < SETS) wanted |= (uint32_t)same << k;
        }
        if ((wanted & live(m) & ~there) != 0) continue;
        for (uint32_t k = 0; k < LANES; k++) {
            if ((there >> k & 1) == 0) continue;
            m->lanes[k].waits = false;
            if (first.set < SETS) m->lanes[k].opened[first.set] = 0;
            m->lanes[k].part = ++m->parts;
            for (uint32_t j = 0; j < k; j++)
                if ((there >> j & 1) != 0 && m->lanes[j].pc == m->lanes[k].pc)
                    m->lanes[k].part = m->lanes[j].part;
        }
    }
}

static void wait(struct machine *m, uint32_t lanes, uint32_t set, uint32_t expected) {
    for (uint32_t l = 0; l < LANES; l++) {
        if ((lanes >> l & 1) == 0) continue;
        m->lanes[l].waits = true;
        m->lanes[l].set = set;
        m->lanes[l].expected = expected;
    }
}

static void join(struct machine *m, uint32_t lanes, uint32_t set, uint32_t opening) {
    for (uint32_t l = 0; l < LANES; l++)
        if ((lanes >> l & 1) != 0) m->lanes[l].opened[set] = opening;
}

/* Lanes of a part go to the target, the others of it go on as a part of their own. */
static void branch(struct machine *m, const struct ptx_inst *inst, uint32_t part, uint32_t taken) {
    const uint32_t target = m->function->labels[ptx_operands(m->function, inst)[0].index].target;
    if (target == (uint32_t)(inst - m->function->insts) + 1) return;
    if (taken != 0 && taken != part) m->parts++;
    for (uint32_t l = 0; l < LANES; l++) {
        if ((taken >> l & 1) == 0) continue;
        m->lanes[l].pc = target;
        if (taken != part) m->lanes[l].part = m->parts;
    }
}

/* Every lane gets the lanes that are there whose predicate holds. */
static void ballot(struct machine *m, const struct ptx_operand *o, uint32_t lanes) {
    uint32_t votes = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if ((lanes >> l & 1) != 0) votes |= (uint32_t)(m->lanes[l].registers[o[1].index] != 0) << l;
    for (uint32_t l = 0; l < LANES; l++)
        if ((lanes >> l & 1) != 0) m->lanes[l].registers[o[0].index] = votes;
}

/* A part issues its next instruction. */
static void issue(struct machine *m, uint32_t number) {
    const uint32_t part = part_of(m, number), pc = m->lanes[number].pc;
    const struct ptx_inst *inst = &m->function->insts[pc];
    const struct ptx_operand *o = ptx_operands(m->function, inst);
    uint32_t mask = 0;
    m->issued[pc]++;
    for (uint32_t l = 0; l < LANES; l++) {
        struct lane *lane = &m->lanes[l];
        if ((part >> l & 1) == 0) continue;
        lane->pc++;
        lane->way = hash_step(lane->way, pc);
        const bool holds =
            inst->guard == PTX_NO_INDEX || (lane->registers[inst->guard] != 0) != inst->guard_negated;
        mask |= (uint32_t)holds << l;
    }
    switch (inst->form->op) {
    case PTX_OP_BRA: branch(m, inst, part, mask); break;
    case PTX_OP_BSSY: join(m, mask, (uint32_t)o[0].value, m->own_sets ? ++m->openings : 1); break;
    case PTX_OP_BREAK: join(m, mask, (uint32_t)o[0].value, 0); break;
    case PTX_OP_BSYNC: wait(m, mask, (uint32_t)o[0].value, 0); break;
    case PTX_OP_VOTE: ballot(m, o, mask); break;
    case PTX_OP_WARPSYNC: wait(m, mask, SETS, (uint32_t)o[0].value); break;
    case PTX_OP_EXIT:
        for (uint32_t l = 0; l < LANES; l++)
            m->lanes[l].ended |= (mask >> l & 1) != 0;
        break;
    default:
        for (uint32_t l = 0; l < LANES; l++)
            if ((mask >> l & 1) != 0) compute(m, l, inst);
    }
    release(m);
}

/* ---- A warp -----------------------------------------------------------------------------------------------
 */

static void merge_parts(struct machine *m) {
    for (uint32_t a = 0; a < LANES; a++)
        for (uint32_t b = 0; b < a; b++) {
            const struct lane *x = &m->lanes[a], *y = &m->lanes[b];
            if (x->ended || y->ended || x->waits || y->waits || x->pc != y->pc || x->part == y->part)
                continue;
            const uint32_t joined = x->part, into = y->part;
            for (uint32_t l = 0; l < LANES; l++)
                if (m->lanes[l].part == joined) m->lanes[l].part = into;
        }
}

/* A lane that can go on, at random; LANES: there is none. */
static uint32_t pick(const struct machine *m, struct random_state *random) {
    uint32_t ready[LANES], count = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if (!m->lanes[l].ended && !m->lanes[l].waits) ready[count++] = l;
    return count == 0 ? LANES : ready[random_below(random, count)];
}

/* Executes the warp; false when it does not end. */
static bool execute(struct machine *m, const struct policy *policy, struct random_state *random) {
    uint32_t lane = pick(m, random);
    for (uint32_t step = 0; step < STEPS_MAX && live(m) != 0; step++) {
        const bool goes_on = lane < LANES && !m->lanes[lane].ended && !m->lanes[lane].waits;
        if (policy->interleaves || !goes_on) lane = pick(m, random);
        if (lane == LANES) return false;
        issue(m, lane);
        if (policy->merges) merge_parts(m);
    }
    return live(m) == 0;
}

/* ---- Against the interpreter ------------------------------------------------------------------------------
 */

struct explored {
    char *text;
    wb_module *module;
    const struct ptx_function *function;
    uint32_t data[256];
    uint32_t *issued;     /* per instruction, by the interpreter */
    uint64_t ways[LANES]; /* of its lanes */
};

static void count_path(struct explored *explored, const wb_block *block) {
    struct path_cursor cursor = path_begin(&block->paths.items[0]);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        explored->issued[step.instruction]++;
        for (uint32_t l = 0; l < LANES; l++)
            if ((step.mask >> l & 1) != 0) explored->ways[l] = hash_step(explored->ways[l], step.instruction);
    }
}

static void interpret(struct explored *explored, uint64_t seed) {
    wb_diagnostics *d = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    const wb_kernel *kernel = NULL;
    const wb_trace_options options = {.size = sizeof options};
    wb_block *block = NULL;
    uint8_t *bytes = NULL, *known = NULL;
    size_t size = 0;
    char data[64];
    (void)snprintf(data, sizeof data, "buf:u32[256]=random(%u)", (unsigned)seed);
    if (wb_module_find_kernel(explored->module, "k", d, &kernel) != WB_OK ||
        wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, d) != WB_OK ||
        wb_launch_set_block(launch, (const uint32_t[3]){LANES, 1, 1}, d) != WB_OK ||
        wb_launch_add_argument(launch, data, d) != WB_OK ||
        wb_launch_add_argument(launch, "buf:u64[64]=zero", d) != WB_OK ||
        wb_block_trace(kernel, launch, &options, d, &block) != WB_OK ||
        grid_execute(kernel, launch, 0, d, &bytes, &known, &size) != WB_OK) {
        (void)fputs(explored->text, stdout);
        fail_msg("%s", wb_diagnostics_text(d));
    }
    assert_non_null(block);
    assert_non_null(bytes);
    count_path(explored, block);
    assert_int_equal(size, sizeof explored->data);
    memcpy(explored->data, bytes, size);
    free(bytes);
    free(known);
    wb_block_free(block);
    wb_launch_free(launch);
    wb_diagnostics_free(d);
}

static void fail_on(const struct explored *explored, uint64_t seed, const char *what, uint32_t where) {
    (void)fputs(explored->text, stdout);
    fail_msg("seed %u: %s (%u)", (unsigned)seed, what, where);
}

/* Every lane goes the same way whatever the order; no instruction is issued more often than the interpreter
 * issues it, and as often where parts never become one without waiting for each other. */
static void check_policy(const struct explored *explored, uint64_t seed, const struct policy *policy,
                         struct random_state *random) {
    struct machine machine = {
        .function = explored->function, .data = explored->data, .own_sets = policy->own};
    machine.issued = calloc(explored->function->inst_count, sizeof *machine.issued);
    assert_non_null(machine.issued);
    if (!execute(&machine, policy, random)) fail_on(explored, seed, "no end", 0);
    for (uint32_t l = 0; l < LANES; l++)
        if (machine.lanes[l].way != explored->ways[l]) fail_on(explored, seed, "another way of a lane", l);
    const bool equal = policy->own && !policy->merges;
    for (uint32_t i = 0; i < explored->function->inst_count; i++)
        if (machine.issued[i] > explored->issued[i] || (equal && machine.issued[i] != explored->issued[i]))
            fail_on(explored, seed, "an instruction that is issued another number of times", i);
    free(machine.issued);
}

static void check(uint64_t seed) {
    static const struct policy policies[] = {
        {false, false, false}, {false, true, false}, {true, false, false}, {true, true, false},
        {false, false, true},  {false, true, true},  {true, false, true},  {true, true, true}};
    struct random_state random = random_seeded(~seed);
    const struct random_machine_shape shape = {.depth = 1 + (uint32_t)random_below(&random, 3),
                                               .statements = 1 + (uint32_t)random_below(&random, 3),
                                               .naked = random_below(&random, 2) == 0 ? 25 : 0,
                                               .ends = random_below(&random, 3) == 0 ? 10 : 0,
                                               .known = 10,
                                               .uniform = 10};
    struct text text = {0};
    random_machine_put(seed, &shape, &text);
    struct explored explored = {.text = text.data, .module = machine_text_parse(text.data)};
    explored.function = &explored.module->functions[0];
    assert_true(explored.function->reg_count <= REGISTERS);
    explored.issued = calloc(explored.function->inst_count, sizeof *explored.issued);
    assert_non_null(explored.issued);
    interpret(&explored, seed);
    for (uint32_t order = 0; order < 3; order++)
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
            check_policy(&explored, seed, &policies[p], &random);
    free(explored.issued);
    wb_module_free(explored.module);
    text_free(&text);
}

static void no_order_issues_more(void **state) {
    (void)state;
    const uint32_t all = 100000, rounds = random_rounds(all);
    const uint32_t kernels = rounds == all ? all : rounds / 8;
    for (uint64_t seed = 0; seed < kernels; seed++)
        check(seed);
}

/* Of lanes that vote where others may be or not, the bound on instructions fails: docs/convergence.md, 3. */
static void votes_of_parts_can_issue_more(void **state) {
    (void)state;
    static const struct policy merging = {.interleaves = true, .merges = true};
    static char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 data, .param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
        "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 4;\nsetp.lt.u32 %p1, %r0, 2;\n@%p1 bra A;\n"
        "mov.u32 %r1, 1;\nA: vote.ballot.b32 %r2, %p0;\nsetp.lt.u32 %p2, %r2, 15;\n@%p2 exit;\n"
        "mov.u32 %r3, 1;\nexit;\n}\n";
    struct explored explored = {.text = text, .module = machine_text_parse(text)};
    explored.function = &explored.module->functions[0];
    explored.issued = calloc(explored.function->inst_count, sizeof *explored.issued);
    uint32_t *issued = calloc(explored.function->inst_count, sizeof *issued);
    assert_non_null(explored.issued);
    assert_non_null(issued);
    interpret(&explored, 0);
    const uint32_t last = explored.function->inst_count - 2;
    assert_int_equal(explored.issued[last], 0);
    struct random_state random = random_seeded(1);
    for (uint32_t order = 0; order < 100; order++) {
        struct machine machine = {.function = explored.function, .data = explored.data, .issued = issued};
        assert_true(execute(&machine, &merging, &random));
    }
    assert_true(issued[last] > 0);
    free(issued);
    free(explored.issued);
    wb_module_free(explored.module);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_order_issues_more),
                                       cmocka_unit_test(votes_of_parts_can_issue_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
