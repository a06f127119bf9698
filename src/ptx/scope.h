/* Names and what they mean: nested scopes while a module is parsed, and printable names that stay unique when
 * the scopes of a function are flattened. */
#ifndef WB_PTX_SCOPE_H
#define WB_PTX_SCOPE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/table.h"

/* Deepest nesting of scopes; the module is scope 0, a function's parameters and body are scope 1. */
#define SCOPE_DEPTH_MAX 250

enum binding_kind {
    BIND_NONE,
    BIND_REG,        /* register `index`; with `numbered` the name and a number below `count` */
    BIND_VECTOR_REG, /* registers index .. index + count - 1 */
    BIND_VARIABLE,
    BIND_FUNCTION,
    BIND_LABEL,
    BIND_PROTOTYPE,
    BIND_SREG,        /* enum ptx_sreg */
    BIND_SREG_VECTOR, /* its x component; .y .z .w follow */
    BIND_WARP_SIZE
};

struct binding {
    uint8_t kind; /* enum binding_kind */
    bool numbered;
    uint16_t depth; /* of the scope */
    uint32_t index;
    uint32_t count;
    uint32_t symbol;
    uint32_t shadowed; /* binding that this one hides, or INTERN_NONE */
};

/* One name. Marks that carry the number of a function hold for that function only. */
struct symbol {
    uint32_t plain, numbered; /* newest bindings of the name and of the name as a prefix, or INTERN_NONE */
    uint32_t used_by;         /* function that has it as a printable name */
    uint32_t group_used_by;   /* function that has it as the prefix of `group_count` registers */
    uint32_t group_count;
    uint32_t suffixed_by;   /* function that has this name with a number behind it as a printable name */
    uint32_t least_suffix;  /* the least such number */
    uint32_t module_suffix; /* the same among the names of the module */
    uint32_t next_rename;   /* number to try next for a printable name */
};

struct scopes {
    struct intern names;
    VEC(struct symbol) symbols;          /* by number of the name */
    VEC(struct binding) bindings;        /* a stack, innermost scope last */
    uint32_t first[SCOPE_DEPTH_MAX + 1]; /* per open scope its first binding */
    uint32_t depth;                      /* of the innermost scope */
    uint32_t function;                   /* number of the function that is parsed, from 1; 0: none yet */
};

void scopes_free(struct scopes *scopes);

/* Starts a function: printable names are unique from here to the next call. */
void scopes_begin_function(struct scopes *scopes);

/* Opens a scope; the caller checks the depth against SCOPE_DEPTH_MAX first. */
void scopes_open(struct scopes *scopes);

/* Closes the innermost scope and forgets its names. */
void scopes_close(struct scopes *scopes);

/* Gives a name a meaning in the innermost scope: kind, numbered, index and count of `binding`. *duplicate:
 * the scope had the name already, and nothing was done. The text must outlive the table. */
wb_status scopes_bind(struct scopes *scopes, const char *name, size_t length, struct binding binding,
                      bool *duplicate);

/* What a name means here; NULL: nothing. For a numbered register *number is the number behind the prefix. */
const struct binding *scopes_find(const struct scopes *scopes, const char *name, size_t length,
                                  uint32_t *number);

/* The binding of a symbol in the innermost scope itself, or NULL. */
const struct binding *scopes_find_here(const struct scopes *scopes, uint32_t symbol);

/* The number of a name. */
wb_status scopes_symbol(struct scopes *scopes, const char *name, size_t length, uint32_t *symbol);

/* The name under which something declared in the current function is printed: the name itself, or with a
 * suffix where something visible or printed before has it. `count` registers are numbered from it; 0: it is
 * a plain name. `keep`: never rename (parameters). The result is the arena's. */
wb_status scopes_print_name(struct scopes *scopes, struct arena *arena, const char *name, size_t length,
                            uint32_t count, bool keep, const char **printed);

#endif
