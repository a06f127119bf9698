/* Traces of Accel-Sim's tracer: what stands before their blocks. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "launch/launch.h"

#define TRACE_BYTES_MAX ((size_t)16 << 30)

/* Versions of the tracer: before the first lines name their blocks, behind the last nothing is known. */
#define VERSION_FIRST 3u
#define VERSION_LAST 5u

bool launch_trace_word(struct scanner *scan, const char *word) {
    const size_t length = strlen(word);
    if (scan->size - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0) return false;
    scan->at += length;
    return true;
}

wb_status launch_trace_hex(struct scanner *scan, const char *what, uint64_t *number) {
    uint64_t value = 0;
    (void)launch_trace_word(scan, "0x");
    const size_t first = scan->at;
    for (;; scan->at++) {
        const char c = ascii_lower(scan_here(scan));
        if (!ascii_digit(c) && (c < 'a' || c > 'f')) break;
        if (scan->at - first >= 16) return scan_fail_at(scan, first, "expected %s of at most 64 bits", what);
        value = value << 4 | (uint64_t)(ascii_digit(c) ? c - '0' : c - 'a' + 10);
    }
    if (scan->at == first) return scan_fail(scan, "expected %s", what);
    *number = value;
    return WB_OK;
}

/* A trace being read, and what has been read. */
struct trace_reader {
    struct scanner scan;
    struct wb_launch *launch;
    bool has_grid, has_block;
};

/* "(x,y,z)" */
static wb_status read_dimensions(struct trace_reader *reader, uint32_t dimensions[3],
                                 wb_status (*store)(const uint64_t *, size_t, const struct subject *,
                                                    wb_diagnostics *, struct wb_launch *)) {
    struct scanner *scan = &reader->scan;
    struct subject subject = scan->subject;
    uint64_t numbers[3];
    subject.offset += scan->at;
    for (int i = 0; i < 3; i++) {
        WB_TRY(scan_expect(scan, i == 0 ? '(' : ','));
        WB_TRY(scan_number(scan, "a number", 1, UINT32_MAX, &numbers[i]));
        dimensions[i] = (uint32_t)numbers[i];
    }
    WB_TRY(scan_expect(scan, ')'));
    return store(numbers, 3, &subject, scan->diagnostics, reader->launch);
}

static bool is_in_line(char c) {
    return c != '\n' && c != '\r';
}

/* The kernel, where nothing else has named it. */
static wb_status read_name(struct trace_reader *reader) {
    const char *word;
    struct wb_launch *launch = reader->launch;
    const size_t length = scan_word(&reader->scan, is_in_line, &word);
    if (launch->settings[WB_LAUNCH_KERNEL] != NULL) return WB_OK;
    launch->settings[WB_LAUNCH_KERNEL] = arena_string(&launch->arena, word, length);
    return launch->settings[WB_LAUNCH_KERNEL] != NULL
               ? WB_OK
               : diagnose_out_of_memory(reader->scan.diagnostics, "trace");
}

/* A line that begins with '-'; those that say nothing of the execution are left out. */
static wb_status read_fact(struct trace_reader *reader) {
    struct scanner *scan = &reader->scan;
    struct launch_trace *trace = &reader->launch->trace;
    uint32_t lines = 0;
    if (launch_trace_word(scan, "-kernel name = ")) return read_name(reader);
    if (launch_trace_word(scan, "-grid dim = ")) {
        reader->has_grid = true;
        return read_dimensions(reader, trace->grid, launch_grid_store);
    }
    if (launch_trace_word(scan, "-block dim = ")) {
        reader->has_block = true;
        return read_dimensions(reader, trace->block, launch_block_store);
    }
    if (launch_trace_word(scan, "-shmem = "))
        return scan_number(scan, "bytes", 0, LAUNCH_SHARED_MAX, &trace->shared_bytes);
    if (launch_trace_word(scan, "-binary version = "))
        return scan_u32(scan, "an architecture such as 87", 1, 999, &trace->sm);
    if (launch_trace_word(scan, "-accelsim tracer version = "))
        return scan_u32(scan, "a version of the tracer", VERSION_FIRST, VERSION_LAST, &trace->version);
    if (launch_trace_word(scan, "-shmem base_addr = "))
        return launch_trace_hex(scan, "an address", &trace->shared_window);
    if (launch_trace_word(scan, "-local mem base_addr = "))
        return launch_trace_hex(scan, "an address", &trace->local_window);
    if (!launch_trace_word(scan, "-enable lineinfo = ")) return WB_OK;
    WB_TRY(scan_u32(scan, "0 or 1", 0, 1, &lines));
    trace->has_lines = lines == 1;
    return WB_OK;
}

static wb_status read_head(struct trace_reader *reader) {
    static const char begin[] = "#BEGIN_TB";
    struct scanner *scan = &reader->scan;
    const struct launch_trace *trace = &reader->launch->trace;
    while (!scan_at_end(scan)) {
        const char *rest;
        const size_t line = scan->at;
        if (launch_trace_word(scan, begin)) {
            reader->launch->trace.blocks = line;
            break;
        }
        if (scan_here(scan) == '-')
            WB_TRY(read_fact(reader));
        else if (is_in_line(scan_here(scan)) && scan_here(scan) != '#')
            return scan_fail(scan, "expected a line with '-' or '#BEGIN_TB': Accel-Sim's "
                                   "post-traces-processing makes .traceg of .trace");
        (void)scan_word(scan, is_in_line, &rest);
        if (scan_here(scan) == '\r') scan->at++;
        if (!scan_at_end(scan)) scan->at++;
    }
    if (!reader->has_grid || !reader->has_block || trace->sm == 0 || trace->version == 0)
        return scan_fail_at(scan, 0,
                            "no trace of Accel-Sim: grid dim, block dim, binary version or accelsim "
                            "tracer version is missing");
    if (trace->blocks == 0) return scan_fail(scan, "expected '#BEGIN_TB'");
    return WB_OK;
}

wb_status launch_trace_parse(struct wb_launch *launch, const char *name, char *text, size_t size,
                             wb_diagnostics *diagnostics) {
    struct launch_trace *trace = &launch->trace;
    free(trace->text);
    const wb_input input = input_of(WB_INPUT_DATA, name, text, size);
    *trace = (struct launch_trace){.text = text};
    if (input_copy(&input, &launch->arena, &trace->input) != WB_OK)
        return diagnose_out_of_memory(diagnostics, name);
    WB_TRY(launch_trace_unpack(name, &trace->text, &size, TRACE_BYTES_MAX, diagnostics));
    if (memchr(trace->text, '\0', size) != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, name,
                 "this is no text: Accel-Sim's traces are read as .traceg, not as .tracez");
        return WB_ERR_INPUT;
    }
    trace->source = (struct source){.name = trace->input.path, .text = trace->text, .size = size};
    struct trace_reader reader = {.scan = scanner_of(&trace->source, 0, diagnostics), .launch = launch};
    return read_head(&reader);
}

wb_status wb_launch_set_trace(wb_launch *launch, const char *path, wb_diagnostics *diagnostics) {
    char *text = NULL;
    size_t size = 0;
    WB_TRY(file_read(path, TRACE_BYTES_MAX, diagnostics, &text, &size));
    return launch_trace_parse(launch, path, text, size, diagnostics);
}
