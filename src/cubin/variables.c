#include <stdlib.h>
#include <string.h>

#include "cubin/cubin.h"
#include "cubin/reader.h"

#define CONSTANT_BYTES_MAX 65536 /* of a bank */
#define NOT_A_VARIABLE UINT32_MAX

/* A variable by where it is, to be found by an address. */
struct placed {
    uint32_t section;
    uint64_t offset, bytes;
    uint32_t variable;
};

/* What is known while variables and addresses are read. */
struct variables {
    struct cubin_reader *reader;
    uint32_t *of_symbol; /* index into cubin->symbols, or NOT_A_VARIABLE */
    struct placed *placed;
};

/* ---- Variables ----------------------------------------------------------------------------------------- */

/* Whether a section holds variables, and of which space. */
static bool variable_space(const struct elf_section *section, enum cubin_space *space) {
    if (strcmp(section->name, ".nv.constant3") == 0)
        *space = CUBIN_CONST;
    else if (strcmp(section->name, ".nv.global") == 0 || strcmp(section->name, ".nv.global.init") == 0)
        *space = CUBIN_GLOBAL;
    else if (elf_section_is(section, ".nv.shared", NULL))
        *space = CUBIN_SHARED;
    else
        return false;
    return true;
}

static bool is_variable(const struct elf_file *file, uint32_t index, enum cubin_space *space) {
    const struct elf_symbol *symbol = &file->symbols[index];
    return symbol->type == STT_OBJECT && symbol->section != 0 && symbol->name[0] != '\0' &&
           variable_space(&file->sections[symbol->section], space);
}

static int compare_placed(const void *a, const void *b) {
    const struct placed *first = a, *second = b;
    if (first->section != second->section) return first->section < second->section ? -1 : 1;
    if (first->offset != second->offset) return first->offset < second->offset ? -1 : 1;
    return (first->variable > second->variable) - (first->variable < second->variable);
}

static void add_variable(struct variables *variables, uint32_t index, enum cubin_space space) {
    struct cubin_reader *reader = variables->reader;
    struct cubin *cubin = reader->cubin;
    const struct elf_symbol *symbol = &reader->file.symbols[index];
    const struct elf_section *section = &reader->file.sections[symbol->section];
    if (symbol->value > section->size || symbol->size > section->size - symbol->value)
        elf_file_refuse(
            &reader->file,
            "this cubin is damaged: variable '%s', %llu bytes at %llu, is not within the %llu bytes "
            "of '%s'",
            symbol->name, (unsigned long long)symbol->size, (unsigned long long)symbol->value,
            (unsigned long long)section->size, section->name);
    variables->of_symbol[index] = cubin->symbol_count;
    variables->placed[cubin->symbol_count] = (struct placed){.section = symbol->section,
                                                             .offset = symbol->value,
                                                             .bytes = symbol->size,
                                                             .variable = cubin->symbol_count};
    cubin->symbols[cubin->symbol_count++] = (struct cubin_symbol){
        .name = symbol->name,
        .space = space,
        .kernel = space == CUBIN_SHARED ? cubin_kernel_of_section(reader, section->info) : CUBIN_NONE,
        .offset = symbol->value,
        .bytes = symbol->size,
        .init = section->bytes == NULL ? NULL : section->bytes + symbol->value};
}

static void read_symbols(struct variables *variables) {
    struct elf_file *file = &variables->reader->file;
    struct cubin *cubin = variables->reader->cubin;
    enum cubin_space space;
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->symbol_count; i++)
        count += is_variable(file, i, &space);
    cubin->symbols = arena_array(file->arena, count, sizeof *cubin->symbols);
    variables->placed = arena_array(file->arena, count, sizeof *variables->placed);
    variables->of_symbol = arena_array(file->arena, file->symbol_count, sizeof *variables->of_symbol);
    for (uint32_t i = 0; i < file->symbol_count; i++) {
        variables->of_symbol[i] = NOT_A_VARIABLE;
        if (is_variable(file, i, &space)) add_variable(variables, i, space);
    }
    if (count > 0) qsort(variables->placed, count, sizeof *variables->placed, compare_placed);
}

/* The variable that byte `offset` of a section is in, or NOT_A_VARIABLE. */
static uint32_t variable_at(const struct variables *variables, uint32_t section, uint64_t offset) {
    const struct placed wanted = {.section = section, .offset = offset, .variable = UINT32_MAX};
    uint32_t first = 0,
             last = variables->reader->cubin->symbol_count; /* the one before `last` is not behind */
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        if (compare_placed(&variables->placed[middle], &wanted) <= 0)
            first = middle + 1;
        else
            last = middle;
    }
    if (first == 0) return NOT_A_VARIABLE;
    const struct placed *placed = &variables->placed[first - 1];
    const bool inside = placed->section == section && offset - placed->offset < placed->bytes;
    return inside ? placed->variable : NOT_A_VARIABLE;
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

/* What an address points to: the symbol itself, or the variable at its place when it is that of a section. */
static void resolve(const struct variables *variables, const struct elf_relocation *relocation,
                    struct cubin_address *address) {
    const struct elf_symbol *symbol = &variables->reader->file.symbols[relocation->symbol];
    address->name = symbol->name;
    address->addend = relocation->addend;
    address->symbol = variables->of_symbol[relocation->symbol];
    if (address->symbol != NOT_A_VARIABLE || symbol->type != STT_SECTION) return;
    const uint64_t place = symbol->value + (uint64_t)relocation->addend;
    const uint32_t variable = variable_at(variables, symbol->section, place);
    if (variable == NOT_A_VARIABLE) return;
    const struct cubin_symbol *found = &variables->reader->cubin->symbols[variable];
    address->symbol = variable;
    address->name = found->name;
    address->addend = (int64_t)(place - found->offset);
}

/* Where the addresses of a section are filled in. */
static bool address_place(const struct variables *variables, uint32_t section, uint64_t offset,
                          struct cubin_address *address) {
    const struct cubin_reader *reader = variables->reader;
    const struct elf_section *about = &reader->file.sections[section];
    const char *suffix = NULL;
    *address = (struct cubin_address){
        .bank = CUBIN_NONE, .variable = CUBIN_NONE, .kernel = CUBIN_NONE, .offset = offset};
    if (elf_section_is(about, ".nv.constant2", &suffix)) {
        address->bank = 2;
        if (suffix != NULL) address->kernel = cubin_kernel_of_section(reader, about->info);
    } else if (strcmp(about->name, ".nv.constant3") == 0) {
        address->bank = 3;
    } else if (strcmp(about->name, ".nv.constant4") == 0) {
        address->bank = 4;
    } else {
        address->variable = variable_at(variables, section, offset);
        if (address->variable == NOT_A_VARIABLE) return false;
        address->offset -= reader->cubin->symbols[address->variable].offset;
    }
    return true;
}

static bool holds_addresses(const struct elf_section *section) {
    return elf_section_is(section, ".nv.constant2", NULL) || strcmp(section->name, ".nv.constant3") == 0 ||
           strcmp(section->name, ".nv.constant4") == 0 || strcmp(section->name, ".nv.global.init") == 0;
}

static void read_addresses(struct variables *variables) {
    struct elf_file *file = &variables->reader->file;
    VEC(struct cubin_address) addresses = {0};
    for (uint32_t i = 0; i < file->section_count; i++) {
        if (!holds_addresses(&file->sections[i])) continue;
        const elf_relocations relocations = elf_file_relocations(file, i);
        for (size_t r = 0; r < relocations.count; r++) {
            struct cubin_address address;
            if (!address_place(variables, i, relocations.items[r].offset, &address)) continue;
            resolve(variables, &relocations.items[r], &address);
            arena_push(file->arena, &addresses, address);
        }
    }
    variables->reader->cubin->addresses = addresses.items;
    variables->reader->cubin->address_count = (uint32_t)addresses.count;
}

/* ---- Banks --------------------------------------------------------------------------------------------- */

static void read_bank(struct cubin_reader *reader, const char *name, struct cubin_bank *bank) {
    struct elf_file *file = &reader->file;
    for (uint32_t i = 0; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (strcmp(section->name, name) != 0) continue;
        if (bank->size > 0 || section->size > CONSTANT_BYTES_MAX)
            elf_file_refuse(
                file, "this cubin is damaged: it has a section %s too many, or too large, of %llu bytes",
                name, (unsigned long long)section->size);
        *bank = (struct cubin_bank){.bytes = elf_section_bytes(file, section), .size = section->size};
    }
}

void cubin_read_variables(struct cubin_reader *reader) {
    struct variables variables = {.reader = reader};
    read_bank(reader, ".nv.constant3", &reader->cubin->constant3);
    read_bank(reader, ".nv.constant4", &reader->cubin->constant4);
    read_symbols(&variables);
    read_addresses(&variables);
}
