/* Machine code of memory, atomics, constants, exchange and barriers as ptxas writes it, on six architectures:
 * it leaves in memory what the PTX does that it was made from, and as much of it is known. Nothing is assumed
 * about where buffers stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "grid_execute.h"
#include "launch_text.h"
#include "warpbound.h"

#define FOLDER "tests/data/machine_code/"
#define BUFFERS 2u

static const struct kernel_row {
    const char *name;
    bool ampere;      /* of sm_80 and later */
    bool has_numbers; /* a third parameter of 32 bytes */
    const char *file; /* NULL: memory_code */
} kernels[] = {
    {"lop", false, false, NULL},
    {"shift", false, false, NULL},
    {"shift64", false, false, NULL},
    {"bits", false, false, NULL},
    {"preds", false, false, NULL},
    {"shfl", false, false, NULL},
    {"vote", false, false, NULL},
    {"redux", true, false, NULL},
    {"bars", false, false, NULL},
    {"shared", false, false, NULL},
    {"global", false, false, NULL},
    {"local", false, false, NULL},
    {"consts", false, false, NULL},
    {"params", false, true, NULL},
    {"atomg", false, false, NULL},
    {"atomg2", false, false, NULL},
    {"atoms", false, false, NULL},
    {"atoms2", false, false, NULL},
    {"cpasync", true, false, NULL},
    {"special", false, false, NULL},
    {"pointers", false, false, NULL},
    {"matrices", false, false, NULL},
    {"halfsets", false, false, NULL},
    {"print_values", false, false, "runtime_code"},
    {"check_values", false, false, "runtime_code"},
    {"allocate", false, false, "runtime_code"},
    {"exchange_in_branch", false, false, "collective_code"},
    {"generic_integers", false, false, "generic_code"},
    {"address_spaces", false, false, "generic_code"},
    {"generic_floats", false, false, "generic_float_code"},
    {"through_stack", false, false, "debug_code"},
    {"saturate", false, false, "conversion_code"},
    {"pack", false, false, "conversion_code"},
    {"calls", false, false, "callee_code"},
    {"masked_vote", false, false, "mask_code"},
    {"masked_match", false, false, "mask_code"},
    {"indexed_constants", false, false, "plain_code"},
    {"barriers_with_counters", false, false, "plain_code"},
    {"generic_constants", false, false, "plain_code"},
    {"sleeps", false, false, "waits_code"},
    {"sleeps_by_lane", false, false, "waits_code"},
    {"named_barriers", false, false, "waits_code"},
    {"prefetches", false, false, "access_code"},
    {"half_atomics", false, false, "access_code"},
    {"textures", false, false, "access_code"},
    {"surfaces", false, false, "access_code"},
    {"queries", false, false, "access_code"},
    {"store_matrices", false, false, "hopper_code"},
    {"vector_atomics", false, false, "hopper_code"},
    {"elects", false, false, "hopper_code"},
};

/* A buffer after the execution. */
struct contents {
    uint8_t *bytes, *known;
    size_t size;
};

static wb_status try_run(const char *path, const struct kernel_row *row, size_t buffer,
                         struct contents *contents, wb_diagnostics *diagnostics) {
    static const char *const arguments[] = {"buf:u32[1024]=random(7)", "buf:u64[2048]=zero"};
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_kernel *kernel = NULL;
    wb_status status = wb_module_read(path, diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, row->name, diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(launch, "2", diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, "64", diagnostics);
    for (size_t i = 0; status == WB_OK && i < BUFFERS; i++)
        status = wb_launch_add_argument(launch, arguments[i], diagnostics);
    if (status == WB_OK && row->has_numbers)
        status = wb_launch_add_argument(
            launch, "bytes:0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", diagnostics);
    if (status == WB_OK)
        status = grid_execute(kernel, launch, buffer, diagnostics, &contents->bytes, &contents->known,
                              &contents->size);
    wb_launch_free(launch);
    wb_module_free(module);
    return status;
}

static struct contents run(const char *path, const struct kernel_row *row, size_t buffer) {
    struct contents contents = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_status status = try_run(path, row, buffer, &contents, diagnostics);
    if (status != WB_OK) print_error("%s, %s: %s\n", path, row->name, wb_diagnostics_text(diagnostics));
    assert_int_equal(status, WB_OK);
    wb_diagnostics_free(diagnostics);
    return contents;
}

static bool is_known(const struct contents *contents, size_t i) {
    return (contents->known[i / 8] >> i % 8 & 1) != 0;
}

static const char *file_of(const struct kernel_row *row) {
    return row->file == NULL ? "memory_code" : row->file;
}

static void compare(const char *path, const struct kernel_row *row, size_t buffer) {
    char of_ptx[64];
    (void)text_format(of_ptx, sizeof of_ptx, FOLDER "%s.ptx", file_of(row));
    struct contents ptx = run(of_ptx, row, buffer), code = run(path, row, buffer);
    assert_int_equal(ptx.size, code.size);
    for (size_t i = 0; i < ptx.size; i++) {
        if (!is_known(&ptx, i) || (is_known(&code, i) && ptx.bytes[i] == code.bytes[i])) continue;
        print_error("%s, %s: byte %zu of buffer %zu is %s0x%02x, not 0x%02x\n", path, row->name, i, buffer,
                    is_known(&code, i) ? "" : "unknown, ", code.bytes[i], ptx.bytes[i]);
        fail();
    }
    free(ptx.bytes);
    free(ptx.known);
    free(code.bytes);
    free(code.known);
}

static void machine_code_does_to_memory_what_ptx_does(void **state) {
    (void)state;
    static const unsigned architectures[] = {75, 80, 86, 87, 89, 90};
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        char path[64];
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            if (architectures[a] != 90 && strcmp(file_of(&kernels[k]), "hopper_code") == 0) continue;
            if (architectures[a] == 90 && strcmp(file_of(&kernels[k]), "mask_code") == 0) continue;
            (void)text_format(path, sizeof path, FOLDER "%s.sm_%u.cubin", file_of(&kernels[k]),
                              architectures[a]);
            for (size_t buffer = 0; buffer < BUFFERS && (!kernels[k].ampere || architectures[a] >= 80);
                 buffer++)
                compare(path, &kernels[k], buffer);
        }
    }
}

/* Of sm_90 ptxas lets each half of a warp go on alone where masks differ (WARPSYNC.EXCLUSIVE), and never
 * tells the halves apart again: taken for lanes that are together they would vote together. */
static void lanes_that_go_on_in_parts_are_declined(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (strcmp(file_of(&kernels[k]), "mask_code") != 0) continue;
        struct contents contents = {0};
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(try_run(FOLDER "mask_code.sm_90.cubin", &kernels[k], 1, &contents, diagnostics),
                         WB_ERR_DECLINED);
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), "continue in parts here"));
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_does_to_memory_what_ptx_does),
        cmocka_unit_test(lanes_that_go_on_in_parts_are_declined),
    };
    return cmocka_run_group_tests_name("memory_code", tests, NULL, NULL);
}
