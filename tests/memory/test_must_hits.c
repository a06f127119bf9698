/* What is known of the first level, on examples by hand: docs/must-hits.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sure_case.h"

/* Lines of 128 bytes in a set of one, two or three ways. */
static const struct sure_setting one_way = {.ways = 1}, two_ways = {.ways = 2}, three_ways = {.ways = 3};

/* The verdicts on the loads, as the grid is written: h(it), d(ata, too), - (neither). */
static char *verdicts_text(const struct sure_case *known) {
    struct text text = {0};
    text_string(&text, "");
    for (uint32_t b = 0; b < known->hand.grid.blocks.count; b++) {
        for (uint32_t w = 0; w < known->hand.grid.warp_count; w++) {
            const struct traffic_pattern *pattern = traffic_pattern_of(&known->traffic, b, w);
            const uint8_t *verdicts = must_hits_of(&known->hits, b, w);
            if (b + w > 0) text_string(&text, w > 0 ? ";" : "/");
            for (uint32_t a = 0; a < pattern->access_count; a++) {
                const struct traffic_access *access = &pattern->accesses[a];
                for (uint32_t r = 0; r < access->request_count && access->kind == TRAFFIC_LOAD; r++)
                    text_printf(&text, "%c", "-h?d"[verdicts[access->first_request + r]]);
            }
        }
    }
    return text_take(&text);
}

static void assert_verdicts(const char *blocks, const struct sure_setting *setting, const char *expected) {
    struct sure_case known;
    sure_case_make(&known, blocks, setting);
    char *found = verdicts_text(&known);
    if (strcmp(found, expected) != 0) fail_msg("%s:\n got %s\nwant %s", blocks, found, expected);
    free(found);
    sure_case_free(&known);
}

static void assert_misses(const char *blocks, const struct sure_setting *setting, uint64_t expected) {
    struct sure_case known;
    sure_case_make(&known, blocks, setting);
    if (known.hits.misses.load_misses != expected)
        fail_msg("%s: at most %llu misses, expected %llu", blocks,
                 (unsigned long long)known.hits.misses.load_misses, (unsigned long long)expected);
    sure_case_free(&known);
}

/* A warp's own earlier load: as many other lines in between as there are ways evict it, not one less. */
static void test_own_source(void **state) {
    (void)state;
    assert_verdicts("L0=0 L1=0", &one_way, "-h");
    assert_verdicts("L0=0 L1=1 L2=0", &one_way, "---");
    assert_verdicts("L0=0 L1=1 L2=0", &two_ways, "--h");
    assert_verdicts("L0=0 L1=1 L2=1 L3=1 L4=0", &two_ways, "--hhh");
    assert_verdicts("L0=0 L1=1 L2=2 L3=0", &two_ways, "----");
    assert_verdicts("L0=0 L1=1 L3=0", &(struct sure_setting){.sets = 2, .ways = 1}, "--h");
}

/* What another warp may load in the meantime counts, unless a barrier keeps it apart. */
static void test_other_warps(void **state) {
    (void)state;
    assert_verdicts("L0=0 L1=0 ; L2=1", &one_way, "--;-");
    assert_verdicts("L0=0 L1=0 ; L2=1", &two_ways, "-h;-");
    assert_verdicts("L0=0 L1=0 ; L0=0", &one_way, "-h;-");
    assert_verdicts("L0=0 L1=0 | ; | L2=1", &one_way, "-h;-");
    assert_verdicts("| L0=0 | L1=0 ; L2=1 | ; | | | L3=1", &one_way, "-h;-;-");
}

/* What another warp loaded before a barrier is there after it. */
static void test_source_of_another_warp(void **state) {
    (void)state;
    assert_verdicts("L0=0 | ; | L1=0", &one_way, "-;h");
    assert_verdicts("L0=0 L2=1 | ; | L1=0", &one_way, "--;-");
    assert_verdicts("L0=0 L2=1 | ; | L1=0", &two_ways, "--;h");
    assert_verdicts("L0=0 | ; | L2=1 L1=0", &one_way, "-;--");
    assert_verdicts("L0=0 | L2=1 ; | L1=0", &one_way, "--;-");
    assert_verdicts("L0=0 | | L2=1 ; | L1=0", &one_way, "--;h");
    assert_verdicts("S9=0 L0=0 | ; | L1=0", &one_way, "-;h");
    assert_verdicts("L0=0 S9=0 | ; | L1=0", &one_way, "-;-");
    /* either of two sources; the older one is good enough for warp 2 */
    assert_verdicts("L0=0 | ; L0=0 | ; | L1=0", &one_way, "-;-;h");
    assert_verdicts("L9=1 L0=0 | ; L0=0 | ; | L1=0", &one_way, "--;-;h");
    assert_verdicts("L0=0 | L3=1 ; | | L2=0", &two_ways, "--;h");
}

static void test_stores(void **state) {
    (void)state;
    struct sure_setting updates = two_ways;
    updates.store = STORE_UPDATES;
    assert_verdicts("L0=0 S1=0 L2=0", &two_ways, "--");
    assert_verdicts("L0=0 S1=0 L2=0", &updates, "-h");
    assert_verdicts("L0=0 A1=0 L2=0", &updates, "--"); /* atomics drop the line in any case */
    assert_verdicts("L0=0 L2=0 ; S1=0", &two_ways, "--;");
    assert_verdicts("L0=0 L2=0 | ; | S1=0", &two_ways, "-h;");
    /* a store under write-evict takes no place, but a line that it dropped had one */
    assert_verdicts("L0=0 S1=1 S3=2 L4=0", &two_ways, "-h");
    assert_verdicts("L0=0 L1=1 S3=1 L2=2 L4=0", &two_ways, "----");
    /* under write-through it makes its line younger than others: if that can be there at all */
    assert_verdicts("L0=0 S1=1 S3=2 L4=0 L5=1 L6=2", &updates, "----");
    assert_verdicts("L0=0 S1=1 S3=2 L4=0", &updates, "-h");
    assert_verdicts("L0=0 L1=1 L2=2 L3=3 L4=0 S5=3 L6=1 L7=0", &updates, "-------");
    /* and keeps it there: lines 1 and 2 are not between two uses of line 0 */
    assert_verdicts("L0=0 L1=1 S3=0 L4=2 L5=0", &updates, "---h");
}

/* A sector is there only when it was loaded, also if its line is; windows count lines. */
static void test_sectors(void **state) {
    (void)state;
    const struct sure_setting sectors = {.ways = 1, .sector_bytes = 32};
    const struct sure_setting wide = {.ways = 1, .sector_bytes = 128};
    assert_verdicts("L0=0.0 L1=0.1 L2=0.0 L3=0.1", &sectors, "--hh");
    assert_verdicts("L0=0.0 L1=0.1 L2=0.0 L3=0.1", &wide, "-hhh");
    assert_verdicts("L0=0.0 L1=0.1 L2=1.0 L3=0.1", &sectors, "----");
    /* the second sector of one line by one instruction: its requests come together, whatever others do */
    assert_verdicts("L0=0.0,0.1 L1=0.2 ; L2=1", &wide, "-h-;-");
}

/* Requests of one instruction come one after the other, its own lines in their order. */
static void test_requests_of_one_instruction(void **state) {
    (void)state;
    assert_verdicts("L0=0,1 L1=0,1", &two_ways, "--hh");
    assert_verdicts("L0=0,1 L1=1,0", &one_way, "--h-");
    assert_verdicts("L0=0,1,2 L1=0,1,2", &two_ways, "------");
    assert_verdicts("L0=0,1,2 L1=0,1,2", &three_ways, "---hhh");
}

/* Other blocks can do everything in between, unless they are never resident at the same time. */
static void test_other_blocks(void **state) {
    (void)state;
    struct sure_setting alone = one_way;
    alone.resident = 1;
    assert_verdicts("L0=0 L1=0 / L2=1", &one_way, "--/-");
    assert_verdicts("L0=0 L1=0 / L2=1", &two_ways, "-h/-");
    assert_verdicts("L0=0 L1=0 / L2=1", &alone, "-h/-");
    assert_verdicts("L0=0 L1=0 / S2=0", &two_ways, "--/");
    assert_verdicts("L0=0 L1=0 / S2=0", &alone, "-h/");
    /* a set with more lines than are looked at */
    assert_verdicts("L0=0 L1=0 / L2=1 / L3=2 / L4=3 / L5=4", &alone, "-h/-/-/-/-");
    assert_verdicts("L0=0.0,0.1 / L2=1 / L3=2 / L4=3 / L5=4",
                    &(struct sure_setting){.ways = 1, .sector_bytes = 128}, "-h/-/-/-/-");
    /* blocks of one kind in different sets */
    assert_verdicts("L0=0 L1=0 / L0=1 L1=1 / L2=2 L3=4", &(struct sure_setting){.sets = 2, .ways = 1},
                    "--/-h/--");
    assert_verdicts("3* L0=0 L1=0", &one_way, "-h/-h/-h");
    assert_verdicts("L0=0 L1=0 / L2=1 / L3=2", &two_ways, "--/-/-");
    assert_verdicts("L0=0 L1=0 / L2=1 / L3=2", &three_ways, "-h/-/-");
}

/* The data is there when somebody surely waited for it. */
static void test_data(void **state) {
    (void)state;
    assert_verdicts("L0=0 U0 L1=0", &one_way, "-d");
    assert_verdicts("L0=0 L1=0 U0 L2=0", &one_way, "-hd");
    assert_verdicts("L0=0 L1=0 U1 L2=0", &one_way, "-hd");
    assert_verdicts("L0=0 L0=0 L0=0", &one_way, "-dd"); /* the second waits to overwrite the register */
    assert_verdicts("L0=0 U0 | ; | L1=0 L2=0", &one_way, "-;dd");
    assert_verdicts("L0=0 | U0 ; | L1=0", &one_way, "-;h"); /* after the barrier is too late */
    assert_verdicts("L0=0 | U0 | ; | | L1=0", &one_way, "-;d");
    /* the wait of warp 1 is for another access than that which brought the line */
    assert_verdicts("L0=0 | ; L3=5 U3 | L1=0 L2=0", &two_ways, "-;-hh");
    assert_verdicts("L0=0.0 L1=0.1 U0 L2=0.0 L3=0.1 U1 L4=0.1",
                    &(struct sure_setting){.ways = 1, .sector_bytes = 32}, "--dhd");
}

/* Queues in front of the units let instructions start in another order than that of their issue. */
static void test_order_of_the_port(void **state) {
    (void)state;
    const struct sure_setting one_queue = {.ways = 1, .depth = 4};
    const struct sure_setting sub_cores = {.ways = 1, .depth = 4, .sub_cores = 2};
    const struct sure_setting two_units = {.ways = 1, .depth = 4, .two_units = true};
    struct sure_setting wide = {.ways = 1, .depth = 4, .two_units = true, .sector_bytes = 128};
    assert_verdicts("L0=0 | L1=0 ; ", &one_queue, "-h;");
    assert_verdicts("L0=0 | L1=0 ; ", &sub_cores, "-h;");
    assert_verdicts("L0=0 | L1=0 ; ", &two_units, "--;");
    /* one queue for each sub-core: the order of each warp, but not that of barriers */
    assert_verdicts("L0=0 | ; | L1=0", &one_queue, "-;h");
    assert_verdicts("L0=0 | ; | L1=0", &sub_cores, "-;-");
    assert_verdicts("L0=0 L1=0 | ; | L2=1", &sub_cores, "--;-");
    /* without queues every instruction starts when it is issued */
    assert_verdicts("L0=0 | ; | L1=0", &(struct sure_setting){.ways = 1, .sub_cores = 2}, "-;h");
    assert_verdicts("L0=0 | ; | L1=0", &(struct sure_setting){.ways = 1, .two_units = true}, "-;h");
    /* requests of one instruction come together in any case, and however often one misses, it misses once */
    assert_verdicts("L0=0.0,0.1 ; L1=1", &wide, "-h;-");
    assert_verdicts("L0=0.0,0.1 ; L1=1 L3=2", &wide, "-h;--");
    assert_misses("L0=0 L1=0", &two_units, 1);
}

/* Whoever loads a line first, the others hit: no single load is a must hit, and still one miss is all. */
static void test_miss_bound(void **state) {
    (void)state;
    assert_verdicts("4x L0=0", &one_way, "-;-;-;-");
    assert_misses("4x L0=0", &one_way, 1);
    assert_misses("4x L0=0,1", &one_way, 8);
    assert_misses("4x L0=0,1", &two_ways, 2);
    assert_misses("3* 2x L0=0,1", &two_ways, 2); /* the whole set fits: once an SM */
    assert_misses("2x L0=0 S1=0", &two_ways, 2); /* a store lets each sector miss once more */
    assert_misses("2x L0=0 S1=0 L2=0", &two_ways, 3);
    assert_misses("2x L0=0 | L1=1 | L2=2", &one_way, 3); /* each phase fits by itself */
    assert_misses("2x L0=0 | L1=1 | L2=0", &one_way, 3);
    assert_misses("2x L0=0 | L1=1 | L2=0", &two_ways, 2);
    assert_misses("2x L0=0,1 | L2=0 L2=0", &one_way, 5); /* the first phase does not fit */
    assert_misses("2x L0=0 / 2x L1=1 / 2x L2=2", &two_ways, 6);
    assert_misses("2x L0=0 / 2x L1=1 / 2x L2=2", &(struct sure_setting){.ways = 2, .resident = 1}, 3);
}

/* Under greedy dispatch blocks may come to several SMs, each of which fetches a line anew. */
static void test_miss_bound_of_several_sms(void **state) {
    (void)state;
    struct sure_case known;
    struct must_hits hits;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct sm_share share = {.sm = 0, .sms = 1, .resident = 8};
    sure_case_make(&known, "6* L0=0 / L1=1 / S2=1", &two_ways);
    struct machine_memory *memory = &known.hand.machine.memory;
    assert_int_equal(known.hits.misses.load_misses_spread, 2);
    memory->dispatch = DISPATCH_GREEDY;
    memory->sms = 4;
    assert_int_equal(must_hits_make(&known.traffic, &known.hand.code, &share, diagnostics, &hits), WB_OK);
    assert_int_equal(hits.misses.load_misses, 1 + 1);
    assert_int_equal(hits.misses.load_misses_spread, 4 + 1);
    must_hits_free(&hits);
    wb_diagnostics_free(diagnostics);
    sure_case_free(&known);
}

/* Runs of phases of a set in which not all lines of the SM have room. */
static void test_miss_bound_of_runs(void **state) {
    (void)state;
    assert_misses("2x L0=0 S5=0 | L1=1 | L2=0", &one_way, 2 + 1 + 1);
    assert_misses("S5=0 S6=0 L0=0 L1=0 | L2=1", &one_way, 1 + 1); /* the second load of 0 is a must hit */
    assert_misses("2x L0=0 | L1=1 / S5=0 ; ", &one_way, 2 + 1);   /* another block can store in between */
    /* the line of the other block is one of the run's: two loads in each phase, and a store */
    assert_misses("L0=0 S5=0 | L1=0 S6=0 | L2=1 ; L0=0 | L1=0 | / L4=0 ; ", &one_way, 3 + 1 + 1);
}

static void test_counts(void **state) {
    (void)state;
    struct sure_case known;
    sure_case_make(&known, "2x L0=0,1 U0 L1=0 S2=5 A3=6", &two_ways);
    const struct miss_bound *misses = &known.hits.misses;
    assert_int_equal(misses->load_requests, 6);
    assert_int_equal(misses->store_requests, 2);
    assert_int_equal(misses->atomic_requests, 2);
    assert_int_equal(misses->must_hits, 2);
    assert_int_equal(known.hits.instructions[0].loads, 4);
    assert_int_equal(known.hits.instructions[0].must_hits, 0);
    assert_int_equal(known.hits.instructions[1].loads, 2);
    assert_int_equal(known.hits.instructions[1].must_hits, 2);
    assert_int_equal(known.hits.instructions[1].must_data, 2);
    assert_int_equal(known.hits.instructions[2].loads, 0);
    sure_case_free(&known);
}

/* Where all sets have more lines than are looked at, blocks count by what they ask for alone. */
static void test_full_sets(void **state) {
    (void)state;
    struct sure_case known;
    sure_case_make(&known, "3* 2x L0=0,1 L1=0 / 2* L0=2,3 ; S2=4 A3=5", &one_way);
    const struct miss_bound *misses = &known.hits.misses;
    assert_int_equal(misses->load_requests, 3 * 6 + 2 * 2);
    assert_int_equal(misses->load_misses, 3 * 6 + 2 * 2);
    assert_int_equal(misses->store_requests, 2);
    assert_int_equal(misses->atomic_requests, 2);
    assert_int_equal(misses->must_hits, 0);
    assert_int_equal(known.hits.instructions[0].loads, 3 * 4 + 2 * 2);
    assert_int_equal(known.hits.instructions[1].loads, 3 * 2);
    assert_int_equal(must_hits_of(&known.hits, 4, 0)[1], 0);
    sure_case_free(&known);
}

/* Only the blocks of one SM count. */
static void test_share(void **state) {
    (void)state;
    struct sure_case known;
    sure_case_make(&known, "L0=0 L1=0 / L2=1 / L0=0", &one_way);
    struct must_hits hits;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct sm_share even = {.sm = 0, .sms = 2, .resident = 8}, odd = {.sm = 1, .sms = 2, .resident = 8};
    assert_int_equal(must_hits_make(&known.traffic, &known.hand.code, &even, diagnostics, &hits), WB_OK);
    assert_int_equal(must_hits_of(&hits, 0, 0)[1], MUST_HIT);
    assert_int_equal(must_hits_of(&hits, 2, 0)[0], 0);
    assert_int_equal(hits.misses.load_misses, 1);
    must_hits_free(&hits);
    assert_int_equal(must_hits_make(&known.traffic, &known.hand.code, &odd, diagnostics, &hits), WB_OK);
    assert_int_equal(hits.misses.load_requests, 1);
    must_hits_free(&hits);
    wb_diagnostics_free(diagnostics);
    sure_case_free(&known);
}

struct waits_case {
    const struct sure_case *known;
    struct arena arena;
    struct data_waits waits;
};

static void make_waits(void *context) {
    struct waits_case *waits = context;
    waits->waits = data_waits_make(&waits->known->hand.grid, &waits->known->hand.code, &waits->arena);
}

/* A load of two registers is waited for by the first that uses either. */
static void test_data_waits(void **state) {
    (void)state;
    struct sure_case known;
    sure_case_make(&known, "L0=0 L2=1 | U1 L3=2 U0 L4=3 | U2", &two_ways);
    known.hand.code.insts[0].destination_count = 2; /* registers 0 and 1 */
    struct waits_case waits = {.known = &known};
    assert_int_equal(arena_protect(&waits.arena, make_waits, &waits), WB_OK);
    const struct data_wait *found = data_waits_of(&waits.waits, 0, 0);
    assert_int_equal(found[0].access, 2);
    assert_int_equal(found[0].phase, 1);
    assert_int_equal(found[1].access, 4);
    assert_int_equal(found[1].phase, 2);
    assert_int_equal(found[2].access, NEVER_WAITED);
    assert_int_equal(found[2].phase, NEVER_WAITED);
    arena_free(&waits.arena);
    sure_case_free(&known);
}

/* Whether some order contradicts what is known of the grid, with such a cache. */
static bool is_refuted(const char *blocks, const struct sure_setting *setting, enum order_cache cache) {
    struct sure_case known;
    struct order_answer answer;
    struct sure_census census = {0};
    sure_case_make(&known, blocks, setting);
    sure_case_ask(&known, cache, PORT_ISSUE_ORDER, 0, &answer);
    bool refuted = !sure_case_holds(&known, &answer, &census);
    order_answer_free(&answer);
    sure_case_free(&known);
    return refuted;
}

/* Why contents must be a function of the order alone: where they depend on when data comes, a must hit can
 * miss. */
static void test_caches_that_depend_on_time(void **state) {
    (void)state;
    const char *skipped = "L0=2 L1=0 L2=0 ; L3=3", *filled = "L0=1 L1=0 L2=0";
    assert_verdicts(skipped, &two_ways, "--h;-");
    assert_true(is_refuted(skipped, &two_ways, CACHE_SKIPS_PENDING));
    assert_false(is_refuted(skipped, &two_ways, CACHE_BYPASSES));
    assert_false(is_refuted(skipped, &two_ways, CACHE_STALLS));
    assert_verdicts(filled, &one_way, "--h");
    assert_true(is_refuted(filled, &one_way, CACHE_ON_FILL));
    assert_false(is_refuted(filled, &one_way, CACHE_BYPASSES));
    assert_false(is_refuted(filled, &one_way, CACHE_STALLS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_source),
        cmocka_unit_test(test_other_warps),
        cmocka_unit_test(test_source_of_another_warp),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_requests_of_one_instruction),
        cmocka_unit_test(test_other_blocks),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_order_of_the_port),
        cmocka_unit_test(test_miss_bound),
        cmocka_unit_test(test_miss_bound_of_several_sms),
        cmocka_unit_test(test_miss_bound_of_runs),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_full_sets),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_data_waits),
        cmocka_unit_test(test_caches_that_depend_on_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
