/* Machine code made by hand that reads a parameter of each size from 1 to 40 at each offset from 8 to 23, in
 * units of 1, 2, 4 and 8 bytes, by constants and by an index as unoptimised code does: what it stores is what
 * the launch gave, also where a word lies in several parameters or beside them. Of the launch's own
 * constants, those of the grid barrier are refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MADE_SECTION_BYTES 4096
#include "../cubin/made_cubin.h"
#include "base/base.h"
#include "grid_execute.h"
#include "launch_text.h"
#include "warpbound.h"

#define BASE 0x160u /* of parameters, in bank 0 */
#define SIZE_MAX_TESTED 40u
#define FIRST_OFFSET 8u
#define LAST_OFFSET 23u

/* A parameter of `size` bytes at `offset`; what is between it and the pointer in front is one, too, or none.
 */
struct layout {
    uint32_t offset, size, unit;
    bool has_middle, indexed;
};

static void add_word(struct made_cubin *made, uint64_t low, uint64_t high) {
    const uint64_t word[2] = {low, high};
    made_append(made, MADE_CODE, word, sizeof word);
}

/* The width of accesses of so many bytes, unsigned. */
static uint64_t width_of(uint32_t bytes) {
    return bytes == 1 ? 0 : bytes == 2 ? 2 : bytes == 4 ? 4 : 5;
}

/* Units that code can read: small ones, and those read by an index, lie in one parameter, and a word begins
 * before the end of the last. */
static bool is_read(const struct layout *layout, uint32_t at) {
    const uint32_t first = layout->has_middle ? 8 : layout->offset;
    const bool crosses = at < layout->offset && at + layout->unit > layout->offset;
    const bool behind = at + layout->unit > layout->offset + layout->size;
    if (at + layout->unit <= first || at < 8) return false;
    if (layout->unit < 4 || layout->indexed) return !crosses && !behind && at >= first;
    return at + layout->unit < layout->offset + layout->size + 4;
}

/* MOV R2, R3: where to; then of each unit LDC R4, perhaps behind MOV R0, and STG at its offset. */
static void write_code(struct made_cubin *made, const struct layout *layout) {
    made->sections[MADE_CODE].sh_size = 0;
    add_word(made, 0x00027a02u | (uint64_t)BASE << 38, 0x000fe40000000f00u);
    add_word(made, 0x00037a02u | (uint64_t)(BASE + 4) << 38, 0x000fe40000000f00u);
    for (uint32_t at = 8; at < layout->offset + layout->size; at += layout->unit) {
        const uint64_t width = width_of(layout->unit) << 9;
        if (!is_read(layout, at)) continue;
        if (layout->indexed) add_word(made, 0x00007802u | (uint64_t)at << 32, 0x000fe40000000f00u);
        const uint64_t index = layout->indexed ? 0 : 0xff, constant = BASE + (layout->indexed ? 0 : at);
        add_word(made, 0x00047b82u | index << 24 | constant << 38, 0x000fe20000000000u | width);
        add_word(made, 0x02007386u | UINT64_C(4) << 32 | (uint64_t)at << 40, 0x000fe2000010e100u | width);
    }
    add_word(made, 0x0000794du, 0x000fea0003800000u);
}

static void add_parameter(struct made_cubin *made, uint32_t ordinal, uint32_t offset, uint32_t size) {
    MADE_RECORD(made, MADE_INFO, 0x17, 0, ordinal | offset << 16, size << 18 | 0x1f000);
}

/* Makes both functions of the file as long as its code. */
static void cover_code(struct made_cubin *made) {
    for (enum made_symbol s = MADE_KERNEL; s <= MADE_FUNCTION; s++) {
        Elf64_Sym symbol = made_get_symbol(made, s);
        symbol.st_value = 0;
        symbol.st_size = made->sections[MADE_CODE].sh_size;
        made_set_symbol(made, s, symbol);
    }
}

static void make(struct made_cubin *made, const struct layout *layout) {
    made_begin(made);
    made->header.e_flags = 0x6004b04; /* sm_75: no cache policies */
    write_code(made, layout);
    cover_code(made);
    made->sections[MADE_INFO].sh_size = 0;
    MADE_RECORD(made, MADE_INFO, 0x0a, 0, (layout->offset + layout->size) << 16 | BASE);
    add_parameter(made, 0, 0, 8);
    if (layout->has_middle) add_parameter(made, 1, 8, layout->offset - 8);
    add_parameter(made, 2, layout->offset, layout->size);
    made_end(made);
}

/* An argument of bytes, numbered from `first` on; no number is 0. */
static wb_status add_bytes(wb_launch *launch, uint32_t first, uint32_t size, wb_diagnostics *diagnostics) {
    char text[16 + 2 * SIZE_MAX_TESTED];
    size_t length = (size_t)text_format(text, sizeof text, size == 1 ? "b8:0x" : "bytes:");
    const bool number = size == 1 || size == 2 || size == 4 || size == 8;
    if (number) length = (size_t)text_format(text, sizeof text, "b%u:0x", size * 8);
    for (uint32_t i = 0; i < size; i++)
        length += (size_t)text_format(text + length, sizeof text - length, "%02x",
                                      first + (number ? size - 1 - i : i));
    return wb_launch_add_argument(launch, text, diagnostics);
}

static void assert_stored(const struct layout *layout, const uint8_t *bytes, const uint8_t *known) {
    for (uint32_t at = 8; at < layout->offset + layout->size; at += layout->unit)
        for (uint32_t i = at; is_read(layout, at) && i < at + layout->unit; i++) {
            const bool none =
                i >= layout->offset + layout->size || (!layout->has_middle && i < layout->offset);
            const uint32_t expected = none ? 0 : i + 1;
            if (bytes[i] == expected && (known[i / 8] >> i % 8 & 1) != 0) continue;
            fail_msg("%u bytes at %u in units of %u, %s, %s: byte %u is 0x%02x, not 0x%02x", layout->size,
                     layout->offset, layout->unit, layout->has_middle ? "something before" : "a gap before",
                     layout->indexed ? "by an index" : "by constants", i, bytes[i], expected);
        }
}

static void check(const struct layout *layout) {
    static struct made_cubin made;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    uint8_t *bytes = NULL, *known = NULL;
    size_t size = 0;
    make(&made, layout);
    wb_status status =
        wb_module_parse("made.cubin", (const char *)made.bytes, made.size, diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, "k", diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(launch, "1", diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, "1", diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, "buf:u8[128]=zero", diagnostics);
    if (status == WB_OK && layout->has_middle) status = add_bytes(launch, 9, layout->offset - 8, diagnostics);
    if (status == WB_OK) status = add_bytes(launch, layout->offset + 1, layout->size, diagnostics);
    if (status == WB_OK) status = grid_execute(kernel, launch, 0, diagnostics, &bytes, &known, &size);
    if (status != WB_OK)
        fail_msg("%u bytes at %u in units of %u: %s", layout->size, layout->offset, layout->unit,
                 wb_diagnostics_text(diagnostics));
    assert_stored(layout, bytes, known);
    free(bytes);
    free(known);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

static void parameters_of_every_size_at_every_offset(void **state) {
    (void)state;
    for (uint32_t offset = FIRST_OFFSET; offset <= LAST_OFFSET; offset++)
        for (uint32_t size = 1; size <= SIZE_MAX_TESTED; size++)
            for (uint32_t unit = 1; unit <= 8; unit *= 2)
                for (uint32_t way = 0; way < 4; way++) {
                    const struct layout layout = {offset, size, unit, (way & 1) != 0, way >= 2};
                    if (!layout.has_middle || offset > 8) check(&layout);
                }
}

/* MOV R2 of one constant in front of the parameters: whether the kernel is refused for the grid barrier. */
static bool reads_grid_barrier(uint32_t sm, uint32_t offset) {
    static struct made_cubin made;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    char *text = NULL;
    made_begin(&made);
    made.header.e_flags = 0x6000004 | sm << 8;
    made.sections[MADE_CODE].sh_size = 0;
    add_word(&made, 0x00027a02u | (uint64_t)offset << 38, 0x000fe40000000f00u);
    add_word(&made, 0x0000794du, 0x000fea0003800000u);
    cover_code(&made);
    made_end(&made);
    wb_status status =
        wb_module_parse("made.cubin", (const char *)made.bytes, made.size, diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, "k", diagnostics, &kernel);
    if (status == WB_OK) status = wb_kernel_cfg(kernel, NULL, WB_CFG_TEXT, diagnostics, &text);
    free(text);
    const bool named = strstr(wb_diagnostics_text(diagnostics), "the grid barrier (grid.sync)") != NULL;
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return named;
}

static void grid_barriers_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t sm, first;
    } barriers[] = {{75, 0x90}, {80, 0x90}, {86, 0x90}, {89, 0x90}, {90, 0x44}};
    for (size_t b = 0; b < sizeof barriers / sizeof *barriers; b++)
        for (uint32_t offset = 0; offset < BASE; offset += 4)
            assert_int_equal(reads_grid_barrier(barriers[b].sm, offset),
                             offset == barriers[b].first || offset == barriers[b].first + 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_of_every_size_at_every_offset),
        cmocka_unit_test(grid_barriers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
