/* Types that a launch file declares in C: structs of numbers, pointers, vectors of CUDA, arrays and other
 * structs, and names for types. They are laid out as nvcc does for the host that it compiles for: `long` has
 * 8 bytes. What is not read, such as unions, is an error with its name and place. */
#include <assert.h>
#include <string.h>

#include "launch/launch.h"

/* Most types that are declared, and dimensions of an array. */
#define TYPES_MAX 1024u
#define DIMENSIONS_MAX 8u

struct declarations {
    struct scanner scan;
    struct arena *arena;
    launch_types types;
    uint32_t depth;
    wb_status status;
};

/* A word of the text; its length is 0 where none stands. */
struct word {
    const char *text;
    size_t length, at;
};

/* What attributes ask for; 0 and false where they do not. */
struct attributes {
    uint64_t align;
    size_t at; /* where the alignment stands */
    bool packed;
};

static bool in_word(char c) {
    return ascii_letter(c) || ascii_digit(c) || c == '_';
}

static struct word take_word(struct declarations *reader) {
    struct word word;
    word.length = scan_word(&reader->scan, in_word, &word.text);
    word.at = reader->scan.at - word.length;
    return word;
}

static struct word next_word(struct declarations *reader) {
    const struct word word = take_word(reader);
    reader->scan.at = word.at;
    return word;
}

static bool is_word(const struct word *word, const char *text) {
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Takes the next word if it is one of a list that NULL ends. */
static bool accept_one(struct declarations *reader, const char *const *words) {
    const struct word word = take_word(reader);
    for (; *words != NULL; words++)
        if (is_word(&word, *words)) return true;
    reader->scan.at = word.at;
    return false;
}

/* An error about what has a name. */
static wb_status fail_name(const struct declarations *reader, const struct word *name, const char *problem) {
    return scan_fail_at(&reader->scan, name->at, "%.*s: %s", (int)(name->length < 60 ? name->length : 60),
                        name->text, problem);
}

/* ---- Attributes ---------------------------------------------------------------------------------------- */

/* (N), behind alignas and the like. */
static wb_status parse_align(struct declarations *reader, struct attributes *made) {
    uint64_t align = 0;
    WB_TRY(scan_expect(&reader->scan, '('));
    WB_TRY(scan_number(&reader->scan, "an alignment", 1, LAUNCH_ALIGN_MAX, &align));
    if ((align & (align - 1)) != 0)
        return scan_fail(&reader->scan, "expected a power of two as an alignment");
    if (align > made->align) made->align = align;
    return scan_expect(&reader->scan, ')');
}

/* ((aligned(N), packed)) */
static wb_status parse_gnu(struct declarations *reader, struct attributes *made) {
    static const char *const aligned[] = {"aligned", "__aligned__", NULL};
    static const char *const packed[] = {"packed", "__packed__", NULL};
    WB_TRY(scan_expect(&reader->scan, '('));
    WB_TRY(scan_expect(&reader->scan, '('));
    do {
        if (accept_one(reader, aligned))
            WB_TRY(parse_align(reader, made));
        else if (accept_one(reader, packed))
            made->packed = true;
        else
            return scan_fail(&reader->scan, "expected aligned(N) or packed");
    } while (scan_accept(&reader->scan, ','));
    WB_TRY(scan_expect(&reader->scan, ')'));
    return scan_expect(&reader->scan, ')');
}

/* Any number of them; what is const, too. */
static wb_status parse_attributes(struct declarations *reader, struct attributes *made) {
    static const char *const aligns[] = {"alignas", "_Alignas", "__align__", "__builtin_align__", NULL};
    static const char *const gnu[] = {"__attribute__", NULL};
    static const char *const nothing[] = {"const",        "volatile",   "restrict",
                                          "__restrict__", "__restrict", NULL};
    for (;;) {
        const size_t at = next_word(reader).at;
        const bool is_align = accept_one(reader, aligns);
        if (is_align || accept_one(reader, gnu)) {
            made->at = at;
            WB_TRY((is_align ? parse_align : parse_gnu)(reader, made));
        } else if (!accept_one(reader, nothing)) {
            return WB_OK;
        }
    }
}

/* ---- Names and numbers --------------------------------------------------------------------------------- */

static struct host_type *new_type(struct declarations *reader, enum host_kind kind, const char *name,
                                  const char *data, uint64_t size) {
    struct host_type *type = arena_alloc(reader->arena, sizeof *type);
    *type = (struct host_type){.kind = kind, .name = name, .data = data, .size = size, .align = size};
    return type;
}

static const struct host_type *number_type(struct declarations *reader, const char *data) {
    const uint64_t size = ptx_type_bytes(launch_type_named(data, strlen(data)));
    return new_type(reader, HOST_NUMBER, data, data, size);
}

static const struct host_type *find_type(const struct declarations *reader, const struct word *name) {
    for (size_t i = 0; i < reader->types.count; i++)
        if (is_word(name, reader->types.items[i].name)) return reader->types.items[i].type;
    return NULL;
}

/* Gives a type a name, which is that of no other type. */
static wb_status add_name(struct declarations *reader, const struct word *name,
                          const struct host_type *type) {
    const struct host_type *other = find_type(reader, name);
    const struct launch_type made = {arena_string(reader->arena, name->text, name->length), type};
    if (other == type) return WB_OK;
    if (other != NULL || launch_vector_named(made.name).count > 0)
        return fail_name(reader, name, "there is a type of that name");
    if (reader->types.count == TYPES_MAX)
        return scan_fail_at(&reader->scan, name->at, "more than %u types", TYPES_MAX);
    arena_push(reader->arena, &reader->types, made);
    return WB_OK;
}

/* The words that types of numbers consist of, in any order, as bits. */
enum number_word {
    UNSIGNED = 1,
    SIGNED = 2,
    CHAR = 4,
    SHORT = 8,
    INT = 16,
    LONG = 32,
    LONG_LONG = 64,
    FLOAT = 128,
    DOUBLE = 256,
    BOOL = 512
};

/* Takes those that stand there, of which only `long` may stand twice: *again where another one does. */
static unsigned take_number_words(struct declarations *reader, bool *again) {
    static const struct {
        const char *text;
        enum number_word bit;
    } words[] = {{"unsigned", UNSIGNED}, {"signed", SIGNED}, {"char", CHAR},
                 {"short", SHORT},       {"int", INT},       {"long", LONG},
                 {"float", FLOAT},       {"double", DOUBLE}, {"bool", BOOL}};
    const size_t count = sizeof words / sizeof *words;
    unsigned seen = 0;
    for (;;) {
        const struct word word = take_word(reader);
        size_t w = 0;
        while (w < count && !is_word(&word, words[w].text))
            w++;
        if (w == count) {
            reader->scan.at = word.at;
            return seen;
        }
        const unsigned bit = words[w].bit == LONG && (seen & LONG) != 0 ? LONG_LONG : words[w].bit;
        *again |= (seen & bit) != 0;
        seen |= bit;
    }
}

/* "unsigned long int" and the like; NULL: no such word stands there, or, with *status, they are no type. */
static const struct host_type *parse_number(struct declarations *reader, wb_status *status) {
    static const struct {
        unsigned words, optional;
        const char *data;
    } types[] = {
        {CHAR, 0, "b8"},
        {SIGNED | CHAR, 0, "i8"},
        {UNSIGNED | CHAR, 0, "u8"},
        {SHORT, SIGNED | INT, "i16"},
        {UNSIGNED | SHORT, INT, "u16"},
        {INT, SIGNED, "i32"},
        {SIGNED, 0, "i32"},
        {UNSIGNED, INT, "u32"},
        {LONG, SIGNED | INT | LONG_LONG, "i64"},
        {UNSIGNED | LONG, INT | LONG_LONG, "u64"},
        {FLOAT, 0, "f32"},
        {DOUBLE, 0, "f64"},
        {BOOL, 0, "u8"},
    };
    const size_t at = next_word(reader).at;
    bool again = false;
    const unsigned seen = take_number_words(reader, &again);
    if (seen == 0) return NULL;
    for (size_t i = 0; !again && i < sizeof types / sizeof *types; i++)
        if ((seen & ~types[i].optional) == types[i].words) return number_type(reader, types[i].data);
    *status = scan_fail_at(&reader->scan, at, "expected a type of up to 8 bytes");
    return NULL;
}

/* A vector of CUDA, or a number of a name that headers give it; NULL: none is called so. */
static const struct host_type *known_type(struct declarations *reader, const struct word *name) {
    static const char *const numbers[][2] = {
        {"int8_t", "i8"},
        {"int16_t", "i16"},
        {"int32_t", "i32"},
        {"int64_t", "i64"},
        {"uint8_t", "u8"},
        {"uint16_t", "u16"},
        {"uint32_t", "u32"},
        {"uint64_t", "u64"},
        {"size_t", "u64"},
        {"ptrdiff_t", "i64"},
        {"intptr_t", "i64"},
        {"uintptr_t", "u64"},
        {"ushort", "u16"},
        {"uint", "u32"},
        {"ulong", "u64"},
        {"half", "b16"},
        {"__half", "b16"},
        {"__nv_bfloat16", "b16"},
        {"nv_bfloat16", "b16"},
        {"cudaTextureObject_t", "u64"},
        {"cudaSurfaceObject_t", "u64"},
        {"_Bool", "u8"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_word(name, numbers[i][0])) return number_type(reader, numbers[i][1]);
    const char *own = arena_string(reader->arena, name->text, name->length);
    const struct launch_vector vector = launch_vector_named(own);
    if (vector.count == 0) return NULL;
    struct host_type *type = new_type(reader, HOST_STRUCT, own, vector.type, vector.count * vector.bytes);
    struct host_member *members = arena_array(reader->arena, vector.count, sizeof *members);
    for (uint32_t i = 0; i < vector.count; i++)
        members[i] =
            (struct host_member){launch_components[i], i * vector.bytes, number_type(reader, vector.type)};
    type->align = vector.align;
    type->members = members;
    type->member_count = vector.count;
    return type;
}

/* ---- Declarators --------------------------------------------------------------------------------------- */

/* What launch files call what a pointer points to: of vectors their components. */
static const struct host_type *pointer_to(struct declarations *reader, const struct host_type *type) {
    const bool has_data = type->kind == HOST_NUMBER || type->kind == HOST_STRUCT;
    const char *data = has_data && type->data[0] != '\0' ? type->data : "b8";
    return new_type(reader, HOST_POINTER, "", data, LAUNCH_POINTER_BYTES);
}

/* [N] [M] behind the name of a field. */
static wb_status parse_dimensions(struct declarations *reader, const struct host_type **type) {
    uint64_t counts[DIMENSIONS_MAX];
    size_t dimensions = 0;
    while (scan_accept(&reader->scan, '[')) {
        if (dimensions == DIMENSIONS_MAX)
            return scan_fail(&reader->scan, "more than %u dimensions", DIMENSIONS_MAX);
        WB_TRY(
            scan_number(&reader->scan, "a number of elements", 1, LAUNCH_STRUCT_MAX, &counts[dimensions++]));
        WB_TRY(scan_expect(&reader->scan, ']'));
    }
    while (dimensions > 0) {
        const struct host_type *element = *type;
        const uint64_t count = counts[--dimensions];
        if (element->size > LAUNCH_STRUCT_MAX / count)
            return scan_fail(&reader->scan, "an array has at most %u bytes", LAUNCH_STRUCT_MAX);
        struct host_type *array =
            new_type(reader, HOST_ARRAY, element->name, element->data, count * element->size);
        array->align = element->align;
        array->element = element;
        array->count = count;
        *type = array;
    }
    return WB_OK;
}

/* What is declared, by a name: a field, or a name for a type. */
struct declarator {
    struct word name;
    const struct host_type *type;
    struct attributes attributes;
};

/* Says what stands behind a name and is not read. */
static wb_status refuse_behind(struct declarations *reader, const struct word *name) {
    const char next = scan_peek(&reader->scan);
    const char *problem = next == ':'
                              ? "bit-fields are not read: declare the bytes that they are in, such as "
                                "unsigned char flags[4]"
                          : next == '=' ? "values are not read: leave them out"
                          : next == '(' ? "functions are not read: leave them out"
                                        : NULL;
    return problem == NULL ? WB_OK : fail_name(reader, name, problem);
}

static wb_status parse_declarator(struct declarations *reader, const struct host_type *type,
                                  struct declarator *made) {
    assert(type != NULL);
    while (scan_accept(&reader->scan, '*')) {
        type = pointer_to(reader, type);
        WB_TRY(parse_attributes(reader, &made->attributes));
    }
    const char next = scan_peek(&reader->scan);
    if (next == '&' || next == '(')
        return scan_fail(&reader->scan, "references and pointers to functions are not read: declare void *");
    made->name = take_word(reader);
    if (made->name.length == 0 || ascii_digit(made->name.text[0]))
        return scan_fail_at(&reader->scan, made->name.at, "expected a name");
    WB_TRY(refuse_behind(reader, &made->name));
    const bool is_complete = type->size > 0;
    if (is_complete) WB_TRY(parse_dimensions(reader, &type));
    WB_TRY(parse_attributes(reader, &made->attributes));
    made->type = type;
    return is_complete ? WB_OK : fail_name(reader, &made->name, "its type is not declared here");
}

/* ---- Structs ------------------------------------------------------------------------------------------- */

static wb_status parse_type(struct declarations *reader, struct attributes *attributes,
                            const struct host_type **type);

typedef VEC(struct host_member) member_list;

_Static_assert(LAUNCH_NAMES_MAX == 1024 && LAUNCH_STRUCT_MAX == 32764, "messages have these numbers");

static wb_status add_member(struct declarations *reader, const struct declarator *declared, bool packed,
                            struct launch_layout *layout, member_list *members) {
    assert(declared->type != NULL);
    const uint64_t asked = declared->attributes.align, own = packed ? 1 : declared->type->align;
    const struct launch_layout part = {.size = declared->type->size, .align = asked > own ? asked : own};
    for (size_t i = 0; i < members->count; i++)
        if (is_word(&declared->name, members->items[i].name))
            return fail_name(reader, &declared->name, "a field before has this name");
    if (declared->attributes.packed) return fail_name(reader, &declared->name, "packed stands behind struct");
    if (asked > 0 && asked < own)
        return fail_name(reader, &declared->name, "its type needs a larger alignment");
    if (members->count == LAUNCH_NAMES_MAX)
        return fail_name(reader, &declared->name, "a struct has at most 1024 fields");
    const struct host_member member = {
        arena_string(reader->arena, declared->name.text, declared->name.length),
        launch_layout_add(layout, &part), declared->type};
    arena_push(reader->arena, members, member);
    if (layout->size <= LAUNCH_STRUCT_MAX) return WB_OK;
    return fail_name(reader, &declared->name, "a struct has at most 32764 bytes");
}

/* TYPE NAME, NAME; of a struct. */
static wb_status parse_members(struct declarations *reader, bool packed, struct launch_layout *layout,
                               member_list *members) {
    const struct host_type *type = NULL;
    struct attributes attributes = {0};
    WB_TRY(parse_type(reader, &attributes, &type));
    do {
        struct declarator declared = {.attributes = attributes};
        WB_TRY(parse_declarator(reader, type, &declared));
        WB_TRY(add_member(reader, &declared, packed, layout, members));
    } while (scan_accept(&reader->scan, ','));
    return scan_expect(&reader->scan, ';');
}

/* Whether the attributes behind a struct say that it is packed, which its fields depend on. */
static wb_status look_behind(struct declarations *reader, struct attributes *attributes) {
    const struct scanner before = reader->scan;
    unsigned depth = 0;
    for (char c = scan_peek(&reader->scan); c != '\0'; c = scan_peek(&reader->scan)) {
        if (c == '}' && depth == 0) break;
        depth += c == '{';
        depth -= c == '}';
        reader->scan.at++;
    }
    wb_status status = WB_OK;
    if (scan_accept(&reader->scan, '}')) status = parse_attributes(reader, attributes);
    reader->scan = before;
    return status;
}

/* {...} */
static wb_status parse_body(struct declarations *reader, struct attributes *attributes,
                            struct host_type *type) {
    struct launch_layout layout = {.align = 1};
    member_list members = {0};
    const size_t at = reader->scan.at;
    WB_TRY(look_behind(reader, attributes));
    do
        WB_TRY(parse_members(reader, attributes->packed, &layout, &members));
    while (!scan_accept(&reader->scan, '}'));
    WB_TRY(parse_attributes(reader, attributes));
    if (attributes->align > 0 && attributes->align < layout.align)
        return scan_fail_at(&reader->scan, attributes->at, "the struct needs a larger alignment");
    if (attributes->align > 0) layout.align = attributes->align;
    type->size = launch_aligned(layout.size, layout.align);
    if (type->size > LAUNCH_STRUCT_MAX)
        return scan_fail_at(&reader->scan, at, "a struct has at most %u bytes", LAUNCH_STRUCT_MAX);
    type->align = layout.align;
    type->members = members.items;
    type->member_count = (uint32_t)members.count;
    return WB_OK;
}

/* struct NAME, struct {...} or struct NAME {...}: the first may name a type that is not declared, which only
 * pointers can point to. */
static wb_status parse_struct(struct declarations *reader, const struct host_type **made) {
    struct attributes attributes = {0};
    WB_TRY(parse_attributes(reader, &attributes));
    const struct word name = take_word(reader);
    const struct host_type *known = find_type(reader, &name);
    if (scan_peek(&reader->scan) == ':') return scan_fail(&reader->scan, "bases of structs are not read");
    if (scan_peek(&reader->scan) != '{') {
        if (name.length == 0) return scan_fail(&reader->scan, "expected a name or '{' behind struct");
        *made = known != NULL ? known : new_type(reader, HOST_OPAQUE, "", "", 0);
        return WB_OK;
    }
    if (reader->depth == LAUNCH_FIELDS_DEEP)
        return scan_fail(&reader->scan, "at most %u levels of structs", LAUNCH_FIELDS_DEEP);
    const char *own = arena_string(reader->arena, name.text, name.length);
    struct host_type *type = new_type(reader, HOST_STRUCT, own, "", 0);
    *made = type;
    (void)scan_accept(&reader->scan, '{');
    if (name.length > 0) WB_TRY(add_name(reader, &name, type));
    reader->depth++;
    WB_TRY(parse_body(reader, &attributes, type));
    reader->depth--;
    return WB_OK;
}

/* A type of a number, or one that has a name. */
static wb_status parse_named(struct declarations *reader, const struct host_type **type) {
    wb_status status = WB_OK;
    *type = parse_number(reader, &status);
    if (*type != NULL || status != WB_OK) return status;
    const struct word word = take_word(reader);
    if (word.length == 0) return scan_fail(&reader->scan, "expected a type");
    *type = find_type(reader, &word);
    if (*type == NULL) *type = known_type(reader, &word);
    return *type != NULL ? WB_OK : fail_name(reader, &word, "there is no type of that name");
}

/* A type, with what is said of the fields that have it. */
static wb_status parse_type(struct declarations *reader, struct attributes *attributes,
                            const struct host_type **type) {
    static const char *const structs[] = {"struct", "class", NULL}, *const none[] = {"void", NULL};
    static const char *const refused[] = {"union", "enum", "static", "constexpr", NULL};
    WB_TRY(parse_attributes(reader, attributes));
    const struct word word = next_word(reader);
    if (accept_one(reader, refused))
        return fail_name(reader, &word,
                         "this is not read: declare the bytes of a union, such as unsigned char u[16], and "
                         "an enum as int");
    if (accept_one(reader, none))
        *type = new_type(reader, HOST_OPAQUE, "", "", 0);
    else if (accept_one(reader, structs))
        WB_TRY(parse_struct(reader, type));
    else
        WB_TRY(parse_named(reader, type));
    assert(*type != NULL);
    return parse_attributes(reader, attributes);
}

/* ---- Declarations -------------------------------------------------------------------------------------- */

/* struct NAME {...}; or typedef TYPE NAME, NAME; */
static wb_status parse_declaration(struct declarations *reader) {
    static const char *const typedefs[] = {"typedef", NULL};
    static const char *const starts[] = {"struct", "class", "union", "enum", NULL};
    const struct host_type *type = NULL;
    struct attributes attributes = {0};
    const size_t at = next_word(reader).at;
    bool more = accept_one(reader, typedefs);
    if (!more && !accept_one(reader, starts))
        return scan_fail_at(&reader->scan, at, "expected struct NAME {...}; or typedef TYPE NAME;");
    if (!more) reader->scan.at = at;
    WB_TRY(parse_type(reader, &attributes, &type));
    while (more) {
        struct declarator declared = {.attributes = attributes};
        WB_TRY(parse_declarator(reader, type, &declared));
        if (declared.attributes.align > 0 || declared.attributes.packed)
            return scan_fail_at(&reader->scan, declared.attributes.at,
                                "attributes of a typedef are not read: give them to the struct or the field");
        WB_TRY(add_name(reader, &declared.name, declared.type));
        more = scan_accept(&reader->scan, ',');
    }
    return scan_expect(&reader->scan, ';');
}

static void read_declarations(void *context) {
    struct declarations *reader = context;
    while (reader->status == WB_OK && scan_peek(&reader->scan) != '\0')
        if (!scan_accept(&reader->scan, ';')) reader->status = parse_declaration(reader);
    if (reader->status == WB_OK && !scan_at_end(&reader->scan))
        reader->status = scan_fail(&reader->scan, "a NUL");
}

wb_status launch_types_parse(const struct scanner *scan, struct arena *arena, launch_types *types) {
    struct declarations reader = {.scan = *scan, .arena = arena};
    const wb_status status = arena_protect(arena, read_declarations, &reader);
    if (status != WB_OK) return diagnose_out_of_memory(scan->diagnostics, "types");
    *types = reader.types;
    return reader.status;
}
