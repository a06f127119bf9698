#include "random_struct.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scalar {
    const char *c, *launch;
};

static const struct scalar scalars[] = {
    {"signed char", "i8"}, {"unsigned char", "u8"}, {"short", "i16"}, {"unsigned", "u32"},
    {"int", "i32"},        {"long long", "i64"},    {"float", "f32"}, {"double", "f64"},
};

const char random_struct_prelude[] =
    "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
    "#ifdef __CUDACC__\n#define _Alignas alignas\n#else\n"
    "typedef struct float2 {float x, y;} __attribute__((aligned(8))) float2;\n"
    "typedef struct float3 {float x, y, z;} float3;\n"
    "typedef struct float4 {float x, y, z, w;} __attribute__((aligned(16))) float4;\n"
    "typedef struct double4 {double x, y, z, w;} __attribute__((aligned(16))) double4;\n"
    "typedef struct char4 {signed char x, y, z, w;} __attribute__((aligned(4))) char4;\n"
    "typedef struct short3 {short x, y, z;} short3;\n#endif\n"
    "static void show(const void *p, size_t n) {\n"
    "    for (size_t i = 0; i < n; i++) printf(\"%02x\", ((const unsigned char *)p)[i]);\n"
    "    printf(\"\\n\");\n}\n";

static const struct {
    const char *name;
    unsigned count;
} vector_types[] = {{"float2", 2}, {"float3", 3}, {"float4", 4}, {"double4", 4}, {"char4", 4}, {"short3", 3}};

static void make_struct(struct random_struct *made, const char *variable, unsigned depth);

/* Appends to the argument, with and without types. */
__attribute__((format(printf, 2, 3))) static void put(struct random_struct *made, const char *format, ...) {
    char part[80];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    text_string(&made->launch, part);
    text_string(&made->bare, part);
}

static void make_field(struct random_struct *made, const char *variable, unsigned depth) {
    char name[16], path[200];
    (void)snprintf(name, sizeof name, "f%u", made->names++);
    (void)snprintf(path, sizeof path, "%s.%s", variable, name);
    put(made, "%s: ", name);
    const unsigned value = (unsigned)random_below(&made->random, 100);
    const struct scalar *scalar = &scalars[random_below(&made->random, sizeof scalars / sizeof *scalars)];
    switch (random_below(&made->random, depth < 3 ? 8 : 5)) {
    case 0:
    case 1: /* a scalar, maybe of an alignment */
        if (random_below(&made->random, 4) == 0) {
            text_printf(&made->launch, "align 16 ");
            text_printf(&made->declared, "_Alignas(16) ");
        }
        text_printf(&made->declared, "%s %s;", scalar->c, name);
        text_printf(&made->launch, "%s:", scalar->launch);
        put(made, "%u", value);
        text_printf(&made->filled, "%s = %u;", path, value);
        return;
    case 2: { /* an array */
        const unsigned count = 1 + (unsigned)random_below(&made->random, 5);
        text_printf(&made->declared, "%s %s[%u];", scalar->c, name, count);
        text_printf(&made->launch, "%s[%u]=", scalar->launch, count);
        for (unsigned i = 0; i < count; i++) {
            put(made, "%s%u", i > 0 ? ", " : "{", value + i);
            text_printf(&made->filled, "%s[%u] = %u;", path, i, value + i);
        }
        put(made, "}");
        return;
    }
    case 3: { /* a vector */
        const size_t which = random_below(&made->random, sizeof vector_types / sizeof *vector_types);
        text_printf(&made->declared, "%s %s;", vector_types[which].name, name);
        text_printf(&made->launch, "%s:", vector_types[which].name);
        for (unsigned i = 0; i < vector_types[which].count; i++) {
            put(made, "%s%u", i > 0 ? ", " : "{", value + i);
            text_printf(&made->filled, "%s.%c = %u;", path, "xyzw"[i], value + i);
        }
        put(made, "}");
        return;
    }
    case 4: /* a pointer, of a value that is known here */
        text_printf(&made->declared, "void *%s;", name);
        text_string(&made->launch, "u64:");
        put(made, "%u", value);
        text_printf(&made->filled, "%s = (void *)%u;", path, value);
        return;
    case 5: { /* an array of structs */
        const unsigned count = 1 + (unsigned)random_below(&made->random, 3);
        (void)snprintf(path, sizeof path, "%s.%s[i%u]", variable, name, depth);
        text_printf(&made->filled, "for (int i%u = 0; i%u < %u; i%u++) {", depth, depth, count, depth);
        put(made, "%u * ", count);
        make_struct(made, path, depth + 1);
        text_printf(&made->declared, " %s[%u];", name, count);
        text_string(&made->filled, "}");
        return;
    }
    default: /* a struct */
        make_struct(made, path, depth + 1);
        text_printf(&made->declared, " %s;", name);
        return;
    }
}

static void make_struct(struct random_struct *made, const char *variable, unsigned depth) {
    const unsigned count = 1 + (unsigned)random_below(&made->random, 6);
    const bool packed = random_below(&made->random, 8) == 0;
    const bool wide = !packed && random_below(&made->random, 6) == 0;
    text_string(&made->declared, packed ? "struct __attribute__((packed)) {"
                                 : wide ? "struct __attribute__((aligned(32))) {"
                                        : "struct {");
    text_string(&made->launch, packed ? "packed struct " : wide ? "align 32 struct " : "struct ");
    for (unsigned i = 0; i < count; i++) {
        put(made, i > 0 ? ", " : "{");
        make_field(made, variable, depth);
    }
    text_char(&made->declared, '}');
    put(made, "}");
}

void random_struct_make(struct random_struct *made, const char *variable) {
    make_struct(made, variable, 0);
}

void random_struct_free(struct random_struct *made) {
    text_free(&made->declared);
    text_free(&made->filled);
    text_free(&made->launch);
    text_free(&made->bare);
}
