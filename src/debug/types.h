/* Types of C++ as the host has them, and what the debug information of a program's host code says of those of
 * a kernel's parameters: device code has their sizes only. Launch files declare some, too. */
#ifndef WB_DEBUG_TYPES_H
#define WB_DEBUG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum host_kind {
    HOST_OPAQUE, /* bytes of which nothing else is known */
    HOST_NUMBER,
    HOST_POINTER,
    HOST_ARRAY,
    HOST_STRUCT
};

struct host_type {
    enum host_kind kind;
    const char *name; /* as C++ has it, or ""; of arrays that of the elements */
    uint64_t size;    /* in bytes */
    uint64_t align; /* of debug information what is asked for (alignas), or 0; of declarations what it has */
    const char
        *data; /* of numbers their type as launch files name it; of pointers that of what they point to,
                  "" where it is no data, such as a function */
    const struct host_type *element; /* of an array, which has `count` of them */
    uint64_t count;
    const struct host_member *members; /* of a struct, with those of its bases; by their offsets */
    uint32_t member_count;
};

struct host_member {
    const char *name; /* or "" */
    uint64_t offset;
    const struct host_type *type;
};

/* Of a kernel: the types of its parameters, in order. */
struct host_params {
    const struct host_type *const *types;
    uint32_t count;
};

/* Finds the parameters of the kernel of that symbol in an executable, library, object file or archive. False
 * when nothing is known: it has no debug information, that is damaged, or this program was built without
 * libdw. The types lie in `arena`, which is protected. */
bool host_params_find(const char *path, const char *symbol, struct arena *arena, struct host_params *params);

#endif
