/* Certificates: what is made from the definitions is accepted, every change that takes a proof away is
 * refused, and what the writer writes is what the definitions say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/gzip.h"
#include "gzip_bytes.h"
#include "makespan_cases.h"
#include "messages.h"
#include "naive_certificate.h"
#include "wings/makespan/certificate/check.h"
#include "wings/makespan/certificate/write.h"

#define MEMORY (UINT64_C(1) << 30)

/* What a check came to: an interval, or a message. */
struct verdict {
    bool accepted;
    uint32_t lower, upper;
    wb_diagnostics *diagnostics;
};

/* Checks a compressed certificate. */
static struct verdict verdict_of(const char *bytes, size_t size, uint64_t memory, uint32_t threads) {
    struct verdict verdict = {.diagnostics = wb_diagnostics_new()};
    struct certificate_proof proof;
    wb_status status = certificate_check("f", bytes, size, memory, threads, verdict.diagnostics, &proof);
    assert_int_equal(status == WB_OK, wb_diagnostics_errors(verdict.diagnostics) == 0);
    verdict.accepted = status == WB_OK;
    if (verdict.accepted) {
        verdict.lower = proof.witness.schedule.makespan;
        verdict.upper = proof.upper;
    }
    certificate_proof_free(&proof);
    return verdict;
}

/* Checks one that is not compressed yet. */
static struct verdict verdict_of_body(const char *body, size_t size) {
    size_t packed_size;
    char *packed = gzip_bytes(body, size, &packed_size);
    struct verdict verdict = verdict_of(packed, packed_size, MEMORY, 2);
    free(packed);
    return verdict;
}

static struct verdict verdict_of_naive(const struct naive_certificate *certificate) {
    struct text body = {0};
    naive_certificate_print(certificate, &body);
    struct verdict verdict = verdict_of_body(body.data, body.length);
    text_free(&body);
    return verdict;
}

static bool is_accepted(const struct naive_certificate *certificate) {
    struct verdict verdict = verdict_of_naive(certificate);
    wb_diagnostics_free(verdict.diagnostics);
    return verdict.accepted;
}

/* A tiny problem with its longest schedule and its certificate. */
struct example {
    struct makespan_problem problem;
    struct makespan_result brute;
    struct naive_certificate certificate;
};

static void example_make(const struct makespan_problem *problem, uint32_t tail_warps,
                         struct example *example) {
    example->problem = *problem;
    example->brute = makespan_case_solve(&makespan_brute, problem, NULL, WB_OK);
    example->certificate = naive_certificate_make(&example->problem, &example->brute.witness, tail_warps);
}

static void example_free(struct example *example) {
    naive_certificate_free(&example->certificate);
    makespan_result_free(&example->brute);
    problem_free(&example->problem);
}

/* A random one, and a tail of less warps than the problem has, if it has more than one. */
static void example_random(struct random_state *random, struct example *example) {
    struct makespan_problem problem = makespan_random_problem(random, 4, 4, 3);
    uint32_t tail_warps = (uint32_t)random_below(random, problem.warp_count);
    example_make(&problem, tail_warps, example);
}

static void fail_example(const struct example *example, uint64_t seed, const char *what) {
    makespan_case_print(&example->problem);
    fail_msg("seed %llu, tail of %u warps: %s", (unsigned long long)seed, example->certificate.tail_warps,
             what);
}

static void test_definitions_are_accepted(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_state random = random_seeded(seed);
        struct example example;
        example_random(&random, &example);
        struct verdict verdict = verdict_of_naive(&example.certificate);
        if (!verdict.accepted) fail_example(&example, seed, wb_diagnostics_text(verdict.diagnostics));
        assert_int_equal(verdict.lower, example.brute.bound.cycles);
        if (verdict.upper < verdict.lower) fail_example(&example, seed, "upper < lower");
        wb_diagnostics_free(verdict.diagnostics);
        example_free(&example);
    }
}

/* Both tables are the least possible ones: no value can be lower. */
static void test_every_lowered_value_is_refused(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct random_state random = random_seeded(seed);
        struct example example;
        example_random(&random, &example);
        struct naive_certificate *certificate = &example.certificate;
        for (size_t i = 1; i < certificate->tail_count; i++) {
            certificate->tail[i]--;
            if (is_accepted(certificate)) fail_example(&example, seed, "a lower value of the tail");
            certificate->tail[i]++;
        }
        for (size_t i = 1; i < certificate->cell_count; i++) {
            certificate->cells[i]--;
            if (is_accepted(certificate)) fail_example(&example, seed, "a lower value of a cell");
            certificate->cells[i]++;
        }
        example_free(&example);
    }
}

/* Whatever values there are: what is accepted is true. */
static void test_nothing_false_is_accepted(void **state) {
    (void)state;
    uint32_t accepted = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct random_state random = random_seeded(seed);
        struct example example;
        example_random(&random, &example);
        struct naive_certificate *certificate = &example.certificate;
        for (uint32_t changes = 1 + (uint32_t)random_below(&random, 3); changes > 0; changes--) {
            uint16_t *table = random_below(&random, 2) == 0 ? certificate->tail : certificate->cells;
            size_t count = table == certificate->tail ? certificate->tail_count : certificate->cell_count;
            size_t from = random_below(&random, count);
            uint16_t change = (uint16_t)(random_below(&random, 4) - 1);
            for (size_t i = from; i < count && i < from + changes; i++)
                table[i] = (uint16_t)(table[i] + change);
        }
        struct verdict verdict = verdict_of_naive(certificate);
        accepted += verdict.accepted;
        if (verdict.accepted && verdict.upper < example.brute.bound.cycles)
            fail_example(&example, seed, "a bound that is too low");
        wb_diagnostics_free(verdict.diagnostics);
        example_free(&example);
    }
    assert_in_range(accepted, 100, 900);
}

/* The problem whose certificate is broken below: 4 warps LCL, of which the tail has 2. */
static void make_broken_example(struct example *example) {
    const struct makespan_case c = {"LCL", 4, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    example_make(&problem, 2, example);
}

static void assert_refused(const char *body, size_t size, const char *expected) {
    struct verdict verdict = verdict_of_body(body, size);
    assert_false(verdict.accepted);
    assert_first_message(verdict.diagnostics, expected, "certificate");
    wb_diagnostics_free(verdict.diagnostics);
}

/* Replaces the first `from` of the body, and checks it. */
static void assert_change_refused(const struct text *body, const char *from, const char *to,
                                  const char *expected) {
    struct text changed = {0};
    const char *at = memmem(body->data, body->length, from, strlen(from));
    assert_non_null(at);
    size_t start = (size_t)(at - body->data);
    size_t end = start + strlen(from);
    text_append(&changed, body->data, start);
    text_string(&changed, to);
    text_append(&changed, body->data + end, body->length - end);
    assert_refused(changed.data, changed.length, expected);
    text_free(&changed);
}

static void test_changed_headings(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *expected;
    } changes[] = {
        {"certificate 1", "certificate 2",
         "f: error: not a certificate: expected \"warpbound certificate 1\" in the first line"},
        {"warpbound certificate 1",
         "warpbound certificate 1, of which more is said here than any line has room for",
         "f: error: not a certificate: a line of the heading is too long"},
        {"witness ", "schedule ", "f: error: expected a line \"witness N\" with a number of at most 1048576"},
        {"witness ", "witness 9999999",
         "f: error: expected a line \"witness N\" with a number of at most 1048576"},
        {"tail 2", "tail 5", "f: error: expected a line \"tail N\" with a number of at most 4"},
        {"tail 2", "tail -1", "f: error: expected a line \"tail N\" with a number of at most 4"},
        {"tail 2", "tail ", "f: error: expected a line \"tail N\" with a number of at most 4"},
        {"tail 2", "tail 3", "f: error: the contents end too early"},
        {"tail 2", "tail 1", "f: error: data follow its end"},
        {"tail 2", "tail 4", "f: error: data follow its end"},
        {"makespan: 9", "makespan: 8",
         "f: error: warp 4: instruction 3 in cycle 9 is out of order or beyond the makespan"},
    };
    struct example example;
    make_broken_example(&example);
    struct text body = {0};
    naive_certificate_print(&example.certificate, &body);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_change_refused(&body, changes[i].from, changes[i].to, changes[i].expected);
    text_free(&body);
    example_free(&example);
}

static void test_wrong_values_are_named(void **state) {
    (void)state;
    struct example example;
    make_broken_example(&example);
    struct naive_certificate *certificate = &example.certificate;
    static const struct {
        bool in_tail;
        size_t index; /* from the end of the table */
        int32_t change;
        const char *expected;
    } cases[] = {
        {true, 1, -1,
         "f: error: proves nothing: with warps in the positions as in 2 0 0, a value is not more than that "
         "of a "
         "successor"},
        {true, 4, 9,
         "f: error: proves nothing: with warps in the positions as in 1 0 1, a value is not more than that "
         "of a "
         "successor"},
        {false, 1, -1,
         "f: error: proves nothing: with warps in the runs as in 4 0 0, a value is not more than that of a "
         "successor"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t *value = cases[i].in_tail ? certificate->tail + certificate->tail_count - cases[i].index
                                           : certificate->cells + certificate->cell_count - cases[i].index;
        *value = (uint16_t)(*value + cases[i].change);
        struct verdict verdict = verdict_of_naive(certificate);
        assert_false(verdict.accepted);
        assert_first_message(verdict.diagnostics, cases[i].expected, "certificate");
        wb_diagnostics_free(verdict.diagnostics);
        *value = (uint16_t)(*value - cases[i].change);
    }
    example_free(&example);
}

/* Cut off anywhere, longer, and not compressed at all. */
static void test_damaged_files(void **state) {
    (void)state;
    struct example example;
    make_broken_example(&example);
    struct text body = {0};
    naive_certificate_print(&example.certificate, &body);
    for (size_t size = 0; size < body.length; size += 7)
        assert_refused(body.data, size, "f: error: the contents end too early");
    size_t packed_size;
    char *packed = gzip_bytes(body.data, body.length, &packed_size);
    for (size_t size = 0; size < packed_size; size++) {
        struct verdict verdict = verdict_of(packed, size, MEMORY, 1);
        assert_false(verdict.accepted);
        assert_first_message(verdict.diagnostics, "f: error: the file ends too early", "certificate");
        wb_diagnostics_free(verdict.diagnostics);
    }
    packed[packed_size / 2] ^= 1;
    struct verdict verdict = verdict_of(packed, packed_size, MEMORY, 1);
    assert_false(verdict.accepted);
    wb_diagnostics_free(verdict.diagnostics);
    free(packed);

    verdict = verdict_of(body.data, body.length, MEMORY, 1);
    assert_first_message(verdict.diagnostics, "f: error: damaged: not a gzip file", "certificate");
    wb_diagnostics_free(verdict.diagnostics);

    text_string(&body, "x");
    assert_refused(body.data, body.length, "f: error: data follow its end");
    packed = gzip_bytes(body.data, body.length - 1, &packed_size);
    packed = realloc(packed, packed_size + 1);
    packed[packed_size] = 0;
    verdict = verdict_of(packed, packed_size + 1, MEMORY, 1);
    assert_first_message(verdict.diagnostics, "f: error: data follow its end", "certificate");
    wb_diagnostics_free(verdict.diagnostics);
    free(packed);
    text_free(&body);
    example_free(&example);
}

/* The size of the tables is known, and refused, before there is room for them. */
static void test_too_large(void **state) {
    (void)state;
    static const struct {
        uint32_t tail_warps;
        uint64_t memory;
        const char *expected;
    } cases[] = {
        {1000, MEMORY,
         "f: error: the tables for this problem take more than the 1024 MiB there are for them"},
        {1, UINT64_C(1) << 20,
         "f: error: the tables for this problem take more than the 1 MiB there are for them"},
    };
    const struct makespan_case c = {"LLLL", 1000, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    struct arena arena = {0};
    struct schedule schedule;
    schedule_make(&problem, &arena, &schedule);
    for (uint32_t i = 0; i < problem.instruction_count; i++)
        schedule.cycle[i] = i + 1;
    schedule.makespan = (uint32_t)problem.instruction_count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct naive_certificate heading = {
            .problem = &problem, .witness = &schedule, .tail_warps = cases[i].tail_warps};
        struct text body = {0};
        size_t packed_size;
        naive_certificate_print(&heading, &body);
        char *packed = gzip_bytes(body.data, body.length, &packed_size);
        struct verdict verdict = verdict_of(packed, packed_size, cases[i].memory, 1);
        assert_false(verdict.accepted);
        assert_first_message(verdict.diagnostics, cases[i].expected, "certificate");
        wb_diagnostics_free(verdict.diagnostics);
        free(packed);
        text_free(&body);
    }
    arena_free(&arena);
    problem_free(&problem);
}

/* Writes a certificate and reads the file; the writer must return `expected`. */
static char *written(const struct makespan_problem *problem, const struct exact_limits *limits,
                     const struct makespan_settings *settings, const struct schedule *witness,
                     wb_status expected, uint32_t *upper, size_t *size) {
    char path[] = "/tmp/warpbound_certificate_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct makespan_run run = {.problem = problem, .settings = settings, .diagnostics = diagnostics};
    char *bytes = NULL;
    assert_int_equal(certificate_write(&run, limits, witness, path, upper), expected);
    assert_int_equal(file_read(path, SOURCE_SIZE_MAX, diagnostics, &bytes, size), WB_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(wb_diagnostics_errors(diagnostics) > 0, expected != WB_OK);
    wb_diagnostics_free(diagnostics);
    return bytes;
}

/* The contents of a gzip file, whose last four bytes are their size. */
static char *unpacked(const char *bytes, size_t size, size_t *body_size) {
    const uint8_t *last = (const uint8_t *)bytes + size - 4;
    *body_size = last[0] | (size_t)last[1] << 8 | (size_t)last[2] << 16 | (size_t)last[3] << 24;
    char *body = malloc(*body_size);
    assert_non_null(body);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct gzip_reader reader;
    assert_int_equal(gzip_reader_open("f", bytes, size, diagnostics, &reader), WB_OK);
    assert_int_equal(gzip_read(&reader, body, *body_size), WB_OK);
    assert_int_equal(gzip_read_end(&reader), WB_OK);
    gzip_reader_close(&reader);
    wb_diagnostics_free(diagnostics);
    return body;
}

static void test_written_as_defined(void **state) {
    (void)state;
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 4, 3);
        struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
        limits.tail_warps = 1 + (uint32_t)random_below(&random, problem.warp_count);
        limits.tail_warps_later = limits.tail_warps;
        struct example example;
        example_make(&problem, limits.tail_warps, &example);
        uint32_t upper;
        size_t size, body_size;
        char *bytes = written(&problem, &limits, &settings, &example.brute.witness, WB_OK, &upper, &size);
        char *body = unpacked(bytes, size, &body_size);
        struct text expected = {0};
        naive_certificate_print(&example.certificate, &expected);
        if (body_size != expected.length || memcmp(body, expected.data, body_size) != 0)
            fail_example(&example, seed, "other contents");
        text_free(&expected);
        free(body);
        free(bytes);
        example_free(&example);
    }
}

static void test_written_is_accepted(void **state) {
    (void)state;
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    uint32_t exact = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 7, 6);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
        limits.tail_warps = 2;
        limits.tail_warps_later = 3;
        uint32_t upper;
        size_t size;
        char *bytes = written(&problem, &limits, &settings, &brute.witness, WB_OK, &upper, &size);
        struct verdict verdict = verdict_of(bytes, size, MEMORY, 2);
        if (!verdict.accepted || verdict.lower != brute.bound.cycles || verdict.upper != upper ||
            upper < verdict.lower) {
            makespan_case_print(&problem);
            fail_msg("seed %llu: from %u to %u, worst case %llu: %s", (unsigned long long)seed, verdict.lower,
                     verdict.upper, (unsigned long long)brute.bound.cycles,
                     wb_diagnostics_text(verdict.diagnostics));
        }
        exact += verdict.lower == verdict.upper;
        wb_diagnostics_free(verdict.diagnostics);
        free(bytes);
        makespan_result_free(&brute);
        problem_free(&problem);
    }
    assert_true(exact >= 150);
}

/* The first wrong value is named, however many threads look for it. */
static void test_threads_agree(void **state) {
    (void)state;
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    static const struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    const struct makespan_case c = {"L5C9L2C9", 5, {1, 4, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
    uint32_t upper;
    size_t size, body_size;
    char *bytes = written(&problem, &limits, &settings, &brute.witness, WB_OK, &upper, &size);
    char *body = unpacked(bytes, size, &body_size);
    struct random_state random = random_seeded(1);
    for (uint32_t round = 0; round < 4; round++) {
        size_t packed_size;
        for (uint32_t i = 0; i < 20; i++)
            body[body_size - 1 - 2 * random_below(&random, 100000) - 1]--;
        char *packed = gzip_bytes(body, body_size, &packed_size);
        struct verdict one = verdict_of(packed, packed_size, MEMORY, 1);
        struct verdict four = verdict_of(packed, packed_size, MEMORY, 4);
        assert_false(one.accepted);
        assert_string_equal(wb_diagnostics_text(one.diagnostics), wb_diagnostics_text(four.diagnostics));
        wb_diagnostics_free(one.diagnostics);
        wb_diagnostics_free(four.diagnostics);
        free(packed);
    }
    free(body);
    free(bytes);
    makespan_result_free(&brute);
    problem_free(&problem);
}

/* With so little memory no file is touched. */
static void test_writer_without_memory(void **state) {
    (void)state;
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    static const struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    settings.memory = 2000;
    const struct makespan_case c = {"L5C9", 5, {1, 4, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
    uint32_t upper;
    size_t size;
    free(written(&problem, &limits, &settings, &brute.witness, WB_ERR_LIMIT, &upper, &size));
    assert_int_equal(size, 0);
    makespan_result_free(&brute);
    problem_free(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions_are_accepted),
        cmocka_unit_test(test_every_lowered_value_is_refused),
        cmocka_unit_test(test_nothing_false_is_accepted),
        cmocka_unit_test(test_changed_headings),
        cmocka_unit_test(test_wrong_values_are_named),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_written_as_defined),
        cmocka_unit_test(test_written_is_accepted),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_writer_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
