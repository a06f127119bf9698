/* Times of machine instructions by their control fields, on machines that time machine code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lift/lift.h"
#include "load_machine.h"
#include "ptx/ptx.h"
#include "warp/timed/timed.h"

#define ADDRESS 0x100u

static void set(wb_machine *machine, const char *assignment) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (wb_machine_set(machine, assignment, diagnostics) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

/* An instruction that waits for nothing, with stall count 1. */
static struct sass_inst plain(enum sass_op op) {
    return (struct sass_inst){
        .op = (uint16_t)op,
        .control = {.stall = 1, .write_counter = SASS_NO_COUNTER, .read_counter = SASS_NO_COUNTER}};
}

static struct sass_source reg(uint32_t number) {
    return (struct sass_source){.kind = SASS_SOURCE_REG, .number = (uint16_t)number};
}

static void test_stalls(void **state) {
    (void)state;
    static const struct {
        enum sass_op op;
        uint8_t stall;
        bool yield;
        uint32_t target, least, most;
    } cases[] = {
        {SASS_OP_IADD3, 0, false, 0, 1, 1},     {SASS_OP_IADD3, 1, false, 0, 1, 1},
        {SASS_OP_IADD3, 1, true, 0, 2, 2},      {SASS_OP_IADD3, 0, true, 0, 2, 2},
        {SASS_OP_IADD3, 2, true, 0, 2, 2},      {SASS_OP_IADD3, 11, false, 0, 11, 11},
        {SASS_OP_IADD3, 12, false, 0, 1, 12},   {SASS_OP_IADD3, 15, false, 0, 1, 15},
        {SASS_OP_IADD3, 15, true, 0, 15, 15},   {SASS_OP_ERRBAR, 0, true, 0, 2, 45},
        {SASS_OP_BRA, 0, true, ADDRESS, 2, 45}, {SASS_OP_BRA, 0, true, ADDRESS + 16, 2, 2},
        {SASS_OP_BRA, 5, false, ADDRESS, 5, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sass_inst inst = plain(cases[i].op);
        inst.control.stall = cases[i].stall;
        inst.control.yield = cases[i].yield;
        inst.target = cases[i].target;
        assert_int_equal(sass_stall_least(&inst), cases[i].least);
        assert_int_equal(sass_stall_most(&inst, ADDRESS, 45), cases[i].most);
    }
}

static struct sass_timed timed(const struct sass_inst *inst, const wb_machine *machine) {
    struct sass_timed made;
    const char *problem = sass_timing_from(inst, ADDRESS, machine, &made);
    if (problem != NULL) fail_msg("%s", problem);
    return made;
}

/* Operands in one bank are read one after another, whatever the register cache has; RZ is in none. */
static void test_bubbles(void **state) {
    (void)state;
    static const struct {
        uint32_t a, b, c, slot;
    } cases[] = {
        {1, 2, 3, 2}, {2, 4, 6, 3}, {1, 2, SASS_RZ, 1}, {2, 4, SASS_RZ, 2}, {SASS_RZ, SASS_RZ, 8, 1}};
    wb_machine *machine = load_machine("rtx-a6000");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sass_inst inst = plain(SASS_OP_FFMA);
        inst.a = reg(cases[i].a);
        inst.b = reg(cases[i].b);
        inst.c = reg(cases[i].c);
        inst.a.reuse = true;
        assert_int_equal(timed(&inst, machine).slot, cases[i].slot);
        assert_int_equal(timed(&inst, machine).stages[0].init, cases[i].slot); /* 1 on this machine */
    }
    struct sass_inst wide = plain(SASS_OP_IMAD_WIDE); /* c is a pair: one in each bank */
    wide.a = reg(2);
    wide.b = reg(4);
    wide.c = reg(6);
    assert_int_equal(timed(&wide, machine).slot, 3);
    wide.a = reg(3);
    wide.b = reg(5);
    assert_int_equal(timed(&wide, machine).slot, 3);
    wide.op = SASS_OP_IMAD_HI;
    assert_int_equal(timed(&wide, machine).slot, 3);
    set(machine, "sass.bank_ports=2");
    assert_int_equal(timed(&wide, machine).slot, 2);
    set(machine, "sass.register_banks=4");
    assert_int_equal(timed(&wide, machine).slot, 1);
    wb_machine_free(machine);
}

/* The way, counters and latencies of a load; passes and sectors beyond the first hold their stages. */
static void test_load(void **state) {
    (void)state;
    wb_machine *machine = load_machine("rtx-a6000");
    static const char *const settings[] = {"class.load_global.init=4",
                                           "class.load_global.init_2=2",
                                           "class.load_global.each_2=3",
                                           "class.load_global.init_3=5",
                                           "class.load_global.each_3=7",
                                           "class.load_global.write=2..9",
                                           "class.load_global.read=1..6",
                                           "sass.l1=20..30",
                                           "sass.dram=300..400",
                                           "sass.l2=100..200",
                                           "sass.tlb=0..50"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        set(machine, settings[i]);
    struct sass_inst inst = plain(SASS_OP_LDG);
    inst.control.write_counter = 3;
    inst.control.waits = 5;
    struct sass_timed load = timed(&inst, machine);
    assert_false(load.fixed);
    assert_int_equal(load.stage_count, 3);
    assert_int_equal(load.write_counter, 3);
    assert_int_equal(load.read_counter, SASS_NO_COUNTER);
    assert_int_equal(load.waits, 5);
    assert_int_equal(load.left_counter, SASS_NO_COUNTER);
    assert_int_equal(load.write_least, 22);
    assert_int_equal(load.write_most, 459);
    assert_int_equal(load.read_least, 1);
    assert_int_equal(load.read_most, 6);
    const struct access_counts counts = {.further = {[SASS_COUNT_PASSES] = 2, [SASS_COUNT_SECTORS] = 10}};
    sass_timing_count(machine, &counts, &load);
    assert_int_equal(load.stages[0].init, 4);
    assert_int_equal(load.stages[1].init, 2 + 2 * 3);
    assert_int_equal(load.stages[2].init, 5 + 10 * 7);
    assert_int_equal(timed_init_of_sass(&load), 1 + 1 + 4 + 8 + 75);
    wb_machine_free(machine);
}

static void test_what_follows_a_fence_waits(void **state) {
    (void)state;
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_inst inst = plain(SASS_OP_MEMBAR);
    assert_int_equal(timed(&inst, machine).write_counter, SASS_FENCE_COUNTER);
    inst.control.write_counter = 1;
    assert_int_equal(timed(&inst, machine).write_counter, 1);
    wb_machine_free(machine);
}

static void test_jumps(void **state) {
    (void)state;
    wb_machine *machine = load_machine("rtx-a6000");
    set(machine, "sass.branch=20");
    struct sass_inst inst = plain(SASS_OP_BSYNC);
    assert_int_equal(timed(&inst, machine).stall, 20);
    assert_int_equal(timed(&inst, machine).stall_least, 1);
    inst.op = SASS_OP_BSSY;
    assert_int_equal(timed(&inst, machine).stall, 1);
    wb_machine_free(machine);
}

/* The cache of constants has one address at a time: each further one may be missed, too. */
static void test_divided_constant(void **state) {
    (void)state;
    static const char *const presets[] = {"turing-rtx2080",  "a100",     "rtx-a6000",
                                          "jetson-agx-orin", "rtx-4090", "h100"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        wb_machine *machine = load_machine(presets[p]);
        const struct sass_inst inst = plain(SASS_OP_LDC);
        struct sass_timed made = timed(&inst, machine);
        const uint32_t init = made.stages[0].init;
        sass_timing_count(machine, &(struct access_counts){.further = {[SASS_COUNT_PASSES] = 31}}, &made);
        assert_true(made.write_most > machine->sass.l1_instructions.miss);
        assert_int_equal(made.stages[0].init, init + 31 * made.write_most);
        wb_machine_free(machine);
    }
}

static void test_what_has_no_times(void **state) {
    (void)state;
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_timed made;
    struct sass_inst inst = plain(SASS_OP_TXD);
    assert_string_equal(sass_timing_from(&inst, ADDRESS, machine, &made),
                        "no machine states how long it takes");
    inst = plain(SASS_OP_IADD3);
    inst.control.write_counter = 0;
    assert_non_null(
        strstr(sass_timing_from(&inst, ADDRESS, machine, &made), "its class has a fixed latency"));
    inst = plain(SASS_OP_BAR);
    inst.control.read_counter = 1;
    assert_null(sass_timing_from(&inst, ADDRESS, machine, &made));
    assert_int_equal(made.read_counter, SASS_NO_COUNTER);
    inst = plain(SASS_OP_IADD3);
    machine->sass.classes[SASS_CLASS_ALU].given = false;
    inst.control.write_counter = SASS_NO_COUNTER;
    assert_string_equal(sass_timing_from(&inst, ADDRESS, machine, &made),
                        "the machine gives no times for its class");
    wb_machine_free(machine);
}

/* What holds no more than its issue slot does nothing else: NOP; ERRBAR, behind a MEMBAR that has waited; and
 * CCTL that empties a cache. Every other opcode and form has a way, or is declined; CCTL that brings a line,
 * or sets how long it is kept, that of all lanes. */
static void test_what_only_issues(void **state) {
    (void)state;
    static const struct {
        uint32_t low, high; /* of the 128 bits the words that tell the forms of CCTL apart */
        enum sass_class class;
    } forms[] = {{0x0000798f, 0x00000100, SASS_CLASS_PREFETCH}, {0x0000798f, 0x00800100, SASS_CLASS_PREFETCH},
                 {0x0000798f, 0x01000100, SASS_CLASS_COUNT},    {0x0000798f, 0x01800100, SASS_CLASS_COUNT},
                 {0x0000798f, 0x02000100, SASS_CLASS_NOP},      {0x0000798f, 0x03000100, SASS_CLASS_NOP},
                 {0x0000798f, 0x03800100, SASS_CLASS_COUNT},    {0x0000798f, 0x04800100, SASS_CLASS_PREFETCH},
                 {0x0000798f, 0x05000100, SASS_CLASS_PREFETCH}};
    for (enum sass_op op = 0; op < SASS_OP_COUNT; op++) {
        const struct sass_inst inst = plain(op);
        const bool only_issues = op == SASS_OP_NOP || op == SASS_OP_ERRBAR || op == SASS_OP_CGAERRBAR;
        if (op != SASS_OP_CCTL) assert_int_equal(sass_class_of(&inst) == SASS_CLASS_NOP, only_issues);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const uint32_t words[] = {forms[i].low, 0x02, forms[i].high, 0x000fe200};
        struct sass_inst inst;
        const char *reason = NULL;
        uint8_t bytes[SASS_BYTES];
        memcpy(bytes, words, sizeof bytes);
        assert_true(sass_decode(86, bytes, 0, &inst, &reason) && inst.op == SASS_OP_CCTL);
        assert_int_equal(sass_class_of(&inst), forms[i].class);
    }
}

/* Three instructions: at the end of a line, and two at the begin of the next one; the first and the last read
 * constants. Where the code does not fit each of them may miss. */
static void test_caches(void **state) {
    (void)state;
    static struct machine_inst code[3] = {{.address = 0x70}, {.address = 0x80}, {.address = 0x90}};
    const struct machine_inst *insts[] = {&code[0], &code[1], &code[2]};
    const struct sass_cached_code cached = {insts, 3, 4096};
    for (size_t i = 0; i < 3; i++)
        code[i].sass = plain(SASS_OP_IADD3);
    code[0].sass.b = (struct sass_source){.kind = SASS_SOURCE_CONST, .number = 0, .value = 0x160};
    code[2].sass.b = (struct sass_source){.kind = SASS_SOURCE_CONST, .number = 0, .value = 0x180};
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_timed entries[3];
    struct sass_footprint footprint;
    for (int fits = 1; fits >= 0; fits--) {
        for (size_t i = 0; i < 3; i++)
            entries[i] = timed(&code[i].sass, machine);
        assert_true(sass_caches_apply(&machine->sass, &cached, entries, &footprint));
        assert_int_equal(footprint.instructions.fits, fits);
        assert_int_equal(footprint.constants.fits, fits);
        assert_int_equal(footprint.instructions.lines, fits ? 2 : 0);
        assert_int_equal(footprint.constants.lines, fits ? 2 : 0);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(entries[i].fetch, fits ? 0 : machine->sass.l0.miss);
        assert_int_equal(entries[0].operand, fits ? 0 : machine->sass.constants.miss);
        assert_int_equal(entries[0].slot, fits ? 1 : 1 + machine->sass.constant_probe);
        assert_int_equal(entries[1].operand, 0);
        assert_int_equal(entries[1].line, 1);
        assert_int_equal(entries[1].constant_line, SASS_NO_LINE);
        assert_int_equal(entries[2].constant_line, 1);
        assert_int_equal(footprint.l1_instructions.lines, 4); /* of instructions and of constants */
        set(machine, "sass.l0_size=128");
        set(machine, "sass.constant_ways=1");
        set(machine, "sass.constant_size=64");
    }
    wb_machine_free(machine);
}

/* The cache of the SM is missed by constants, too, and has to have room for them. */
static void test_shared_cache(void **state) {
    (void)state;
    static struct machine_inst code[1] = {{.address = 0}};
    const struct machine_inst *insts[] = {&code[0]};
    const struct sass_cached_code cached = {insts, 1, 4096};
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_timed entry;
    struct sass_footprint footprint;
    code[0].sass = plain(SASS_OP_IADD3);
    code[0].sass.b = (struct sass_source){.kind = SASS_SOURCE_CONST, .value = 0x160};
    for (int fits = 1; fits >= 0; fits--) {
        entry = timed(&code[0].sass, machine);
        assert_true(sass_caches_apply(&machine->sass, &cached, &entry, &footprint));
        assert_int_equal(footprint.l1_instructions.fits, fits);
        assert_int_equal(footprint.l1_instructions.lines, fits ? 2 : 0);
        assert_int_equal(footprint.instructions.miss, 80 + (fits ? 0 : machine->sass.l1_instructions.miss));
        assert_int_equal(footprint.constants.miss, 79 + (fits ? 0 : machine->sass.l1_instructions.miss));
        set(machine, "sass.l1_instruction_size=128"); /* a line of instructions */
    }
    wb_machine_free(machine);
}

/* What LDC loads, and all constants when something is read at an index, take room in the cache of the SM,
 * too; misses only of operands are counted there. */
static void test_other_constants_take_room(void **state) {
    (void)state;
    static struct machine_inst code[2] = {{.address = 0}, {.address = 16}};
    const struct machine_inst *insts[] = {&code[0], &code[1]};
    const struct sass_cached_code cached = {insts, 2, 4096};
    static const struct {
        enum sass_op op;
        uint8_t index; /* SASS_SOURCE_NONE: none */
        uint32_t lines, missed;
    } cases[] = {
        {SASS_OP_LDC, SASS_SOURCE_NONE, 1, 0},
        {SASS_OP_LDC, SASS_SOURCE_REG, 1 + 65, 0},
        {SASS_OP_ULDC, SASS_SOURCE_NONE, 1, 1},
        {SASS_OP_ULDC, SASS_SOURCE_UREG, 1 + 65, 1 + 65},
    };
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_timed entries[2];
    struct sass_footprint footprint;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        code[0].sass = plain(SASS_OP_IADD3);
        code[0].sass.b = (struct sass_source){.kind = SASS_SOURCE_CONST, .value = 0x160};
        code[1].sass = plain(cases[c].op);
        code[1].sass.a = (struct sass_source){.kind = cases[c].index, .number = 4};
        code[1].sass.b = (struct sass_source){.kind = SASS_SOURCE_CONST, .number = 3};
        for (int fits = 1; fits >= 0; fits--) {
            char size[64];
            (void)snprintf(size, sizeof size, "sass.l1_instruction_size=%u",
                           128 + 64 * (cases[c].lines + (unsigned)fits));
            set(machine, size);
            for (size_t i = 0; i < 2; i++)
                entries[i] = timed(&code[i].sass, machine);
            assert_true(sass_caches_apply(&machine->sass, &cached, entries, &footprint));
            assert_int_equal(footprint.l1_instructions.fits, fits);
            assert_int_equal(footprint.l1_instructions.lines, fits ? 2 + cases[c].missed : 0);
        }
    }
    wb_machine_free(machine);
}

/* Nobody knows how much of a constant without a bank there is. */
static void test_constants_without_bank(void **state) {
    (void)state;
    static struct machine_inst code[1] = {{.address = 0}};
    const struct machine_inst *insts[] = {&code[0]};
    const struct sass_cached_code cached = {insts, 1, 4096};
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_footprint footprint;
    code[0].sass = plain(SASS_OP_IADD3);
    code[0].sass.b = (struct sass_source){.kind = SASS_SOURCE_BINDLESS, .number = 4};
    struct sass_timed entry = timed(&code[0].sass, machine);
    assert_true(sass_caches_apply(&machine->sass, &cached, &entry, &footprint));
    assert_false(footprint.constants.fits);
    assert_false(footprint.l1_instructions.fits);
    assert_int_equal(entry.operand, machine->sass.constants.miss + machine->sass.l1_instructions.miss);
    wb_machine_free(machine);
}

/* Constants of different banks may all fall into one set: two lines of two banks each need a cache of two
 * ways.
 */
static void test_constant_banks(void **state) {
    (void)state;
    static struct machine_inst code[2] = {{.address = 0}, {.address = 16}};
    const struct machine_inst *insts[] = {&code[0], &code[1]};
    const struct sass_cached_code cached = {insts, 2, 4096};
    wb_machine *machine = load_machine("rtx-a6000");
    struct sass_timed entries[2];
    struct sass_footprint footprint;
    for (uint32_t bank = 0; bank < 2; bank++) {
        code[bank].sass = plain(SASS_OP_IADD3);
        code[bank].sass.b =
            (struct sass_source){.kind = SASS_SOURCE_CONST, .number = (uint16_t)bank, .value = 64 * bank};
        entries[bank] = timed(&code[bank].sass, machine);
    }
    set(machine, "sass.constant_ways=1");
    assert_true(sass_caches_apply(&machine->sass, &cached, entries, &footprint));
    assert_false(footprint.constants.fits);
    set(machine, "sass.constant_ways=2");
    assert_true(sass_caches_apply(&machine->sass, &cached, entries, &footprint));
    assert_true(footprint.constants.fits);
    wb_machine_free(machine);
}

/* Every instruction that a kernel reaches has times on the preset of its architecture, none shorter than its
 * control field says. */
static void test_kernels(void **state) {
    (void)state;
    static const char *const presets[][2] = {{"75", "turing-rtx2080"}, {"80", "a100"},
                                             {"86", "rtx-a6000"},      {"87", "jetson-agx-orin"},
                                             {"89", "rtx-4090"},       {"90", "h100"}};
    static const char *const kernels[] = {"sgemm_tiled", "reduce", "mandelbrot", "special_functions",
                                          "bfs_level"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        wb_machine *machine = load_machine(presets[p][1]);
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            wb_diagnostics *diagnostics = wb_diagnostics_new();
            wb_module *module = NULL;
            char path[100];
            (void)text_format(path, sizeof path, "kernels/cubin/%s.sm_%s.cubin", kernels[k], presets[p][0]);
            assert_int_equal(wb_module_read(path, diagnostics, &module), WB_OK);
            for (uint32_t i = 0; i < module->code->inst_count; i++) {
                const struct machine_inst *inst = &module->code->insts[i];
                struct sass_timed made;
                const char *problem = sass_timing_from(&inst->sass, inst->address, machine, &made);
                if (problem != NULL)
                    fail_msg("%s 0x%x %s: %s", path, inst->address, sass_op_name((enum sass_op)inst->sass.op),
                             problem);
                assert_true(made.slot >= 1 && made.stall_least >= 1 && made.stall_least <= made.stall);
                assert_true(made.write_least <= made.write_most && made.read_least <= made.read_most);
                for (uint32_t s = 0; s < made.stage_count; s++)
                    assert_true(made.stages[s].init >= 1 && made.stages[s].unit < machine->unit_count);
            }
            wb_module_free(module);
            wb_diagnostics_free(diagnostics);
        }
        wb_machine_free(machine);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_bubbles),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_what_follows_a_fence_waits),
        cmocka_unit_test(test_divided_constant),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_what_has_no_times),
        cmocka_unit_test(test_what_only_issues),
        cmocka_unit_test(test_caches),
        cmocka_unit_test(test_shared_cache),
        cmocka_unit_test(test_other_constants_take_room),
        cmocka_unit_test(test_constants_without_bank),
        cmocka_unit_test(test_constant_banks),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
