/* Files that are no cubin, or damaged: made by hand, cut short and with bytes changed. Each ends with one
 * error, and whatever is read of it lies within the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/containers.h"
#include "base/files.h"
#include "cubin/cubin.h"
#include "cubin_sum.h"
#include "made_cubin.h"
#include "messages.h"

static wb_status read_made(const struct made_cubin *made, wb_diagnostics *diagnostics, struct cubin *cubin) {
    return cubin_read("k.cubin", made->bytes, made->size, diagnostics, cubin);
}

static void test_as_it_should_be(void **state) {
    (void)state;
    struct made_cubin made;
    struct cubin cubin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    made_begin(&made);
    made_end(&made);
    assert_int_equal(read_made(&made, diagnostics, &cubin), WB_OK);
    assert_string_equal(wb_diagnostics_text(diagnostics), "");
    assert_int_equal(cubin.sm, 86);
    assert_int_equal(cubin.kernel_count, 1);
    const struct cubin_kernel *kernel = &cubin.kernels[0];
    assert_string_equal(kernel->name, "k");
    assert_int_equal(kernel->registers, 24);
    assert_int_equal(kernel->stack_bytes, 16);
    assert_int_equal(kernel->shared_bytes, 256);
    assert_int_equal(kernel->param_base, 0x160);
    assert_int_equal(kernel->param_count, 1);
    assert_int_equal(kernel->params[0].bytes, 8);
    assert_int_equal(kernel->internal_count, 1);
    assert_int_equal(kernel->internals[0].offset, 32);
    assert_int_equal(cubin.symbol_count, 1);
    assert_memory_equal(cubin.symbols[0].init, "abcd", 4);
    assert_int_equal(cubin.address_count, 1);
    assert_int_equal(cubin.addresses[0].bank, 4);
    assert_int_equal(cubin.addresses[0].symbol, 0);
    assert_int_equal(cubin.file_count, 1);
    assert_string_equal(cubin.files[0], "k.cu");
    assert_int_equal(kernel->line_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t lines[] = {7, 9, 0};
        assert_int_equal(kernel->lines[i].offset, 16 * i);
        assert_int_equal(kernel->lines[i].line, lines[i]);
    }
    cubin_free(&cubin);
    wb_diagnostics_free(diagnostics);
}

/* ---- One thing wrong ----------------------------------------------------------------------------------- */

static void class_32(struct made_cubin *made) {
    made->header.e_ident[EI_CLASS] = ELFCLASS32;
}

static void of_x86(struct made_cubin *made) {
    made->header.e_machine = EM_X86_64;
}

static void big_endian(struct made_cubin *made) {
    made->header.e_ident[EI_DATA] = ELFDATA2MSB;
}

static void next_version(struct made_cubin *made) {
    made->header.e_ident[EI_ABIVERSION] = 9;
}

static void volta(struct made_cubin *made) {
    made->header.e_flags = 0x6004604;
}

static void volta_of_old_tools(struct made_cubin *made) {
    made->header.e_ident[EI_ABIVERSION] = 7;
    made->header.e_flags = 0x460546;
}

static void relocatable(struct made_cubin *made) {
    made->header.e_type = ET_REL;
}

static void core_file(struct made_cubin *made) {
    made->header.e_type = ET_CORE;
}

static void no_sections(struct made_cubin *made) {
    made->header.e_shnum = 0;
}

static void many_sections(struct made_cubin *made) {
    made->header.e_shnum = 65000;
}

static void far_sections(struct made_cubin *made) {
    made->header.e_shoff = UINT64_MAX - 8;
}

static void small_headers(struct made_cubin *made) {
    made->header.e_shentsize = 40;
}

static void names_elsewhere(struct made_cubin *made) {
    made->header.e_shstrndx = MADE_CODE;
}

static void name_outside(struct made_cubin *made) {
    made->sections[MADE_CODE].sh_name = 4000;
}

static void section_outside(struct made_cubin *made) {
    made->sections[MADE_CODE].sh_offset = 1u << 20;
}

static void section_too_long(struct made_cubin *made) {
    made->sections[MADE_GLOBAL].sh_size = UINT64_MAX;
}

static void no_symbols(struct made_cubin *made) {
    made->sections[MADE_SYMBOLS].sh_type = SHT_PROGBITS;
}

static void two_tables(struct made_cubin *made) {
    made->sections[MADE_GLOBAL].sh_type = SHT_SYMTAB;
}

static void broken_symbols(struct made_cubin *made) {
    made->sections[MADE_SYMBOLS].sh_size -= 1;
}

static void symbol_without_name(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_VARIABLE);
    symbol.st_name = 9999;
    made_set_symbol(made, MADE_VARIABLE, symbol);
}

static void symbol_nowhere(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_VARIABLE);
    symbol.st_shndx = 77;
    made_set_symbol(made, MADE_VARIABLE, symbol);
}

static void names_without_end(struct made_cubin *made) {
    made->contents[MADE_NAMES][made->sections[MADE_NAMES].sh_size - 1] = 'x';
}

static void variable_outside(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_VARIABLE);
    symbol.st_value = 9;
    made_set_symbol(made, MADE_VARIABLE, symbol);
}

static void function_outside(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_FUNCTION);
    symbol.st_size = 48;
    made_set_symbol(made, MADE_FUNCTION, symbol);
}

static void kernel_in_the_middle(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_KERNEL);
    symbol.st_value = 16;
    made_set_symbol(made, MADE_KERNEL, symbol);
}

static void half_an_instruction(struct made_cubin *made) {
    made->sections[MADE_CODE].sh_size = 72;
}

static void kernel_without_code(struct made_cubin *made) {
    made->sections[MADE_CODE].sh_type = SHT_NOBITS;
}

static void two_kernels_in_one(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_FUNCTION);
    symbol.st_other = 0x10;
    made_set_symbol(made, MADE_FUNCTION, symbol);
}

static void kernel_without_name(struct made_cubin *made) {
    Elf64_Sym symbol = made_get_symbol(made, MADE_KERNEL);
    symbol.st_name = 0;
    made_set_symbol(made, MADE_KERNEL, symbol);
}

static void overlapping(struct made_cubin *made) {
    made->sections[MADE_CODE].sh_offset = 16;
    made->sections[MADE_CODE].sh_size = 1200;
}

static void half_a_record(struct made_cubin *made) {
    made->sections[MADE_INFO].sh_size -= 1;
}

static void piece_of_a_record(struct made_cubin *made) {
    made_append(made, MADE_INFO, "\4\27", 2);
}

static void format_unknown(struct made_cubin *made) {
    made_append(made, MADE_INFO, "\11\27\0\0", 4);
}

static void short_record(struct made_cubin *made) {
    MADE_RECORD(made, MADE_INFO, 0x17, 0, 0);
}

static void param_twice(struct made_cubin *made) {
    MADE_RECORD(made, MADE_INFO, 0x17, 0, 0, 0x21f000);
}

static void param_too_large(struct made_cubin *made) {
    MADE_RECORD(made, MADE_INFO, 0x17, 0, 8u << 16 | 1, 0x21f000);
}

static void branch_outside(struct made_cubin *made) {
    MADE_RECORD(made, MADE_INFO, 0x34, 16, 0, 2, 32, 64);
}

static void branch_nowhere(struct made_cubin *made) {
    MADE_RECORD(made, MADE_INFO, 0x34, 16, 0, UINT32_MAX, 32);
}

static void extern_unknown(struct made_cubin *made) {
    MADE_RECORD(made, MADE_INFO, 0x0f, 44);
}

static void attribute_of_nobody(struct made_cubin *made) {
    MADE_RECORD(made, MADE_FILE_INFO, 0x2f, 1000, 8);
}

static void registers_too_many(struct made_cubin *made) {
    MADE_RECORD(made, MADE_FILE_INFO, 0x2f, MADE_KERNEL, 70000);
}

static void relocation_outside(struct made_cubin *made) {
    const Elf64_Rel relocation = {.r_offset = 1, .r_info = ELF64_R_INFO(MADE_VARIABLE, 2)};
    made_append(made, MADE_RELOCATIONS, &relocation, sizeof relocation);
}

static void relocation_of_nobody(struct made_cubin *made) {
    const Elf64_Rel relocation = {.r_offset = 0, .r_info = ELF64_R_INFO(MADE_SYMBOL_COUNT, 2)};
    made_append(made, MADE_RELOCATIONS, &relocation, sizeof relocation);
}

static const struct damage {
    void (*change)(struct made_cubin *made);
    const char *message; /* the first words behind "k.cubin: error: " */
} damages[] = {
    {class_32, "this is machine code of a GPU with 32-bit addresses"},
    {of_x86, "this is an ELF file, but holds no machine code of an NVIDIA GPU (its machine is 62, not 190)"},
    {big_endian, "this is an ELF file, but holds no machine code of an NVIDIA GPU"},
    {next_version, "this is machine code of a GPU in version 9 of its file format"},
    {volta, "this is machine code for sm_70, which cannot be read"},
    {volta_of_old_tools, "this is machine code for sm_70, which cannot be read"},
    {relocatable, "this machine code is not linked yet"},
    {core_file, "a GPU cannot run this cubin: its ELF type is 4"},
    {no_sections, "this cubin has no sections"},
    {many_sections, "this cubin is cut short: its table of 65000 sections"},
    {far_sections, "this cubin is cut short: its table of 12 sections"},
    {small_headers, "this cubin is damaged: its section headers have 40 bytes"},
    {names_elsewhere, "this cubin is damaged: section 1 has no name"},
    {name_outside, "this cubin is damaged: section 6 has no name"},
    {section_outside, "this cubin is cut short: section 6 of 64 bytes at byte 1048576"},
    {section_too_long, "this cubin is cut short: section 8"},
    {no_symbols, "this cubin has no table of symbols"},
    {two_tables, "this cubin is damaged: it has two tables of symbols"},
    {broken_symbols, "this cubin is damaged: its table of symbols has 95 bytes"},
    {symbol_without_name, "this cubin is damaged: symbol 3 has no name"},
    {symbol_nowhere, "this cubin is damaged: symbol 'table' is in section 77 of 12"},
    {names_without_end, "this cubin is damaged: symbol 0 has no name"},
    {variable_outside, "this cubin is damaged: variable 'table', 4 bytes at 9, is not within the 12 bytes"},
    {function_outside, "this cubin is damaged: function '$k$f' is not within kernel 'k'"},
    {kernel_in_the_middle, "this cubin is damaged: kernel 'k' begins at byte 16"},
    {half_an_instruction, "this cubin is damaged: kernel 'k' begins at byte 0 of a section of 72 bytes"},
    {kernel_without_code, "this cubin has no code for kernel 'k'"},
    {two_kernels_in_one, "this cubin is damaged: two kernels are in section 6"},
    {kernel_without_name, "this cubin is damaged: a kernel has no name"},
    {overlapping, "this cubin is damaged: its sections overlap"},
    {half_a_record, "this cubin is damaged: '.nv.info.k' ends within a record of 12 bytes"},
    {piece_of_a_record, "this cubin is damaged: '.nv.info.k' ends within a record"},
    {format_unknown, "this cubin is damaged: '.nv.info.k' has a record of unknown format 9 at byte 28"},
    {short_record, "this cubin is damaged: its attribute 0x17 has only 8 bytes"},
    {param_twice, "this cubin is damaged: parameter 0 of kernel 'k'"},
    {param_too_large, "this cubin is damaged: parameter 1 of kernel 'k', 8 bytes at 8"},
    {branch_outside, "this cubin is damaged: the table of the branch at 0x0010 of kernel 'k'"},
    {branch_nowhere, "this cubin is damaged: the table of the branch at 0x0010 of kernel 'k'"},
    {extern_unknown, "this cubin is damaged: a kernel calls symbol 44 of 4"},
    {attribute_of_nobody, "this cubin is damaged: its attributes name symbol 1000 of 4"},
    {registers_too_many, "this cubin is damaged: kernel 'k' has 70000 registers a thread"},
    {relocation_outside, "this cubin is damaged: relocation 1 of '.rel.nv.constant4' is for byte 1 of 8"},
    {relocation_of_nobody, "this cubin is damaged: relocation 1 of '.rel.nv.constant4' is for byte 0 of 8"},
};

static void test_one_thing_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct made_cubin made;
        struct cubin cubin;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        char expected[256];
        made_begin(&made);
        damages[i].change(&made);
        made_end(&made);
        (void)snprintf(expected, sizeof expected, "k.cubin: error: %s", damages[i].message);
        if (read_made(&made, diagnostics, &cubin) != WB_ERR_INPUT ||
            strncmp(wb_diagnostics_text(diagnostics), expected, strlen(expected)) != 0)
            fail_msg("expected: %s\ngot: %s", expected, wb_diagnostics_text(diagnostics));
        assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
        cubin_free(&cubin);
        wb_diagnostics_free(diagnostics);
    }
}

/* A line table that contradicts itself costs the lines, not the code. */
static void test_damaged_lines(void **state) {
    (void)state;
    struct made_cubin made;
    struct cubin cubin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    made_begin(&made);
    made.contents[MADE_LINES][0] = 200;
    made_end(&made);
    assert_int_equal(read_made(&made, diagnostics, &cubin), WB_OK);
    assert_int_equal(cubin.kernels[0].line_count, 0);
    assert_non_null(
        strstr(wb_diagnostics_text(diagnostics), "warning: its line table '.debug_line' is damaged"));
    cubin_free(&cubin);
    wb_diagnostics_free(diagnostics);
}

/* ---- Cut short, and changed ---------------------------------------------------------------------------- */

/* Reads a copy of the bytes that ends where they do. */
static wb_status read_changed(const char *bytes, size_t size, const char *what) {
    struct cubin cubin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) fail();
    memcpy(copy, bytes, size);
    const wb_status status = cubin_read("k.cubin", copy, size, diagnostics, &cubin);
    if (wb_diagnostics_errors(diagnostics) != (status == WB_OK ? 0 : 1))
        fail_msg("%s: status %d, %s", what, (int)status, wb_diagnostics_text(diagnostics));
    if (status == WB_OK) assert_true(cubin_sum(&cubin) > 0);
    cubin_free(&cubin);
    free(copy);
    wb_diagnostics_free(diagnostics);
    return status;
}

static const char *const committed[] = {"kernels/cubin/integer_mix.sm_75.cubin",
                                        "kernels/cubin/fir.sm_90.cubin", "kernels/cubin/horner.sm_86.cubin",
                                        "kernels/cubin/o1/components.sm_87.cubin"};
enum { COMMITTED = sizeof committed / sizeof *committed };

static char *read_committed(size_t index, size_t *size) {
    char *bytes = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(file_read(committed[index], (size_t)1 << 20, diagnostics, &bytes, size), WB_OK);
    wb_diagnostics_free(diagnostics);
    return bytes;
}

static void test_cut_short(void **state) {
    (void)state;
    for (size_t i = 0; i < COMMITTED; i++) {
        size_t size = 0;
        char *bytes = read_committed(i, &size);
        for (size_t cut = 0; cut < size; cut += cut < 256 ? 1 : 61)
            assert_int_equal(read_changed(bytes, cut, committed[i]), WB_ERR_INPUT);
        free(bytes);
    }
}

/* Numbers that bytes are changed to are rather small or large. */
static void test_changed(void **state) {
    (void)state;
    struct random_state random = random_seeded(19);
    for (size_t i = 0; i < COMMITTED; i++) {
        size_t size = 0;
        char *bytes = read_committed(i, &size);
        char *changed = malloc(size);
        if (changed == NULL) fail();
        for (int round = 0; round < 3000; round++) {
            static const char values[] = {0, 1, 2, 4, 16, 127, -128, -1};
            char what[128];
            memcpy(changed, bytes, size);
            for (uint64_t change = random_below(&random, 4) + 1; change > 0; change--) {
                /* Headers of sections are at the end, and most is code. */
                const bool header = random_below(&random, 3) > 0;
                const size_t at = (size_t)random_below(&random, header ? 1500 : size);
                changed[header ? size - 1 - at : at] = random_below(&random, 2) == 0
                                                           ? (char)random_below(&random, 256)
                                                           : values[random_below(&random, sizeof values)];
            }
            (void)snprintf(what, sizeof what, "%s, round %d", committed[i], round);
            (void)read_changed(changed, size, what);
        }
        free(changed);
        free(bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_should_be), cmocka_unit_test(test_one_thing_wrong),
        cmocka_unit_test(test_damaged_lines),   cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
