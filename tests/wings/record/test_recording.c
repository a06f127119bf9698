/* Logs of recordings, made here record by record: what is read from them, whole, cut short and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../fatbin/made_fatbin.h"
#include "base/files.h"
#include "warpbound_record.h"
#include "wings/record/library/images.h"
#include "wings/record/recording.h"

struct log {
    uint8_t bytes[400000];
    size_t size;
};

static void begin(struct log *log) {
    memcpy(log->bytes, LOG_MAGIC, LOG_MAGIC_BYTES);
    log->size = LOG_MAGIC_BYTES;
}

static void add(struct log *log, uint32_t kind, uint32_t process, const void *fixed, size_t fixed_bytes,
                const void *rest, size_t rest_bytes) {
    const struct log_head head = {kind, process, fixed_bytes + rest_bytes};
    assert_true(log->size + sizeof head + head.bytes <= sizeof log->bytes);
    memcpy(log->bytes + log->size, &head, sizeof head);
    memcpy(log->bytes + log->size + sizeof head, fixed, fixed_bytes);
    if (rest_bytes > 0) memcpy(log->bytes + log->size + sizeof head + fixed_bytes, rest, rest_bytes);
    log->size += sizeof head + head.bytes;
}

static void add_pair(struct log *log, uint32_t kind, uint32_t process, uint64_t a, uint64_t b,
                     const char *name) {
    const struct log_pair pair = {a, b};
    add(log, kind, process, &pair, sizeof pair, name, name != NULL ? strlen(name) : 0);
}

static void add_module(struct log *log, uint32_t process, uint64_t handle, const char *image) {
    const struct log_module module = {.handle = handle, .architecture = 87};
    add(log, LOG_MODULE, process, &module, sizeof module, image, strlen(image));
}

static void add_launch(struct log *log, uint32_t process, uint64_t function, uint64_t param) {
    const struct log_launch launch = {
        .function = function, .stream = 5, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    add(log, LOG_LAUNCH, process, &launch, sizeof launch, &param, sizeof param);
}

static void read_log(const struct log *log, struct recording *recording) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(recording_read("log", log->bytes, log->size, diagnostics, recording), WB_OK);
    assert_false(recording->truncated);
    wb_diagnostics_free(diagnostics);
}

static void assert_refused(const struct log *log, const char *message) {
    struct recording recording;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(recording_read("log", log->bytes, log->size, diagnostics, &recording), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), message));
    recording_free(&recording);
    wb_diagnostics_free(diagnostics);
}

/* Writes the first bytes of a log to a folder, makes files of it there, with one error or none, and returns
 * one of them, malloc'd. */
static char *write_log(const struct log *log, size_t size, const char *error, const char *wanted) {
    char folder[] = "/tmp/test-recording-XXXXXX", path[64], command[80];
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL, *file = NULL;
    size_t file_size;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/" WB_RECORD_LOG, folder);
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(log->bytes, 1, size, out), size);
    (void)fclose(out);
    assert_int_equal(wb_record_read(path, folder, diagnostics, &text),
                     error != NULL ? WB_ERR_DECLINED : WB_OK);
    assert_int_equal(wb_diagnostics_errors(diagnostics), error != NULL ? 1 : 0);
    if (error != NULL) assert_non_null(strstr(wb_diagnostics_text(diagnostics), error));
    assert_non_null(text);
    (void)snprintf(path, sizeof path, "%s/%s", folder, wanted);
    assert_int_equal(file_read(path, 1 << 20, diagnostics, &file, &file_size), WB_OK);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    wb_diagnostics_free(diagnostics);
    free(text);
    return file;
}

/* ---- What is read -------------------------------------------------------------------------------------- */

static const char code[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p) { ret; }\n";

static void add_node(struct log *log, uint64_t graph, uint64_t param) {
    const struct log_launch launch = {
        .function = 20, .stream = graph, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    add(log, LOG_NODE, 1, &launch, sizeof launch, &param, sizeof param);
}

/* A graph is launched as it was made the last time, with the memory that is there then; a stream is in order
 * until a graph is not. */
static void test_graphs_are_launched(void **state) {
    (void)state;
    struct log log;
    struct recording recording;
    begin(&log);
    add_pair(&log, LOG_EXEC, 1, 30, 0, NULL);
    add_node(&log, 30, 0);
    add_pair(&log, LOG_EXEC, 1, 30, 0, NULL);
    add_node(&log, 30, 0x10000);
    add_node(&log, 30, 0);
    add_pair(&log, LOG_GRAPH, 1, 6, 30, NULL);
    add_pair(&log, LOG_EXEC, 1, 30, 1, NULL);
    add_pair(&log, LOG_ALLOCATE, 1, 0x10000, 64, NULL);
    add_pair(&log, LOG_GRAPH, 1, 7, 30, NULL);
    read_log(&log, &recording);
    assert_int_equal(recording.launches.count, 4);
    assert_int_equal(recording.streams.count, 2);
    assert_true(recording.streams.items[0]);
    assert_false(recording.streams.items[1]);
    static const uint32_t streams[] = {0, 0, 1, 1}, pointers[] = {0, 0, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(recording.launches.items[i].stream, streams[i]);
        assert_int_equal(recording.launches.items[i].pointer_count, pointers[i]);
    }
    recording_free(&recording);
    add_node(&log, 31, 0);
    assert_refused(&log, "a kernel of no graph");
    begin(&log);
    add_pair(&log, LOG_EXEC, 1, 30, 1, NULL);
    assert_refused(&log, "a graph that was not made");
}

/* A handle is what it stands for when it is used: of its process, the last time that it was given. */
static void test_handles_come_again(void **state) {
    (void)state;
    struct log log;
    struct recording recording;
    begin(&log);
    add_module(&log, 1, 10, "first");
    add_pair(&log, LOG_FUNCTION, 1, 20, 10, "f");
    add_module(&log, 2, 10, "second");
    add_launch(&log, 2, 20, 0);
    add_pair(&log, LOG_FUNCTION, 2, 20, 10, "g");
    add_launch(&log, 2, 20, 0);
    add_launch(&log, 1, 20, 0);
    add_pair(&log, LOG_GRAPH, 1, 77, 0, NULL);
    add_module(&log, 1, 11, "first");
    add_pair(&log, LOG_MODULE_OF, 1, 12, 11, NULL);
    add_pair(&log, LOG_FUNCTION, 1, 20, 12, "h");
    add_pair(&log, LOG_FUNCTION_OF, 1, 21, 20, NULL);
    add_launch(&log, 1, 21, 0);
    read_log(&log, &recording);
    assert_int_equal(recording.codes.count, 2);
    assert_int_equal(recording.launches.count, 4);
    assert_int_equal(recording.streams.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(recording.streams.items[i], i == 2); /* graphs */
    const struct recorded_launch *launches = recording.launches.items;
    assert_int_equal(launches[0].function, RECORDED_NONE);
    static const char *const names[] = {"g", "f", "h"};
    static const uint32_t codes[] = {1, 0, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(recording.functions.items[launches[i + 1].function].name, names[i]);
        assert_int_equal(recording.functions.items[launches[i + 1].function].code, codes[i]);
    }
    recording_free(&recording);
}

static void assert_points(const struct recording *recording, size_t launch, uint64_t size, uint64_t offset) {
    const struct recorded_launch *of = &recording->launches.items[launch];
    assert_int_equal(of->pointer_count, 1);
    assert_int_equal(of->pointers[0].size, size);
    assert_int_equal(of->pointers[0].offset, offset);
}

/* Memory is what is there at the time of the launch: to its end, and as the lowest bits of addresses are. */
static void test_pointers_are_to_memory_that_is_there(void **state) {
    (void)state;
    struct log log;
    struct recording recording;
    begin(&log);
    add_launch(&log, 1, 0, 0x1000);
    add_pair(&log, LOG_ALLOCATE, 1, 0x1000, 0x400, NULL);
    add_pair(&log, LOG_ALLOCATE, 1, 0x1400, 0x200, NULL);
    add_launch(&log, 1, 0, 0x13ff);
    add_launch(&log, 1, 0, 0x1400);
    add_launch(&log, 1, 0, 0x1600); /* the end of what is there */
    add_launch(&log, 2, 0, 0x1400); /* another process */
    add_pair(&log, LOG_FREE, 1, 0x1400, 0, NULL);
    add_launch(&log, 1, 0, 0x1401);
    add_pair(&log, LOG_ALLOCATE, 1, 0x1200, 0x100, NULL); /* what was freed unseen is gone */
    add_launch(&log, 1, 0, 0x1000);
    add_pair(&log, LOG_ALLOCATE, 1, 0x2010, 0x20, NULL); /* of the host */
    add_launch(&log, 1, 0, 0x2018);
    read_log(&log, &recording);
    assert_int_equal(recording.launches.items[0].pointer_count, 0);
    assert_points(&recording, 1, 0x400, 0x3ff);
    assert_points(&recording, 2, 0x200, 0);
    assert_points(&recording, 3, 0x200, 0x200);
    for (size_t i = 4; i < 7; i++)
        assert_int_equal(recording.launches.items[i].pointer_count, 0);
    assert_points(&recording, 7, 0x30, 0x18);
    recording_free(&recording);
}

/* ---- Images -------------------------------------------------------------------------------------------- */

/* Programs hand over pointers: how many bytes are there stands in the images. */
static void test_images_say_their_size(void **state) {
    (void)state;
    struct {
        uint32_t magic, version;
        const void *image;
    } wrapper = {IMAGE_WRAPPER, 1, NULL};
    struct made_fatbin made;
    const void *image = code;
    assert_int_equal(image_find(&image), strlen(code));
    made_usual(&made);
    wrapper.image = made.bytes;
    image = &wrapper;
    assert_int_equal(image_find(&image), made.size);
    assert_ptr_equal(image, made.bytes);
    static const char *const files[] = {"kernels/cubin/saxpy.sm_87.cubin",
                                        "kernels/cubin/histogram.sm_90.cubin"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        char *bytes;
        size_t size;
        assert_int_equal(file_read(files[i], 1 << 24, diagnostics, &bytes, &size), WB_OK);
        image = bytes;
        assert_int_equal(image_find(&image), size);
        free(bytes);
        wb_diagnostics_free(diagnostics);
    }
}

/* What a container has for the GPU is named in the launch file. */
static void test_the_image_of_a_container_is_named(void **state) {
    (void)state;
    struct log log;
    struct made_fatbin made;
    made_start(&made);
    made_entry(&made, 1, 0x1, code, sizeof code, 0); /* of compute_86 */
    made_end(&made);
    begin(&log);
    const struct log_module module = {.handle = 10, .architecture = 87};
    add(&log, LOG_MODULE, 1, &module, sizeof module, made.bytes, made.size);
    add_pair(&log, LOG_FUNCTION, 1, 20, 10, "k");
    add_launch(&log, 1, 20, 7);
    char *text = write_log(&log, log.size, NULL, "launch-1.yaml");
    assert_non_null(strstr(text, "\ncode: code-1.fatbin\nimage: compute_86\nkernel: \"k\"\n"));
    free(text);
}

/* ---- What is not there --------------------------------------------------------------------------------- */

static void test_damage_is_named(void **state) {
    (void)state;
    struct log log;
    begin(&log);
    log.bytes[0] = 'W';
    assert_refused(&log, "log: error: the log is damaged at byte 0: it does not begin as a log does");
    begin(&log);
    add_pair(&log, 99, 1, 1, 2, NULL);
    assert_refused(&log, "byte 16: a record of an unknown kind");
    begin(&log);
    add_pair(&log, LOG_FREE, 1, 1, 2, NULL);
    add_pair(&log, LOG_LAUNCH, 1, 1, 2, NULL);
    assert_refused(&log, "byte 48: a record that is too short");
    begin(&log);
    add_pair(&log, LOG_FUNCTION, 1, 1, 2, NULL);
    assert_refused(&log, "a function without a name");
    begin(&log);
    add_module(&log, 1, 1, "");
    assert_refused(&log, "a module without an image");
    begin(&log);
    add_pair(&log, LOG_ALLOCATE, 1, UINT64_MAX - 7, 8, NULL);
    assert_refused(&log, "memory beyond all addresses");
}

/* Of a log that ends anywhere, what is whole is read, and written with a message. */
static void test_a_cut_log_keeps_what_is_whole(void **state) {
    (void)state;
    struct log log;
    begin(&log);
    add_module(&log, 1, 10, code);
    add_pair(&log, LOG_FUNCTION, 1, 20, 10, "k");
    add_launch(&log, 1, 20, 7);
    const size_t whole = log.size;
    add_launch(&log, 1, 20, 8);
    for (size_t size = whole; size <= log.size; size++) {
        const bool cut = size != whole && size != log.size;
        free(write_log(&log, size, cut ? "the end of the log is missing" : NULL,
                       size == log.size ? "launch-2.yaml" : "launch-1.yaml"));
    }
}

/* A program whose launches are all different leaves some thousand files, and no list, which would lack some.
 */
static void test_files_have_an_end(void **state) {
    (void)state;
    struct log log;
    begin(&log);
    add_module(&log, 1, 10, code);
    add_pair(&log, LOG_FUNCTION, 1, 20, 10, "k");
    for (uint64_t i = 0; i <= 4096; i++)
        add_launch(&log, 1, 20, i);
    add_launch(&log, 1, 20, 0);
    free(
        write_log(&log, log.size, "1 of 4098 launches have no file: 4096 others differ", "launch-4096.yaml"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs_are_launched),
        cmocka_unit_test(test_handles_come_again),
        cmocka_unit_test(test_pointers_are_to_memory_that_is_there),
        cmocka_unit_test(test_images_say_their_size),
        cmocka_unit_test(test_the_image_of_a_container_is_named),
        cmocka_unit_test(test_damage_is_named),
        cmocka_unit_test(test_a_cut_log_keeps_what_is_whole),
        cmocka_unit_test(test_files_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
