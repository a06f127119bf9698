/* One instruction stands for each of the machine's: numbers, names, classes, registers and addresses of all
 * cubins of kernels/, and the times that a path of them is charged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glob.h>

#include <cmocka.h>

#include "lift/lift.h"
#include "sass/sass.h"
#include "traced_kernel.h"
#include "warp/path/path.h"
#include "warp/timed/timed.h"

/* ---- Groups -------------------------------------------------------------------------------------------- */

/* Every instruction belongs to one group, which one instruction stands for. */
static void check_group(const struct wb_module *module, const struct ptx_function *function, uint32_t n) {
    uint32_t count, issued = 0;
    const uint32_t first = ptx_issue_group(function, n, &count);
    for (uint32_t i = first; i < first + count; i++) {
        assert_int_equal(ptx_issue_of(function, i), n);
        assert_int_equal(function->insts[i].machine, function->insts[first].machine);
        issued += !function->insts[i].untimed;
    }
    assert_int_equal(issued, 1);
    assert_int_equal(ptx_issued(function, n) - first < count, true);
    assert_ptr_equal(function->code, module->code);
}

/* It has the machine's opcode for a name, and a class that a machine file can have times of. */
static void check_form(const struct wb_module *module, const struct ptx_inst *inst) {
    const struct sass_inst *sass = &module->code->insts[inst->machine].sass;
    struct text text = {0};
    sass_put(sass, &text);
    assert_false(text.failed);
    const char *opcode = text.data[0] == '@' ? strchr(text.data, ' ') + 1 : text.data;
    const size_t length = strcspn(opcode, " ");
    assert_int_equal(strlen(inst->form->name), length);
    assert_memory_equal(inst->form->name, opcode, length);
    assert_true(strncmp(opcode, sass_op_name((enum sass_op)sass->op), 3) == 0);
    if (inst->form->class_ == PTX_CLASS_OTHER) assert_int_equal(inst->form->op, PTX_OP_NANOSLEEP);
    text_free(&text);
}

/* What it waits for and what waits for it are registers of the machine. */
static void check_registers(const struct ptx_function *function, uint32_t n) {
    struct ptx_regs regs;
    ptx_issue_regs(function, n, &regs);
    for (uint32_t i = 0; i < regs.read_count + regs.written_count; i++) {
        const uint32_t reg = i < regs.read_count ? regs.read[i] : regs.written[i - regs.read_count];
        const struct ptx_reg_group *group = &function->groups[function->reg_group[reg]];
        assert_false(group->temporary);
        assert_int_equal(group->name[0], '%');
    }
}

static void check_module(const char *path) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    assert_int_equal(wb_module_read(path, diagnostics, &module), WB_OK);
    assert_non_null(module->code);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        uint32_t instructions = 0;
        for (uint32_t n = 0; n < ptx_issued_count(function); n++) {
            uint32_t count;
            const struct ptx_inst *inst = &function->insts[ptx_issued(function, n)];
            check_group(module, function, n);
            check_registers(function, n);
            if (inst->form->op != PTX_OP_UNKNOWN) check_form(module, inst);
            (void)ptx_issue_group(function, n, &count);
            instructions += count;
        }
        assert_int_equal(instructions, function->inst_count);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

static void every_machine_instruction_is_issued_once(void **state) {
    (void)state;
    glob_t files;
    assert_int_equal(glob("kernels/cubin/*.cubin", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 100);
    for (size_t i = 0; i < files.gl_pathc; i++)
        check_module(files.gl_pathv[i]);
    globfree(&files);
}

/* In PTX every instruction is issued. */
static void ptx_is_issued_as_it_is(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    assert_int_equal(wb_module_read("kernels/reduce.ptx", diagnostics, &module), WB_OK);
    const struct ptx_function *function = &module->functions[0];
    uint32_t count;
    assert_int_equal(ptx_issued_count(function), function->inst_count);
    assert_int_equal(ptx_issued(function, 7), 7);
    assert_int_equal(ptx_issue_of(function, 7), 7);
    assert_int_equal(ptx_issue_group(function, 7, &count), 7);
    assert_int_equal(count, 1);
    for (uint32_t i = 0; i < function->inst_count; i++)
        assert_string_equal(function->insts[i].form->name, function->insts[i].form->text);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* ---- Classes ------------------------------------------------------------------------------------------- */

static const struct {
    enum sass_op op;
    enum ptx_class class;
} classes[] = {
    {SASS_OP_IADD3, PTX_CLASS_INT_ADD}, {SASS_OP_IMAD, PTX_CLASS_INT_MUL},
    {SASS_OP_LOP3, PTX_CLASS_LOGIC},    {SASS_OP_ISETP, PTX_CLASS_COMPARE},
    {SASS_OP_FFMA, PTX_CLASS_FP32},     {SASS_OP_MUFU, PTX_CLASS_FP32_SPECIAL},
    {SASS_OP_DFMA, PTX_CLASS_FP64},     {SASS_OP_SHFL, PTX_CLASS_SHUFFLE},
    {SASS_OP_BSYNC, PTX_CLASS_BRANCH},  {SASS_OP_NOP, PTX_CLASS_MOVE},
};

static void opcodes_have_the_class_of_what_they_do(void **state) {
    (void)state;
    const struct ptx_form other = {.class_ = PTX_CLASS_OTHER}, load = {.class_ = PTX_CLASS_LOAD_GLOBAL};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const struct sass_inst inst = {.op = (uint16_t)classes[i].op};
        assert_int_equal(lift_class(&inst, &other), classes[i].class);
    }
    assert_int_equal(lift_class(&(struct sass_inst){.op = SASS_OP_LDG}, &load), PTX_CLASS_LOAD_GLOBAL);
}

/* ---- Times --------------------------------------------------------------------------------------------- */

/* A straight kernel: 16 machine instructions, each a step, charged once; two of them are EXIT. */
static void a_path_is_charged_by_machine_instructions(void **state) {
    (void)state;
    const struct traced_launch launch = {
        .file = "kernels/cubin/vecadd.sm_86.cubin",
        .kernel = "vecadd",
        .threads = "32",
        .arguments = (const char *const[]){"buf:f32[32]=random(1)", "buf:f32[32]=random(2)",
                                           "buf:f32[32]=zero", "i32:32", NULL},
        .machine = "ecrts2025-orin",
        .settings = (const char *const[]){NULL},
        .record_accesses = true,
    };
    struct traced_kernel traced = traced_kernel_open(&launch);
    const struct wb_block *block = traced.block;
    struct timed_block timed;
    traced_expect_ok(&traced, timed_block_from(block, traced.machine, NULL, traced.diagnostics, &timed));
    assert_int_equal(block->paths.items[0].length, 16);
    assert_int_equal(wb_block_warp_instructions(block, 0), 14);
    assert_int_equal(timed.code.inst_count, 16);
    for (uint32_t i = 0; i < timed.code.inst_count; i++) {
        assert_int_equal(timed_address(&timed.code, i, 16), i * 16);
        assert_true(timed.code.insts[i].unit != UNIT_NONE || timed.code.insts[i].uncounted);
    }
    assert_true((timed.code.assumed & assumed_bit(ASSUMED_MACHINE_CODE_CLASSES)) != 0);
    assert_true((timed.code.assumed & assumed_bit(ASSUMED_PTX_FOR_MACHINE_CODE)) == 0);
    /* Two loads and a store; constants that instructions have as operands are no accesses. */
    assert_int_equal(block->accesses[0].items.count, 3);
    timed_block_free(&timed);
    traced_kernel_close(&traced);
}

/* ---- What is not supported ---- */

#define UNSUPPORTED(X)                                                                                       \
    X(nothing)                                                                                               \
    X(gradient) X(surface_atomic) X(mbarrier) X(bulk) X(cluster) X(dependent) X(warpgroup) X(multicast)

static bool is_unsupported(const char *family) {
    static const char *const names[] = {
#define X(family) #family,
        UNSUPPORTED(X)
#undef X
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (strcmp(names[n], family) == 0) return true;
    return false;
}

/* What has no class of times is refused by name; what has one is, where nobody knows what it computes. */
static void every_opcode_is_timed_or_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name, *family;
        enum sass_op op;
    } opcodes[] = {
#define SASS_OPCODE(enumerator, name, class, ptx_class, family) {name, #family, SASS_OP_##enumerator},
#define SASS_FORM(...)
#include "sass/opcode_table.h"
#undef SASS_OPCODE
#undef SASS_FORM
    };
    for (size_t o = 0; o < sizeof opcodes / sizeof *opcodes; o++) {
        const struct sass_inst inst = {.op = (uint16_t)opcodes[o].op};
        const bool refused = is_unsupported(opcodes[o].family),
                   timed = sass_class_of(&inst) != SASS_CLASS_COUNT;
        if (timed ? refused && strcmp(opcodes[o].family, "nothing") != 0 : !refused)
            fail_msg("%s", opcodes[o].name);
    }
}

static void refusals_say_why(void **state) {
    (void)state;
    struct lift of_90 = {.sm = 90}, of_100 = {.sm = 100};
#define X(family)                                                                                            \
    of_90.refused = of_100.refused = NULL;                                                                   \
    lift_##family(&of_90, NULL);                                                                             \
    lift_##family(&of_100, NULL);                                                                            \
    assert_true(strncmp(of_90.refused, "not supported: ", 15) == 0);                                         \
    assert_non_null(strstr(of_100.refused, "machine code of sm_100 and later"));
    UNSUPPORTED(X)
#undef X
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_is_timed_or_refused_by_name),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(every_machine_instruction_is_issued_once),
        cmocka_unit_test(ptx_is_issued_as_it_is),
        cmocka_unit_test(opcodes_have_the_class_of_what_they_do),
        cmocka_unit_test(a_path_is_charged_by_machine_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
