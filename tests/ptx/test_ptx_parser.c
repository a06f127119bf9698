/* What the parser makes of correct text. */
#include "ptx_support.h"

#include "ptx/ptx.h"

static const struct ptx_function *only_kernel(const wb_module *module) {
    assert_int_equal(wb_module_kernel_count(module), 1);
    return kernel_function(wb_module_kernel(module, 0));
}

/* Registers as text, "%r1 %r2". */
static void print_regs(struct text *out, const struct ptx_function *function, const uint32_t *regs,
                       uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) text_char(out, ' ');
        print_register(out, function, regs[i]);
    }
}

static void test_registers_read_and_written(void **state) {
    (void)state;
    static const struct {
        const char *statement, *regs; /* "written <- read" */
    } cases[] = {
        {"add.s32 %r1, %r2, %r3;", "%r1 <- %r2 %r3"},
        {"@!%p1 add.s32 %r1, %r1, 5;", "%r1 <- %p1 %r1"},
        {"ld.global.v2.u32 {%r1, %r2}, [%rd1+8];", "%r1 %r2 <- %rd1"},
        {"ld.param.u64 %rd1, [p];", "%rd1 <- "},
        {"st.global.v2.u32 [%rd1], {%r1, %r2};", " <- %rd1 %r1 %r2"},
        {"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "%r1 <- %rd1 %r2 %r3"},
        {"red.global.add.u32 [%rd1], %r2;", " <- %rd1 %r2"},
        {"setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p0;", "%p1 %p2 <- %r1 %r2 %p0"},
        {"shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", "%r1 %p1 <- %r2"},
        {"add.cc.u32 %r1, %r2, %r3;", "%r1 CC <- %r2 %r3"},
        {"addc.u32 %r1, %r2, %r3;", "%r1 <- %r2 %r3 CC"},
        {"madc.lo.cc.u32 %r1, %r2, %r3, %r4;", "%r1 CC <- %r2 %r3 %r4 CC"},
        {"mov.b64 {%r1, _}, %rd1;", "%r1 <- %rd1"},
        {"mov.b64 %rd1, {%r1, %r2};", "%rd1 <- %r1 %r2"},
        {"mov.u32 %r1, %tid.x;", "%r1 <- "},
        {"tex.2d.v4.f32.f32 {%f0, _, %f1, _}, [%rd1, {%r1, %r2}];", "%f0 %f1 <- %rd1 %r1 %r2"},
        {"cp.async.ca.shared.global [%r1], [%rd1+16], 4;", " <- %r1 %rd1"},
        {"@%p1 bra L; L:", " <- %p1"},
        {"bar.red.popc.u32 %r1, 0, %p1;", "%r1 <- %p1"},
        {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
         "%f0 %f1 %f2 <- %f0 %f1 %f2 %rd1 %rd2 %p1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_module *module = ptx_parse_statements(cases[i].statement);
        const struct ptx_function *function = only_kernel(module);
        struct ptx_regs regs;
        struct text out = {0};
        ptx_inst_regs(function, &function->insts[0], &regs);
        print_regs(&out, function, regs.written, regs.written_count);
        text_string(&out, " <- ");
        print_regs(&out, function, regs.read, regs.read_count);
        assert_string_equal(out.data, cases[i].regs);
        text_free(&out);
        wb_module_free(module);
    }
}

static void test_call_passes_registers(void **state) {
    (void)state;
    const char *text =
        PTX_HEADER ".func (.reg .u32 r) f(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }\n"
                   ".entry k() { .reg .u32 x, y; call (x), f, (y, 3); ret; }";
    wb_module *module = ptx_parse_good(text, strlen(text));
    const struct ptx_function *callee = &module->functions[0];
    const struct ptx_function *kernel = &module->functions[1];
    const struct ptx_operand *operands = ptx_operands(kernel, &kernel->insts[0]);
    struct ptx_regs regs;
    ptx_inst_regs(kernel, &kernel->insts[0], &regs);
    assert_int_equal(regs.written_count, 1);
    assert_int_equal(regs.written[0], 0);
    assert_int_equal(regs.read_count, 1);
    assert_int_equal(regs.read[0], 1);
    assert_int_equal(operands[1].kind, PTX_OPERAND_FUNCTION);
    assert_int_equal(ptx_callee(module, operands[1].index), 0);
    assert_int_equal(operands[3].kind, PTX_OPERAND_NONE);
    assert_true(callee->param_is_reg[0] && callee->param_is_reg[1] && callee->return_is_reg[0]);
    assert_int_equal(callee->insts[1].form->class_, PTX_CLASS_CALL);
    assert_int_equal(kernel->insts[1].form->class_, PTX_CLASS_EXIT);
    wb_module_free(module);
}

static void test_inner_scope_shadows(void **state) {
    (void)state;
    wb_module *module = ptx_parse_statements("{ .reg .pred %p1; setp.ne.u32 %p1, %r2, 0;\n"
                                             "  bar.red.popc.u32 %r1, 0, %p1; }\n"
                                             "@%p1 ret; { .reg .pred %p1; @%p1 ret; }");
    const struct ptx_function *function = only_kernel(module);
    const struct ptx_inst *insts = function->insts;
    uint32_t inner = ptx_operands(function, &insts[0])[0].index;
    assert_int_equal(ptx_operands(function, &insts[1])[3].index, inner);
    assert_int_not_equal(insts[2].guard, inner);
    assert_int_not_equal(insts[3].guard, inner);
    assert_int_not_equal(insts[3].guard, insts[2].guard);
    assert_string_equal(function->groups[function->reg_group[inner]].name, "%p1$1");
    wb_module_free(module);
}

static void test_labels_of_scopes(void **state) {
    (void)state;
    wb_module *module = ptx_parse_statements("{ L: bra L; bra END; }\n{ bra L; ret; L: }\nL: bra L;\nEND:");
    const struct ptx_function *function = only_kernel(module);
    static const uint32_t expected[] = {0, 5, 4, UINT32_MAX, 4};
    for (uint32_t i = 0; i < function->inst_count; i++) {
        uint32_t target = UINT32_MAX;
        uint32_t count = ptx_branch_targets(function, &function->insts[i], &target, 1);
        assert_int_equal(count, expected[i] == UINT32_MAX ? 0 : 1);
        assert_int_equal(target, expected[i]);
    }
    wb_module_free(module);
}

static void test_branch_table(void **state) {
    (void)state;
    wb_module *module = ptx_parse_statements(
        "t: .branchtargets A, B, A; brx.idx %r1, t;\nA: ret;\nB: call (%r1), %rd1; ret;");
    const struct ptx_function *function = only_kernel(module);
    uint32_t targets[2] = {0, 0};
    assert_int_equal(ptx_branch_targets(function, &function->insts[0], targets, 2), 3);
    assert_int_equal(targets[0], 1);
    assert_int_equal(targets[1], 2);
    assert_int_equal(ptx_branch_targets(function, &function->insts[2], targets, 2), 0);
    wb_module_free(module);
}

static void test_optional_operands_keep_their_places(void **state) {
    (void)state;
    wb_module *module = ptx_parse_statements("setp.eq.s32 %p1, %r1, %r2;\nbar.red.and.pred %p1, 0, %p2;\n"
                                             "bar.red.and.pred %p1, 0, 64, %p2;\nbar.sync 0;");
    const struct ptx_function *function = only_kernel(module);
    const struct ptx_operand *setp = ptx_operands(function, &function->insts[0]);
    assert_int_equal(function->insts[0].operand_count, 5);
    assert_int_equal(setp[1].kind, PTX_OPERAND_NONE);
    assert_int_equal(setp[2].kind, PTX_OPERAND_REG);
    assert_int_equal(setp[4].kind, PTX_OPERAND_NONE);
    assert_int_equal(ptx_operands(function, &function->insts[1])[2].kind, PTX_OPERAND_NONE);
    assert_int_equal(ptx_operands(function, &function->insts[1])[3].kind, PTX_OPERAND_REG);
    assert_int_equal(ptx_operands(function, &function->insts[2])[2].value, 64);
    assert_int_equal(ptx_operands(function, &function->insts[3])[1].kind, PTX_OPERAND_NONE);
    wb_module_free(module);
}

static void test_constants(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"5", 5},
        {"-5", (uint64_t)-5},
        {"0xFFFFFFFFU", 0xFFFFFFFF},
        {"18446744073709551615", UINT64_MAX},
        {"1 + 2 * 3 - 4", 3},
        {"(1 + 2) * 3", 9},
        {"1 << 4 | 1 << 2", 20},
        {"7 & 3 ^ 1", 2},
        {"-7 / 2", (uint64_t)-3},
        {"-7 % 3", (uint64_t)-1},
        {"(.u64)-1 / 2", UINT64_MAX / 2},
        {"-8 >> 1", (uint64_t)-4},
        {"0x8000000000000000 >> 63", 1},
        {"1 << 64", 0},
        {"~0", UINT64_MAX},
        {"!5", 0},
        {"-1 < 1", 1},
        {"-1 < 1U", 0},
        {"3 >= 3 && 2 != 2 || 0", 0},
        {"1 ? 2 : 3 ? 4 : 5", 2},
        {"0 ? 2 : 0 ? 4 : 5", 5},
        {"WARP_SZ", 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text statement = {0};
        text_printf(&statement, "mov.b64 %%rd1, %s;", cases[i].text);
        wb_module *module = ptx_parse_statements(statement.data);
        const struct ptx_function *function = only_kernel(module);
        const struct ptx_operand *operand = &ptx_operands(function, &function->insts[0])[1];
        assert_int_equal(operand->kind, PTX_OPERAND_INT);
        assert_true(operand->value == cases[i].value);
        wb_module_free(module);
        text_free(&statement);
    }
}

static void test_addresses(void **state) {
    (void)state;
    wb_module *module = ptx_parse_statements(
        "ld.u32 %r1, [%rd1+-4]; ld.param.u32 %r1, [p+4*2-1]; ld.u32 %r1, [0x100]; mov.u64 %rd1, p-8;");
    const struct ptx_function *function = only_kernel(module);
    static const struct {
        uint8_t base;
        int64_t offset;
    } expected[] = {{PTX_OPERAND_REG, -4}, {PTX_OPERAND_VARIABLE, 7}, {PTX_OPERAND_INT, 256}};
    for (uint32_t i = 0; i < 3; i++) {
        const struct ptx_operand *address = &ptx_operands(function, &function->insts[i])[1];
        assert_int_equal(address->kind, PTX_OPERAND_ADDRESS);
        assert_int_equal(function->operands[address->index].kind, expected[i].base);
        assert_int_equal((int64_t)address->value, expected[i].offset);
    }
    const struct ptx_operand *source = &ptx_operands(function, &function->insts[3])[1];
    assert_int_equal(source->kind, PTX_OPERAND_VARIABLE);
    assert_int_equal((int64_t)source->value, -8);
    wb_module_free(module);
}

static const struct ptx_variable *variable_named(const wb_module *module, const char *name) {
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i].name, name) == 0) return &module->variables[i];
    fail();
    return NULL;
}

static void test_initial_values(void **state) {
    (void)state;
    char *text;
    size_t size;
    ptx_read_file("tests/data/ptx/unusual.ptx", &text, &size);
    wb_module *module = ptx_parse_good(text, size);
    static const uint32_t matrix[6] = {1, 2, 0, 4, 0, 0};
    static const float vectors[8] = {1, 2, 3, 4, 5, 0, 0, 0};
    static const double doubles[2] = {1, 2.5};
    static const uint8_t folded[16] = {9, 2, 255, 1, 9, 3, 2, 1};
    assert_memory_equal(variable_named(module, "matrix")->init, matrix, sizeof matrix);
    assert_memory_equal(variable_named(module, "vectors")->init, vectors, sizeof vectors);
    assert_memory_equal(variable_named(module, "doubles")->init, doubles, sizeof doubles);
    assert_memory_equal(variable_named(module, "folded")->init, folded, sizeof folded);
    assert_memory_equal(variable_named(module, "letters")->init, "ABCDE", 6);
    assert_int_equal(variable_named(module, "letters")->size, 6);
    assert_int_equal(variable_named(module, "dynamic")->size, 0);
    assert_int_equal(variable_named(module, "folded")->align, 16);
    const struct ptx_variable *addresses = variable_named(module, "addresses");
    assert_int_equal(addresses->relocation_count, 4);
    assert_true(addresses->relocations[2].generic && !addresses->relocations[2].is_function);
    assert_int_equal(addresses->relocations[2].offset, 16);
    assert_int_equal(addresses->relocations[2].addend, 20);
    assert_ptr_equal(&module->variables[addresses->relocations[2].symbol], variable_named(module, "later"));
    assert_true(addresses->relocations[3].is_function);
    assert_string_equal(module->functions[addresses->relocations[3].symbol].name, "helper");
    assert_int_equal(variable_named(module, "bytes_of")->relocations[1].mask, 0xFF00);
    wb_module_free(module);
    free(text);
}

static void test_source_lines(void **state) {
    (void)state;
    char *text;
    size_t size;
    ptx_read_file("tests/data/ptx/lineinfo_sm75.ptx", &text, &size);
    wb_module *module = ptx_parse_good(text, size);
    const struct ptx_function *function = only_kernel(module);
    const struct ptx_inst *multiply = NULL;
    for (uint32_t i = 0; i < function->inst_count && multiply == NULL; i++)
        if (strcmp(function->insts[i].form->text, "mul.f32") == 0) multiply = &function->insts[i];
    assert_non_null(multiply);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    ptx_diagnose(diagnostics, SEVERITY_NOTE, module, multiply, "number %d", 7);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics),
                           "note: number 7 (debug.cu:2, inlined at debug.cu:4, inlined at debug.cu:10)"));
    wb_diagnostics_free(diagnostics);
    wb_module_free(module);
    free(text);
}

static void test_performance_directives(void **state) {
    (void)state;
    char *text;
    size_t size;
    ptx_read_file("tests/data/ptx/unusual.ptx", &text, &size);
    wb_module *module = ptx_parse_good(text, size);
    const struct ptx_tuning *tuning = &only_kernel(module)->tuning;
    assert_int_equal(tuning->maxntid[0], 16);
    assert_int_equal(tuning->maxntid[1], 4);
    assert_int_equal(tuning->maxntid[2], 1);
    assert_int_equal(tuning->reqntid[0], 64);
    assert_int_equal(tuning->minnctapersm, 2);
    assert_int_equal(tuning->maxnreg, 40);
    assert_int_equal(tuning->maxclusterrank, 8);
    assert_true(tuning->explicitcluster);
    assert_int_equal(module->functions[3].alias_of, 2);
    assert_int_equal(ptx_callee(module, 3), 2);
    wb_module_free(module);
    free(text);
}

#define THREE_KERNELS                                                                                        \
    PTX_HEADER ".func helper() { frobnicate.u32; }\n"                                                        \
               ".entry _Z3addPfS_i() { ret; }\n.entry _Z3addPii() { ret; }\n"                                \
               ".entry bad() { call helper; ret; }\n"

/* Looks a kernel up in THREE_KERNELS; its name, or NULL and the messages. */
static void check_lookup(const char *name, const char *found, const char *message) {
    wb_module *module = ptx_parse_good(THREE_KERNELS, strlen(THREE_KERNELS));
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_kernel *kernel = NULL;
    wb_status status = wb_module_find_kernel(module, name, diagnostics, &kernel);
    const bool unknown = name != NULL && strcmp(name, "bad") == 0;
    assert_int_equal(status, found != NULL ? WB_OK : unknown ? WB_ERR_DECLINED : WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(diagnostics), found == NULL);
    if (found != NULL) assert_string_equal(wb_kernel_name(kernel), found);
    if (message != NULL) {
        if (strstr(wb_diagnostics_text(diagnostics), message) == NULL)
            print_error("%s", wb_diagnostics_text(diagnostics));
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), message));
    }
    wb_diagnostics_free(diagnostics);
    wb_module_free(module);
}

static void test_find_kernel(void **state) {
    (void)state;
    check_lookup("_Z3addPii", "_Z3addPii", NULL);
    check_lookup("PfS", "_Z3addPfS_i", NULL);
    check_lookup("add(int*", "_Z3addPii", NULL);
    check_lookup("add", NULL,
                 "'add' could be any of these kernels:\n    _Z3addPfS_i  add(float*, float*, int)");
    check_lookup("sub", NULL, "there is no kernel 'sub'; there are:");
    check_lookup(NULL, NULL, "which kernel is meant?");
}

static void test_unknown_instruction_stops_its_kernels_only(void **state) {
    (void)state;
    check_lookup(
        "bad", NULL,
        "good.ptx:1:62: error: kernel 'bad' cannot be analysed: unknown instruction 'frobnicate.u32'");
    check_lookup("nothing", NULL,
                 "\n    bad  (cannot be analysed: 1:62: unknown instruction 'frobnicate.u32')");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    assert_int_equal(wb_module_parse("t", THREE_KERNELS, strlen(THREE_KERNELS), diagnostics, &module), WB_OK);
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* Operands that do not fit the opcode cost the kernels that need the instruction, and are printed as they
 * stand. */
static void test_unfit_operands_stop_their_kernels_only(void **state) {
    (void)state;
    static const char text[] =
        PTX_HEADER "\n.entry good(.param .u64 p) { ret; }\n"
                   ".entry bad(.param .u64 p) {\n.reg .pred %p; .reg .b32 %r<4>;\n"
                   "L: @!%p vote.sync.ballot.b32 %r1, %p, 7, {%r2, L}; bra L;\nadd.u32 %r1, %r2; ret; }\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    assert_int_equal(wb_module_parse("t", text, sizeof text - 1, diagnostics, &module), WB_OK);
    ptx_check_round_trip(module, "unfit");
    char *printed = NULL;
    assert_int_equal(wb_module_print(module, diagnostics, &printed), WB_OK);
    assert_non_null(strstr(printed, "@!%p vote.sync.ballot.b32 %r1, %p, 7, {%r2, L};\n"));
    free(printed);
    assert_int_equal(wb_module_find_kernel(module, "good", diagnostics, &kernel), WB_OK);
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    assert_int_equal(wb_module_find_kernel(module, "bad", diagnostics, &kernel), WB_ERR_DECLINED);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics),
                           "error: kernel 'bad' cannot be analysed: 'vote.sync.ballot.b32' takes 3 "
                           "operands, not 4"));
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* A function of the run-time system is one without a body: a module may have its own malloc, before or behind
 * the call. */
static void test_calls_of_the_run_time_system(void **state) {
    (void)state;
#define DECLARED ".extern .func malloc(.param .b64 a);"
#define DEFINED ".func malloc(.param .b64 a) { ret; }"
#define CALLER ".entry k() { .param .b64 p; call malloc, (p); ret; }"
    static const struct {
        const char *text;
        enum ptx_runtime runtime;
    } cases[] = {
        {PTX_HEADER DECLARED CALLER, PTX_RUNTIME_MALLOC},
        {PTX_HEADER DEFINED CALLER, PTX_RUNTIME_NONE},
        {PTX_HEADER DECLARED CALLER DEFINED, PTX_RUNTIME_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_module *module = ptx_parse_good(cases[i].text, strlen(cases[i].text));
        const struct ptx_form *call = kernel_function(wb_module_kernel(module, 0))->insts[0].form;
        assert_int_equal(call->runtime, cases[i].runtime);
        assert_int_equal(call->class_,
                         cases[i].runtime == PTX_RUNTIME_NONE ? PTX_CLASS_CALL : PTX_CLASS_MALLOC);
        wb_module_free(module);
    }
}

static void test_only_kernel_needs_no_name(void **state) {
    (void)state;
    wb_module *module = ptx_parse_statements("ret;");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_kernel *kernel = NULL;
    assert_int_equal(wb_module_find_kernel(module, NULL, diagnostics, &kernel), WB_OK);
    assert_string_equal(wb_kernel_name(kernel), "k");
    assert_null(wb_module_kernel(module, 1));
    wb_diagnostics_free(diagnostics);
    wb_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_read_and_written),
        cmocka_unit_test(test_call_passes_registers),
        cmocka_unit_test(test_inner_scope_shadows),
        cmocka_unit_test(test_labels_of_scopes),
        cmocka_unit_test(test_branch_table),
        cmocka_unit_test(test_optional_operands_keep_their_places),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_performance_directives),
        cmocka_unit_test(test_find_kernel),
        cmocka_unit_test(test_unknown_instruction_stops_its_kernels_only),
        cmocka_unit_test(test_unfit_operands_stop_their_kernels_only),
        cmocka_unit_test(test_calls_of_the_run_time_system),
        cmocka_unit_test(test_only_kernel_needs_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
