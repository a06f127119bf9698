/* What caches fill, counted on one block of each kind, is no less than counted request by request: the
 * machine code of all kernels, with given and any data; and where the buffers are cut at random, so that
 * instructions go from one to the next, and to memory that no buffer has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel_suite.h"
#include "memory/requests/requests.h"
#include "warp/trace/blocks.h"
#include "warp/trace/trace.h"

#define SEED 20261130u
#define CUTS 12u
#define FOLDER "tests/data/block_kinds/"

static const struct {
    const char *code, *machine;
} machines[] = {{".sm_87.", "jetson-agx-orin"}, {".sm_86.", "rtx-a6000"}, {".sm_80.", "a100"}};

struct progress {
    struct random_state random;
    uint32_t compared, by_kinds; /* grids; those whose blocks were counted by kinds */
};

static void no_less(const char *path, const char *what, uint64_t by_kinds, uint64_t exact) {
    if (by_kinds < exact) fail_msg("%s: %s: %" PRIu64 " < %" PRIu64, path, what, by_kinds, exact);
}

static void compare(struct progress *progress, const char *path, struct timed_grid *timed) {
    assert_int_equal(timed_grid_count_fills(timed, UINT64_MAX), WB_OK);
    const struct memory_fills exact = timed->fills;
    assert_int_equal(timed_grid_count_fills(timed, 0), WB_OK);
    const struct memory_fills *by_kinds = &timed->fills;
    no_less(path, "requests", by_kinds->requests, exact.requests);
    no_less(path, "all", by_kinds->all, exact.all);
    no_less(path, "most_of_block", by_kinds->most_of_block, exact.most_of_block);
    no_less(path, "below", by_kinds->below, exact.below);
    no_less(path, "below_of_block", by_kinds->below_of_block, exact.below_of_block);
    no_less(path, "pages", by_kinds->pages, exact.pages);
    no_less(path, "bytes", by_kinds->bytes, exact.bytes);
    no_less(path, "l1_bytes", by_kinds->l1_bytes, exact.l1_bytes);
    no_less(path, "translations", by_kinds->translations, exact.translations);
    no_less(path, "passes", by_kinds->passes, exact.passes);
    /* What the first level does not keep of a block it is asked for below. */
    no_less(path, "of block", by_kinds->l1_of_block / MEMORY_SECTOR_BYTES + by_kinds->below_of_block,
            exact.l1_of_block / MEMORY_SECTOR_BYTES);
    progress->compared++;
    progress->by_kinds += by_kinds->all != exact.all || by_kinds->bytes != exact.bytes;
}

/* Cuts some of the objects in two, and forgets some of the second parts. */
static void cut_objects(struct random_state *random, struct memory_objects *objects) {
    const size_t count = objects->items.count;
    for (size_t o = 0; o < count; o++) {
        struct memory_object *object = &objects->items.items[o], second = *object;
        const uint64_t lines = object->size / MEMORY_LINE_BYTES;
        if (lines < 2 || random_below(random, 3) == 0) continue;
        const uint64_t first = (1 + random_below(random, (uint32_t)(lines - 1))) * MEMORY_LINE_BYTES;
        object->size = first;
        second.base += first;
        second.size -= first;
        if (random_below(random, 8) != 0) assert_int_equal(vec_push(&objects->items, second), WB_OK);
    }
}

static void check_grid(struct progress *progress, const char *path, wb_grid *grid, const wb_machine *machine,
                       wb_diagnostics *diagnostics) {
    struct timed_grid timed = {.grid = grid, .machine = machine};
    if (grid->cover.repeats) return;
    kernel_expect_ok(traffic_make(grid, machine, diagnostics, &timed.traffic), path, diagnostics);
    compare(progress, path, &timed);
    struct memory_objects given = grid->cover.objects;
    for (uint32_t cut = 0; cut < CUTS; cut++) {
        struct memory_objects objects = {0};
        for (size_t o = 0; o < given.items.count; o++)
            assert_int_equal(vec_push(&objects.items, given.items.items[o]), WB_OK);
        cut_objects(&progress->random, &objects);
        grid->cover.objects = objects;
        compare(progress, path, &timed);
        grid->cover.objects = given;
        vec_free(&objects.items);
    }
    traffic_free(&timed.traffic);
}

static void check_launch(const char *path, const char *launch, struct progress *progress) {
    const char *preset = NULL;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
        if (strstr(path, machines[m].code) != NULL) preset = machines[m].machine;
    if (preset == NULL) return;
    struct loaded_kernel loaded = kernel_load(path, launch);
    wb_machine *machine = NULL;
    kernel_expect_ok(wb_machine_load(preset, loaded.diagnostics, &machine), preset, loaded.diagnostics);
    for (int cover = 0; cover < 2; cover++) {
        const wb_grid_options options = {.size = sizeof options,
                                         .cover = cover != 0,
                                         .unknown_contents = cover != 0,
                                         .record_accesses = true};
        wb_grid *grid = NULL;
        wb_diagnostics *messages = wb_diagnostics_new();
        const wb_status status = wb_grid_trace(loaded.kernel, loaded.launch, &options, messages, &grid);
        if (status == WB_OK) check_grid(progress, path, grid, machine, messages);
        wb_diagnostics_free(messages);
        wb_grid_free(grid);
    }
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    check_launch(path, entry->launch, user);
}

static void test_no_less(void **state) {
    struct progress progress = {.random = random_seeded(SEED)};
    kernel_each_code(*state, check_code, &progress);
    print_message("seed %u: %u grids, %u counted otherwise by kinds\n", SEED, progress.compared,
                  progress.by_kinds);
}

/* A load goes to and fro between two buffers, with the block; another one reads the second buffer, in each
 * block the same. */
static void test_load_of_two_buffers(void **state) {
    struct progress progress = {.random = random_seeded(SEED)};
    (void)state;
    check_launch(FOLDER "two_buffers.sm_87.cubin", FOLDER "two_buffers.yaml", &progress);
    assert_int_equal(progress.compared, 2 * (CUTS + 1));
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_load_of_two_buffers)};
    return kernel_suite_run("block_kinds", test_no_less, others, 1);
}
