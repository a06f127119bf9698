#include "ptx/ptx.h"

#include <string.h>

/* All texts of one name together. Every step of the parse takes a letter or copies texts into this, so it
 * bounds the work, too. */
#define MEMORY_MAX ((size_t)1 << 19)

/* Deepest nesting of names and types. */
#define DEPTH_MAX 64u

/* What a type is to what is made of it. */
enum kind { KIND_PLAIN, KIND_FUNCTION, KIND_ARRAY, KIND_LVALUE, KIND_RVALUE };

/* A name or a type, written around what is declared: `int (*` and `)(float)`. Both NULL: it failed. */
struct spelling {
    const char *left, *right;
    enum kind kind;
};

/* A list of template arguments. */
struct arguments {
    struct spelling *items;
    size_t count;
};

struct demangler {
    const char *at;
    struct arena arena;
    VEC(struct spelling) substitutions;
    struct arguments last;       /* of the template that was named last */
    struct arguments parameters; /* what T_, T0_ ... stand for */
    bool is_template;            /* the name that was read last ends with template arguments */
    uint32_t depth;
};

static const struct spelling failed = {NULL, NULL, KIND_PLAIN};

static struct spelling read_type(struct demangler *in);
static struct spelling read_name(struct demangler *in);
static struct spelling read_encoding(struct demangler *in);
static struct spelling read_parameter(struct demangler *in);

/* The texts one after another, up to a NULL; NULL when there is no room, or the first one is. */
static const char *join(struct demangler *in, const char *const *parts) {
    size_t length = 0;
    for (size_t i = 0; parts[i] != NULL; i++)
        length += strlen(parts[i]);
    char *text = parts[0] == NULL ? NULL : arena_alloc(&in->arena, length + 1);
    for (size_t i = 0, at = 0; text != NULL && parts[i] != NULL; i++) {
        memcpy(text + at, parts[i], strlen(parts[i]));
        at += strlen(parts[i]);
    }
    return text;
}

#define JOIN(in, ...) join((in), (const char *const[]){__VA_ARGS__, NULL})

static struct spelling spell(const char *left, const char *right, enum kind kind) {
    return left == NULL || right == NULL ? failed : (struct spelling){left, right, kind};
}

static struct spelling plain(const char *text) {
    return spell(text, "", KIND_PLAIN);
}

static bool accept(struct demangler *in, const char *text) {
    size_t length = strlen(text);
    if (strncmp(in->at, text, length) != 0) return false;
    in->at += length;
    return true;
}

/* Notes what S_, S0_ ... can stand for from here on. */
static struct spelling remember(struct demangler *in, struct spelling spelling) {
    if (spelling.left == NULL || vec_push(&in->substitutions, spelling) != WB_OK) return failed;
    return spelling;
}

/* `_` is 0, `0_` is 1 ... in the base. */
static bool read_index(struct demangler *in, uint32_t base, size_t *index) {
    size_t value = 0;
    bool empty = true;
    for (; ascii_digit(*in->at) || (base == 36 && ascii_upper(*in->at)); in->at++, empty = false) {
        value = value * base + (size_t)(ascii_digit(*in->at) ? *in->at - '0' : *in->at - 'A' + 10);
        if (value > MEMORY_MAX) return false;
    }
    *index = empty ? 0 : value + 1;
    return accept(in, "_");
}

/* A list with commas; what is empty, such as an empty pack, has none. */
static const char *list(struct demangler *in, const struct spelling *items, size_t count) {
    const char *text = "";
    for (size_t i = 0; i < count && text != NULL; i++) {
        if (items[i].left[0] == '\0') continue;
        text = JOIN(in, text, text[0] == '\0' ? "" : ", ", items[i].left, items[i].right);
    }
    return text;
}

/* Reads items up to `E` or the end; *items are the arena's. */
static bool read_items(struct demangler *in, struct spelling (*read)(struct demangler *),
                       struct arguments *items) {
    VEC(struct spelling) found = {0};
    bool good = true;
    while (good && *in->at != '\0' && *in->at != 'E') {
        struct spelling item = read(in);
        good = item.left != NULL && vec_push(&found, item) == WB_OK;
    }
    items->items = good ? arena_array(&in->arena, found.count + 1, sizeof *items->items) : NULL;
    items->count = found.count;
    if (items->items != NULL && found.count > 0)
        memcpy(items->items, found.items, found.count * sizeof *found.items);
    vec_free(&found);
    return items->items != NULL;
}

/* ---- Names --------------------------------------------------------------------------------------------- */

/* <length> identifier */
static struct spelling read_source_name(struct demangler *in) {
    size_t length = 0;
    while (ascii_digit(*in->at) && length < MEMORY_MAX)
        length = length * 10 + (size_t)(*in->at++ - '0');
    if (length == 0 || strnlen(in->at, length) < length) return failed;
    const char *name = arena_string(&in->arena, in->at, length);
    in->at += length;
    const bool anonymous = length >= 10 && name != NULL && strncmp(name, "_GLOBAL_", 8) == 0 &&
                           strchr("._$", name[8]) != NULL && name[9] == 'N';
    return plain(anonymous ? "(anonymous namespace)" : name);
}

/* Ul <types> E [number] _, a lambda; Ut [number] _, a type without a name */
static struct spelling read_unnamed(struct demangler *in) {
    const struct arguments parameters = in->parameters;
    struct arguments types = {0};
    size_t index;
    const char *text = "{unnamed type#";
    const bool lambda = accept(in, "Ul");
    if (lambda) {
        in->parameters = (struct arguments){0}; /* those of a generic lambda are not spelled */
        bool nothing = *in->at == 'v';
        bool good = read_items(in, read_type, &types) && accept(in, "E");
        in->parameters = parameters;
        if (!good) return failed;
        text = nothing && types.count == 1 ? "" : list(in, types.items, types.count);
        text = JOIN(in, "{lambda(", text == NULL ? "" : text, ")#");
    } else if (!accept(in, "Ut")) {
        return failed;
    }
    char number[24];
    if (!read_index(in, 10, &index)) return failed;
    (void)text_format(number, sizeof number, "%zu}", index + 1);
    return plain(JOIN(in, text, number));
}

/* A name without what it is in; behind it there can be tags. */
static struct spelling read_unqualified(struct demangler *in) {
    (void)accept(in, "L"); /* of internal linkage */
    struct spelling name = *in->at == 'U' ? read_unnamed(in) : read_source_name(in);
    while (name.left != NULL && accept(in, "B")) {
        struct spelling tag = read_source_name(in);
        name = tag.left == NULL ? failed : plain(JOIN(in, name.left, "[abi:", tag.left, "]"));
    }
    return name;
}

/* L <type> <value> E */
static struct spelling read_literal(struct demangler *in) {
    static const struct {
        char type;
        const char *suffix;
    } suffixes[] = {{'i', ""}, {'j', "u"}, {'l', "l"}, {'m', "ul"}, {'x', "ll"}, {'y', "ull"}};
    const char letter = *in->at;
    const char behind = letter == '\0' ? '\0' : in->at[1];
    if (letter == '_') return failed;
    struct spelling type = read_type(in);
    const char *sign = accept(in, "n") ? "-" : "";
    const size_t length = strspn(in->at, "0123456789");
    if (type.left == NULL || length == 0 || type.kind != KIND_PLAIN) return failed;
    const char *digits = arena_string(&in->arena, in->at, length);
    in->at += length;
    if (digits == NULL || !accept(in, "E")) return failed;
    const bool is_bit = length == 1 && (digits[0] == '0' || digits[0] == '1') && sign[0] == '\0';
    if (letter == 'b' && is_bit) return plain(digits[0] == '0' ? "false" : "true");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (letter == suffixes[i].type && (ascii_digit(behind) || behind == 'n'))
            return plain(JOIN(in, sign, digits, suffixes[i].suffix));
    return plain(JOIN(in, "(", type.left, ")", sign, digits));
}

static struct spelling read_argument(struct demangler *in) {
    if (accept(in, "L")) return read_literal(in);
    if (accept(in, "X")) {
        struct spelling value = read_parameter(in); /* other expressions are not spelled */
        return accept(in, "E") ? value : failed;
    }
    if (!accept(in, "J")) return read_type(in);
    struct arguments pack;
    if (!read_items(in, read_argument, &pack) || !accept(in, "E")) return failed;
    return plain(list(in, pack.items, pack.count));
}

/* I <arguments> E behind the name of a template */
static struct spelling read_template(struct demangler *in, struct spelling name) {
    struct arguments arguments;
    if (name.left == NULL || !accept(in, "I") || !read_items(in, read_argument, &arguments) ||
        !accept(in, "E"))
        return failed;
    in->last = arguments;
    in->is_template = true;
    const char *text = list(in, arguments.items, arguments.count);
    if (text == NULL) return failed;
    const size_t length = strlen(text);
    return plain(JOIN(in, name.left, "<", text, length > 0 && text[length - 1] == '>' ? " >" : ">"));
}

/* S_, S0_ ... or a name of the standard library; *known: it is among the substitutions already */
static struct spelling read_substitution(struct demangler *in, bool *known) {
    static const struct {
        const char *letters, *name;
    } names[] = {{"Sa", "std::allocator"}, {"Sb", "std::basic_string"}, {"Ss", "std::string"},
                 {"Si", "std::istream"},   {"So", "std::ostream"},      {"Sd", "std::iostream"}};
    *known = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (accept(in, names[i].letters)) return plain(names[i].name);
    size_t index;
    if (!accept(in, "S") || !read_index(in, 36, &index) || index >= in->substitutions.count) return failed;
    return in->substitutions.items[index];
}

/* T_, T0_ ... */
static struct spelling read_parameter(struct demangler *in) {
    size_t index;
    if (!accept(in, "T") || !read_index(in, 10, &index) || index >= in->parameters.count) return failed;
    return in->parameters.items[index];
}

/* N [qualifiers] <prefixes> E: every prefix but the last, which is the whole name, can be substituted. */
static struct spelling read_nested(struct demangler *in) {
    struct spelling name = failed;
    while (*in->at != 'E') {
        bool known = false, whole = name.left == NULL;
        in->is_template = false;
        if (*in->at == 'I') {
            name = read_template(in, name);
        } else if (whole && accept(in, "St")) {
            name = plain("std");
            known = true;
        } else if (whole && *in->at == 'S') {
            name = read_substitution(in, &known);
        } else if (whole && *in->at == 'T') {
            name = read_parameter(in);
        } else {
            struct spelling part = read_unqualified(in);
            if (part.left == NULL) return failed;
            name = whole ? part : plain(JOIN(in, name.left, "::", part.left));
        }
        if (name.left != NULL && !known && *in->at != 'E') name = remember(in, name);
        if (name.left == NULL || name.right[0] != '\0') return failed;
    }
    in->at++;
    return name;
}

/* Z <function> E <name> [discriminator] */
static struct spelling read_local(struct demangler *in) {
    const struct arguments parameters = in->parameters;
    struct spelling function = read_encoding(in);
    in->parameters = parameters;
    if (function.left == NULL || !accept(in, "E")) return failed;
    if (*in->at == 's' || *in->at == 'd') return failed;
    struct spelling name = read_name(in);
    if (name.left == NULL) return failed;
    if (*in->at == '_' && ascii_digit(in->at[1])) in->at += 2;
    return plain(JOIN(in, function.left, "::", name.left));
}

static struct spelling read_name(struct demangler *in) {
    bool known = false;
    in->is_template = false;
    if (accept(in, "N")) return read_nested(in);
    if (accept(in, "Z")) return read_local(in);
    struct spelling name = failed;
    if (accept(in, "St")) {
        name = read_unqualified(in);
        if (name.left != NULL) name = plain(JOIN(in, "std::", name.left));
    } else {
        name = *in->at == 'S' ? read_substitution(in, &known) : read_unqualified(in);
    }
    if (name.left == NULL || *in->at != 'I') return name;
    return read_template(in, known ? name : remember(in, name));
}

/* ---- Types --------------------------------------------------------------------------------------------- */

static const char *builtin_name(char letter) {
    static const char *const names[] = {
        ['v' - 'a'] = "void",
        ['w' - 'a'] = "wchar_t",
        ['b' - 'a'] = "bool",
        ['c' - 'a'] = "char",
        ['a' - 'a'] = "signed char",
        ['h' - 'a'] = "unsigned char",
        ['s' - 'a'] = "short",
        ['t' - 'a'] = "unsigned short",
        ['i' - 'a'] = "int",
        ['j' - 'a'] = "unsigned int",
        ['l' - 'a'] = "long",
        ['m' - 'a'] = "unsigned long",
        ['x' - 'a'] = "long long",
        ['n' - 'a'] = "__int128",
        ['o' - 'a'] = "unsigned __int128",
        ['f' - 'a'] = "float",
        ['d' - 'a'] = "double",
        ['e' - 'a'] = "long double",
        ['g' - 'a'] = "__float128",
        ['z' - 'a'] = "...",
        ['y' - 'a'] = "unsigned long long",
    };
    return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

/* What a pointer, reference or pointer to member puts around the type it points to. */
static struct spelling point(struct demangler *in, struct spelling to, const char *mark, enum kind kind) {
    if (to.left == NULL) return failed;
    if (to.kind == KIND_FUNCTION) return spell(JOIN(in, to.left, "(", mark), JOIN(in, ")", to.right), kind);
    if (to.kind == KIND_ARRAY) return spell(JOIN(in, to.left, " (", mark), JOIN(in, ")", to.right), kind);
    return spell(JOIN(in, to.left, mark), to.right, kind);
}

/* A reference to a reference is one of the two. */
static struct spelling refer(struct demangler *in, struct spelling to, enum kind kind) {
    if (to.kind == KIND_LVALUE || (to.kind == KIND_RVALUE && kind == KIND_RVALUE)) return to;
    if (to.kind == KIND_RVALUE) {
        char *left = to.left == NULL ? NULL : arena_string(&in->arena, to.left, strlen(to.left) - 1);
        return spell(left, to.right, KIND_LVALUE);
    }
    return point(in, to, kind == KIND_LVALUE ? "&" : "&&", kind);
}

/* [r] [V] [K] <type>: the innermost first, and none twice */
static struct spelling read_qualified(struct demangler *in) {
    const char letter = *in->at++;
    const char *word = letter == 'K' ? " const" : letter == 'V' ? " volatile" : " restrict";
    const bool more = *in->at == 'r' || *in->at == 'V' || *in->at == 'K';
    struct spelling type = more ? read_qualified(in) : read_type(in);
    if (type.left == NULL || type.kind == KIND_FUNCTION || type.kind == KIND_ARRAY) return failed;
    const size_t length = strlen(type.left), size = strlen(word);
    if (type.right[0] == '\0' && length >= size && strcmp(type.left + length - size, word) == 0) return type;
    return spell(JOIN(in, type.left, word), type.right, type.kind);
}

/* What stands between the result of a function and what is declared. */
static const char *gap(struct spelling result) {
    return result.right[0] == '\0' ? " " : "";
}

/* F [Y] <result> <parameters> E */
static struct spelling read_function(struct demangler *in) {
    struct arguments types;
    (void)accept(in, "Y");
    struct spelling result = read_type(in);
    bool nothing = *in->at == 'v';
    if (result.left == NULL || !read_items(in, read_type, &types) || !accept(in, "E")) return failed;
    const char *text = nothing && types.count == 1 ? "" : list(in, types.items, types.count);
    if (text == NULL) return failed;
    return spell(JOIN(in, result.left, gap(result)), JOIN(in, "(", text, ")", result.right), KIND_FUNCTION);
}

/* A [count] _ <type> */
static struct spelling read_array(struct demangler *in) {
    const size_t length = strspn(in->at, "0123456789");
    const char *count = *in->at == 'T' ? read_parameter(in).left : arena_string(&in->arena, in->at, length);
    in->at += length;
    if (count == NULL || !accept(in, "_")) return failed;
    struct spelling of = read_type(in);
    if (of.left == NULL || of.kind == KIND_FUNCTION) return failed;
    const char *inner = of.kind == KIND_ARRAY ? of.right + 1 : of.right;
    return spell(of.left, JOIN(in, " [", count, "]", inner), KIND_ARRAY);
}

/* M <class> <type> */
static struct spelling read_member(struct demangler *in) {
    struct spelling class = read_type(in);
    if (class.left == NULL) return failed;
    struct spelling type = read_type(in);
    const char *mark = JOIN(in, class.left, class.right, "::*");
    if (mark == NULL || type.left == NULL) return failed;
    if (type.kind == KIND_FUNCTION || type.kind == KIND_ARRAY) return point(in, type, mark, KIND_PLAIN);
    return point(in, type, JOIN(in, " ", mark), KIND_PLAIN);
}

/* A type of one of the kinds that can be substituted. */
static struct spelling read_compound(struct demangler *in) {
    switch (*in->at) {
    case 'P': in->at++; return point(in, read_type(in), "*", KIND_PLAIN);
    case 'R': in->at++; return refer(in, read_type(in), KIND_LVALUE);
    case 'O': in->at++; return refer(in, read_type(in), KIND_RVALUE);
    case 'F': in->at++; return read_function(in);
    case 'A': in->at++; return read_array(in);
    case 'M': in->at++; return read_member(in);
    case 'r':
    case 'V':
    case 'K': return read_qualified(in);
    case 'T': {
        struct spelling parameter = read_parameter(in);
        return *in->at == 'I' ? read_template(in, remember(in, parameter)) : parameter;
    }
    case 'D': return accept(in, "DpT") ? (in->at--, read_parameter(in)) : failed;
    case 'u': in->at++; return read_source_name(in);
    default: return read_name(in);
    }
}

/* S...: what was there before, a template of it, or a name of the standard library */
static struct spelling read_substituted(struct demangler *in) {
    bool known;
    if (in->at[1] == 't') return remember(in, read_name(in));
    struct spelling type = read_substitution(in, &known);
    return *in->at == 'I' ? remember(in, read_template(in, type)) : type;
}

static struct spelling read_type(struct demangler *in) {
    static const struct {
        const char *letters, *name;
    } longer[] = {{"Dn", "decltype(nullptr)"}, {"Ds", "char16_t"}, {"Di", "char32_t"}, {"Du", "char8_t"}};
    const char *builtin = builtin_name(*in->at);
    if (builtin != NULL) {
        in->at++;
        return plain(builtin);
    }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (accept(in, longer[i].letters)) return plain(longer[i].name);
    if (in->depth == DEPTH_MAX || *in->at == '\0') return failed;
    in->depth++;
    struct spelling type = *in->at == 'S' ? read_substituted(in) : remember(in, read_compound(in));
    in->depth--;
    return type;
}

/* ---- Functions ----------------------------------------------------------------------------------------- */

/* A name, and of a function its parameters; of a template the result before it. */
static struct spelling read_encoding(struct demangler *in) {
    if (in->depth == DEPTH_MAX) return failed;
    in->depth++;
    struct spelling name = read_name(in), result = plain("");
    struct arguments types;
    if (name.left == NULL) return failed;
    const bool templated = in->is_template;
    in->parameters = templated ? in->last : (struct arguments){0};
    if (*in->at != '\0' && *in->at != 'E') {
        if (templated) result = read_type(in);
        const bool nothing = *in->at == 'v';
        if (result.left == NULL || !read_items(in, read_type, &types)) return failed;
        const char *text = nothing && types.count == 1 ? "" : list(in, types.items, types.count);
        name = text == NULL ? failed
                            : plain(JOIN(in, result.left, templated ? gap(result) : "", name.left, "(", text,
                                         ")", result.right));
    }
    in->depth--;
    return name;
}

char *demangle(const char *name) {
    struct demangler in = {.at = name, .arena.limit = MEMORY_MAX};
    if (!accept(&in, "_Z")) return NULL;
    struct spelling spelling = read_encoding(&in);
    char *readable = spelling.left == NULL || *in.at != '\0' ? NULL : strdup(spelling.left);
    vec_free(&in.substitutions);
    arena_free(&in.arena);
    return readable;
}
