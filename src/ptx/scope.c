#include "ptx/parser.h"

#include <assert.h>
#include <string.h>

/* More digits than this are no register number. */
#define NUMBER_DIGITS_MAX 7

void scopes_free(struct scopes *scopes) {
    intern_free(&scopes->names);
    vec_free(&scopes->symbols);
    vec_free(&scopes->bindings);
}

void scopes_begin_function(struct scopes *scopes) {
    scopes->function++;
}

void scopes_open(struct scopes *scopes) {
    assert(scopes->depth < SCOPE_DEPTH_MAX);
    scopes->first[++scopes->depth] = (uint32_t)scopes->bindings.count;
}

void scopes_close(struct scopes *scopes) {
    assert(scopes->depth > 0);
    uint32_t first = scopes->first[scopes->depth--];
    assert(first <= scopes->bindings.count);
    while (scopes->bindings.count > first) {
        const struct binding *binding = &scopes->bindings.items[--scopes->bindings.count];
        struct symbol *symbol = &scopes->symbols.items[binding->symbol];
        *(binding->numbered ? &symbol->numbered : &symbol->plain) = binding->shadowed;
    }
}

wb_status scopes_symbol(struct scopes *scopes, const char *name, size_t length, uint32_t *symbol) {
    WB_TRY(intern_add(&scopes->names, name, length, symbol));
    if (*symbol < scopes->symbols.count) return WB_OK;
    struct symbol fresh = {
        .plain = INTERN_NONE, .numbered = INTERN_NONE, .module_suffix = UINT32_MAX, .next_rename = 1};
    return vec_push(&scopes->symbols, fresh);
}

/* Splits a name into prefix and decimal number: length of the prefix, or 0 when it does not end in a number
 * as `prefix<n>` declares them. */
static size_t split_number(const char *name, size_t length, uint32_t *number) {
    size_t prefix = length;
    while (prefix > 0 && name[prefix - 1] >= '0' && name[prefix - 1] <= '9')
        prefix--;
    size_t digits = length - prefix;
    if (digits == 0 || digits > NUMBER_DIGITS_MAX || (digits > 1 && name[prefix] == '0')) return 0;
    *number = 0;
    for (size_t i = prefix; i < length; i++)
        *number = *number * 10 + (uint32_t)(name[i] - '0');
    return prefix;
}

static const struct symbol *symbol_find(const struct scopes *scopes, const char *name, size_t length) {
    uint32_t number = intern_find(&scopes->names, name, length);
    return number == INTERN_NONE ? NULL : &scopes->symbols.items[number];
}

static const struct binding *binding_at(const struct scopes *scopes, uint32_t index) {
    return index == INTERN_NONE ? NULL : &scopes->bindings.items[index];
}

const struct binding *scopes_find(const struct scopes *scopes, const char *name, size_t length,
                                  uint32_t *number) {
    const struct binding *group = NULL;
    size_t prefix = split_number(name, length, number);
    if (prefix != 0) {
        const struct symbol *symbol = symbol_find(scopes, name, prefix);
        if (symbol != NULL) {
            group = binding_at(scopes, symbol->numbered);
            while (group != NULL && *number >= group->count)
                group = binding_at(scopes, group->shadowed);
            bool plain = symbol->suffixed_by == scopes->function || symbol->module_suffix <= *number;
            if (group != NULL && !plain) return group;
        }
    }
    const struct symbol *symbol = symbol_find(scopes, name, length);
    const struct binding *plain = symbol == NULL ? NULL : binding_at(scopes, symbol->plain);
    return group != NULL && (plain == NULL || group->depth > plain->depth) ? group : plain;
}

const struct binding *scopes_find_here(const struct scopes *scopes, uint32_t symbol) {
    const struct binding *binding = binding_at(scopes, scopes->symbols.items[symbol].plain);
    return binding != NULL && binding->depth == scopes->depth ? binding : NULL;
}

/* True when a register group would contain a name that the innermost scope has already. Only the name with
 * the least number is looked at: others get a printable name of their own. */
static bool group_has_plain(const struct scopes *scopes, const char *name, size_t length, uint32_t count,
                            const struct symbol *symbol) {
    if (symbol->suffixed_by != scopes->function || symbol->least_suffix >= count) return false;
    struct text plain = {0};
    text_append(&plain, name, length);
    text_printf(&plain, "%u", symbol->least_suffix);
    uint32_t number = plain.failed ? INTERN_NONE : intern_find(&scopes->names, plain.data, plain.length);
    text_free(&plain);
    return number != INTERN_NONE && scopes_find_here(scopes, number) != NULL;
}

/* True when the innermost scope has the name, be it as a register of a numbered group. */
static bool bound_here(const struct scopes *scopes, const char *name, size_t length,
                       const struct binding *binding, uint32_t symbol_number) {
    const struct symbol *symbol = &scopes->symbols.items[symbol_number];
    uint32_t number;
    if (binding->numbered) {
        const struct binding *group = binding_at(scopes, symbol->numbered);
        return (group != NULL && group->depth == scopes->depth) ||
               group_has_plain(scopes, name, length, binding->count, symbol);
    }
    if (scopes_find_here(scopes, symbol_number) != NULL) return true;
    const struct binding *group = scopes_find(scopes, name, length, &number);
    return group != NULL && group->numbered && group->depth == scopes->depth;
}

/* Remembers the least number behind a plain name's prefix, for the function or for the module. */
static wb_status note_suffix(struct scopes *scopes, const char *name, size_t length) {
    uint32_t number;
    uint32_t prefix_symbol;
    size_t prefix = split_number(name, length, &number);
    if (prefix == 0) return WB_OK;
    WB_TRY(scopes_symbol(scopes, name, prefix, &prefix_symbol));
    struct symbol *symbol = &scopes->symbols.items[prefix_symbol];
    if (scopes->depth == 0) {
        if (number < symbol->module_suffix) symbol->module_suffix = number;
    } else if (symbol->suffixed_by != scopes->function || number < symbol->least_suffix) {
        symbol->suffixed_by = scopes->function;
        symbol->least_suffix = number;
    }
    return WB_OK;
}

wb_status scopes_bind(struct scopes *scopes, const char *name, size_t length, struct binding binding,
                      bool *duplicate) {
    WB_TRY(scopes_symbol(scopes, name, length, &binding.symbol));
    *duplicate = bound_here(scopes, name, length, &binding, binding.symbol);
    if (*duplicate) return WB_OK;
    if (!binding.numbered) WB_TRY(note_suffix(scopes, name, length));
    struct symbol *symbol = &scopes->symbols.items[binding.symbol];
    uint32_t *head = binding.numbered ? &symbol->numbered : &symbol->plain;
    binding.depth = (uint16_t)scopes->depth;
    binding.shadowed = *head;
    WB_TRY(vec_push(&scopes->bindings, binding));
    *head = (uint32_t)scopes->bindings.count - 1;
    return WB_OK;
}

/* True when the module itself means something by the name. */
static bool bound_in_module(const struct scopes *scopes, const struct symbol *symbol) {
    const struct binding *binding = binding_at(scopes, symbol->plain);
    while (binding != NULL && binding->depth > 0)
        binding = binding_at(scopes, binding->shadowed);
    return binding != NULL;
}

/* True when printing a plain name would make it mean something else too. */
static bool plain_taken(const struct scopes *scopes, const char *name, size_t length) {
    const struct symbol *symbol = symbol_find(scopes, name, length);
    if (symbol != NULL && (symbol->used_by == scopes->function || bound_in_module(scopes, symbol)))
        return true;
    uint32_t number;
    size_t prefix = split_number(name, length, &number);
    const struct symbol *group = prefix == 0 ? NULL : symbol_find(scopes, name, prefix);
    if (group == NULL) return false;
    return group->group_used_by == scopes->function && number < group->group_count;
}

/* The same for registers numbered from 0 to count - 1. */
static bool group_taken(const struct scopes *scopes, const char *name, size_t length, uint32_t count) {
    const struct symbol *symbol = symbol_find(scopes, name, length);
    if (symbol == NULL) return false;
    return symbol->group_used_by == scopes->function || symbol->module_suffix < count ||
           (symbol->suffixed_by == scopes->function && symbol->least_suffix < count);
}

/* Marks a printable name of the current function. */
static wb_status name_use(struct scopes *scopes, const char *name, size_t length, uint32_t count) {
    uint32_t number;
    WB_TRY(scopes_symbol(scopes, name, length, &number));
    struct symbol *symbol = &scopes->symbols.items[number];
    if (count == 0) {
        symbol->used_by = scopes->function;
        return note_suffix(scopes, name, length);
    }
    symbol->group_used_by = scopes->function;
    symbol->group_count = count;
    return WB_OK;
}

/* The first of name$1, name$2, ... (for a group name$1_, ...) that is free. */
static wb_status name_rename(struct scopes *scopes, struct arena *arena, const char *name, size_t length,
                             uint32_t count, const char **printed) {
    uint32_t number;
    WB_TRY(scopes_symbol(scopes, name, length, &number));
    size_t room = length + 16;
    char *renamed = arena_alloc(arena, room);
    if (renamed == NULL) return WB_ERR_LIMIT;
    memcpy(renamed, name, length);
    bool taken = true;
    while (taken) {
        uint32_t suffix = scopes->symbols.items[number].next_rename++;
        int added = text_format(renamed + length, room - length, count == 0 ? "$%u" : "$%u_", suffix);
        size_t renamed_length = length + (size_t)added;
        taken = count == 0 ? plain_taken(scopes, renamed, renamed_length)
                           : group_taken(scopes, renamed, renamed_length, count);
    }
    *printed = renamed;
    return WB_OK;
}

wb_status scopes_print_name(struct scopes *scopes, struct arena *arena, const char *name, size_t length,
                            uint32_t count, bool keep, const char **printed) {
    bool taken =
        !keep && (count == 0 ? plain_taken(scopes, name, length) : group_taken(scopes, name, length, count));
    if (taken) {
        WB_TRY(name_rename(scopes, arena, name, length, count, printed));
    } else {
        *printed = arena_string(arena, name, length);
        if (*printed == NULL) return WB_ERR_LIMIT;
    }
    return name_use(scopes, *printed, strlen(*printed), count);
}
