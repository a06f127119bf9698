/* Containers, archives and files of the host that are damaged or made to do harm: each ends with one error
 * that says what is wrong, soon, and with bounded memory. */
#include <elf.h>
#include <lz4frame.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/containers.h"
#include "fatbin/fatbin.h"
#include "made_fatbin.h"
#include "messages.h"

/* Unpacks all images, up to one that is damaged. */
static wb_status unpack_all(const struct fatbin *fatbin, wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < fatbin->image_count; i++) {
        char *bytes = NULL;
        size_t size = 0;
        WB_TRY(fatbin_unpack("k.o", fatbin, i, diagnostics, &bytes, &size));
        assert_int_equal(size, fatbin->images[i].bytes);
        (void)hash_bytes(bytes, size + 1);
        free(bytes);
    }
    return WB_OK;
}

/* The file, or an image in it, is refused with that in its message; NULL: it is read, with so many images. */
static void check(const void *bytes, size_t size, const char *message, size_t images) {
    struct fatbin fatbin;
    uint8_t *copy = malloc(size); /* without a byte behind its end, for sanitizers */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_status status = fatbin_read("k.o", copy, size, diagnostics, &fatbin);
    if (status == WB_OK) status = unpack_all(&fatbin, diagnostics);
    const char *text = wb_diagnostics_text(diagnostics);
    assert_int_equal(status != WB_OK, message != NULL);
    assert_int_equal(wb_diagnostics_errors(diagnostics), message != NULL);
    if (message != NULL && strstr(text, message) == NULL) fail_msg("'%s' is not in: %s", message, text);
    if (status == WB_OK) assert_int_equal(fatbin.image_count, images);
    fatbin_free(&fatbin);
    wb_diagnostics_free(diagnostics);
    free(copy);
}

/* ---- Containers ---------------------------------------------------------------------------------------- */

static void test_as_it_should_be(void **state) {
    (void)state;
    struct made_fatbin made;
    struct fatbin fatbin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    made_usual(&made);
    assert_int_equal(fatbin_read("k.o", made.bytes, made.size, diagnostics, &fatbin), WB_OK);
    assert_int_equal(fatbin.image_count, 2);
    static const char *const texts[] = {"// text", MADE_TEXT};
    for (size_t i = 0; i < 2; i++) {
        char *bytes;
        size_t size;
        assert_int_equal(fatbin_unpack("k.o", &fatbin, i, diagnostics, &bytes, &size), WB_OK);
        assert_string_equal(bytes, texts[i]);
        free(bytes);
    }
    fatbin_free(&fatbin);
    wb_diagnostics_free(diagnostics);
}

/* One number of the usual container changed: of the container (entry -1), or of an entry. */
static void test_one_thing_wrong(void **state) {
    (void)state;
    static const struct {
        int entry;
        size_t at, size;
        uint64_t value;
        const char *message;
    } cases[] = {
        {-1, 4, 2, 2, "in version 2 of its container"},
        {-1, 6, 2, 15, "of its container"},
        {-1, 6, 2, 0xffff, "cut short or damaged: the header of a container"},
        {-1, 8, 8, UINT64_MAX, "cut short or damaged: a container"},
        {-1, 8, 8, UINT64_MAX - 15, "cut short or damaged: a container"},
        {0, 0x04, 4, 63, "an entry's header has 63 bytes"},
        {0, 0x04, 4, 0, "an entry's header has 0 bytes"},
        {0, 0x04, 4, UINT32_MAX, "an entry's header of 4294967295 bytes"},
        {0, 0x08, 8, UINT64_MAX, "an image of 18446744073709551615 bytes"},
        {0, 0x10, 4, 4, "how an image is compressed contradicts itself"},
        {0, 0x28, 8, 0x2001, "how an image is compressed contradicts itself"},
        {0, 0x20, 4, 65, "a name of 0 bytes at byte 65"},
        {0, 0x20, 4, UINT32_MAX, "a name"},
        {1, 0x10, 4, 1000, "a compressed image of 1000 bytes"},
        {1, 0x10, 4, 11, "does not unpack to 55"},
        {1, 0x28, 8, 0xa001, "how an image is compressed contradicts itself"},
        {1, 0x28, 8, 0x8001, "compressed with zstd, does not unpack to 55"},
        {1, 0x38, 8, 54, "does not unpack to 54"},
        {1, 0x38, 8, 56, "does not unpack to 56"},
        {1, 0x38, 8, 0, "does not unpack to 0"},
        {1, 0x38, 8, UINT64_MAX, "which is too much"},
        {1, 0x38, 8, 65u << 20, "which is too much"}, /* of a small file */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct made_fatbin made;
        made_usual(&made);
        const size_t start = cases[c].entry < 0 ? 0 : made.entries[cases[c].entry];
        made_put(&made, start + cases[c].at, cases[c].value, cases[c].size);
        check(made.bytes, made.size, cases[c].message, 0);
    }
}

/* What is neither PTX nor machine code is named and left packed, whatever its sizes are. */
static void test_other_kinds(void **state) {
    (void)state;
    static const struct {
        uint64_t kind, flags;
        const char *name;
    } cases[] = {{8, 0x1, "lto_86"},
                 {64, 0x8001, "other_86"},
                 {2, 0x10001, "other_86"},
                 {1, 0x100001, "compute_86a"},
                 {1, 0x200001, "compute_86f"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct made_fatbin made;
        struct fatbin fatbin;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        made_usual(&made);
        made_put(&made, made.entries[0], cases[c].kind, 2);
        made_put(&made, made.entries[0] + 0x28, cases[c].flags, 8);
        assert_int_equal(fatbin_read("k.o", made.bytes, made.size, diagnostics, &fatbin), WB_OK);
        assert_string_equal(fatbin.images[0].name, cases[c].name);
        fatbin_free(&fatbin);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_lz4_frame(void **state) {
    (void)state;
    struct made_fatbin made;
    char text[300], packed[400];
    memset(text, 'x', sizeof text);
    const size_t size = LZ4F_compressFrame(packed, sizeof packed, text, sizeof text, NULL);
    assert_false(LZ4F_isError(size));
    for (size_t wanted = sizeof text - 1; wanted <= sizeof text + 1; wanted++) {
        made_start(&made);
        made_entry(&made, 1, 0x2001, packed, size, wanted);
        made_end(&made);
        check(made.bytes, made.size, wanted == sizeof text ? NULL : "does not unpack to", 1);
    }
}

/* Names of others are shown on terminals. */
static void test_names_are_printable(void **state) {
    (void)state;
    static const char name[] = "a\x1b[2J\n.cu";
    struct made_fatbin made;
    struct fatbin fatbin;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    made_start(&made);
    made_entry(&made, 1, 0x1, "// text", 7, 0);
    made_put(&made, MADE_HEADER + 0x04, MADE_ENTRY + 8, 4); /* the content becomes the name */
    made_put(&made, MADE_HEADER + 0x08, 0, 8);
    made_put(&made, MADE_HEADER + 0x20, MADE_ENTRY, 4);
    made_put(&made, MADE_HEADER + 0x24, 8, 4);
    memcpy(made.bytes + MADE_HEADER + MADE_ENTRY, name, 8);
    made_end(&made);
    assert_int_equal(fatbin_read("k.o", made.bytes, made.size, diagnostics, &fatbin), WB_OK);
    assert_string_equal(fatbin.images[0].unit, "a\\x1b[2J\\n.c");
    fatbin_free(&fatbin);
    wb_diagnostics_free(diagnostics);
}

/* Work and memory grow with the file, not with its square. */
static void test_many(void **state) {
    (void)state;
    struct made_fatbin made;
    const size_t count = 1000000;
    made_start(&made);
    uint8_t *file = calloc(count + 1, MADE_HEADER);
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        memcpy(file + i * MADE_HEADER, made.bytes, MADE_HEADER);
    check(file, count * MADE_HEADER, NULL, 0);
    const size_t entries = count * MADE_HEADER / MADE_ENTRY - 1;
    memset(file + MADE_HEADER, 0, (count - 1) * MADE_HEADER);
    for (size_t i = 0; i < entries; i++)
        file[MADE_HEADER + i * MADE_ENTRY + 4] = MADE_ENTRY;
    for (size_t b = 0; b < 8; b++)
        file[8 + b] = (uint8_t)((uint64_t)(entries * MADE_ENTRY) >> 8 * b);
    check(file, count * MADE_HEADER, "more than 65536 images", 0);
    free(file);
}

static void test_random_bytes(void **state) {
    (void)state;
    struct random_state random = random_seeded(38);
    for (unsigned round = 0; round < 20000; round++) {
        struct made_fatbin made;
        struct fatbin fatbin;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        made_usual(&made);
        for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--)
            made.bytes[random_below(&random, made.size)] = (uint8_t)random_next(&random);
        const wb_status status = fatbin_read("k.o", made.bytes, made.size, diagnostics, &fatbin);
        if (wb_diagnostics_errors(diagnostics) != (status != WB_OK)) fail_msg("seed 38, round %u", round);
        if (status == WB_OK) (void)unpack_all(&fatbin, diagnostics);
        if (status == WB_OK) fatbin_free(&fatbin);
        wb_diagnostics_free(diagnostics);
    }
}

/* ---- Archives ------------------------------------------------------------------------------------------ */

static void put_member(struct text *archive, const char *name, const char *size, const void *content,
                       size_t bytes) {
    text_printf(archive, "%-16s%-12d%-6d%-6d%-8d%-10s`\n", name, 0, 0, 0, 644, size);
    text_append(archive, content, bytes);
    if (archive->length % 2 == 1) text_char(archive, '\n');
}

static void test_archives(void **state) {
    (void)state;
    struct made_fatbin made;
    made_usual(&made);
    static const struct {
        const char *name, *size, *message;
        size_t images;
    } cases[] = {
        {"k.o/", NULL, NULL, 2},
        {"/3", NULL, NULL, 2},
        {"k.o/", "1x", "the size in a member's header is no number", 0},
        {"k.o/", "", "the size in a member's header is no number", 0},
        {"k.o/", "-1", "the size in a member's header is no number", 0},
        {"k.o/", "0x10", "the size in a member's header is no number", 0},
        {"k.o/", "9999999999", "cut short or damaged: a member of 9999999999 bytes", 0},
        {"k.o/", "1", NULL, 0},
        {"/99", NULL, "the name of a member is not there", 0},
        {"/x", NULL, "the place of a name in a member's header is no number", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct text archive = {0};
        char size[32];
        (void)text_format(size, sizeof size, "%zu", made.size);
        text_string(&archive, "!<arch>\n");
        put_member(&archive, "//", "12", "x/\nlong.o/\n\n", 12);
        const size_t kept = cases[c].size != NULL && strcmp(cases[c].size, "1") == 0 ? 1 : made.size;
        put_member(&archive, cases[c].name, cases[c].size != NULL ? cases[c].size : size, made.bytes, kept);
        check(archive.data, archive.length, cases[c].message, cases[c].images);
        text_free(&archive);
    }
    check("!<thin>\nk.o/", 12, "a thin archive holds the names of its members alone", 0);
    check("!<arch>\nk.o/", 12, "cut short or damaged: a member's header", 0);
}

static void test_nested_archives(void **state) {
    (void)state;
    struct made_fatbin made;
    struct text inner = {0};
    made_usual(&made);
    text_append(&inner, (const char *)made.bytes, made.size);
    for (unsigned depth = 1; depth <= 5; depth++) {
        struct text outer = {0};
        char size[32];
        (void)text_format(size, sizeof size, "%zu", inner.length);
        text_string(&outer, "!<arch>\n");
        put_member(&outer, "k.a/", size, inner.data, inner.length);
        check(outer.data, outer.length, depth <= 4 ? NULL : "archives are nested too deep", 2);
        text_free(&inner);
        inner = outer;
    }
    text_free(&inner);
}

/* ---- ELF files of the host ----------------------------------------------------------------------------- */

/* A file with the usual container in a section. */
struct host_file {
    Elf64_Ehdr header;
    Elf64_Shdr sections[4]; /* none, names, containers, another of them */
    char names[64];
    struct made_fatbin made;
};

static struct host_file host_file(void) {
    static const char names[] = "\0.nv_fatbin\0.shstrtab";
    struct host_file file = {
        .header = {.e_machine = EM_X86_64,
                   .e_type = ET_REL,
                   .e_shoff = offsetof(struct host_file, sections),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 3,
                   .e_shstrndx = 1},
        .sections = {
            [1] = {.sh_name = 12,
                   .sh_type = SHT_STRTAB,
                   .sh_offset = offsetof(struct host_file, names),
                   .sh_size = sizeof names},
            [2] = {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = offsetof(struct host_file, made)}}};
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    memcpy(file.names, names, sizeof names);
    made_usual(&file.made);
    file.sections[2].sh_size = file.made.size;
    file.sections[3] = file.sections[2];
    return file;
}

static void of_32_bits(struct host_file *file) {
    file->header.e_ident[EI_CLASS] = ELFCLASS32;
}

static void other_headers(struct host_file *file) {
    file->header.e_shentsize = 40;
}

static void table_past_end(struct host_file *file) {
    file->header.e_shoff = UINT64_MAX;
}

static void very_many(struct host_file *file) {
    file->header.e_shnum = 0;
    file->sections[0].sh_size = UINT64_MAX / sizeof(Elf64_Shdr) + 2;
}

static void section_past_end(struct host_file *file) {
    file->sections[2].sh_size = UINT64_MAX;
}

static void twice(struct host_file *file) {
    file->header.e_shnum = 4;
    file->sections[3].sh_size = file->sections[2].sh_size = MADE_ROOM;
}

static void compressed(struct host_file *file) {
    file->sections[2].sh_flags = SHF_COMPRESSED;
}

static void no_container(struct host_file *file) {
    file->made.bytes[0] = 1;
}

static void empty(struct host_file *file) {
    file->sections[2].sh_type = SHT_NOBITS;
    file->sections[2].sh_size = UINT64_MAX;
}

static void extended_numbers(struct host_file *file) {
    file->header.e_shnum = 0;
    file->header.e_shstrndx = SHN_XINDEX;
    file->sections[0].sh_size = 3;
    file->sections[0].sh_link = 1;
}

static void no_names(struct host_file *file) {
    file->header.e_shstrndx = 77;
}

static void test_host_files(void **state) {
    (void)state;
    static const struct {
        void (*change)(struct host_file *file);
        const char *message;
        size_t images;
    } cases[] = {
        {NULL, NULL, 2},
        {extended_numbers, NULL, 2},
        {empty, NULL, 0},
        {no_names, NULL, 0},
        {of_32_bits, "an ELF file of 32 bits", 0},
        {other_headers, "its section headers have 40 bytes", 0},
        {table_past_end, "its table of sections", 0},
        {very_many, "it has 288230376151711745 sections", 0},
        {section_past_end, "cut short or damaged: a section", 0},
        {twice, "its sections of GPU code overlap", 0},
        {compressed, "is compressed as a whole", 0},
        {no_container, "GPU code was expected, and there is none", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct host_file file = host_file();
        if (cases[c].change != NULL) cases[c].change(&file);
        check(&file, sizeof file, cases[c].message, cases[c].images);
    }
    check(ELFMAG, SELFMAG, "the header of an ELF file", 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_should_be),     cmocka_unit_test(test_one_thing_wrong),
        cmocka_unit_test(test_other_kinds),         cmocka_unit_test(test_lz4_frame),
        cmocka_unit_test(test_names_are_printable), cmocka_unit_test(test_many),
        cmocka_unit_test(test_random_bytes),        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_nested_archives),     cmocka_unit_test(test_host_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
