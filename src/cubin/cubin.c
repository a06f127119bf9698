#include "cubin/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "cubin/reader.h"

/* ---- Attributes ---- */

/* How a record goes on behind its two bytes of format and kind. */
enum format { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4 };

#define HEAD_BYTES 4

bool attribute_next(struct elf_file *file, const struct elf_section *section, uint64_t *at,
                    struct attribute *attribute) {
    const uint64_t left = section->bytes == NULL ? 0 : section->size - *at;
    if (left == 0) return false;
    if (left < HEAD_BYTES)
        elf_file_refuse(file, "this cubin is damaged: '%s' ends within a record", section->name);
    const uint8_t *record = section->bytes + *at;
    const uint16_t value = elf_u16(record + 2);
    *attribute = (struct attribute){.kind = record[1], .value = value};
    *at += HEAD_BYTES;
    switch (record[0]) {
    case FORMAT_NONE: break;
    case FORMAT_BYTE: attribute->value = record[2]; break;
    case FORMAT_HALF: break;
    case FORMAT_SIZED:
        if (value > left - HEAD_BYTES)
            elf_file_refuse(file, "this cubin is damaged: '%s' ends within a record of %u bytes",
                            section->name, value);
        attribute->bytes = record + HEAD_BYTES;
        attribute->size = value;
        *at += value;
        break;
    default:
        elf_file_refuse(file, "this cubin is damaged: '%s' has a record of unknown format %u at byte %llu",
                        section->name, record[0], (unsigned long long)(*at - HEAD_BYTES));
    }
    return true;
}

/* Number `index` of the attribute's bytes taken as 4-byte numbers, which must be there. */
static uint32_t attribute_u32(struct elf_file *file, const struct attribute *attribute, uint32_t index) {
    if (attribute->size / 4 <= index)
        elf_file_refuse(file, "this cubin is damaged: its attribute 0x%02x has only %u bytes",
                        attribute->kind, attribute->size);
    return elf_u32(attribute->bytes + (size_t)index * 4);
}

/* ---- Kernels ---- */

#define ENTRY 0x10 /* in st_other: the function is a kernel */
#define REGISTERS_MAX 256
#define NO_REGISTER_LIMIT 0xff
#define NAME_MAX_BYTES 65535
#define PARAM_SIZE_BITS 0xffffff /* of a large parameter; what the others say is not needed */

uint32_t cubin_kernel_of_section(const struct cubin_reader *reader, uint64_t section) {
    return section < reader->file.section_count ? reader->kernel_of_section[section] : CUBIN_NONE;
}

static struct cubin_kernel *kernel_of(const struct cubin_reader *reader, uint64_t section) {
    const uint32_t kernel = cubin_kernel_of_section(reader, section);
    return kernel == CUBIN_NONE ? NULL : &reader->cubin->kernels[kernel];
}

/* ---- Functions ----------------------------------------------------------------------------------------- */

static bool is_entry(const struct elf_symbol *symbol) {
    return symbol->type == STT_FUNC && symbol->section != 0 && (symbol->other & ENTRY) != 0;
}

/* Parameters begin here in bank 0 where the file does not say it. */
static uint32_t first_param(uint32_t sm) {
    return sm < 90 ? 0x160 : sm < 100 ? 0x210 : 0x380;
}

static void add_kernel(struct cubin_reader *reader, uint32_t index) {
    struct elf_file *file = &reader->file;
    const struct elf_symbol *symbol = &file->symbols[index];
    const struct elf_section *section = &file->sections[symbol->section];
    if (strnlen(symbol->name, NAME_MAX_BYTES + 1) > NAME_MAX_BYTES)
        elf_file_refuse(file, "this cubin has a kernel whose name is longer than %u bytes", NAME_MAX_BYTES);
    if (symbol->name[0] == '\0') elf_file_refuse(file, "this cubin is damaged: a kernel has no name");
    if (cubin_kernel_of_section(reader, symbol->section) != CUBIN_NONE)
        elf_file_refuse(file, "this cubin is damaged: two kernels are in section %u", symbol->section);
    if (section->bytes == NULL || section->size == 0)
        elf_file_refuse(file, "this cubin has no code for kernel '%s'; was it stripped?", symbol->name);
    if (section->size % 16 != 0 || symbol->value != 0 || section->size > INT32_MAX)
        elf_file_refuse(file,
                        "this cubin is damaged: kernel '%s' begins at byte %llu of a section of %llu bytes",
                        symbol->name, (unsigned long long)symbol->value, (unsigned long long)section->size);
    const uint32_t kernel = reader->cubin->kernel_count++;
    reader->kernel_of_section[symbol->section] = kernel;
    reader->kernel_symbols[kernel] = index;
    reader->cubin->kernels[kernel] =
        (struct cubin_kernel){.name = symbol->name,
                              .code = elf_section_bytes(file, section),
                              .code_bytes = (uint32_t)section->size,
                              .registers = file->sm < 100 ? section->info >> 24 : 0,
                              .param_base = first_param(file->sm),
                              .stack_known = true};
}

static void find_kernels(struct cubin_reader *reader) {
    const struct elf_file *file = &reader->file;
    uint32_t count = 0;
    reader->kernel_of_section = arena_array(file->arena, file->section_count, sizeof(uint32_t));
    memset(reader->kernel_of_section, 0xff, file->section_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < file->symbol_count; i++)
        count += is_entry(&file->symbols[i]);
    reader->cubin->kernels = arena_array(file->arena, count, sizeof *reader->cubin->kernels);
    reader->kernel_symbols = arena_array(file->arena, count, sizeof(uint32_t));
    for (uint32_t i = 0; i < file->symbol_count; i++)
        if (is_entry(&file->symbols[i])) add_kernel(reader, i);
}

static int compare_internals(const void *a, const void *b) {
    const struct cubin_internal *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* The symbol of code behind a kernel's own, or NULL. */
static struct cubin_kernel *kernel_of_internal(const struct cubin_reader *reader,
                                               const struct elf_symbol *symbol) {
    return symbol->type == STT_FUNC && !is_entry(symbol) ? kernel_of(reader, symbol->section) : NULL;
}

static void add_internal(struct cubin_reader *reader, struct cubin_kernel *kernel,
                         const struct elf_symbol *symbol) {
    if (symbol->value % 16 != 0 || symbol->size % 16 != 0 || symbol->value > kernel->code_bytes ||
        symbol->size > kernel->code_bytes - symbol->value)
        elf_file_refuse(&reader->file, "this cubin is damaged: function '%s' is not within kernel '%s'",
                        symbol->name, kernel->name);
    kernel->internals[kernel->internal_count++] = (struct cubin_internal){
        .name = symbol->name, .offset = (uint32_t)symbol->value, .bytes = (uint32_t)symbol->size};
}

static void find_internals(struct cubin_reader *reader) {
    const struct elf_file *file = &reader->file;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; pass == 1 && k < reader->cubin->kernel_count; k++) {
            struct cubin_kernel *kernel = &reader->cubin->kernels[k];
            kernel->internals = arena_array(file->arena, kernel->internal_count, sizeof *kernel->internals);
            kernel->internal_count = 0;
        }
        for (uint32_t i = 0; i < file->symbol_count; i++) {
            struct cubin_kernel *kernel = kernel_of_internal(reader, &file->symbols[i]);
            if (kernel != NULL && pass == 0) kernel->internal_count++;
            if (kernel != NULL && pass == 1) add_internal(reader, kernel, &file->symbols[i]);
        }
    }
    for (uint32_t k = 0; k < reader->cubin->kernel_count; k++) {
        struct cubin_kernel *kernel = &reader->cubin->kernels[k];
        if (kernel->internal_count > 0)
            qsort(kernel->internals, kernel->internal_count, sizeof *kernel->internals, compare_internals);
    }
}

/* ---- Attributes of a kernel ---------------------------------------------------------------------------- */

/* Lists that grow while a kernel's attributes are read. */
struct growing {
    VEC(struct cubin_param) params;
    VEC(struct cubin_branch_table) tables;
    VEC(const char *) externs;
};

static void add_param(struct cubin_reader *reader, const struct attribute *attribute,
                      struct growing *growing) {
    struct elf_file *file = &reader->file;
    const uint32_t place = attribute_u32(file, attribute, 1), size = attribute_u32(file, attribute, 2);
    const struct cubin_param param = {.ordinal = place & 0xffff,
                                      .offset = place >> 16,
                                      .bytes = attribute->kind == ATTRIBUTE_PARAM ? size >> 18
                                                                                  : size & PARAM_SIZE_BITS};
    arena_push(file->arena, &growing->params, param);
}

static void add_branch_tables(struct cubin_reader *reader, struct cubin_kernel *kernel,
                              const struct attribute *attribute, struct growing *growing) {
    struct elf_file *file = &reader->file;
    for (uint32_t at = 0; at < attribute->size / 4;) {
        struct cubin_branch_table table = {.at = attribute_u32(file, attribute, at),
                                           .target_count = attribute_u32(file, attribute, at + 2)};
        bool inside = table.at % 16 == 0 && table.at < kernel->code_bytes;
        at += 3;
        if (table.target_count > attribute->size / 4 - at) inside = false;
        table.targets = arena_array(file->arena, inside ? table.target_count : 0, sizeof(uint32_t));
        for (uint32_t i = 0; inside && i < table.target_count; i++, at++) {
            table.targets[i] = attribute_u32(file, attribute, at);
            inside = table.targets[i] % 16 == 0 && table.targets[i] < kernel->code_bytes;
        }
        if (!inside)
            elf_file_refuse(file,
                            "this cubin is damaged: the table of the branch at 0x%04x of kernel '%s' leads "
                            "out of its code",
                            table.at, kernel->name);
        arena_push(file->arena, &growing->tables, table);
    }
}

static void add_externs(struct cubin_reader *reader, const struct attribute *attribute,
                        struct growing *growing) {
    struct elf_file *file = &reader->file;
    for (uint32_t i = 0; i < attribute->size / 4; i++) {
        const uint32_t symbol = attribute_u32(file, attribute, i);
        if (symbol >= file->symbol_count)
            elf_file_refuse(file, "this cubin is damaged: a kernel calls symbol %u of %u", symbol,
                            file->symbol_count);
        arena_push(file->arena, &growing->externs, file->symbols[symbol].name);
    }
}

static void read_threads(struct cubin_reader *reader, const struct attribute *attribute,
                         uint32_t threads[3]) {
    for (uint32_t i = 0; i < 3; i++)
        threads[i] = attribute_u32(&reader->file, attribute, i);
}

static void read_attribute(struct cubin_reader *reader, struct cubin_kernel *kernel,
                           const struct attribute *attribute, struct growing *growing) {
    switch (attribute->kind) {
    case ATTRIBUTE_PARAM_BANK:
        kernel->param_base = attribute_u32(&reader->file, attribute, 1) & 0xffff;
        kernel->param_bytes = attribute_u32(&reader->file, attribute, 1) >> 16;
        break;
    case ATTRIBUTE_PARAM:
    case ATTRIBUTE_LARGE_PARAM: add_param(reader, attribute, growing); break;
    case ATTRIBUTE_MAX_REGISTERS:
        kernel->max_registers = attribute->value == NO_REGISTER_LIMIT ? 0 : attribute->value;
        break;
    case ATTRIBUTE_MAX_THREADS: read_threads(reader, attribute, kernel->max_threads); break;
    case ATTRIBUTE_REQUIRED_THREADS: read_threads(reader, attribute, kernel->required_threads); break;
    case ATTRIBUTE_CLUSTER: read_threads(reader, attribute, kernel->cluster_blocks); break;
    case ATTRIBUTE_EXPLICIT_CLUSTER: kernel->in_clusters = true; break;
    case ATTRIBUTE_BRANCH_TARGETS: add_branch_tables(reader, kernel, attribute, growing); break;
    case ATTRIBUTE_EXTERNS: add_externs(reader, attribute, growing); break;
    case ATTRIBUTE_BARRIERS: kernel->barriers = attribute->value; break;
    default: break;
    }
}

static int compare_params(const void *a, const void *b) {
    const struct cubin_param *first = a, *second = b;
    return (first->ordinal > second->ordinal) - (first->ordinal < second->ordinal);
}

/* Parameters lie one behind the other, as they are declared. */
static void check_params(struct cubin_reader *reader, const struct cubin_kernel *kernel) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const struct cubin_param *param = &kernel->params[i];
        const bool twice = i > 0 && param->ordinal == param[-1].ordinal;
        if (twice || param->offset < end || (uint64_t)param->offset + param->bytes > kernel->param_bytes)
            elf_file_refuse(&reader->file,
                            "this cubin is damaged: parameter %u of kernel '%s', %u bytes at %u, does not "
                            "fit the others and the %u bytes of all",
                            param->ordinal, kernel->name, param->bytes, param->offset, kernel->param_bytes);
        end = (uint64_t)param->offset + param->bytes;
    }
}

static void read_kernel_attributes(struct cubin_reader *reader, const struct elf_section *section,
                                   struct cubin_kernel *kernel) {
    struct growing growing = {0};
    struct attribute attribute;
    uint64_t at = 0;
    elf_section_bytes(&reader->file, section);
    while (attribute_next(&reader->file, section, &at, &attribute))
        read_attribute(reader, kernel, &attribute, &growing);
    if (growing.params.count > 0)
        qsort(growing.params.items, growing.params.count, sizeof *growing.params.items, compare_params);
    kernel->params = growing.params.items;
    kernel->param_count = (uint32_t)growing.params.count;
    kernel->tables = growing.tables.items;
    kernel->table_count = (uint32_t)growing.tables.count;
    kernel->externs = growing.externs.items;
    kernel->extern_count = (uint32_t)growing.externs.count;
    check_params(reader, kernel);
}

/* ---- Other sections of a kernel ------------------------------------------------------------------------ */

static void read_kernel_section(struct cubin_reader *reader, uint32_t index) {
    struct elf_file *file = &reader->file;
    const struct elf_section *section = &file->sections[index];
    struct cubin_kernel *kernel = kernel_of(reader, section->info);
    const char *suffix = NULL;
    if (kernel == NULL || cubin_kernel_of_section(reader, index) != CUBIN_NONE)
        return;
    else if (elf_section_is(section, ".nv.info", &suffix) && suffix != NULL)
        read_kernel_attributes(reader, section, kernel);
    else if (elf_section_is(section, ".nv.constant2", &suffix) && suffix != NULL)
        kernel->constant2 =
            (struct cubin_bank){.bytes = elf_section_bytes(file, section), .size = section->size};
    else if (elf_section_is(section, ".nv.shared", &suffix) && suffix != NULL)
        kernel->shared_bytes = section->size;
}

/* Compiler's constants that all kernels share. */
static void read_common_constants(struct cubin_reader *reader) {
    struct elf_file *file = &reader->file;
    for (uint32_t i = 0; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (strcmp(section->name, ".nv.constant2") != 0) continue;
        const struct cubin_bank bank = {.bytes = elf_section_bytes(file, section), .size = section->size};
        for (uint32_t k = 0; k < reader->cubin->kernel_count; k++)
            if (reader->cubin->kernels[k].constant2.size == 0) reader->cubin->kernels[k].constant2 = bank;
    }
}

/* ---- Attributes of the file ---------------------------------------------------------------------------- */

/* Records of the file name a function by its symbol: a kernel, or one within a kernel's section. */
static void read_file_attribute(struct cubin_reader *reader, const struct attribute *attribute,
                                uint32_t *frames) {
    struct elf_file *file = &reader->file;
    const bool known = attribute->kind == ATTRIBUTE_REGISTERS || attribute->kind == ATTRIBUTE_FRAME_SIZE ||
                       attribute->kind == ATTRIBUTE_MIN_STACK_SIZE ||
                       attribute->kind == ATTRIBUTE_MAX_STACK_SIZE;
    if (!known) return;
    const uint32_t index = attribute_u32(file, attribute, 0), value = attribute_u32(file, attribute, 1);
    if (index >= file->symbol_count)
        elf_file_refuse(file, "this cubin is damaged: its attributes name symbol %u of %u", index,
                        file->symbol_count);
    const uint32_t number = cubin_kernel_of_section(reader, file->symbols[index].section);
    if (number == CUBIN_NONE) return;
    struct cubin_kernel *kernel = &reader->cubin->kernels[number];
    const bool own = reader->kernel_symbols[number] == index;
    if (attribute->kind == ATTRIBUTE_FRAME_SIZE && value > frames[number]) frames[number] = value;
    if (!own) return;
    if (attribute->kind == ATTRIBUTE_REGISTERS) kernel->registers = value;
    if (attribute->kind != ATTRIBUTE_MIN_STACK_SIZE && attribute->kind != ATTRIBUTE_MAX_STACK_SIZE) return;
    if (value == UINT32_MAX)
        kernel->stack_known = false;
    else
        kernel->stack_bytes = value > kernel->stack_bytes ? value : kernel->stack_bytes;
}

static void read_file_attributes(struct cubin_reader *reader) {
    struct elf_file *file = &reader->file;
    uint32_t *frames = arena_array(file->arena, reader->cubin->kernel_count, sizeof *frames);
    for (uint32_t i = 0; i < file->section_count; i++) {
        struct attribute attribute;
        uint64_t at = 0;
        if (strcmp(file->sections[i].name, ".nv.info") != 0) continue;
        elf_section_bytes(file, &file->sections[i]);
        while (attribute_next(file, &file->sections[i], &at, &attribute))
            read_file_attribute(reader, &attribute, frames);
    }
    for (uint32_t k = 0; k < reader->cubin->kernel_count; k++) {
        struct cubin_kernel *kernel = &reader->cubin->kernels[k];
        /* The compiler leaves functions that call themselves out of the sum, so it may be less than one
         * frame. */
        if (frames[k] > kernel->stack_bytes || kernel->extern_count > 0) kernel->stack_known = false;
        if (kernel->registers == 0 || kernel->registers > REGISTERS_MAX)
            elf_file_refuse(file, "this cubin is damaged: kernel '%s' has %u registers a thread",
                            kernel->name, kernel->registers);
    }
}

/* Kernels, with their code, attributes, constants and shared memory. */
static void cubin_read_kernels(struct cubin_reader *reader) {
    find_kernels(reader);
    find_internals(reader);
    for (uint32_t i = 0; i < reader->file.section_count; i++)
        read_kernel_section(reader, i);
    read_common_constants(reader);
    read_file_attributes(reader);
    cubin_join_callees(reader);
}

/* ---- The file ---- */

/* Files of this size are read; the arena takes some bytes for each byte of tables. */
#define FILE_BYTES_MAX ((size_t)1 << 30)

static void read_all(void *context) {
    struct cubin_reader *reader = context;
    elf_file_open(&reader->file);
    reader->cubin->sm = reader->file.sm;
    cubin_read_kernels(reader);
    cubin_read_variables(reader);
    cubin_read_lines(reader);
}

wb_status cubin_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                     struct cubin *cubin) {
    *cubin = (struct cubin){0};
    if (size > FILE_BYTES_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "this cubin has %zu bytes; at most %zu are read", size,
                 FILE_BYTES_MAX);
        return WB_ERR_INPUT;
    }
    struct cubin_reader reader = {.file = {.name = name,
                                           .bytes = bytes,
                                           .size = size,
                                           .diagnostics = diagnostics,
                                           .arena = &cubin->arena},
                                  .cubin = cubin};
    const wb_status status = arena_protect(&cubin->arena, read_all, &reader);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, name);
    if (status != WB_OK) cubin_free(cubin);
    return status;
}

void cubin_free(struct cubin *cubin) {
    arena_free(&cubin->arena);
    *cubin = (struct cubin){0};
}
