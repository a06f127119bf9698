/* Random kernels whose control and addresses depend on data, and on the number of the block: their covering
 * paths by classes of blocks (docs/block-classes.md, section 6) cover what every block executes on some data,
 * and are mostly, byte for byte, those of which every block is executed. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "covered_execution.h"
#include "ptxas.h"
#include "random_block.h"
#include "random_classes.h"
#include "same_grid.h"
#include "warp/trace/blocks.h"

#define KERNELS 600u
#define COMPILED_OF 5u /* one of so many is compiled, too */

static const char *const contents[] = {"zero", "iota", "random(1)", "random(2)"};

enum { CONTENTS = sizeof contents / sizeof *contents };

struct tally {
    uint32_t kernels, by_classes, declined, looser, executions, wrong;
};

/* A kernel, and what goes wrong with it. */
struct trial {
    const struct random_classes *made;
    const wb_kernel *kernel;
    wb_diagnostics *diagnostics;
    struct tally *tally;
    struct text wrong;
};

/* ---- Executions ---------------------------------------------------------------------------------------- */

/* Whether an access of one lane is one of a step of the covering path. */
static bool lane_is_covered(const struct wb_block *covering, const struct access_list *list, uint64_t step,
                            const struct access *real, uint32_t lane, uint64_t address) {
    const struct memory_objects *objects = &covering->objects;
    for (size_t i = 0; i < list->items.count; i++) {
        const struct access *access = &list->items.items[i];
        if (access->step != step || (access->mask >> lane & 1) == 0 || access->space != real->space ||
            access->bytes != real->bytes || access->is_store != real->is_store)
            continue;
        if (real->table == ACCESS_UNKNOWN) {
            if (access->table == ACCESS_UNKNOWN && (access->object == 0 || access->object == real->object))
                return true;
        } else if (access->table != ACCESS_UNKNOWN) {
            if (access_address(access, list->tables.items, lane) == address) return true;
        } else if (access->object == 0) {
            return true;
        } else {
            const struct memory_object *object = &objects->items.items[access->object - 1];
            if (address - object->base < object->size) return true;
        }
    }
    return false;
}

/* Whether a step of a real path, the accesses of which come from *at on, is a step of a covering path. */
static bool step_is_covered(const struct wb_block *covering, const struct access_list *cover,
                            uint64_t cover_step, const struct access_list *real, size_t at, uint64_t step) {
    for (; at < real->items.count && real->items.items[at].step == step; at++) {
        const struct access *access = &real->items.items[at];
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            if ((access->mask >> l & 1) == 0) continue;
            const uint64_t address =
                access->table == ACCESS_UNKNOWN ? 0 : access_address(access, real->tables.items, l);
            if (!lane_is_covered(covering, cover, cover_step, access, l, address)) return false;
        }
    }
    return true;
}

/* Whether the real path of a warp is part of the covering one, with the addresses of its accesses. `kind` has
 * the memory that unknown addresses are in. */
static bool addresses_are_covered(const struct wb_block *kind, const struct wb_block *covering,
                                  const struct wb_block *real, uint32_t warp) {
    struct path_cursor cover = path_begin(&covering->paths.items[covering->warp_path[warp]]),
                       cursor = path_begin(&real->paths.items[real->warp_path[warp]]);
    const struct access_list *list = &real->accesses[warp];
    struct path_step a, b;
    uint64_t cover_step = 0, step = 0;
    size_t at = 0;
    for (; path_next(&cursor, &b); step++) {
        bool found = false;
        while (!found && path_next(&cover, &a)) {
            found = a.instruction == b.instruction && (b.mask & ~a.mask) == 0 &&
                    step_is_covered(kind, &covering->accesses[warp], cover_step, list, at, step);
            cover_step++;
        }
        if (!found) return false;
        while (at < list->items.count && list->items.items[at].step == step)
            at++;
    }
    return true;
}

/* Holds a real block to its covering one: to the paths and costs of its kind, and to its addresses. */
static void check_block(struct trial *trial, const wb_grid *covering, const wb_grid *real, uint32_t number,
                        const char *what) {
    struct wb_block *execution = NULL, *placed = NULL;
    const struct wb_block *kind = covering->covering.items[covering->blocks.items[number].covering].block;
    if (grid_block_make(real, number, trial->diagnostics, &execution) == WB_OK &&
        grid_block_make(covering, number, trial->diagnostics, &placed) == WB_OK)
        for (uint32_t w = 0; w < execution->warp_count && trial->wrong.length == 0; w++) {
            if (!warp_is_covered(kind, execution, w))
                text_printf(&trial->wrong, "block %u, warp %u on %s; ", number, w, what);
            else if (!kind->repeats && kind->uncounted == PTX_NO_INDEX &&
                     !addresses_are_covered(kind, placed, execution, w))
                text_printf(&trial->wrong, "addresses of block %u, warp %u on %s; ", number, w, what);
        }
    wb_block_free(execution);
    wb_block_free(placed);
}

static void check_executions(struct trial *trial, const wb_grid *covering) {
    for (uint32_t i = 0; i < CONTENTS; i++) {
        wb_launch *launch = random_classes_launch(trial->made, contents[i]);
        wb_grid *real = same_grid_trace(trial->kernel, launch, UINT32_MAX, trial->diagnostics);
        const bool is_known = real != NULL && real->input_dependent.count == 0;
        trial->tally->executions += is_known;
        for (uint32_t b = 0; is_known && b < covering->blocks.count && trial->wrong.length == 0; b++)
            check_block(trial, covering, real, b, contents[i]);
        wb_grid_free(real);
        wb_launch_free(launch);
    }
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static void check_kernel(struct trial *trial) {
    struct tally *tally = trial->tally;
    struct text difference = {0};
    wb_launch *launch = random_classes_launch(trial->made, NULL);
    wb_grid *whole = same_grid_cover(trial->kernel, launch, NULL, UINT32_MAX, trial->diagnostics);
    wb_grid *by_classes = same_grid_cover(trial->kernel, launch, NULL, 1, trial->diagnostics);
    const bool both = whole != NULL && by_classes != NULL;
    const bool executed = by_classes != NULL && by_classes->executed != 0;
    tally->kernels++;
    tally->declined += whole == NULL;
    tally->by_classes += executed;
    if (whole != NULL && by_classes == NULL)
        text_printf(&trial->wrong, "classes only: %s", wb_diagnostics_text(trial->diagnostics));
    const bool same = !both || same_grid(by_classes, whole, &difference);
    if (!same && !executed) text_printf(&trial->wrong, "block by block: %s", difference.data);
    tally->looser += !same;
    for (uint32_t b = 0; !same && b < whole->blocks.count && trial->wrong.length == 0; b++)
        check_block(trial, by_classes, whole, b, "covering paths by themselves");
    if (executed) check_executions(trial, by_classes);
    text_free(&difference);
    wb_grid_free(by_classes);
    wb_grid_free(whole);
    wb_launch_free(launch);
}

static void try_code(const char *bytes, size_t size, const struct random_classes *made, uint64_t seed,
                     const char *of, struct tally *tally) {
    struct trial trial = {.made = made, .diagnostics = wb_diagnostics_new(), .tally = tally};
    wb_module *module = NULL;
    if (wb_module_parse("random", bytes, size, trial.diagnostics, &module) == WB_OK) {
        trial.kernel = wb_module_kernel(module, 0);
        check_kernel(&trial);
    } else {
        text_printf(&trial.wrong, "%s", wb_diagnostics_text(trial.diagnostics));
    }
    if (trial.wrong.length != 0) {
        tally->wrong++;
        (void)fprintf(stderr, "seed %" PRIu64 ", %s, grid %u,%u,%u, %u threads: %.400s\n%s", seed, of,
                      made->grid[0], made->grid[1], made->grid[2], made->threads, trial.wrong.data,
                      made->ptx);
    }
    text_free(&trial.wrong);
    wb_module_free(module);
    wb_diagnostics_free(trial.diagnostics);
}

static void print_tally(const char *of, const struct tally *tally) {
    print_message("%s: %u kernels, %u declined, %u by classes, %u of them looser; %u executions held\n", of,
                  tally->kernels, tally->declined, tally->by_classes, tally->looser, tally->executions);
    assert_int_equal(tally->wrong, 0);
}

static const uint32_t architectures[] = {75, 80, 90, 86}, levels[] = {3, 1, 3, 0};

/* What was wrong once (the first two, and the last but one), or could be: grids of one axis. %u is data, %lu
 * what it is in 64 bits, %b and %c are the numbers of the block and of the thread, %f the former; %one and
 * %third are buffers.
 */
static const struct hand_written {
    const char *what, *body;
} hand_written[] = {
    {"only later blocks take the address of another buffer",
     "setp.gt.f32 %p, %f, 0f42480000;\nmov.b64 %a, %one;\n@%p mov.b64 %a, %third;\n"
     "ld.global.u64 %lu, [%one];\nadd.s64 %a, %a, %lu;\nld.global.u32 %r0, [%a];\n"},
    {"they choose it by what local memory has, and lose it where lanes meet",
     "st.local.u32 [own], %b;\nld.local.u32 %r0, [own];\nsetp.gt.u32 %p, %r0, 50;\nmov.b64 %a, %one;\n"
     "@%p mov.b64 %a, %third;\n@%pu bra E;\nadd.s64 %a, %a, 4;\nE:\nld.global.u32 %r0, [%a];\n"},
    {"a long loop that data may end",
     "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\nand.b32 %r2, %r1, 31;\nadd.u32 %r2, %r2, %b;\n"
     "mad.wide.u32 %a, %r2, 4, %one;\nld.global.u32 %r0, [%a];\nsetp.ge.u32 %p, %r0, 0;\n@%p bra X;\n"
     "setp.lt.u32 %p, %r1, 300000;\n@%p bra L;\nX:\nst.global.u32 [%one], %r1;\n"},
    {"lanes that meet behind a loop, with local memory",
     "mov.u32 %r1, 0;\nst.local.u32 [own], %b;\nL:\nadd.u32 %r1, %r1, 1;\nshr.u32 %r2, %u, %r1;\n"
     "and.b32 %r2, %r2, 3;\nsetp.eq.u32 %p, %r2, 1;\n@%p bra N;\nld.local.u32 %r3, [own];\n"
     "mad.wide.u32 %a, %b, 8, %third;\nld.global.u32 %r0, [%a];\nsetp.eq.u32 %p, %r2, 2;\n@%p bra X;\n"
     "st.local.u32 [own], %r1;\nN:\nsetp.lt.u32 %p, %r1, 9;\n@%p bra L;\nX:\nmov.u32 %r0, %r1;\n"},
    {"accesses that leave the buffer in some blocks",
     "mad.wide.u32 %a, %b, 256, %third;\n@%pu bra X;\nbra Y;\nX:\nld.global.u32 %r1, [%a];\nY:\n"},
    {"an index of targets that is not known, and one that is the block's",
     "and.b32 %r1, %u, 3;\nmin.u32 %r1, %r1, 2;\nmin.u32 %r2, %b, 2;\nt: .branchtargets A, B, C;\n"
     "setp.gt.u32 %p, %b, 40;\nselp.b32 %r1, %r2, %r1, %p;\nbrx.idx %r1, t;\nA:\nmov.u32 %r3, 1;\nbra M;\n"
     "B:\nmov.u32 %r3, %b;\nbra M;\nC:\nmov.u32 %r3, 3;\nM:\nmad.wide.u32 %a, %r3, 4, %third;\n"
     "ld.global.u32 %r0, [%a];\n"},
};

static void test_hand_written(void **state) {
    const char *ptxas = ptxas_find();
    struct tally tally = {0}, code = {0};
    (void)state;
    for (size_t i = 0; i < sizeof hand_written / sizeof *hand_written; i++) {
        struct text text = {0};
        text_printf(
            &text,
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 other, "
            ".param .u64 buffer, .param .u32 n, .param .u64 m, .param .u64 third)\n{\n"
            ".reg .b32 %%r<4>, %%u, %%b, %%c;\n.reg .b64 %%a, %%l, %%lu, %%one, %%third;\n.reg .f32 %%f;\n"
            ".reg .pred %%p, %%pu;\n.local .align 4 .b8 own[16];\n.shared .align 4 .b8 tile[256];\n"
            "ld.param.u64 %%one, [other];\nld.param.u64 %%third, [third];\nmov.u32 %%b, %%ctaid.x;\n"
            "mov.u32 %%c, %%tid.x;\ncvt.rn.f32.u32 %%f, %%b;\nmul.wide.u32 %%a, %%c, 4;\n"
            "add.s64 %%a, %%a, %%one;\nld.global.u32 %%u, [%%a];\nand.b32 %%r0, %%u, 0xffc;\n"
            "cvt.u64.u32 %%lu, %%r0;\nsetp.gt.u32 %%pu, %%u, 9;\n%s"
            "mul.wide.u32 %%l, %%c, 4;\nadd.s64 %%l, %%l, %%one;\nst.global.u32 [%%l], %%r0;\n"
            "ret;\n}\n",
            hand_written[i].body);
        struct random_classes made = {text_take(&text), {80, 1, 1}, 64, WB_TAKE_DIV_ZERO, true};
        try_code(made.ptx, strlen(made.ptx), &made, i, hand_written[i].what, &tally);
        for (uint32_t a = 0; ptxas != NULL && a < 4; a++) {
            uint8_t *cubin = NULL;
            size_t size = 0;
            if (ptxas_compile(ptxas, made.ptx, architectures[a], levels[a], &cubin, &size))
                try_code((const char *)cubin, size, &made, i, hand_written[i].what, &code);
            free(cubin);
        }
        random_classes_free(&made);
    }
    print_tally("hand-written", &tally);
    print_tally("their machine code", &code);
}

static uint64_t first_seed(void) {
    const char *first = getenv("WB_SEED");
    return first == NULL ? 1 : strtoull(first, NULL, 10);
}

/* Kernels, or the machine code of every so many-th; every fourth may be for the oldest architecture. */
static void try_kernels(uint32_t rounds, const char *ptxas, struct tally *tally) {
    for (uint32_t i = 0; i < rounds; i++) {
        const uint64_t seed = first_seed() + i;
        struct random_classes made;
        uint8_t *cubin = NULL;
        size_t size = 0;
        random_classes_make_data(seed, &made);
        if (ptxas == NULL)
            try_code(made.ptx, strlen(made.ptx), &made, seed, "PTX", tally);
        else if (ptxas_compile(ptxas, made.ptx, architectures[seed % 4], levels[seed / 4 % 4], &cubin, &size))
            try_code((const char *)cubin, size, &made, seed, "machine code", tally);
        free(cubin);
        random_classes_free(&made);
    }
}

static void test_kernels(void **state) {
    struct tally tally = {0};
    (void)state;
    try_kernels(random_rounds(KERNELS), NULL, &tally);
    print_tally("PTX", &tally);
    assert_true(tally.by_classes * 2 > tally.kernels);
}

static void test_machine_code(void **state) {
    const char *ptxas = ptxas_find();
    struct tally tally = {0};
    (void)state;
    if (ptxas == NULL) skip();
    try_kernels(random_rounds(KERNELS) / COMPILED_OF + 1, ptxas, &tally);
    print_tally("machine code", &tally);
    assert_true(tally.kernels > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_written),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_machine_code),
    };
    return cmocka_run_group_tests_name("random covering classes", tests, NULL, NULL);
}
