/* Line tables made by hand: what each instruction of their programs does, what each thing that is wrong with
 * a table is called and where, and tables with far more rows than there is code, which take no more memory
 * than the file. (test_cubin_kernels has those that ptxas made.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "cubin/cubin.h"
#define MADE_SECTION_BYTES ((size_t)64 << 10)
#include "made_cubin.h"
#include "messages.h"

static struct made_cubin made;

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* A unit with folder d, and files k.cu and d/h.h, around a program. Line base is -5, line range 14. */
static void add_unit(uint8_t version, const uint8_t *program, size_t size) {
    const uint8_t header[] = {1,   1,   251, 14,  10, 0, 1, 1, 1,   1,   0,   0, 0, 1, 'd', 0, 0,
                              'k', '.', 'c', 'u', 0,  0, 0, 0, 'h', '.', 'h', 0, 1, 0, 0,   0};
    const uint32_t of_header = (uint32_t)sizeof header + (version == 4),
                   rest = 6 + of_header + (uint32_t)size;
    const uint8_t begin[] = {(uint8_t)rest,
                             (uint8_t)(rest >> 8),
                             (uint8_t)(rest >> 16),
                             0,
                             version,
                             0,
                             (uint8_t)of_header,
                             0,
                             0,
                             0};
    made_append(&made, MADE_LINES, begin, sizeof begin);
    made_append(&made, MADE_LINES, header, version == 4 ? 1 : 0);
    made_append(&made, MADE_LINES, header, sizeof header);
    made_append(&made, MADE_LINES, program, size);
}

/* The kernel has four instructions, and no line table yet. */
static void begin(void) {
    made_begin(&made);
    made.sections[MADE_LINES].sh_size = 0;
}

/* The lines as text: OFFSET/16 FILE:LINE:COLUMN, - where nothing is known. */
static char *lines_text(const struct cubin *cubin) {
    struct text text = {0};
    for (uint32_t i = 0; i < cubin->kernels[0].line_count; i++) {
        const struct cubin_line *line = &cubin->kernels[0].lines[i];
        text_printf(&text, "%s%u ", i == 0 ? "" : ", ", line->offset / 16);
        if (line->line == 0) text_printf(&text, "-");
        if (line->line != 0)
            text_printf(&text, "%s:%u:%u", line->file == CUBIN_NONE ? "?" : cubin->files[line->file],
                        line->line, line->column);
    }
    return text.data;
}

/* Reads the cubin, whose table leads to these lines and to a warning (NULL: none). */
static void check(const char *name, const char *lines, const char *warning) {
    struct cubin cubin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    made_end(&made);
    if (cubin_read("k.cubin", made.bytes, made.size, diagnostics, &cubin) != WB_OK)
        fail_msg("%s: %s", name, wb_diagnostics_text(diagnostics));
    char *found = lines_text(&cubin);
    const char *said = wb_diagnostics_text(diagnostics);
    if (strcmp(found == NULL ? "" : found, lines) != 0)
        fail_msg("%s: lines '%s', not '%s'", name, found, lines);
    if (warning == NULL ? said[0] != '\0' : strstr(said, warning) == NULL)
        fail_msg("%s: said '%s', not '%s'", name, said, warning);
    free(found);
    cubin_free(&cubin);
    wb_diagnostics_free(diagnostics);
}

/* ---- Programs ------------------------------------------------------------------------------------------ */

#define ADDRESS(a) 0, 9, 2, (a), 0, 0, 0, 0, 0, 0, 0

static const struct {
    const char *name;
    const uint8_t *program;
    size_t size;
    const char *lines;
    const char *warning; /* how it ends */
} programs[] = {
    {"copy, advance", BYTES(ADDRESS(0), 1, 2, 16, 3, 4, 1, 2, 16, 0, 1, 1), "0 k.cu:1:0, 1 k.cu:5:0, 2 -",
     NULL},
    {"line goes back", BYTES(3, 9, 1, 2, 16, 3, 0x7b, 1), "0 k.cu:10:0, 1 k.cu:5:0", NULL},
    {"special", BYTES(3, 9, 10 + 14 * 16 + 5 + 3), "1 k.cu:13:0", NULL},
    {"add the most", BYTES(8, 2, 15, 3, 6, 1), "2 k.cu:7:0", NULL},
    {"add fixed", BYTES(9, 32, 0, 3, 6, 1), "2 k.cu:7:0", NULL},
    {"file, column", BYTES(4, 2, 5, 0x81, 1, 1, 2, 16, 4, 1, 1), "0 d/h.h:1:129, 1 k.cu:1:129", NULL},
    {"no such file", BYTES(4, 0, 1, 2, 16, 4, 3, 1), "0 ?:1:0, 1 ?:1:0", NULL},
    {"says nothing of lines", BYTES(6, 7, 3, 1, 1), "0 k.cu:2:0", NULL},
    {"NVIDIA's own", BYTES(0, 4, 0x90, 1, 1, 1, 0, 2, 0x91, 9, 0, 2, 4, 1, 1), "0 k.cu:1:0", NULL},
    {"a file of the program", BYTES(0, 6, 3, 'x', 0, 1, 0, 0, 4, 3, 1), "0 d/x:1:0", NULL},
    {"a file with its path", BYTES(0, 7, 3, '/', 'x', 0, 1, 0, 0, 4, 3, 1), "0 /x:1:0", NULL},
    {"the last row holds", BYTES(1, 3, 4, 1), "0 k.cu:5:0", NULL},
    {"end and begin", BYTES(1, 2, 16, 0, 1, 1, ADDRESS(16), 3, 1, 1), "0 k.cu:1:0, 1 k.cu:2:0", NULL},
    {"begin and end", BYTES(ADDRESS(16), 3, 1, 1, 0, 1, 1, 1, 2, 16, 0, 1, 1), "0 k.cu:1:0, 1 k.cu:2:0",
     NULL},
    {"any order", BYTES(ADDRESS(32), 1, 0, 1, 1, 3, 1, 1), "0 k.cu:2:0, 2 k.cu:1:0", NULL},
    {"within an instruction", BYTES(2, 8, 1, 2, 0x80, 2, 1), "", NULL},
    {"lines without end", BYTES(3, 0x7f, 1, 2, 16, 3, 0x7f, 1), "0 -, 1 -", NULL},
    {"cut short", BYTES(1, 2, 16, 3), "0 k.cu:1:0", "is damaged at byte 47 of 47 (it is cut short)"},
    {"number without end", BYTES(1, 3, 0x80, 0x80), "0 k.cu:1:0", "at byte 47 of 47 (it is cut short)"},
    {"no length", BYTES(1, 0, 0), "0 k.cu:1:0", "at byte 46 of 46 (an instruction has no length)"},
    {"too long", BYTES(1, 0, 9, 2), "0 k.cu:1:0", "at byte 46 of 47 (it is cut short)"},
    {"address of 4 bytes", BYTES(1, 0, 5, 2, 16, 0, 0, 0), "0 k.cu:1:0",
     "(an address does not have 8 bytes)"},
    {"folder 2", BYTES(1, 0, 6, 3, 'x', 0, 2, 0, 0), "0 k.cu:1:0", "(a file is in a folder without name)"},
};

static void test_programs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        for (uint8_t version = 2; version <= (programs[i].warning == NULL ? 4 : 2); version++) {
            begin();
            add_unit(version, programs[i].program, programs[i].size);
            check(programs[i].name, programs[i].lines, programs[i].warning);
        }
    }
}

/* Of several units for the same instructions the lowest line is taken, whatever their order. */
static void test_units(void **state) {
    (void)state;
    for (int second = 0; second < 2; second++) {
        begin();
        if (second == 0) add_unit(2, BYTES(3, 4, 1, 2, 16, 1));
        add_unit(2, BYTES(3, 8, 1, 2, 32, 4, 2, 1));
        if (second == 1) add_unit(2, BYTES(3, 4, 1, 2, 16, 1));
        check("two units", "0 k.cu:5:0, 1 k.cu:5:0, 2 d/h.h:9:0", NULL);
    }
}

/* ---- Headers ------------------------------------------------------------------------------------------- */

static void test_headers(void **state) {
    (void)state;
    static const struct {
        size_t at; /* this byte of the table becomes */
        uint8_t byte;
        const char *warning;
    } headers[] = {
        {0, 99, "at byte 4 of 46 (it is cut short)"},
        {4, 5, "(its version is not 2, 3 or 4)"},
        {4, 1, "at byte 6 of 46 (its version is not"},
        {6, 99, "at byte 10 of 46 (it is cut short)"},
        {6, 5, "at byte 15 of 46 (it is cut short)"},
        {13, 0, "at byte 15 of 46 (its header has zeros)"},
        {14, 0, "(its header has zeros)"},
        {14, 200, "(it is cut short)"},
        {6, 20, "at byte 30 of 46 (a name has no end)"},
        {39, 7, "(a file is in a folder without name)"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        begin();
        add_unit(2, BYTES(3, 1, 1));
        made.contents[MADE_LINES][headers[i].at] = headers[i].byte;
        char name[30];
        (void)snprintf(name, sizeof name, "byte %zu is %u", headers[i].at, headers[i].byte);
        check(name, "", headers[i].warning);
    }
}

/* Any bytes behind the header: the reading ends, and lines are of instructions that are there. */
static void test_random_programs(void **state) {
    (void)state;
    struct random_state random = random_seeded(20261124);
    for (int i = 0; i < 2000; i++) {
        uint8_t program[200];
        struct cubin cubin;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        for (size_t b = 0; b < sizeof program; b++)
            program[b] = (uint8_t)(random_below(&random, 3) == 0 ? random_below(&random, 256)
                                                                 : random_below(&random, 12));
        begin();
        add_unit(2, program, sizeof program);
        made_end(&made);
        assert_int_equal(cubin_read("k.cubin", made.bytes, made.size, diagnostics, &cubin), WB_OK);
        assert_int_equal(wb_diagnostics_errors(diagnostics), 0);
        for (uint32_t l = 0; l < cubin.kernels[0].line_count; l++)
            assert_true(cubin.kernels[0].lines[l].offset % 16 == 0 && cubin.kernels[0].lines[l].offset < 64);
        cubin_free(&cubin);
        wb_diagnostics_free(diagnostics);
    }
}

/* 65,000 rows for four instructions, and 7,000 files. */
static void test_memory(void **state) {
    (void)state;
    static uint8_t rows[MADE_SECTION_BYTES - 100];
    for (int files = 0; files < 2; files++) {
        struct cubin cubin;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        if (files == 0) memset(rows, 16, sizeof rows);
        begin();
        add_unit(2, rows, sizeof rows);
        made_end(&made);
        assert_int_equal(cubin_read("k.cubin", made.bytes, made.size, diagnostics, &cubin), WB_OK);
        assert_true(cubin.kernels[0].line_count == 1);
        if (cubin.arena.used > 8 * made.size)
            fail_msg("%zu bytes for a file of %zu", cubin.arena.used, made.size);
        cubin_free(&cubin);
        wb_diagnostics_free(diagnostics);
        for (size_t i = 0; i < sizeof rows; i++)
            rows[i] = (const uint8_t[]){0, 6, 3, 'x', 0, 0, 0, 0, 1}[i % 9];
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),        cmocka_unit_test(test_units),  cmocka_unit_test(test_headers),
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
