/* Timed blocks: which unit, initiation, latency and registers instructions of a path are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "warp/timed/timed.h"

/* Instructions by number, as the paths below name them. */
static const char kernel_text[] = ".version 7.5\n"
                                  ".target sm_75\n"
                                  ".address_size 64\n"
                                  ".visible .entry k(.param .u64 p)\n"
                                  "{\n"
                                  "  .reg .pred %p<2>;\n"
                                  "  .reg .b32 %r<100>;\n"
                                  "  .reg .b64 %rd<3>;\n"
                                  "  ld.param.u64 %rd1, [p];\n"           /* 0 */
                                  "  ld.global.u32 %r90, [%rd1+4];\n"     /* 1 */
                                  "  setp.eq.s32 %p1, %r90, 0;\n"         /* 2 */
                                  "  @%p1 add.cc.u32 %r2, %r90, 1;\n"     /* 3 */
                                  "  addc.u32 %r3, %r90, 2;\n"            /* 4 */
                                  "  bar.sync 0;\n"                       /* 5 */
                                  "  bar.sync 1, 64;\n"                   /* 6 */
                                  "  bar.red.popc.u32 %r4, 0, 64, %p1;\n" /* 7 */
                                  "  bar.sync 0, 32;\n"                   /* 8 */
                                  "  bar.arrive 0, 64;\n"                 /* 9 */
                                  "  bar.warp.sync 0xffffffff;\n"         /* 10 */
                                  "  div.s32 %r5, %r2, %r3;\n"            /* 11 */
                                  "  rem.s32 %r6, %r2, %r3;\n"            /* 12 */
                                  "  ret;\n"                              /* 13 */
                                  "}\n";

struct fixture {
    wb_diagnostics *diagnostics;
    wb_module *module;
    struct wb_block block;
    uint32_t code_first[2];
    uint32_t warp_path[1];
    struct wb_machine machine;
    struct timed_block timed;
};

static void give(struct fixture *fixture, enum ptx_class class, uint8_t unit, uint32_t init, uint32_t latency,
                 enum latency_base plus) {
    fixture->machine.classes[class] =
        (struct machine_class){.given = true, .unit = unit, .init = init, .latency = latency, .plus = plus};
}

/* A block of 50 threads whose one path is the given instructions, up to UINT32_MAX. */
static void fixture_open(struct fixture *fixture, const uint32_t *path) {
    memset(fixture, 0, sizeof *fixture);
    fixture->diagnostics = wb_diagnostics_new();
    if (wb_module_parse("k.ptx", kernel_text, strlen(kernel_text), fixture->diagnostics, &fixture->module) !=
        WB_OK)
        fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
    struct path_writer writer = {0};
    struct path made;
    for (; *path != UINT32_MAX; path++)
        assert_int_equal(path_append(&writer, *path, UINT32_MAX), WB_OK);
    assert_int_equal(path_finish(&writer, &made), WB_OK);
    struct wb_block *block = &fixture->block;
    block->kernel = wb_module_kernel(fixture->module, 0);
    block->size[0] = 25, block->size[1] = 2, block->size[2] = 1;
    block->warp_width = 32;
    fixture->code_first[1] = kernel_function(block->kernel)->inst_count;
    block->code_first = fixture->code_first;
    block->warp_count = 1;
    block->warp_path = fixture->warp_path;
    assert_int_equal(vec_push(&block->paths, made), WB_OK);
    struct wb_machine *machine = &fixture->machine;
    strcpy(machine->name, "test");
    machine->sub_cores = machine->issue_width = machine->issue_per_warp = 1;
    machine->unit_count = 2;
    machine->mem_latency = 100;
    give(fixture, PTX_CLASS_LOAD_PARAM, 0, 1, 4, LATENCY_FIXED);
    give(fixture, PTX_CLASS_LOAD_GLOBAL, 1, 2, 3, LATENCY_PLUS_MEM);
    give(fixture, PTX_CLASS_COMPARE, 0, 1, 5, LATENCY_FIXED);
    give(fixture, PTX_CLASS_INT_ADD, 0, 2, 6, LATENCY_FIXED);
    give(fixture, PTX_CLASS_BARRIER, 0, 1, 0, LATENCY_FIXED);
    give(fixture, PTX_CLASS_WARP_SYNC, 0, 1, 1, LATENCY_FIXED);
    give(fixture, PTX_CLASS_EXIT, UNIT_NONE, 1, 0, LATENCY_FIXED);
}

static void fixture_close(struct fixture *fixture) {
    timed_block_free(&fixture->timed);
    path_free(&fixture->block.paths.items[0]);
    vec_free(&fixture->block.paths);
    wb_module_free(fixture->module);
    wb_diagnostics_free(fixture->diagnostics);
}

static wb_status time_block(struct fixture *fixture) {
    return timed_block_from(&fixture->block, &fixture->machine, NULL, fixture->diagnostics, &fixture->timed);
}

static void assert_inst(const struct fixture *fixture, uint32_t index, uint8_t unit, uint32_t init,
                        uint32_t latency, bool barrier) {
    const struct timed_inst *inst = &fixture->timed.code.insts[index];
    assert_int_equal(inst->unit, unit);
    assert_int_equal(inst->init, init);
    assert_int_equal(inst->latency, latency);
    assert_int_equal(inst->barrier, barrier);
}

/* Whether instruction `reader` reads what `writer` writes. */
static bool depends(const struct fixture *fixture, uint32_t reader, uint32_t writer) {
    const struct timed_code *code = &fixture->timed.code;
    const struct timed_inst *r = &code->insts[reader], *w = &code->insts[writer];
    for (uint32_t i = 0; i < r->source_count; i++) {
        for (uint32_t k = 0; k < w->destination_count; k++) {
            if (code->operands[r->first_operand + i] ==
                code->operands[w->first_operand + w->source_count + k])
                return true;
        }
    }
    return false;
}

static void test_times_and_operands(void **state) {
    (void)state;
    static const uint32_t path[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 13, UINT32_MAX};
    struct fixture fixture;
    fixture_open(&fixture, path);
    if (time_block(&fixture) != WB_OK) fail_msg("%s", wb_diagnostics_text(fixture.diagnostics));
    assert_inst(&fixture, 0, 0, 1, 4, false);
    assert_inst(&fixture, 1, 1, 2, 103, false);
    assert_inst(&fixture, 3, 0, 2, 6, false);
    assert_inst(&fixture, 5, 0, 1, 0, true);
    assert_inst(&fixture, 6, 0, 1, 0, true);
    assert_inst(&fixture, 7, 0, 1, 0, true);
    assert_inst(&fixture, 10, 0, 1, 1, false);
    assert_inst(&fixture, 13, UNIT_NONE, 0, 0, false);
    assert_true(fixture.timed.code.insts[13].uncounted);
    assert_false(fixture.timed.code.insts[5].uncounted);
    assert_true(depends(&fixture, 1, 0));
    assert_true(depends(&fixture, 3, 2)); /* the guard */
    assert_true(depends(&fixture, 4, 3)); /* the carry flag */
    assert_false(depends(&fixture, 4, 2));
    /* %rd1 %r90 %p1 %r2 carry %r3 %r4: what no path touches takes no number. */
    assert_int_equal(fixture.timed.code.register_count, 7);
    assert_int_equal(fixture.timed.warp_count, 1);
    assert_ptr_equal(fixture.timed.paths, fixture.block.paths.items);
    fixture_close(&fixture);
}

/* Every class that is missing is reported once, with the first instruction that needs it. */
static void test_missing_classes(void **state) {
    (void)state;
    static const uint32_t path[] = {0, 11, 12, 13, UINT32_MAX};
    struct fixture fixture;
    fixture_open(&fixture, path);
    fixture.machine.classes[PTX_CLASS_LOAD_PARAM].given = false;
    assert_int_equal(time_block(&fixture), WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(fixture.diagnostics), 2);
    const char *text = wb_diagnostics_text(fixture.diagnostics);
    assert_non_null(strstr(text, "k.ptx:9:"));
    assert_non_null(strstr(text, "machine 'test' gives no times for class 'load_param'"));
    assert_non_null(strstr(text, "k.ptx:20:"));
    assert_non_null(strstr(text, "class 'int_div', which 'div.s32' belongs to"));
    fixture_close(&fixture);
}

/* Barriers that do not join the whole block are declined. */
static void test_partial_barriers(void **state) {
    (void)state;
    static const uint32_t counted[] = {8, 13, UINT32_MAX}, arriving[] = {9, 13, UINT32_MAX};
    static const uint32_t whole[] = {5, 13, UINT32_MAX};
    struct fixture fixture;
    fixture_open(&fixture, counted);
    assert_int_equal(time_block(&fixture), WB_ERR_DECLINED);
    assert_non_null(strstr(wb_diagnostics_text(fixture.diagnostics), "'bar.sync' does not join all threads"));
    fixture_close(&fixture);
    fixture_open(&fixture, arriving);
    assert_int_equal(time_block(&fixture), WB_ERR_DECLINED);
    fixture_close(&fixture);
    fixture_open(&fixture, whole);
    fixture.block.notes.assumed =
        assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS); /* holds the whole warp all the same */
    assert_int_equal(time_block(&fixture), WB_OK);
    assert_true(fixture.timed.code.insts[5].barrier);
    assert_true(fixture.timed.code.assumed & assumed_bit(ASSUMED_WARPS_AT_BARRIERS));
    fixture_close(&fixture);
    fixture_open(&fixture, whole);
    notes_unmodelled(&fixture.block.notes, 5, SKIPPED_BARRIER);
    assert_int_equal(time_block(&fixture), WB_ERR_DECLINED);
    assert_non_null(strstr(wb_diagnostics_text(fixture.diagnostics), "skips this barrier"));
    fixture_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_and_operands),
        cmocka_unit_test(test_missing_classes),
        cmocka_unit_test(test_partial_barriers),
    };
    return cmocka_run_group_tests_name("block timing", tests, NULL, NULL);
}
