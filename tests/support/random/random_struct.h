/* Random structs, as C declares and fills them and as launches write them. */
#ifndef WB_TESTS_RANDOM_STRUCT_H
#define WB_TESTS_RANDOM_STRUCT_H

#include "base/base.h"
#include "base/containers.h"

/* What a C or CUDA file with such structs begins with: types, and show(), which prints bytes as a line. */
extern const char random_struct_prelude[];

struct random_struct {
    struct random_state random;
    struct text declared; /* "struct {...}" */
    struct text filled;   /* statements that give its members values */
    struct text launch;   /* the argument of these values */
    struct text bare;     /* the same of a declared type, without the types */
    unsigned names;
};

/* Makes the struct that the random numbers say; `variable` is what the statements fill. */
void random_struct_make(struct random_struct *made, const char *variable);
void random_struct_free(struct random_struct *made);

#endif
