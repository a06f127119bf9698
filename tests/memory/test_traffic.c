/* The requests of grids: what each access asks for, how blocks share it, and when accesses happen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hand_grid.h"
#include "launch_text.h"
#include "memory/requests/access_likes.h"
#include "memory/requests/requests.h"
#include "run_ptx.h"

static struct traffic traffic_of(struct hand_grid *hand, const char *blocks) {
    struct traffic traffic;
    hand_grid_make(hand, blocks);
    assert_int_equal(traffic_make(&hand->grid, &hand->machine, NULL, &traffic), WB_OK);
    return traffic;
}

/* Whether an access of a warp of a block makes exactly these requests, in this order. */
static void assert_requests(const struct traffic *traffic, uint32_t block, uint32_t warp, uint32_t index,
                            const uint64_t *expected, uint32_t count) {
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    assert_true(index < pattern->access_count);
    const struct traffic_access *access = &pattern->accesses[index];
    uint64_t base = traffic_base(traffic, block, warp, access->group);
    assert_int_equal(base % MEMORY_LINE_BYTES, 0);
    assert_int_equal(access->request_count, count);
    for (uint32_t r = 0; r < count; r++)
        assert_int_equal(base + pattern->offsets[access->first_request + r], expected[r]);
}

/* Requests come aligned, first lane first, each once. */
static void test_lines(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic = traffic_of(&hand, "L0=3,1.2,3.1,4 S1=7; X A2=5");
    assert_requests(&traffic, 0, 0, 0, (uint64_t[]){384, 128, 512}, 3);
    assert_requests(&traffic, 0, 0, 1, (uint64_t[]){896}, 1);
    assert_requests(&traffic, 0, 1, 0, (uint64_t[]){640}, 1);
    const struct traffic_access *first = traffic_pattern_of(&traffic, 0, 0)->accesses;
    const struct traffic_access *atomic = traffic_pattern_of(&traffic, 0, 1)->accesses;
    assert_int_equal(first[0].kind, TRAFFIC_LOAD);
    assert_int_equal(first[0].cycles, 3);
    assert_int_equal(first[1].kind, TRAFFIC_STORE);
    assert_int_equal(first[1].step, 1);
    assert_int_equal(atomic->kind, TRAFFIC_ATOMIC);
    assert_int_equal(atomic->step, 1);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

static void test_sectors(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic;
    hand_grid_make(&hand, "L0=3,1.2,3.1,4");
    hand.machine.memory.requests = REQUESTS_VOLTA;
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, NULL, &traffic), WB_OK);
    assert_requests(&traffic, 0, 0, 0, (uint64_t[]){384, 192, 416, 512}, 4);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

/* Blocks whose addresses differ by whole lines share everything; others share what is aligned alike. */
static void test_sharing(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic =
        traffic_of(&hand, "L0=0,1; L0=5 / L0=10,11; L0=15 / L0=1.2,2.2; L0=8 / L0=3.2,4.2; L0=2");
    assert_int_equal(hand.grid.streams.count, 2);
    assert_int_equal(traffic.variants.count, 3);
    assert_int_equal(traffic.block_variants[0], traffic.block_variants[1]);
    assert_int_not_equal(traffic.block_variants[0], traffic.block_variants[2]);
    assert_int_equal(traffic.patterns.count, 3);
    assert_requests(&traffic, 1, 0, 0, (uint64_t[]){1280, 1408}, 2);
    assert_requests(&traffic, 2, 0, 0, (uint64_t[]){128, 256}, 2);
    assert_requests(&traffic, 3, 0, 0, (uint64_t[]){384, 512}, 2);
    assert_requests(&traffic, 3, 1, 0, (uint64_t[]){256}, 1);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

/* The requests of every access of a grid, computed from its records alone. */
static void check_against_records(const struct hand_grid *hand, const struct traffic *traffic) {
    const struct wb_grid *grid = &hand->grid;
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        const struct grid_block *block = &grid->blocks.items[b];
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            const struct shape_warp *warp = &grid->shapes.items[block->shape].warps[w];
            const struct access_stream *stream = &grid->streams.items[warp->stream];
            for (uint32_t a = 0; a < stream->access_count; a++) {
                struct lane_addresses lanes;
                uint64_t requests[REQUESTS_MAX];
                lane_addresses_read(&stream->accesses[a], stream->tables,
                                    grid_base(grid, block, w, stream->groups[a]), &lanes);
                uint32_t count =
                    requests_coalesce(&lanes, memory_request_bytes(&hand->machine.memory), requests);
                assert_requests(traffic, b, w, a, requests, count);
            }
        }
    }
}

static void test_random_requests(void **state) {
    (void)state;
    const struct hand_shape shape = {HAND_SHAPE(3, 6, 5, 9, 4), .store_percent = 20, .barrier_percent = 20};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_state random = random_seeded(seed);
        struct hand_grid hand;
        struct traffic traffic;
        hand_grid_begin(&hand);
        for (uint32_t b = 0; b < 4; b++)
            hand_grid_add_random(&hand, &random, &shape);
        hand.machine.memory.requests = seed % 2 == 0 ? REQUESTS_FERMI : REQUESTS_VOLTA;
        assert_int_equal(traffic_make(&hand.grid, &hand.machine, NULL, &traffic), WB_OK);
        check_against_records(&hand, &traffic);
        traffic_free(&traffic);
        hand_grid_free(&hand);
    }
}

#define RECORDS 64u
#define TABLES 2u

/* A record of few kinds, so that others are like it. */
static struct access random_record(struct random_state *random, uint64_t step) {
    static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_LOCAL, PTX_SPACE_SHARED, PTX_SPACE_CONST};
    static const uint32_t masks[] = {UINT32_MAX, 0xffff, 0x80000101, 1};
    struct access access = {.step = step,
                            .base = 1024 + 64 * random_below(random, 4),
                            .instruction = (uint32_t)random_below(random, 2),
                            .mask = masks[random_below(random, 4)],
                            .table = ACCESS_AFFINE,
                            .bytes = (uint8_t)(4 << random_below(random, 2)),
                            .space = spaces[random_below(random, 4)],
                            .is_store = random_below(random, 4) == 0};
    access.is_atomic = !access.is_store && random_below(random, 4) == 0;
    access.stride = 4 * (int64_t)random_below(random, 3);
    if (random_below(random, 2) == 0) {
        access.table = WARP_LANES * (uint32_t)random_below(random, TABLES);
        access.stride = 0;
    }
    return access;
}

/* Whether two records make the same requests but for where they are as a whole, at the same cost. */
static void assert_alike(const struct access *a, const struct access *b, const uint64_t *tables) {
    uint64_t of_a[REQUESTS_MAX], of_b[REQUESTS_MAX];
    for (uint32_t granule = MEMORY_SECTOR_BYTES; granule <= MEMORY_LINE_BYTES; granule *= 4) {
        const uint32_t count = access_requests(a, tables, 0, granule, of_a);
        assert_int_equal(access_requests(b, tables, 0, granule, of_b), count);
        for (uint32_t r = 0; r < count; r++)
            assert_int_equal(of_a[r] - of_b[r], a->base - b->base);
    }
    assert_int_equal(a->instruction, b->instruction);
    assert_int_equal(a->is_store, b->is_store);
    assert_int_equal(access_wavefront_count(a, tables), access_wavefront_count(b, tables));
}

static void test_likes(void **state) {
    (void)state;
    uint32_t found = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_state random = random_seeded(seed);
        struct access_likes likes = {{0}};
        struct access records[RECORDS];
        uint64_t tables[TABLES * WARP_LANES];
        for (uint32_t i = 0; i < TABLES * WARP_LANES; i++)
            tables[i] = 4 * random_below(&random, 64);
        for (uint32_t r = 0; r < RECORDS; r++)
            records[r] = random_record(&random, r < 2 ? r : records[r - 1].step + random_below(&random, 4));
        for (uint32_t r = 0; r < RECORDS; r++) {
            const uint32_t like = access_like(&likes, records, RECORDS, r);
            if (like == r) continue;
            assert_true(like < r && records[r].step != records[r - 1].step);
            assert_true(r + 1 == RECORDS || records[r].step != records[r + 1].step);
            assert_alike(&records[like], &records[r], tables);
            found++;
        }
    }
    assert_in_range(found, 100, RECORDS * 300);
}

/* Requests take no more memory than the grid says, and who makes them hears of it. */
static void test_memory_limit(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    hand_grid_make(&hand, "L0=3,1.2,3.1,4 S1=7; X A2=5");
    hand.grid.memory_limit = 1 << 20;
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, diagnostics, &traffic), WB_OK);
    traffic_free(&traffic);
    hand.grid.memory_limit = 1 << 10;
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, diagnostics, &traffic), WB_ERR_LIMIT);
    assert_true(diagnostics->over_limit && !diagnostics->no_memory);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "exceed the limit of 0 MB"));
    traffic_free(&traffic);
    wb_diagnostics_free(diagnostics);
    hand_grid_free(&hand);
}

/* Phases and epochs of a warp as "phase.epoch" texts. */
static void assert_positions(const struct traffic *traffic, uint32_t block, uint32_t warp,
                             const char *expected) {
    struct text got = {0};
    const struct access_position *positions = traffic_positions_of(traffic, block, warp);
    uint32_t count = traffic_pattern_of(traffic, block, warp)->access_count;
    for (uint32_t a = 0; a < count; a++)
        text_printf(&got, "%s%u.%u", a == 0 ? "" : " ", positions[a].phase, positions[a].epoch);
    char *text = text_take(&got);
    assert_string_equal(text, expected);
    free(text);
}

static void test_epochs(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic = traffic_of(&hand, "L0=0 L1=0 L0=0 L1=0 L2=0; L0=0 L1=0 L2=0; L3=0 L3=0 L0=0");
    assert_positions(&traffic, 0, 0, "0.0 0.0 0.1 0.1 0.1");
    assert_positions(&traffic, 0, 1, "0.0 0.0 0.0");
    assert_positions(&traffic, 0, 2, "0.0 0.1 0.2");
    assert_int_equal(traffic.shapes[0].phases, 1);
    assert_int_equal(traffic.shapes[0].epochs, 3);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

/* A barrier lifts all warps behind the last epoch of any of them; one that ends before it holds it up, too.
 */
static void test_epochs_at_barriers(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic = traffic_of(
        &hand, "L0=0 L0=0 | L0=0 | L5=0; L1=0 | L1=0 L0=0 | L2=0 L0=0; L4=0 L4=0 L4=0 L4=0; | |; ");
    assert_positions(&traffic, 0, 0, "0.0 0.1 1.4 2.6");
    assert_positions(&traffic, 0, 1, "0.0 1.4 1.5 2.6 2.7");
    assert_positions(&traffic, 0, 2, "0.0 0.1 0.2 0.3");
    assert_int_equal(traffic.shapes[0].phases, 3);
    assert_int_equal(traffic.shapes[0].epochs, 8);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

/* A grid of the kernel of a body; its machine has class times of 1 cycle but 5 for shared loads. */
struct traced {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_grid *grid;
    struct wb_machine machine;
    struct traffic traffic;
};

static void traced_open(struct traced *traced, const char *declarations, const char *body,
                        const char *block) {
    const wb_kernel *kernel = NULL;
    char *ptx = module_of(declarations, body);
    *traced = (struct traced){.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_status status = wb_module_parse("k.ptx", ptx, strlen(ptx), traced->diagnostics, &traced->module);
    if (status == WB_OK) status = wb_module_find_kernel(traced->module, "k", traced->diagnostics, &kernel);
    if (status == WB_OK)
        status = wb_launch_set_grid(traced->launch, (const uint32_t[3]){2, 1, 1}, traced->diagnostics);
    if (status == WB_OK) status = launch_block_text(traced->launch, block, traced->diagnostics);
    if (status == WB_OK)
        status = wb_launch_add_argument(traced->launch, "buf:u64[1024]=zero", traced->diagnostics);
    const wb_grid_options options = {.size = sizeof options};
    if (status == WB_OK)
        status = wb_grid_trace(kernel, traced->launch, &options, traced->diagnostics, &traced->grid);
    machine_memory_defaults(&traced->machine.memory);
    traced->machine.memory.requests = REQUESTS_FERMI;
    for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++)
        traced->machine.classes[c] =
            (struct machine_class){.given = true, .init = c == PTX_CLASS_LOAD_SHARED ? 5 : 1};
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(traced->diagnostics));
    free(ptx);
}

static wb_status traced_requests(struct traced *traced) {
    return traffic_make(traced->grid, &traced->machine, traced->diagnostics, &traced->traffic);
}

static void traced_close(struct traced *traced) {
    traffic_free(&traced->traffic);
    wb_grid_free(traced->grid);
    wb_launch_free(traced->launch);
    wb_module_free(traced->module);
    wb_diagnostics_free(traced->diagnostics);
}

/* Local memory: one line a word when all lanes use the same address, another place for each warp. */
static void test_local(void **state) {
    (void)state;
    static const char body[] =
        ".local .align 8 .b8 a[128];\n"
        "st.local.u32 [a+4], %r0;\n"
        "ld.local.u64 %rd1, [a+8];\n"
        "and.b32 %r1, %r0, 31; mul.lo.u32 %r1, %r1, 4; mov.u32 %r2, a; add.u32 %r1, %r1, %r2;\n"
        "ld.local.u32 %r3, [%r1];\n";
    struct traced traced;
    traced_open(&traced, "", body, "64");
    assert_int_equal(traced_requests(&traced), WB_OK);
    const struct traffic_pattern *pattern = traffic_pattern_of(&traced.traffic, 0, 0);
    assert_int_equal(pattern->access_count, 4); /* the parameter, and three */
    assert_int_equal(pattern->accesses[0].kind, TRAFFIC_ON_CHIP);
    assert_int_equal(pattern->accesses[1].request_count, 1);
    assert_int_equal(pattern->accesses[2].request_count, 2);
    assert_int_equal(pattern->accesses[3].request_count, 32);
    uint64_t first[2][2], bytes = traced.grid->local_bytes * WARP_LANES;
    for (uint32_t b = 0; b < 2; b++) {
        for (uint32_t w = 0; w < 2; w++) {
            const struct traffic_access *access = &traffic_pattern_of(&traced.traffic, b, w)->accesses[1];
            first[b][w] = traffic_base(&traced.traffic, b, w, access->group) +
                          traffic_pattern_of(&traced.traffic, b, w)->offsets[access->first_request];
            assert_int_equal(first[b][w], first[0][0] + (2 * b + w) * bytes);
        }
    }
    uint64_t line = first[0][0];
    assert_requests(&traced.traffic, 0, 0, 2, (uint64_t[]){line + 128, line + 256}, 2);
    traced_close(&traced);
}

/* On the SM: no request, but as many cycles as a bank has words to serve, and at least the class's. */
static void test_on_chip(void **state) {
    (void)state;
    static const char body[] = "mul.lo.u32 %r1, %r0, 128; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;\n"
                               "st.shared.u32 [%r1], %r0;\n"
                               "ld.shared.u32 %r3, [s];\n"
                               "ld.const.u32 %r4, [c];\n"
                               "st.global.u32 [%rd31], %r4;\n";
    struct traced traced;
    traced_open(&traced, ".shared .align 4 .b8 s[4096];\n.const .align 4 .b8 c[4];\n", body, "32");
    assert_int_equal(traced_requests(&traced), WB_OK);
    const struct traffic_pattern *pattern = traffic_pattern_of(&traced.traffic, 0, 0);
    assert_int_equal(pattern->access_count, 5);
    for (uint32_t a = 0; a < 4; a++) {
        assert_int_equal(pattern->accesses[a].kind, TRAFFIC_ON_CHIP);
        assert_int_equal(pattern->accesses[a].request_count, 0);
    }
    assert_int_equal(pattern->accesses[1].cycles, 32);
    assert_int_equal(pattern->accesses[2].cycles, 5);
    assert_int_equal(pattern->accesses[3].cycles, 1);
    assert_int_equal(pattern->accesses[4].kind, TRAFFIC_STORE);
    traced_close(&traced);
}

/* Lanes of one instruction in global and in local memory: only without caches. */
static void test_split(void **state) {
    (void)state;
    static const char body[] = ".local .align 8 .b8 a[128];\n"
                               "mov.u64 %rd1, a; cvta.local.u64 %rd2, %rd1;\n"
                               "setp.lt.u32 %p1, %r0, 7; selp.b64 %rd3, %rd2, %rd31, %p1;\n"
                               "st.u32 [%rd3], %r0;\n";
    struct traced traced;
    traced_open(&traced, "", body, "32");
    assert_int_equal(traced_requests(&traced), WB_OK);
    const struct traffic_pattern *pattern = traffic_pattern_of(&traced.traffic, 0, 0);
    assert_int_equal(pattern->access_count, 3);
    assert_int_equal(pattern->accesses[1].step, pattern->accesses[2].step);
    traffic_free(&traced.traffic);
    traced.machine.memory.l1.bytes = 16 * 1024;
    assert_int_equal(traced_requests(&traced), WB_ERR_DECLINED);
    assert_non_null(strstr(wb_diagnostics_text(traced.diagnostics), "global and local memory"));
    traced_close(&traced);
}

/* The requests and cycles of 32 lanes at unknown addresses in an object of `size` bytes from `start` on. */
static void assert_unknown(struct hand_grid *hand, uint64_t start, uint64_t size, uint32_t expected) {
    struct traffic traffic;
    hand->grid.cover.objects.items.items[0].base = start;
    hand->grid.cover.objects.items.items[0].size = size;
    assert_int_equal(traffic_make(&hand->grid, &hand->machine, NULL, &traffic), WB_OK);
    const struct traffic_access *access = traffic_pattern_of(&traffic, 0, 0)->accesses;
    assert_true(access->is_unknown);
    assert_int_equal(access->request_count, expected);
    assert_int_equal(access->cycles, expected);
    traffic_free(&traffic);
}

/* At unknown addresses each block of the memory that they stay inside of is asked for once at most, but by
 * atomics, of which all can be for one word. */
static void test_unknown(void **state) {
    (void)state;
    struct hand_grid hand;
    hand_grid_make(&hand, "L0=0");
    struct access *access = &hand.grid.streams.items[0].accesses[0];
    const uint64_t start = 0x10000000;
    assert_int_equal(vec_push(&hand.grid.cover.objects.items, ((struct memory_object){0})), WB_OK);
    access->table = ACCESS_UNKNOWN;
    access->mask = UINT32_MAX;
    access->bytes = 1;
    access->object = 1;
    assert_unknown(&hand, start, 2048, 16);
    assert_unknown(&hand, start + 4, 2048, 17);
    assert_unknown(&hand, start + 124, 4, 1);
    assert_unknown(&hand, start, 8192, 32);
    assert_unknown(&hand, start, 0, 32); /* its size is not known */
    access->is_store = true;
    assert_unknown(&hand, start, 2048, 16);
    hand.machine.memory.requests = REQUESTS_VOLTA;
    assert_unknown(&hand, start + 4, 60, 2);
    assert_unknown(&hand, start, 2048, 32);
    hand.machine.memory.requests = REQUESTS_FERMI;
    access->is_atomic = true;
    assert_unknown(&hand, start, 2048, 32);
    access->is_atomic = access->is_store = false;
    access->object = 0;
    assert_unknown(&hand, start, 2048, 32);
    vec_free(&hand.grid.cover.objects.items);
    hand_grid_free(&hand);
}

/* A grid with a steered warp has no traffic. */
static void test_steered(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    hand_grid_make(&hand, "L0=0");
    assert_int_equal(vec_push(&hand.grid.input_dependent, ((struct steered_warp){0})), WB_OK);
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, diagnostics, &traffic), WB_ERR_DECLINED);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
    traffic_free(&traffic);
    wb_diagnostics_free(diagnostics);
    hand_grid_free(&hand);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_sharing),      cmocka_unit_test(test_random_requests),
        cmocka_unit_test(test_epochs),       cmocka_unit_test(test_epochs_at_barriers),
        cmocka_unit_test(test_local),        cmocka_unit_test(test_on_chip),
        cmocka_unit_test(test_steered),      cmocka_unit_test(test_split),
        cmocka_unit_test(test_unknown),      cmocka_unit_test(test_likes),
        cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
