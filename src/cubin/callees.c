/* Functions in sections of their own that kernels call: nvcc -G leaves each device function so. The loader
 * would write their addresses into the code; here they stand behind the kernel, whose first instruction has
 * address 0, and the addresses are written so. */
#include <stdlib.h>
#include <string.h>

#include "cubin/cubin.h"
#include "cubin/reader.h"

/* What the loader writes, by the types of relocations. */
enum {
    ABSOLUTE_LOWER_HALF = 0x38, /* to the literal of a MOV */
    ABSOLUTE_UPPER_HALF = 0x39,
    ABSOLUTE_CALL = 0x3a,    /* to the target of a CALL.ABS */
    ABSOLUTE_CALL_90 = 0x4b, /* the same of sm_90 */
};

#define SECTION_ALIGN 128u
#define CALL_ABSOLUTE 0x943u
#define OPCODE_MASK 0xfffu

/* A section, as far as calls need it. */
struct section_calls {
    elf_relocations relocations; /* of its code */
    bool read;                   /* they are */
    bool needs_more;             /* it has constants or shared memory of its own, or its own ways on */
    uint32_t first_function;     /* of `functions` */
    uint32_t function_count;
    uint32_t place; /* where it stands behind the kernel at hand: index into the reader's `placed`, or NONE */
};

struct callees {
    struct cubin_reader *reader;
    struct section_calls *sections;
    VEC(uint32_t) functions; /* symbols, sorted by section and place */
    uint64_t budget;         /* so much work is left for all kernels together */
};

/* ---- What sections have -------------------------------------------------------------------------------- */

/* A function, and what it is sorted by: its section, then its place there. */
struct function_place {
    uint64_t place;
    uint32_t symbol;
};

static int compare_places(const void *a, const void *b) {
    const struct function_place *first = a, *second = b;
    if (first->place != second->place) return first->place < second->place ? -1 : 1;
    return (first->symbol > second->symbol) - (first->symbol < second->symbol);
}

/* Finds the functions of each section. */
static void find_functions(struct callees *callees) {
    const struct elf_file *file = &callees->reader->file;
    VEC(struct function_place) found = {0};
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        const struct elf_symbol *symbol = &file->symbols[i];
        const struct function_place place = {
            .place = (uint64_t)symbol->section << 32 | (symbol->value & UINT32_MAX), .symbol = i};
        if (symbol->type == STT_FUNC && symbol->section != 0 && symbol->section < file->section_count)
            arena_push(file->arena, &found, place);
    }
    if (found.count > 0) qsort(found.items, found.count, sizeof *found.items, compare_places);
    for (size_t i = 0; i < found.count; i++) {
        const uint32_t symbol = found.items[i].symbol;
        struct section_calls *calls = &callees->sections[file->symbols[symbol].section];
        if (calls->function_count++ == 0) calls->first_function = (uint32_t)i;
        arena_push(file->arena, &callees->functions, symbol);
    }
}

/* Whether the attributes of a function say what its code alone does not: tables, functions elsewhere. */
static bool has_ways_of_its_own(struct elf_file *file, const struct elf_section *section) {
    struct attribute attribute;
    uint64_t at = 0;
    elf_section_bytes(file, section);
    while (attribute_next(file, section, &at, &attribute))
        if (attribute.kind == ATTRIBUTE_BRANCH_TARGETS || attribute.kind == ATTRIBUTE_EXTERNS) return true;
    return false;
}

/* Constants, shared memory and attributes of functions that are no kernels. */
static void find_needs(struct callees *callees) {
    struct elf_file *file = &callees->reader->file;
    for (uint32_t i = 0; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        const char *suffix = NULL;
        if (section->info >= file->section_count ||
            cubin_kernel_of_section(callees->reader, section->info) != CUBIN_NONE)
            continue;
        struct section_calls *about = &callees->sections[section->info];
        const bool memory = (elf_section_is(section, ".nv.constant2", &suffix) && suffix != NULL) ||
                            (elf_section_is(section, ".nv.shared", &suffix) && suffix != NULL);
        const bool attributes = elf_section_is(section, ".nv.info", &suffix) && suffix != NULL;
        if (memory || (attributes && has_ways_of_its_own(file, section))) about->needs_more = true;
    }
}

static const elf_relocations *relocations_of(struct callees *callees, uint32_t section) {
    struct section_calls *calls = &callees->sections[section];
    if (!calls->read) calls->relocations = elf_file_relocations(&callees->reader->file, section);
    calls->read = true;
    return &calls->relocations;
}

/* ---- Where they stand ---------------------------------------------------------------------------------- */

static struct cubin_placement *placement_of(const struct callees *callees, uint32_t section) {
    const uint32_t place = callees->sections[section].place;
    return place == CUBIN_NONE ? NULL : &callees->reader->placed.items[place];
}

static void place(struct callees *callees, uint32_t kernel, uint32_t section, uint32_t offset) {
    const struct cubin_placement placement = {.section = section, .kernel = kernel, .offset = offset};
    callees->sections[section].place = (uint32_t)callees->reader->placed.count;
    arena_push(callees->reader->file.arena, &callees->reader->placed, placement);
}

/* The function that a relocation is about, if it can stand behind a kernel. */
static const struct elf_symbol *function_of(const struct callees *callees,
                                            const struct elf_relocation *relocation) {
    const struct elf_file *file = &callees->reader->file;
    const struct elf_symbol *symbol = &file->symbols[relocation->symbol];
    const bool known = relocation->type == ABSOLUTE_LOWER_HALF || relocation->type == ABSOLUTE_UPPER_HALF ||
                       relocation->type == ABSOLUTE_CALL || relocation->type == ABSOLUTE_CALL_90;
    return known && symbol->type == STT_FUNC && symbol->section != 0 && symbol->section < file->section_count
               ? symbol
               : NULL;
}

/* Places the section behind the kernel unless it is there; `end`: of what is there so far. */
static void want(struct callees *callees, uint32_t kernel, uint32_t section, uint32_t *end) {
    struct elf_file *file = &callees->reader->file;
    const struct elf_section *code = &file->sections[section];
    const struct section_calls *calls = &callees->sections[section];
    if (calls->place != CUBIN_NONE || calls->needs_more ||
        cubin_kernel_of_section(callees->reader, section) != CUBIN_NONE)
        return;
    const uint64_t offset = ((uint64_t)*end + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
    if (code->bytes == NULL || code->size == 0 || code->size % 16 != 0 || offset + code->size > INT32_MAX)
        return;
    const uint64_t work = offset - *end + code->size + sizeof(Elf64_Sym) * calls->function_count +
                          sizeof(Elf64_Rela) * relocations_of(callees, section)->count;
    if (work > callees->budget) return;
    callees->budget -= work;
    place(callees, kernel, section, (uint32_t)offset);
    *end = (uint32_t)(offset + code->size);
}

/* Places what the kernel calls, and what that calls. */
static uint32_t place_all(struct callees *callees, uint32_t kernel, uint32_t own) {
    const size_t first = callees->reader->placed.count;
    uint32_t end = callees->reader->cubin->kernels[kernel].code_bytes;
    place(callees, kernel, own, 0);
    for (size_t i = first; i < callees->reader->placed.count; i++) {
        const elf_relocations *relocations =
            relocations_of(callees, callees->reader->placed.items[i].section);
        for (size_t r = 0; r < relocations->count; r++) {
            const struct elf_symbol *symbol = function_of(callees, &relocations->items[r]);
            if (symbol != NULL) want(callees, kernel, symbol->section, &end);
        }
    }
    return end;
}

/* ---- Code ---------------------------------------------------------------------------------------------- */

static void put_u64(uint8_t *bytes, uint64_t value) {
    for (uint32_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Writes an address to the instruction; false: it has no place for it. */
static bool write_address(uint8_t *inst, uint32_t type, uint64_t address) {
    const uint64_t word = elf_u64(inst), units = address / 4;
    switch (type) {
    case ABSOLUTE_LOWER_HALF:
    case ABSOLUTE_UPPER_HALF:
        if (word >> 32 != 0) return false;
        put_u64(inst, word | (type == ABSOLUTE_LOWER_HALF ? address << 32 : 0));
        return true;
    case ABSOLUTE_CALL:
        if (word >> 34 != 0 || (word & OPCODE_MASK) != CALL_ABSOLUTE) return false;
        put_u64(inst, word | units << 34);
        return true;
    case ABSOLUTE_CALL_90:
        if (word >> 34 != 0 || (word >> 16 & 0xff) != 0 || (word & OPCODE_MASK) != CALL_ABSOLUTE)
            return false;
        put_u64(inst, word | units >> 8 << 34 | (units & 0xff) << 16);
        return true;
    default: return false;
    }
}

/* The same for a relocation; the address is one of the code behind the kernel. */
static bool resolve(const struct callees *callees, uint8_t *code, uint32_t code_bytes,
                    const struct cubin_placement *from, const struct elf_relocation *relocation) {
    const struct elf_symbol *symbol = function_of(callees, relocation);
    const struct cubin_placement *to = symbol == NULL ? NULL : placement_of(callees, symbol->section);
    if (to == NULL || relocation->offset % 16 != 0 || symbol->value > code_bytes) return false;
    const int64_t addend = relocation->in_place ? 0 : relocation->addend;
    if (addend < 0 || addend > code_bytes) return false;
    const uint64_t address = to->offset + symbol->value + (uint64_t)addend;
    return address < code_bytes && address % 16 == 0 &&
           write_address(code + from->offset + relocation->offset, relocation->type, address);
}

/* Functions within a section behind the kernel become the kernel's own. */
static void add_functions(const struct callees *callees, struct cubin_kernel *kernel,
                          const struct cubin_placement *from) {
    const struct elf_file *file = &callees->reader->file;
    const struct section_calls *calls = &callees->sections[from->section];
    const uint64_t size = file->sections[from->section].size;
    kernel->internals =
        arena_grow(file->arena, kernel->internals, kernel->internal_count * sizeof *kernel->internals,
                   (kernel->internal_count + (size_t)calls->function_count) * sizeof *kernel->internals);
    for (uint32_t i = 0; i < calls->function_count; i++) {
        const struct elf_symbol *symbol = &file->symbols[callees->functions.items[calls->first_function + i]];
        if (symbol->value % 16 != 0 || symbol->size % 16 != 0 || symbol->value > size ||
            symbol->size > size - symbol->value)
            continue;
        kernel->internals[kernel->internal_count++] =
            (struct cubin_internal){.name = symbol->name,
                                    .offset = from->offset + (uint32_t)symbol->value,
                                    .bytes = (uint32_t)symbol->size};
    }
}

/* What the loader still has to write stays open. */
static void write_addresses(struct callees *callees, struct cubin_kernel *kernel, uint8_t *code,
                            size_t first) {
    struct arena *arena = callees->reader->file.arena;
    VEC(uint32_t) open = {0};
    for (size_t i = first; i < callees->reader->placed.count; i++) {
        const struct cubin_placement *from = &callees->reader->placed.items[i];
        const elf_relocations *relocations = relocations_of(callees, from->section);
        for (size_t r = 0; r < relocations->count; r++) {
            const struct elf_relocation *relocation = &relocations->items[r];
            if (resolve(callees, code, kernel->code_bytes, from, relocation)) continue;
            const uint32_t offset = from->offset + (uint32_t)relocation->offset / 16 * 16;
            arena_push(arena, &open, offset);
        }
    }
    kernel->patched = open.items;
    kernel->patched_count = (uint32_t)open.count;
}

static void join(struct callees *callees, uint32_t number, uint32_t own) {
    struct cubin_reader *reader = callees->reader;
    struct elf_file *file = &reader->file;
    struct cubin_kernel *kernel = &reader->cubin->kernels[number];
    const size_t first = reader->placed.count;
    reader->first_placed[number] = first;
    const uint32_t end = place_all(callees, number, own);
    if (relocations_of(callees, own)->count > 0) {
        uint8_t *code = arena_array(file->arena, end, 1);
        for (size_t i = first; i < reader->placed.count; i++) {
            const struct cubin_placement *from = &reader->placed.items[i];
            memcpy(code + from->offset, file->sections[from->section].bytes,
                   file->sections[from->section].size);
            if (i > first) add_functions(callees, kernel, from);
        }
        kernel->code = code;
        kernel->code_bytes = end;
        write_addresses(callees, kernel, code, first);
    }
    for (size_t i = first; i < reader->placed.count; i++)
        callees->sections[reader->placed.items[i].section].place = CUBIN_NONE;
}

void cubin_join_callees(struct cubin_reader *reader) {
    enum { WORK_PER_BYTE = 8, WORK_BASE = 1 << 20 };
    struct elf_file *file = &reader->file;
    struct callees callees = {.reader = reader, .budget = (uint64_t)file->size * WORK_PER_BYTE + WORK_BASE};
    reader->first_placed =
        arena_array(file->arena, reader->cubin->kernel_count, sizeof *reader->first_placed);
    callees.sections = arena_array(file->arena, file->section_count, sizeof *callees.sections);
    for (uint32_t i = 0; i < file->section_count; i++)
        callees.sections[i].place = CUBIN_NONE;
    find_functions(&callees);
    find_needs(&callees);
    for (uint32_t k = 0; k < reader->cubin->kernel_count; k++)
        join(&callees, k, file->symbols[reader->kernel_symbols[k]].section);
}
