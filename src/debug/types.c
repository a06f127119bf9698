/* Types of kernels' parameters from the DWARF of host code, by libdw. nvcc makes a function for each kernel
 * that the host calls to launch it, its stub, with references in place of structs; for kernels with the
 * linkage of C the stub has another name, and the kernel's own function is taken. */
#include "debug/types.h"

#include <assert.h>
#include <string.h>

#ifdef WB_HAVE_LIBDW

#    include <dwarf.h>
#    include <elfutils/libdwfl.h>
#    include <stdlib.h>

#    define STUB_PREFIX "__device_stub_"

/* Most types of a kernel, types in types, names for one type, parameters, and bytes of a name. */
#    define TYPES_MAX 4096u
#    define DEPTH_MAX 14u
#    define PEEL_MAX 32u
#    define PARAMS_MAX 4096u
#    define NAME_BYTES_MAX 256u

struct types_reader {
    const char *symbol;
    struct arena *arena;
    uint32_t made;
};

typedef VEC(struct host_member) member_list;

static const struct host_type *type_of(struct types_reader *reader, Dwarf_Die die, unsigned depth);

static bool unsigned_of(Dwarf_Die *die, unsigned attribute, uint64_t *value) {
    Dwarf_Attribute found;
    Dwarf_Word word;
    if (dwarf_attr_integrate(die, attribute, &found) == NULL || dwarf_formudata(&found, &word) != 0)
        return false;
    *value = word;
    return true;
}

/* The type that a die refers to; false: none, which is void. */
static bool type_die(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) != NULL &&
           dwarf_formref_die(&attribute, type) != NULL;
}

/* The type behind const, volatile and other names; false: there is none. */
static bool peel(Dwarf_Die *die) {
    for (unsigned i = 0; i < PEEL_MAX; i++) {
        switch (dwarf_tag(die)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type: {
            Dwarf_Die behind;
            if (!type_die(die, &behind)) return false;
            *die = behind;
            break;
        }
        default: return true;
        }
    }
    return false;
}

static const char *name_of(struct types_reader *reader, Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    return name == NULL ? "" : arena_printable(reader->arena, name, strnlen(name, NAME_BYTES_MAX));
}

/* The type of launch files of a number of C++; "" where they have none. */
static const char *number_of(Dwarf_Die *die, uint64_t size) {
    static const char *const signed_types[] = {"i8", "i16", "i32", "i64"};
    static const char *const unsigned_types[] = {"u8", "u16", "u32", "u64"};
    uint64_t encoding = DW_ATE_unsigned;
    const bool is_power = size == 1 || size == 2 || size == 4 || size == 8;
    const int log = size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
    if (!is_power) return "";
    if (dwarf_tag(die) == DW_TAG_base_type && !unsigned_of(die, DW_AT_encoding, &encoding)) return "";
    switch (encoding) {
    case DW_ATE_float: return size == 8 ? "f64" : size == 4 ? "f32" : "b16";
    case DW_ATE_signed:
    case DW_ATE_signed_char: return signed_types[log];
    default: return unsigned_types[log];
    }
}

/* What stands behind a pointer: of CUDA's vectors their components. */
static const char *pointed_data(Dwarf_Die *pointer) {
    Dwarf_Die die, member;
    uint64_t size = 0;
    if (!type_die(pointer, &die) || !peel(&die)) return "b8";
    if (dwarf_tag(&die) == DW_TAG_subroutine_type) return "";
    (void)unsigned_of(&die, DW_AT_byte_size, &size);
    if (dwarf_tag(&die) == DW_TAG_base_type || dwarf_tag(&die) == DW_TAG_enumeration_type) {
        const char *number = number_of(&die, size);
        return number[0] != '\0' ? number : "b8";
    }
    const bool may_be_vector = dwarf_tag(&die) == DW_TAG_structure_type && dwarf_child(&die, &member) == 0;
    const char *name = may_be_vector ? dwarf_diename(&member) : NULL;
    if (name == NULL || strcmp(name, "x") != 0 || !type_die(&member, &die) || !peel(&die)) return "b8";
    if (dwarf_tag(&die) != DW_TAG_base_type || !unsigned_of(&die, DW_AT_byte_size, &size)) return "b8";
    const char *number = number_of(&die, size);
    return number[0] != '\0' ? number : "b8";
}

/* "float const *": what a pointer points to. */
static const char *pointer_name(struct types_reader *reader, Dwarf_Die *pointer) {
    struct text name = {.arena = reader->arena};
    Dwarf_Die die;
    if (!type_die(pointer, &die)) return "void *";
    const bool is_const = dwarf_tag(&die) == DW_TAG_const_type;
    const char *of = peel(&die) ? name_of(reader, &die) : "";
    text_printf(&name, "%s%s *",
                of[0] != '\0'                               ? of
                : dwarf_tag(&die) == DW_TAG_subroutine_type ? "function"
                                                            : "void",
                is_const ? " const" : "");
    return text_take(&name);
}

/* ---- Structs and arrays ---- */

static void add_members(struct types_reader *reader, Dwarf_Die *owner, uint64_t offset, unsigned depth,
                        member_list *members);

/* One member or base; bit-fields stay bytes between the others. */
static void add_member(struct types_reader *reader, Dwarf_Die *die, uint64_t offset, unsigned depth,
                       member_list *members) {
    Dwarf_Die type;
    uint64_t within = 0;
    const bool is_base = dwarf_tag(die) == DW_TAG_inheritance;
    if (dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_external) ||
        dwarf_hasattr(die, DW_AT_bit_size) || dwarf_hasattr(die, DW_AT_virtuality))
        return;
    if (dwarf_hasattr(die, DW_AT_data_member_location) &&
        !unsigned_of(die, DW_AT_data_member_location, &within))
        return;
    if (!type_die(die, &type) || !peel(&type) || members->count >= TYPES_MAX) return;
    if (is_base) {
        add_members(reader, &type, offset + within, depth, members);
        return;
    }
    const struct host_member member = {name_of(reader, die), offset + within, type_of(reader, type, depth)};
    arena_push(reader->arena, members, member);
}

static void add_members(struct types_reader *reader, Dwarf_Die *owner, uint64_t offset, unsigned depth,
                        member_list *members) {
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(owner, &child) != 0) return;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
            add_member(reader, &child, offset, depth + 1, members);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_members(const void *a, const void *b) {
    const struct host_member *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* Of a union one member stands for all: the first that is as large. */
static void choose_member(member_list *members, uint64_t size) {
    for (size_t i = 0; i < members->count; i++) {
        if (members->items[i].type->size != size) continue;
        members->items[0] = members->items[i];
        members->count = 1;
        return;
    }
    members->count = 0;
}

static void read_struct(struct types_reader *reader, Dwarf_Die *die, unsigned depth, struct host_type *type) {
    member_list members = {0};
    add_members(reader, die, 0, depth, &members);
    if (dwarf_tag(die) == DW_TAG_union_type) choose_member(&members, type->size);
    if (members.count == 0) return;
    qsort(members.items, members.count, sizeof *members.items, compare_members);
    type->kind = HOST_STRUCT;
    type->members = members.items;
    type->member_count = (uint32_t)members.count;
}

/* The elements of one dimension of an array; 0: not known. */
static uint64_t dimension(Dwarf_Die *subrange) {
    uint64_t count;
    if (unsigned_of(subrange, DW_AT_count, &count)) return count;
    return unsigned_of(subrange, DW_AT_upper_bound, &count) && count < UINT32_MAX ? count + 1 : 0;
}

/* Arrays of several dimensions are arrays of arrays. */
static void read_array(struct types_reader *reader, Dwarf_Die *die, unsigned depth, struct host_type *type) {
    Dwarf_Die element, child;
    uint64_t counts[8];
    size_t dimensions = 0;
    if (!type_die(die, &element) || dwarf_child(die, &child) != 0) return;
    do {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
        if (dimensions == sizeof counts / sizeof *counts) return;
        counts[dimensions++] = dimension(&child);
    } while (dwarf_siblingof(&child, &child) == 0);
    const struct host_type *inner = type_of(reader, element, depth + 1);
    while (dimensions > 0) {
        struct host_type *outer = dimensions > 1 ? arena_alloc(reader->arena, sizeof *outer) : type;
        const uint64_t count = counts[--dimensions];
        outer->name = inner->name;
        outer->count = count;
        outer->element = inner;
        if (__builtin_mul_overflow(count, inner->size, &outer->size)) outer->size = 0;
        outer->kind = outer->size > 0 ? HOST_ARRAY : HOST_OPAQUE;
        inner = outer;
    }
}

static const struct host_type *type_of(struct types_reader *reader, Dwarf_Die die, unsigned depth) {
    struct host_type *type = arena_alloc(reader->arena, sizeof *type);
    *type = (struct host_type){.name = "", .data = ""};
    if (++reader->made > TYPES_MAX || depth >= DEPTH_MAX || !peel(&die)) return type;
    type->name = name_of(reader, &die);
    (void)unsigned_of(&die, DW_AT_byte_size, &type->size);
    (void)unsigned_of(&die, DW_AT_alignment, &type->align);
    switch (dwarf_tag(&die)) {
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type:
        type->data = number_of(&die, type->size);
        if (type->data[0] != '\0') type->kind = HOST_NUMBER;
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = HOST_POINTER;
        type->size = 8;
        type->name = pointer_name(reader, &die);
        type->data = pointed_data(&die);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type: read_struct(reader, &die, depth, type); break;
    case DW_TAG_array_type: read_array(reader, &die, depth, type); break;
    default: break;
    }
    return type;
}

/* ---- Kernels ---- */

/* Of a stub a reference stands for what it refers to. */
static const struct host_type *param_type(struct types_reader *reader, Dwarf_Die *param, bool is_stub) {
    Dwarf_Die type, behind;
    static const struct host_type unknown = {.name = "", .data = ""};
    if (!type_die(param, &type)) return &unknown;
    if (is_stub && dwarf_tag(&type) == DW_TAG_reference_type && type_die(&type, &behind)) type = behind;
    return type_of(reader, type, 0);
}

static bool read_params(struct types_reader *reader, Dwarf_Die *function, bool is_stub,
                        struct host_params *params) {
    VEC(const struct host_type *) types = {0};
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0) return false;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter) continue;
        if (types.count == PARAMS_MAX) return false;
        const struct host_type *type = param_type(reader, &child, is_stub);
        arena_push(reader->arena, &types, type);
    } while (dwarf_siblingof(&child, &child) == 0);
    *params = (struct host_params){types.items, (uint32_t)types.count};
    return types.count > 0;
}

/* A function of a unit, at its top or in namespaces. */
static bool find_in(struct types_reader *reader, Dwarf_Die *scope, unsigned depth,
                    struct host_params *params) {
    Dwarf_Die child;
    if (depth > DEPTH_MAX || dwarf_child(scope, &child) != 0) return false;
    do {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_namespace && find_in(reader, &child, depth + 1, params)) return true;
        const char *name = tag == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (name == NULL || dwarf_hasattr(&child, DW_AT_declaration)) continue;
        const bool is_stub = strncmp(name, STUB_PREFIX, strlen(STUB_PREFIX)) == 0;
        const char *of = is_stub ? name + strlen(STUB_PREFIX) : name;
        if (strcmp(of, reader->symbol) == 0 && read_params(reader, &child, is_stub, params)) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Debug information is looked for in the file alone. */
static int find_nothing(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                        const char *file_name, const char *link, GElf_Word checksum, char **found) {
    (void)module, (void)user, (void)name, (void)base, (void)file_name, (void)link, (void)checksum,
        (void)found;
    return -1;
}

/* The symbol that the stub is called by: linking of device code puts "__nv_static_25_", 25 characters for the
 * unit and '_' before those of static functions. */
static const char *stub_symbol(const char *symbol) {
    static const char prefix[] = "__nv_static_";
    uint64_t unit = 0;
    if (strncmp(symbol, prefix, strlen(prefix)) != 0) return symbol;
    const char *number = symbol + strlen(prefix);
    const size_t digits = strspn(number, "0123456789");
    if (!number_u64(number, digits, &unit) || number[digits] != '_') return symbol;
    const char *rest = number + digits + 1;
    return unit < strlen(rest) && rest[unit] == '_' ? rest + unit + 1 : symbol;
}

/* A reader inside of a pass: what libdw holds is freed when the pass ends. */
struct types_search {
    struct types_reader reader;
    Dwfl *dwfl;
    struct host_params *params;
    bool found;
};

static void search_units(void *context) {
    struct types_search *search = context;
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    while (!search->found && (unit = dwfl_nextcu(search->dwfl, unit, &bias)) != NULL)
        search->found = find_in(&search->reader, unit, 0, search->params);
}

bool host_params_find(const char *path, const char *symbol, struct arena *arena, struct host_params *params) {
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_nothing,
                                             .section_address = dwfl_offline_section_address};
    struct types_search search = {.reader = {.symbol = stub_symbol(symbol), .arena = arena},
                                  .params = params};
    assert(arena_is_protected(arena));
    search.dwfl = dwfl_begin(&callbacks);
    if (search.dwfl == NULL) return false;
    const bool is_open = dwfl_report_offline(search.dwfl, "", path, -1) != NULL &&
                         dwfl_report_end(search.dwfl, NULL, NULL) == 0;
    const wb_status status = is_open ? arena_protect(arena, search_units, &search) : WB_OK;
    dwfl_end(search.dwfl);
    if (status != WB_OK) arena_fail(arena, status);
    return search.found;
}

#else

bool host_params_find(const char *path, const char *symbol, struct arena *arena, struct host_params *params) {
    (void)path, (void)symbol, (void)params;
    assert(arena_is_protected(arena));
    return false;
}

#endif
