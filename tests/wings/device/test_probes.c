/* Machine code of the probes, as ptxas 13.0 made it, and what of it would not be noticed by its times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"
#include "wings/device/probes.h"

#define CLOCK 0x50u

/* Between the reads of the clock, of `kernel`: the first instruction of a class; SASS_CLASS_COUNT: any. */
static struct sass_inst *find(const struct machine_code *code, const char *kernel, enum sass_class class) {
    for (uint32_t k = 0; k < code->kernel_count; k++) {
        bool begun = false;
        for (uint32_t i = 0; strcmp(code->kernels[k].name, kernel) == 0 && i < code->kernels[k].count; i++) {
            struct sass_inst *inst = &code->insts[code->kernels[k].first + i].sass;
            if (begun && (class == SASS_CLASS_COUNT || sass_class_of(inst) == class)) return inst;
            begun |= sass_class_of(inst) == SASS_CLASS_CLOCK && sass_field(inst, SASS_FIELD_SPECIAL) == CLOCK;
        }
    }
    fail_msg("%s has no such instruction", kernel);
    return NULL;
}

enum change {
    NOTHING,
    NO_WAIT,
    NO_ACCESS,
    ANOTHER_ACCESS,
    NO_COMPARISON,
    NO_CLOCK,
    NO_STORE,
    UNKNOWN,
    CHANGES
};

static const char *const said[CHANGES] = {
    [NO_WAIT] = "l2: error: the machine code of this kernel is not what it is to time: nothing waits for the "
                "access before the clock is read again",
    [NO_ACCESS] =
        "l2: error: the machine code of this kernel is not what it is to time: not one access stands",
    [ANOTHER_ACCESS] = "something else, too: load_shared",
    [NO_COMPARISON] =
        "l2: error: the machine code of this kernel is not what it is to time: it does not read",
    [NO_CLOCK] = "it does not read the clock twice",
    [NO_STORE] = "store: error: the machine code of this kernel is not what it is to time: not one store",
};

static void change_code(struct machine_code *code, enum change change) {
    struct sass_inst *access = find(code, "l2", SASS_CLASS_LOAD_GLOBAL);
    struct sass_inst *test = find(code, "l2", SASS_CLASS_ALU);
    switch (change) {
    case NO_WAIT: test->control.waits = 0; break;
    case NO_ACCESS: *access = *test; break;
    case ANOTHER_ACCESS: *test = *find(code, "shared", SASS_CLASS_LOAD_SHARED); break;
    case NO_COMPARISON: *test = *find(code, "l2", SASS_CLASS_CLOCK); break;
    case NO_CLOCK: *find(code, "l2", SASS_CLASS_CLOCK) = *test; break;
    case NO_STORE: *find(code, "store", SASS_CLASS_STORE_GLOBAL) = *test; break;
    case UNKNOWN: code->insts[3].unknown = "an unknown opcode"; break;
    default: break;
    }
}

static void test_code_is_what_is_timed(void **state) {
    (void)state;
    for (int c = NOTHING; c < CHANGES; c++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module = NULL;
        const char *unknown = "";
        assert_int_equal(wb_module_read(WB_PROBES, diagnostics, &module), WB_OK);
        change_code((struct machine_code *)(uintptr_t)module->code, (enum change)c);
        const wb_status status = probes_check(module, &unknown, diagnostics);
        const char *text = wb_diagnostics_text(diagnostics);
        if (said[c] != NULL && strstr(text, said[c]) == NULL) fail_msg("%s, expected: %s", text, said[c]);
        assert_int_equal(status, said[c] != NULL ? WB_ERR_DECLINED : WB_OK);
        assert_int_equal(unknown != NULL, c == UNKNOWN);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
}

/* The PTX is what this project reads, too. */
static void test_the_text_is_ptx(void **state) {
    (void)state;
    void (*const put[])(struct text *) = {probes_put, probes_put_code};
    for (size_t i = 0; i < 2; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct text out = {0};
        wb_module *module = NULL;
        put[i](&out);
        if (wb_module_parse("probes", out.data, out.length, diagnostics, &module) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
        assert_int_equal(wb_module_kernel_count(module), i == 0 ? PROBE_COUNT - 1 : 1);
        wb_module_free(module);
        text_free(&out);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_is_what_is_timed),
        cmocka_unit_test(test_the_text_is_ptx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
