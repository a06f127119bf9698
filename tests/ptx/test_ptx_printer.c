/* Everything that is parsed prints as text that parses to the same. */
#include "ptx_support.h"

#include <glob.h>

static void check_files(const char *pattern, size_t at_least) {
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= at_least);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text;
        size_t size;
        ptx_read_file(files.gl_pathv[i], &text, &size);
        wb_module *module = ptx_parse_good(text, size);
        assert_true(wb_module_kernel_count(module) > 0);
        ptx_check_round_trip(module, files.gl_pathv[i]);
        wb_module_free(module);
        free(text);
    }
    globfree(&files);
}

static void test_files_of_compilers(void **state) {
    (void)state;
    check_files("tests/data/ptx/*.ptx", 12);
}

static void test_kernels(void **state) {
    (void)state;
    check_files("kernels/*.ptx", 1);
}

static void test_canonical_text(void **state) {
    (void)state;
    const char *text = ".version 8.0 .target sm_80 .address_size 64\n"
                       ".visible .entry k(.param .u64 p, .param .align 8 .b8 s[24]) .maxntid 32\n"
                       "{ .reg .b32 %r<3>; .reg .pred q; { .reg .b32 %r1; mov.u32 %r1, %tid.y; }\n"
                       "L: @!q st.global.v2.u32 [%r1 + 4], {%r2, -1}; setp.eq.u32 q | _, %r1, 0x10; bra L; }";
    wb_module *module = ptx_parse_good(text, strlen(text));
    char *printed = ptx_print_good(module);
    assert_string_equal(printed, ".version 8.0\n.target sm_80\n.address_size 64\n\n\n"
                                 ".visible .entry k(\n\t.param .u64 p,\n\t.param .align 8 .b8 s[24]\n)\n"
                                 ".maxntid 32, 1, 1\n{\n\t.reg .b32 %r<3>;\n\t.reg .pred q;\n"
                                 "\t.reg .b32 %r1$1;\n\tmov.u32 %r1$1, %tid.y;\nL:\n"
                                 "\t@!q st.global.v2.u32 [%r1+4], {%r2, -1};\n"
                                 "\tsetp.eq.u32 q|_, %r1, 16;\n\tbra L;\n}\n");
    free(printed);
    wb_module_free(module);
}

/* Texts that the fuzzer found to print differently. */
static void test_kept_text(void **state) {
    (void)state;
    static const char with_zero[] = PTX_KERNEL "frob.u32 // a\0b\n %r1; ret; }\0";
    wb_module *module = ptx_parse_good(with_zero, sizeof with_zero);
    assert_int_equal(module->functions[0].inst_count, 2);
    ptx_check_round_trip(module, "zero byte in a kept comment");
    wb_module_free(module);
    module = ptx_parse_statements("frob.u32 %r1 // behind the operands\n; ret;");
    assert_string_equal(module->functions[0].insts[0].form->text, "frob.u32 %r1");
    ptx_check_round_trip(module, "comment before a semicolon");
    wb_module_free(module);
}

/* The same inner call (line 17) stands in a function (line 22) that is inlined twice, at lines 40 and 41; an
 * instruction of the first one comes behind the second one has begun. */
static void test_calls_inlined_twice_keep_their_places(void **state) {
    (void)state;
    static const char text[] = PTX_HEADER "\n.file 1 \"k.cu\"\n.entry k() {\n.reg .b32 %r<9>;\n"
                                          ".loc 1 40 5\n.loc 1 22 5, function_name f, inlined_at 1 40 5\n"
                                          ".loc 1 17 5, function_name g, inlined_at 1 22 5\nmov.u32 %r1, 1;\n"
                                          ".loc 1 41 5\n.loc 1 22 5, function_name f, inlined_at 1 41 5\n"
                                          "mov.u32 %r2, 2;\n"
                                          ".loc 1 11 5, function_name h, inlined_at 1 17 5\nmov.u32 %r3, 3;\n"
                                          ".loc 1 41 5\n.loc 1 22 5, function_name f, inlined_at 1 41 5\n"
                                          ".loc 1 17 5, function_name g, inlined_at 1 22 5\nmov.u32 %r4, 4;\n"
                                          "ret;\n}\n";
    static const char *const places[] = {
        "k.cu:17, inlined at k.cu:22, inlined at k.cu:40",
        "k.cu:22, inlined at k.cu:41",
        "k.cu:11, inlined at k.cu:17, inlined at k.cu:22, inlined at k.cu:40",
        "k.cu:17, inlined at k.cu:22, inlined at k.cu:41",
    };
    wb_module *module = ptx_parse_good(text, sizeof text - 1);
    for (int round = 0; round < 3; round++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        char *printed = NULL;
        for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
            struct text place = {0};
            ptx_put_location(module, kernel_function(wb_module_kernel(module, 0))->insts[i].location, &place);
            assert_string_equal(place.data, places[i]);
            text_free(&place);
        }
        assert_int_equal(wb_module_print(module, diagnostics, &printed), WB_OK);
        wb_module_free(module);
        module = ptx_parse_good(printed, strlen(printed));
        free(printed);
        wb_diagnostics_free(diagnostics);
    }
    wb_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_of_compilers),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_canonical_text),
        cmocka_unit_test(test_kept_text),
        cmocka_unit_test(test_calls_inlined_twice_keep_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
