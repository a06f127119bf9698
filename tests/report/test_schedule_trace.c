/* Schedules as trace events: what a viewer rejects or draws wrongly is not in them, and all that happens is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "kernel_suite.h"
#include "sim/schedule/schedule.h"
#include "warp/synthetic/synthetic.h"

/* A slice, in thousandths of a cycle. */
struct slice {
    long long pid, tid, from, to;
    bool is_issue, used;
};

struct slices {
    struct slice *items;
    size_t count;
};

/* Events have microseconds: these at the clock of the machine. */
static double clock_mhz;

static bool append(void *user, const char *bytes, size_t size) {
    text_printf(user, "%.*s", (int)size, bytes);
    return true;
}

static json_t *write_trace(const wb_schedule *schedule, wb_diagnostics *diagnostics) {
    struct text out = {0};
    json_error_t error;
    const wb_writer writer = {append, &out};
    kernel_expect_ok(wb_schedule_write(schedule, WB_SCHEDULE_TRACE, &writer, diagnostics), "trace",
                     diagnostics);
    json_t *trace = json_loads(out.data, JSON_REJECT_DUPLICATES, &error);
    if (trace == NULL) fail_msg("%s at %d:%d", error.text, error.line, error.column);
    clock_mhz = json_number_value(json_object_get(json_object_get(trace, "otherData"), "clock_mhz"));
    assert_true(clock_mhz == schedule->machine->clock_mhz && clock_mhz > 0);
    text_free(&out);
    return trace;
}

static const char *text_of(const json_t *event, const char *key) {
    const char *text = json_string_value(json_object_get(event, key));
    return text == NULL ? "" : text;
}

static double time_in(const json_t *event, const char *key) {
    const json_t *value = json_object_get(event, key);
    if (!json_is_number(value)) fail_msg("no %s in an event", key);
    return json_number_value(value) * clock_mhz * 1000;
}

static long long thousandths(const json_t *event, const char *key) {
    return (long long)(time_in(event, key) + 0.5);
}

static long long end_of(const json_t *event) {
    return (long long)(time_in(event, "ts") + time_in(event, "dur") + 0.5);
}

static long long integer(const json_t *event, const char *key) {
    assert_true(json_is_integer(json_object_get(event, key)));
    return json_integer_value(json_object_get(event, key));
}

static int by_row(const void *a, const void *b) {
    const struct slice *left = a, *right = b;
    if (left->pid != right->pid) return left->pid < right->pid ? -1 : 1;
    if (left->tid != right->tid) return left->tid < right->tid ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

/* All slices by row, then by time, which do not overlap; freed by the caller. */
static struct slices read_slices(const json_t *events) {
    struct slices slices = {calloc(json_array_size(events) + 1, sizeof(struct slice)), 0};
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event) {
        if (strcmp(text_of(event, "ph"), "X") != 0) continue;
        const long long from = thousandths(event, "ts");
        assert_true(from >= 0 && thousandths(event, "dur") > 0);
        slices.items[slices.count++] =
            (struct slice){integer(event, "pid"),
                           integer(event, "tid"),
                           from,
                           end_of(event),
                           json_object_get(json_object_get(event, "args"), "text") != NULL,
                           false};
    }
    qsort(slices.items, slices.count, sizeof *slices.items, by_row);
    for (size_t i = 1; i < slices.count; i++) {
        const struct slice *before = &slices.items[i - 1], *own = &slices.items[i];
        if (before->pid == own->pid && before->tid == own->tid && own->from < before->to)
            fail_msg("row %lld.%lld: %lld to %lld overlaps what ends at %lld", own->pid, own->tid, own->from,
                     own->to, before->to);
    }
    return slices;
}

/* The slices of a row are [*first, result). */
static size_t row_of(const struct slices *slices, long long pid, long long tid, size_t *first) {
    size_t i = 0;
    while (i < slices->count && (slices->items[i].pid != pid || slices->items[i].tid != tid))
        i++;
    *first = i;
    while (i < slices->count && slices->items[i].pid == pid && slices->items[i].tid == tid)
        i++;
    return i;
}

/* Every row that has a slice has a name, and every name is of a row that has one. */
static void check_names(const json_t *events, const struct slices *slices) {
    size_t index, names = 0, rows = 0, first;
    json_t *event;
    json_array_foreach(events, index, event) {
        if (strcmp(text_of(event, "name"), "thread_name") != 0) continue;
        names++;
        if (row_of(slices, integer(event, "pid"), integer(event, "tid"), &first) == first)
            fail_msg("nothing is in '%s'", text_of(json_object_get(event, "args"), "name"));
    }
    for (size_t i = 0; i < slices->count; i++)
        rows += i == 0 || slices->items[i].pid != slices->items[i - 1].pid ||
                slices->items[i].tid != slices->items[i - 1].tid;
    assert_int_equal(names, rows);
}

/* Each arrow has a beginning and an end, both on slices. */
static void check_arrows(const json_t *events, const struct slices *slices, size_t wanted) {
    size_t index, ends = 0, first;
    json_t *event, *begin = NULL;
    json_array_foreach(events, index, event) {
        const char phase = text_of(event, "ph")[0];
        if (phase != 's' && phase != 'f') continue;
        const long long at = thousandths(event, "ts");
        const size_t end = row_of(slices, integer(event, "pid"), integer(event, "tid"), &first);
        while (first < end && slices->items[first].to <= at)
            first++;
        if (first == end || slices->items[first].from > at) fail_msg("an arrow at %lld is on no slice", at);
        if (phase == 's') {
            assert_null(begin);
            assert_true(slices->items[first].is_issue && slices->items[first].from == at);
            begin = event;
        } else {
            assert_non_null(begin);
            assert_int_equal(integer(event, "id"), integer(begin, "id"));
            assert_true(thousandths(begin, "ts") <= at);
            assert_string_equal(text_of(event, "cat"), text_of(begin, "cat"));
            assert_string_equal(text_of(event, "bp"), "e");
            begin = NULL;
            ends++;
        }
    }
    assert_null(begin);
    assert_int_equal(ends, wanted);
}

/* The rows of the warps of a slot, which stand behind that of its blocks, are filled while it has a block,
 * and are empty when it has none. */
static void check_slot(const struct slices *slices, const struct slice *block, uint32_t warps) {
    for (uint32_t w = 0; w < warps; w++) {
        size_t first;
        const size_t end = row_of(slices, block->pid, block->tid + 1 + w, &first);
        long long at = block->from;
        while (first < end && slices->items[first].from < block->from)
            first++;
        for (; first < end && slices->items[first].from < block->to; first++) {
            if (slices->items[first].from != at)
                fail_msg("row %lld.%lld: nothing from %lld to %lld", block->pid, block->tid + 1 + w, at,
                         slices->items[first].from);
            at = slices->items[first].to;
            slices->items[first].used = true;
        }
        if (at != block->to)
            fail_msg("row %lld.%lld: nothing from %lld on", block->pid, block->tid + 1 + w, at);
    }
}

/* The warps' rows, which are those with issues and waits, are tiled by the blocks. */
static void check_tiles(const json_t *events, const struct slices *slices, uint32_t warps) {
    size_t index, first;
    json_t *event;
    json_array_foreach(events, index, event) {
        if (strcmp(text_of(event, "ph"), "X") != 0 || strncmp(text_of(event, "name"), "block ", 6) != 0)
            continue;
        const struct slice block = {integer(event, "pid"),
                                    integer(event, "tid"),
                                    thousandths(event, "ts"),
                                    end_of(event),
                                    false,
                                    true};
        check_slot(slices, &block, warps);
    }
    json_array_foreach(events, index, event) {
        const char *name = text_of(json_object_get(event, "args"), "name");
        if (strcmp(text_of(event, "name"), "thread_name") != 0 || integer(event, "pid") % 2 == 0) continue;
        if (strncmp(name, "unit ", 5) == 0 || strstr(name, "block") != NULL) continue;
        const size_t end = row_of(slices, integer(event, "pid"), integer(event, "tid"), &first);
        for (; first < end; first++)
            assert_true(slices->items[first].used);
    }
}

static size_t arrows_of(const wb_schedule *schedule) {
    size_t count, arrows = 0;
    const wb_wait *waits = wb_schedule_waits(schedule, &count);
    for (size_t w = 0; w < count; w++)
        arrows += waits[w].producer != WB_NO_ISSUE;
    return arrows;
}

/* Writes a schedule, reads it and checks all that; the trace is the caller's. */
static json_t *check_trace(const wb_schedule *schedule, wb_diagnostics *diagnostics) {
    json_t *trace = write_trace(schedule, diagnostics);
    const json_t *events = json_object_get(trace, "traceEvents");
    const wb_schedule_info *info = wb_schedule_describe(schedule);
    struct slices slices = read_slices(events);
    size_t count, issues = 0;
    (void)wb_schedule_issues(schedule, &count);
    for (size_t i = 0; i < slices.count; i++) {
        issues += slices.items[i].is_issue;
        assert_true(slices.items[i].to <= (long long)info->cycles * 1000);
    }
    assert_int_equal(issues, count);
    check_names(events, &slices);
    check_arrows(events, &slices, arrows_of(schedule));
    check_tiles(events, &slices, info->warp_count);
    free(slices.items);
    return trace;
}

/* The first event of a name in [from, from + 1), or NULL. */
static const json_t *event_at(const json_t *trace, const char *name, long long from) {
    size_t index;
    json_t *event;
    json_array_foreach(json_object_get(trace, "traceEvents"), index, event) {
        if (strcmp(text_of(event, "ph"), "X") != 0 || strcmp(text_of(event, "name"), name) != 0) continue;
        if (thousandths(event, "ts") / 1000 == from) return event;
    }
    return NULL;
}

/* A block by hand whose machine's names have to be escaped; R is read at 8, B*2 is full at 3. */
static void test_block_by_hand(void **state) {
    (void)state;
    struct synthetic_block block;
    wb_analysis *analysis = NULL;
    wb_schedule *schedule = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(synthetic_block_parse("R(2,6) B*2(3,4) X(1,1)", "R B.0 B; B B", diagnostics, &block),
                     WB_OK);
    strcpy(block.machine.units[0].name, "a \" and \\ \x01");
    assert_int_equal(analysis_of_timed(&block.timed, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_schedule_simulate(analysis, "gto", NULL, diagnostics, &schedule), WB_OK);
    json_t *trace = check_trace(schedule, diagnostics);
    char *text = json_dumps(trace, JSON_ENCODE_ANY);
    assert_non_null(strstr(text, "unit a \\\" and \\\\ \\u0001"));
    assert_null(strstr(text, "unit X"));
    assert_string_equal(text_of(json_object_get(trace, "otherData"), "policy"), "gto");
    assert_string_equal(text_of(json_object_get(trace, "otherData"), "kind"), "simulated");
    assert_non_null(event_at(trace, "#0", 0));
    free(text);
    json_decref(trace);
    wb_schedule_free(schedule);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
}

static const struct {
    const char *kernel, *machine, *settings[2], *scheme, *policy;
    uint64_t from, until;
} cases[] = {
    {"reduce", "ecrts2025-orin", {NULL}, "default", "lrr", 0, 0},
    {"vecadd", "ecrts2025-orin", {"issue_per_warp=3", "dispatch_depth=2"}, "default", "gto", 0, 0},
    {"saxpy", "ecrts2025-orin", {"sub_cores=2", "issue_width=2"}, "default", "rr", 0, 0},
    {"vecadd", "jcse2017", {"l1_mshrs=4"}, "default", "lrr", 0, 0},
    {"reduce", "jcse2017", {"channel_depth=1"}, "reorder", "lrr", 0, 0},
    {"reduce", "ecrts2025-orin", {NULL}, "default", "lrr", 500, 900},
    {"reduce", "ecrts2025-orin", {NULL}, "default", "lrr", UINT64_MAX - 1, UINT64_MAX},
};

static json_t *trace_case(size_t which) {
    char ptx[64], launch[64];
    wb_grid *grid = NULL;
    wb_machine *machine = NULL;
    wb_gpu *gpu = NULL;
    wb_schedule *schedule = NULL;
    (void)text_format(ptx, sizeof ptx, "kernels/%s.ptx", cases[which].kernel);
    (void)text_format(launch, sizeof launch, "kernels/%s.yaml", cases[which].kernel);
    struct loaded_kernel loaded = kernel_load(ptx, launch);
    wb_diagnostics *diagnostics = loaded.diagnostics;
    kernel_expect_ok(wb_grid_trace(loaded.kernel, loaded.launch, NULL, diagnostics, &grid), ptx, diagnostics);
    kernel_expect_ok(wb_machine_load(cases[which].machine, diagnostics, &machine), "machine", diagnostics);
    for (size_t s = 0; s < 2 && cases[which].settings[s] != NULL; s++)
        kernel_expect_ok(wb_machine_set(machine, cases[which].settings[s], diagnostics), "set", diagnostics);
    kernel_expect_ok(wb_gpu_new(grid, machine, diagnostics, &gpu), "gpu", diagnostics);
    const wb_schedule_options options = {
        .size = sizeof options, .from = cases[which].from, .until = cases[which].until};
    kernel_expect_ok(
        wb_schedule_of_gpu(gpu, cases[which].scheme, cases[which].policy, &options, diagnostics, &schedule),
        "schedule", diagnostics);
    json_t *trace =
        options.until == 0 ? check_trace(schedule, diagnostics) : write_trace(schedule, diagnostics);
    wb_schedule_free(schedule);
    wb_gpu_free(gpu);
    wb_machine_free(machine);
    wb_grid_free(grid);
    kernel_unload(&loaded);
    return trace;
}

static void test_kernels(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        json_decref(trace_case(c));
}

/* Instructions come with their text and their place in PTX and source; waits say what is waited for. */
static void test_places(void **state) {
    (void)state;
    json_t *trace = trace_case(0);
    size_t index, waits = 0;
    json_t *event;
    json_array_foreach(json_object_get(trace, "traceEvents"), index, event) {
        const json_t *own = json_object_get(event, "args");
        if (strcmp(text_of(event, "name"), "ld.global.f32") == 0 && json_object_get(own, "text") != NULL) {
            assert_non_null(strstr(text_of(own, "text"), "ld.global.f32 %f"));
            assert_true(integer(own, "ptx_line") > 10);
            assert_non_null(strstr(text_of(own, "source"), "reduce.cu:"));
        }
        if (strcmp(text_of(event, "name"), "waits for result") != 0) continue;
        waits += strstr(text_of(own, "of"), "ld.global.f32") != NULL;
        assert_true(text_of(own, "before")[0] != '\0');
    }
    assert_true(waits > 0);
    json_decref(trace);
}

/* A window has what was issued in it, and waits are cut to it; slices that begin in it may end behind it. */
static void test_window(void **state) {
    (void)state;
    json_t *trace = trace_case(5), *event;
    size_t index, issues = 0;
    json_array_foreach(json_object_get(trace, "traceEvents"), index, event) {
        if (strcmp(text_of(event, "ph"), "X") != 0) continue;
        const long long at = thousandths(event, "ts") / 1000;
        const bool is_issue = json_object_get(json_object_get(event, "args"), "text") != NULL;
        assert_true(at >= 500);
        if (is_issue) assert_true(at < 900);
        issues += is_issue;
    }
    assert_true(issues > 0);
    assert_int_equal(integer(json_object_get(trace, "otherData"), "kept_issues"), issues);
    assert_true(integer(json_object_get(trace, "otherData"), "issues") > (long long)issues);
    json_decref(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_by_hand),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests_name("traces of schedules", tests, NULL, NULL);
}
