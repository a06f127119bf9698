/* What ptxas and its drivers print, of CUDA 10 to 13, among lines of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch/launch.h"
#include "warpbound.h"

/* CUDA 13: barriers and times. */
static const char cuda_13[] =
    "ptxas info    : 2 bytes gmem, 16 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function '_Z3bigIiEvPT_' for 'sm_87'\n"
    "ptxas info    : Function properties for _Z3bigIiEvPT_\n"
    "    160 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 160 bytes cumulative stack size, 360 bytes cmem[0]\n"
    "ptxas info    : Compile time = 43.575 ms\n"
    "ptxas info    : Compiling entry function '_Z1kPii' for 'sm_87'\n"
    "ptxas info    : Function properties for _Z1kPii\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 25 registers, used 1 barriers, 400 bytes smem, 364 bytes cmem[0]\n"
    "ptxas info    : Function properties for _Z1fPii\n"
    "    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n";

/* CUDA 10, through Visual Studio: lines have a number in front and end with a carriage return. */
static const char cuda_10[] =
    "1>  ptxas info    : 0 bytes gmem\r\n"
    "1>  ptxas info    : Compiling entry function '_Z1kPii' for 'sm_30'\r\n"
    "1>  ptxas info    : Function properties for _Z1kPii\r\n"
    "1>      696 bytes stack frame, 800 bytes spill stores, 1872 bytes spill loads\r\n"
    "1>  ptxas info    : Used 63 registers, 712 bytes cumulative stack size, 8192 bytes smem, 324 bytes "
    "cmem[0]\r\n";

/* cuobjdump --dump-resource-usage */
static const char object[] =
    "Fatbin elf code:\n================\narch = sm_86\ncode version = [1,7]\n\n"
    "Resource usage:\n Common:\n  GLOBAL:0\n Function _Z1kPii:\n"
    "  REG:31 STACK:0 SHARED:400 LOCAL:0 CONSTANT[0]:364 TEXTURE:0 SURFACE:0 SAMPLER:0\n";

/* Names that are not mangled, two targets that agree. */
static const char readable[] = "ptxas info : Compiling entry function 'k(int*, int)' for 'sm_75'\n"
                               "ptxas info : Used 24 registers, 400 bytes smem, 364 bytes cmem[0]\n"
                               "ptxas info : Compiling entry function 'k(int*, int)' for 'sm_86'\n"
                               "ptxas info : Used 24 registers, 400 bytes smem, 364 bytes cmem[0]\n";

#define K13 "ptxas info    : Compiling entry function '_Z1kPii' for 'sm_75'\n"

static const struct {
    const char *text;
    uint64_t registers, shared, stores, loads; /* of _Z1kPii */
    const char *message;                       /* in place of these, or NULL */
} cases[] = {
    {cuda_13, 25, 400, 0, 0, NULL},
    {cuda_10, 63, 8192, 800, 1872, NULL},
    {object, 31, 400, 0, 0, NULL},
    {readable, 24, 400, 0, 0, NULL},
    {K13 "ptxas info : Used 7 registers", 7, 0, 0, 0, NULL},
    {"", 0, 0, 0, 0, "log: error: describes no kernel: expected the output of ptxas -v or nvcc"},
    {"kernel.cu(3): warning: unused\n", 0, 0, 0, 0, "describes no kernel"},
    {K13, 0, 0, 0, 0, "line 1 begins with kernel _Z1kPii, but no line \"Used N registers\" follows"},
    {K13 K13 "ptxas info : Used 7 registers\n", 0, 0, 0, 0, "line 1 begins with kernel _Z1kPii"},
    {K13 "Used 7 registers\n"
         "ptxas info : Compiling entry function '_Z1kPii' for 'sm_86'\nptxas info : Used 8 registers\n",
     0, 0, 0, 0,
     "was compiled more than once: for sm_75 7 registers, for sm_86 8 registers; choose one with "
     "--registers N"},
    {"Compiling entry function '_Z2kkPii' for 'sm_75'\nUsed 7 registers\n", 0, 0, 0, 0,
     "does not describe kernel _Z1kPii, but _Z2kkPii"},
    {"Compiling entry function '", 0, 0, 0, 0, "does not describe kernel _Z1kPii, but "},
    {K13 "Used 99999999999999999999999 registers\n", UINT64_MAX, 0, 0, 0,
     NULL}, /* refused where it is used */
};

static const char module_text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                  ".visible .entry _Z1kPii(.param .u64 p, .param .u32 n) { ret; }\n";

static void test_texts(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    assert_int_equal(wb_module_parse("k.ptx", module_text, sizeof module_text - 1, diagnostics, &module),
                     WB_OK);
    wb_diagnostics_free(diagnostics);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ptxas_entry *entry = NULL;
        struct ptxas_info info;
        diagnostics = wb_diagnostics_new();
        assert_int_equal(ptxas_info_parse(cases[i].text, strlen(cases[i].text), &info), WB_OK);
        const wb_status status =
            ptxas_info_find(&info, "log", wb_module_kernel(module, 0), diagnostics, &entry);
        const char *messages = wb_diagnostics_text(diagnostics);
        if (cases[i].message != NULL) {
            assert_int_equal(status, WB_ERR_INPUT);
            if (strstr(messages, cases[i].message) == NULL) fail_msg("%zu: %s", i, messages);
        } else {
            if (status != WB_OK) fail_msg("%zu: %s", i, messages);
            assert_int_equal(entry->registers, cases[i].registers);
            assert_int_equal(entry->shared, cases[i].shared);
            assert_int_equal(entry->spill_stores, cases[i].stores);
            assert_int_equal(entry->spill_loads, cases[i].loads);
        }
        ptxas_info_free(&info);
        wb_diagnostics_free(diagnostics);
    }
    wb_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
