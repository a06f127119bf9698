/* Traces of Accel-Sim's tracer: one that says what a launch executes is read as that launch is executed; one
 * that is damaged, or of other code, is refused, with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel_suite.h"
#include "launch/launch.h"
#include "same_grid.h"
#include "trace_text.h"

#define INSTRUCTIONS_MAX 100000 /* of all warps */

/* Reads a text as the trace of a launch of the kernel; NULL with messages. */
static wb_grid *read_trace(const wb_kernel *kernel, const char *text, size_t size,
                           wb_diagnostics *diagnostics) {
    wb_launch *launch = wb_launch_new();
    const wb_grid_options options = {.size = sizeof options};
    wb_grid *grid = NULL;
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    if (launch_trace_parse(launch, "t.traceg", copy, size, diagnostics) == WB_OK)
        (void)wb_grid_trace(kernel, launch, &options, diagnostics, &grid);
    wb_launch_free(launch);
    return grid;
}

/* What the launch executes with its data; NULL: that is not known, or too much for a text. */
static wb_grid *execute(const struct loaded_kernel *loaded) {
    const wb_grid_options options = {
        .size = sizeof options, .instruction_limit = INSTRUCTIONS_MAX, .classes_from = UINT32_MAX};
    wb_diagnostics *unread = wb_diagnostics_new();
    wb_grid *grid = NULL;
    (void)wb_grid_trace(loaded->kernel, loaded->launch, &options, unread, &grid);
    wb_diagnostics_free(unread);
    if (grid != NULL && !grid_is_steered(grid)) return grid;
    wb_grid_free(grid);
    return NULL;
}

/* Of constants by index, and of where LDGSTS copies to, traces have no addresses, nor for which lanes it
 * reads: records of those are made the same. */
static void take_untraced(const wb_grid *executed, struct access_stream *a, struct access_stream *b) {
    for (uint32_t i = 0; i < a->access_count && i < b->access_count; i++) {
        const struct access *given = &a->accesses[i];
        struct access *access = &b->accesses[i];
        const bool is_on_chip = access->space != PTX_SPACE_GLOBAL && access->space != PTX_SPACE_LOCAL;
        const bool is_unknown = access->table == ACCESS_UNKNOWN && is_on_chip;
        const bool copies = grid_inst(executed, access->instruction, NULL)->form->op == PTX_OP_CP_ASYNC;
        const bool both_list = given->table < a->table_count && access->table < b->table_count;
        if (!is_unknown && !copies && !both_list) continue;
        assert_int_equal(given->space, access->space);
        assert_int_equal(given->mask & ~access->mask, 0);
        if (both_list && !copies) assert_int_equal(given->base, access->base);
        if (both_list && !copies)
            assert_memory_equal(a->tables + given->table, b->tables + access->table,
                                (size_t)__builtin_popcount(access->mask) * sizeof *a->tables);
        *access = *given;
    }
    b->tables = a->tables;
    b->table_count = a->table_count;
}

static void forget_untraced(wb_grid *executed, const wb_grid *recorded) {
    for (size_t s = 0; s < executed->streams.count && s < recorded->streams.count; s++)
        take_untraced(executed, &executed->streams.items[s], &recorded->streams.items[s]);
}

/* Where parts of a warp have met, a trace does not say for which lanes a guard is false: masks of such
 * instructions may be smaller, and are made the same. */
static void widen_masks(const wb_grid *executed, const wb_grid *recorded) {
    assert_int_equal(executed->paths.count, recorded->paths.count);
    for (size_t p = 0; p < executed->paths.count; p++) {
        struct path *path = &recorded->paths.items[p];
        struct path_cursor a = path_begin(&executed->paths.items[p]), b = path_begin(path);
        struct path_step x, y;
        assert_int_equal(path->length, executed->paths.items[p].length);
        while (path_next(&a, &x) && path_next(&b, &y)) {
            assert_int_equal(x.instruction, y.instruction);
            if (x.mask == y.mask) continue;
            assert_int_not_equal(grid_inst(executed, x.instruction, NULL)->guard, PTX_NO_INDEX);
            assert_int_equal(y.mask & ~x.mask, 0);
        }
        path_free(path);
        assert_int_equal(path_copy(&executed->paths.items[p], path), WB_OK);
    }
}

static const struct trace_style styles[] = {
    {5, false, true, false}, {3, true, false, false}, {4, false, false, true}};

/* Whether it is executed, so that there was something to be held against its trace. */
static bool check_launch(const struct loaded_kernel *loaded, const struct trace_style *style,
                         const char *name) {
    wb_grid *executed = execute(loaded);
    struct text text = {0}, difference = {0};
    if (executed == NULL) return false;
    trace_text_put(&text, executed, style);
    wb_grid *recorded = read_trace(loaded->kernel, text.data, text.length, loaded->diagnostics);
    if (recorded == NULL) { /* what is never bounded */
        if (strstr(wb_diagnostics_text(loaded->diagnostics), "this barrier") == NULL)
            fail_msg("%s: %s", name, wb_diagnostics_text(loaded->diagnostics));
        wb_grid_free(executed);
        text_free(&text);
        return false;
    }
    assert_true((recorded->notes.assumed & assumed_bit(ASSUMED_TRACED)) != 0);
    recorded->notes.assumed = executed->notes.assumed;
    recorded->stored.count = executed->stored.count;
    if (recorded->notes.longest_sleep == SLEEP_MAX) /* how long, a trace does not say */
        executed->notes.longest_sleep = SLEEP_MAX;
    forget_untraced(executed, recorded);
    widen_masks(executed, recorded);
    if (!same_grid(executed, recorded, &difference)) fail_msg("%s: %s", name, difference.data);
    wb_grid_free(recorded);
    wb_grid_free(executed);
    text_free(&text);
    text_free(&difference);
    return true;
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    struct loaded_kernel loaded = kernel_load(path, entry->launch);
    uint32_t *count = user;
    *count += check_launch(&loaded, &styles[*count % 3], path);
    kernel_unload(&loaded);
}

static void test_a_trace_is_its_launch(void **state) {
    uint32_t count = 0;
    kernel_each_code(*state, check_code, &count);
}

/* ---- What is refused ----------------------------------------------------------------------------------- */

#define FIXTURE "tests/kernels/data/vecadd.traceg"
#define CODE "kernels/cubin/vecadd.sm_87.cubin"

/* The file, with one text in place of the first of another one; freed by the caller. */
static char *edited(const char *from, const char *to) {
    static char text[8192];
    struct text out = {0};
    FILE *file = fopen(FIXTURE, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    const char *at = strstr(text, from);
    assert_non_null(at);
    text_append(&out, text, (size_t)(at - text));
    text_string(&out, to);
    text_string(&out, at + strlen(from));
    return text_take(&out);
}

static void test_others_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"1 R6 IMAD ", "1 R6 FFMA ",
         "t.traceg:48:1: error: the cubin has IMAD there, the trace FFMA: it is of other code"},
        {"1 R6 IMAD ", "1 R5 IMAD ", "the cubin writes R6 there, the trace R5: it is of other code"},
        {"insts = 36\n", "insts = 35\n", "warp 0 ends before all of its lanes have executed EXIT"},
        {"0200 ffffffff", "0210 ffffffff", "the cubin has FADD there, the trace IMAD.WIDE"},
        {"0140 ffffffff 1 R1 MOV 1 R255 0 0 \n", "0150 ffffffff 1 R6 S2R 1 R255 0 0\n",
         "lane 0 cannot come here from what it executed before: the trace is of other code, or lacks"},
        {"0190 00000000 0 EXIT 1 R255 0 0 \n", "01a0 ffffffff 1 R7 HFMA2.MMA 1 R255 0 0 \n",
         "lane 0 cannot come here from what it executed before"},
        {"0190 00000000", "0190 000000ff", "lanes that the warp does not have, or that have ended"},
        {"0230 ffffffff", "9230 ffffffff", "the kernel in the cubin has no instruction at 0x9230"},
        {"0000 ffffffff", "0000 1ffffffff", "a mask of more than 32 lanes"},
        {"1 0x79d200001100 4", "1 0x79d200001102 4",
         "lane 0 accesses 4 bytes at 0x79d200001102, which is not aligned"},
        {"4 1 0x79d200001100 4 0", "0 0", "this instruction accesses memory: its addresses are missing"},
        {"4 1 0x79d200001100 4 0", "4 3 0x79d200001100 4 0", "expected 0, 1 or 2, how addresses are written"},
        {"thread block = 1,0,0", "thread block = 0,0,0",
         "expected the block behind the one before, x first,"},
        {"#END_TB", "", "expected '#END_TB'"},
        {"tracer version = 5", "tracer version = 6", "expected a version of the tracer from 3 to 5"},
        {"binary version = 87", "binary version = 86",
         "the trace is of code for another architecture than the cubin"},
        {"-block dim = (32,1,1)", "-block dim = (32,32,2)",
         "from 1 to 1024 in x and y and to 64 in z, at most 1024 together"},
        {"-grid dim", "-other", "no trace of Accel-Sim: grid dim, block dim, binary version or"},
        {"#BEGIN_TB", "0 0 0 0 0000 ffffffff 1 R1 MOV 0 0", "post-traces-processing makes .traceg of .trace"},
    };
    struct loaded_kernel loaded = kernel_load(CODE, "kernels/vecadd.yaml");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = edited(cases[i].from, cases[i].to);
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_null(read_trace(loaded.kernel, text, strlen(text), diagnostics));
        assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
        if (strstr(wb_diagnostics_text(diagnostics), cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].message, wb_diagnostics_text(diagnostics));
        wb_diagnostics_free(diagnostics);
        free(text);
    }
    kernel_unload(&loaded);
}

/* What xz packed is unpacked; a damaged file is said to be one. Without liblzma every
 * file is refused, with what unpacks it. */
static void test_a_packed_trace(void **state) {
    (void)state;
    char packed[2048];
    FILE *file = fopen(FIXTURE ".xz", "r");
    assert_non_null(file);
    const size_t size = fread(packed, 1, sizeof packed, file);
    (void)fclose(file);
    struct loaded_kernel loaded = kernel_load(CODE, "kernels/vecadd.yaml");
    for (size_t left = size; left > 64; left -= 32) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_grid *grid = read_trace(loaded.kernel, packed, left, diagnostics);
        const char *said = wb_diagnostics_text(diagnostics);
        const bool is_read = strstr(said, "built without liblzma: unpack it with xz -dk") == NULL;
        assert_true((grid != NULL) == (is_read && left == size));
        assert_true(grid != NULL || !is_read || strstr(said, "damaged: xz does not unpack it") != NULL);
        assert_int_equal(wb_diagnostics_errors(diagnostics), grid == NULL);
        wb_grid_free(grid);
        wb_diagnostics_free(diagnostics);
    }
    memcpy(packed + size, packed, size); /* two of them are read as two blocks 0 */
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_null(read_trace(loaded.kernel, packed, 2 * size, diagnostics));
    assert_null(strstr(wb_diagnostics_text(diagnostics), "damaged"));
    wb_diagnostics_free(diagnostics);
    kernel_unload(&loaded);
}

/* A kernel of memory_code.ptx, with every form of access, and its launch. */
static struct loaded_kernel load_memory_code(const char *architecture, size_t number) {
    struct loaded_kernel loaded = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    char path[100];
    (void)snprintf(path, sizeof path, "tests/data/machine_code/memory_code.%s.cubin", architecture);
    kernel_expect_ok(wb_module_read(path, loaded.diagnostics, &loaded.module), path, loaded.diagnostics);
    loaded.kernel = wb_module_kernel(loaded.module, number);
    (void)wb_launch_set_grid(loaded.launch, (const uint32_t[]){2, 1, 1}, loaded.diagnostics);
    (void)wb_launch_set_block(loaded.launch, (const uint32_t[]){64, 1, 1}, loaded.diagnostics);
    (void)wb_launch_add_argument(loaded.launch, "buf:u32[4096]=random(1)", loaded.diagnostics);
    (void)wb_launch_add_argument(loaded.launch, "buf:u32[4096]=zero", loaded.diagnostics);
    return loaded;
}

static void test_every_form_of_access(void **state) {
    (void)state;
    static const char *const architectures[] = {"sm_75", "sm_80", "sm_87", "sm_90"};
    uint32_t executed = 0;
    for (size_t a = 0; a < 4; a++)
        for (size_t k = 0;; k++) {
            struct loaded_kernel loaded = load_memory_code(architectures[a], k);
            if (loaded.kernel != NULL)
                executed += check_launch(&loaded, &styles[k % 3], wb_kernel_name(loaded.kernel));
            const bool ends = loaded.kernel == NULL;
            kernel_unload(&loaded);
            if (ends) break;
        }
    assert_true(executed > 60);
}

/* Of LDGSTS older tracers keep the address that is not of use. */
static void test_a_copy_needs_its_source(void **state) {
    (void)state;
    size_t number = 0;
    struct loaded_kernel loaded = load_memory_code("sm_87", number);
    while (strcmp(wb_kernel_name(loaded.kernel), "cpasync") != 0) {
        kernel_unload(&loaded);
        loaded = load_memory_code("sm_87", ++number);
    }
    wb_grid *executed = execute(&loaded);
    struct text text = {0};
    const struct trace_style style = {.version = 3};
    assert_non_null(executed);
    trace_text_put(&text, executed, &style);
    char *copy = strstr(text.data, " LDGSTS"), *address = strstr(copy, "0x");
    memset(address + 2, '0', strspn(address + 2, "0123456789abcdef"));
    assert_null(read_trace(loaded.kernel, text.data, text.length, loaded.diagnostics));
    assert_non_null(
        strstr(wb_diagnostics_text(loaded.diagnostics), "the tracer kept the address in shared memory"));
    wb_grid_free(executed);
    text_free(&text);
    kernel_unload(&loaded);
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_every_form_of_access),
        cmocka_unit_test(test_others_are_refused),
        cmocka_unit_test(test_a_packed_trace),
        cmocka_unit_test(test_a_copy_needs_its_source),
    };
    return kernel_suite_run("recorded", test_a_trace_is_its_launch, others, sizeof others / sizeof *others);
}
