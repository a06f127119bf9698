/* Structural equality of modules, for the property "parse, print, parse again gives the same". Places in the
 * source (`at`) are not compared. Used by tests and by the fuzzer; says what differs. */
#ifndef WB_TESTS_PTX_EQUAL_H
#define WB_TESTS_PTX_EQUAL_H

#include <stdbool.h>
#include <string.h>

#include "ptx/ptx.h"

/* What differs first, or NULL. */
typedef const char *ptx_difference;

#define PTX_COMPARE(field)                                                                                   \
    do {                                                                                                     \
        if (a->field != b->field) return #field;                                                             \
    } while (0)

#define PTX_COMPARE_TEXT(field)                                                                              \
    do {                                                                                                     \
        if (!ptx_same_text(a->field, b->field)) return #field;                                               \
    } while (0)

/* Calls `compare` for each item of two arrays of equal length. */
#define PTX_COMPARE_EACH(field, count_field, compare)                                                        \
    do {                                                                                                     \
        PTX_COMPARE(count_field);                                                                            \
        for (uint32_t each = 0; each < a->count_field; each++) {                                             \
            ptx_difference difference = compare(&a->field[each], &b->field[each]);                           \
            if (difference != NULL) return difference;                                                       \
        }                                                                                                    \
    } while (0)

static inline bool ptx_same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static inline ptx_difference ptx_compare_number(const uint32_t *a, const uint32_t *b) {
    return *a == *b ? NULL : "number";
}

static inline ptx_difference ptx_compare_flag(const bool *a, const bool *b) {
    return *a == *b ? NULL : "flag";
}

static inline ptx_difference ptx_compare_text(const char *const *a, const char *const *b) {
    return ptx_same_text(*a, *b) ? NULL : "text";
}

static inline ptx_difference ptx_compare_operand(const struct ptx_operand *a, const struct ptx_operand *b) {
    PTX_COMPARE(kind);
    PTX_COMPARE(negated);
    PTX_COMPARE(select);
    PTX_COMPARE(count);
    PTX_COMPARE(index);
    PTX_COMPARE(value);
    return NULL;
}

static inline ptx_difference ptx_compare_inst(const struct ptx_inst *a, const struct ptx_inst *b) {
    PTX_COMPARE_TEXT(form->text);
    PTX_COMPARE_TEXT(form->roles);
    PTX_COMPARE(form->op);
    PTX_COMPARE(form->class_);
    PTX_COMPARE(first_operand);
    PTX_COMPARE(operand_count);
    PTX_COMPARE(guard);
    PTX_COMPARE(guard_negated);
    return NULL;
}

static inline ptx_difference ptx_compare_group(const struct ptx_reg_group *a, const struct ptx_reg_group *b) {
    PTX_COMPARE_TEXT(name);
    PTX_COMPARE(first);
    PTX_COMPARE(count);
    PTX_COMPARE(numbered);
    PTX_COMPARE(type);
    return NULL;
}

static inline ptx_difference ptx_compare_label(const struct ptx_label *a, const struct ptx_label *b) {
    PTX_COMPARE_TEXT(name);
    PTX_COMPARE(target);
    return NULL;
}

static inline ptx_difference ptx_compare_prototype(const struct ptx_prototype *a,
                                                   const struct ptx_prototype *b) {
    PTX_COMPARE_TEXT(name);
    PTX_COMPARE_TEXT(text);
    PTX_COMPARE_EACH(targets, target_count, ptx_compare_number);
    return NULL;
}

static inline ptx_difference ptx_compare_relocation(const struct ptx_relocation *a,
                                                    const struct ptx_relocation *b) {
    PTX_COMPARE(offset);
    PTX_COMPARE(symbol);
    PTX_COMPARE(is_function);
    PTX_COMPARE(generic);
    PTX_COMPARE(bytes);
    PTX_COMPARE(addend);
    PTX_COMPARE(mask);
    return NULL;
}

static inline ptx_difference ptx_compare_variable(const struct ptx_variable *a,
                                                  const struct ptx_variable *b) {
    PTX_COMPARE_TEXT(name);
    PTX_COMPARE(space);
    PTX_COMPARE(type);
    PTX_COMPARE(linkage);
    PTX_COMPARE(align);
    PTX_COMPARE(vector);
    PTX_COMPARE(size);
    PTX_COMPARE(array);
    PTX_COMPARE(pointer);
    PTX_COMPARE(pointer_space);
    PTX_COMPARE(pointer_align);
    PTX_COMPARE(owner);
    PTX_COMPARE_TEXT(attribute);
    PTX_COMPARE_TEXT(fields);
    if ((a->init == NULL) != (b->init == NULL)) return "init";
    if (a->init != NULL && memcmp(a->init, b->init, a->size) != 0) return "init bytes";
    PTX_COMPARE_EACH(relocations, relocation_count, ptx_compare_relocation);
    return NULL;
}

static inline ptx_difference ptx_compare_location(const struct ptx_location *a,
                                                  const struct ptx_location *b) {
    PTX_COMPARE(file);
    PTX_COMPARE(line);
    PTX_COMPARE(column);
    PTX_COMPARE_TEXT(function);
    return NULL;
}

/* Where instructions come from, with all calls that they were inlined at. By contents: a `.loc` that no
 * instruction follows may have left a location that is not printed. */
static inline ptx_difference ptx_compare_origins(const struct wb_module *a, const struct wb_module *b) {
    for (uint32_t f = 0; f < a->function_count; f++) {
        for (uint32_t i = 0; i < a->functions[f].inst_count; i++) {
            uint32_t x = a->functions[f].insts[i].location, y = b->functions[f].insts[i].location;
            while (x != PTX_NO_INDEX && y != PTX_NO_INDEX) {
                ptx_difference difference = ptx_compare_location(&a->locations[x], &b->locations[y]);
                if (difference != NULL) return difference;
                x = a->locations[x].inlined_at;
                y = b->locations[y].inlined_at;
            }
            if (x != y) return "location";
        }
    }
    return NULL;
}

static inline ptx_difference ptx_compare_file(const struct ptx_file *a, const struct ptx_file *b) {
    PTX_COMPARE(number);
    PTX_COMPARE_TEXT(name);
    return NULL;
}

static inline ptx_difference ptx_compare_item(const struct ptx_item *a, const struct ptx_item *b) {
    PTX_COMPARE(kind);
    PTX_COMPARE(index);
    return NULL;
}

static inline ptx_difference ptx_compare_tuning(const struct ptx_tuning *a, const struct ptx_tuning *b) {
    if (memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) != 0) return "maxntid";
    if (memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) != 0) return "reqntid";
    if (memcmp(a->reqnctapercluster, b->reqnctapercluster, sizeof a->reqnctapercluster) != 0)
        return "reqnctapercluster";
    PTX_COMPARE(minnctapersm);
    PTX_COMPARE(maxnctapersm);
    PTX_COMPARE(maxnreg);
    PTX_COMPARE(maxclusterrank);
    PTX_COMPARE(abi_preserve);
    PTX_COMPARE(abi_preserve_control);
    PTX_COMPARE(local_maxnreg);
    PTX_COMPARE(noreturn);
    PTX_COMPARE(explicitcluster);
    PTX_COMPARE(blocksareclusters);
    return NULL;
}

static inline ptx_difference ptx_compare_function(const struct ptx_function *a,
                                                  const struct ptx_function *b) {
    PTX_COMPARE_TEXT(name);
    PTX_COMPARE(is_entry);
    PTX_COMPARE(has_body);
    PTX_COMPARE(linkage);
    PTX_COMPARE_EACH(params, param_count, ptx_compare_number);
    PTX_COMPARE_EACH(param_is_reg, param_count, ptx_compare_flag);
    PTX_COMPARE_EACH(returns, return_count, ptx_compare_number);
    PTX_COMPARE_EACH(return_is_reg, return_count, ptx_compare_flag);
    ptx_difference tuning = ptx_compare_tuning(&a->tuning, &b->tuning);
    if (tuning != NULL) return tuning;
    PTX_COMPARE_EACH(groups, group_count, ptx_compare_group);
    PTX_COMPARE_EACH(reg_group, reg_count, ptx_compare_number);
    PTX_COMPARE_EACH(insts, inst_count, ptx_compare_inst);
    PTX_COMPARE_EACH(operands, operand_count, ptx_compare_operand);
    PTX_COMPARE_EACH(labels, label_count, ptx_compare_label);
    PTX_COMPARE_EACH(prototypes, prototype_count, ptx_compare_prototype);
    PTX_COMPARE_EACH(pragmas, pragma_count, ptx_compare_text);
    PTX_COMPARE_EACH(pragma_inst, pragma_count, ptx_compare_number);
    PTX_COMPARE(first_unknown);
    PTX_COMPARE(alias_of);
    PTX_COMPARE_TEXT(attribute);
    return NULL;
}

static inline ptx_difference ptx_compare_module(const struct wb_module *a, const struct wb_module *b) {
    PTX_COMPARE_TEXT(version);
    PTX_COMPARE_TEXT(target);
    PTX_COMPARE(address_size);
    PTX_COMPARE_EACH(files, file_count, ptx_compare_file);
    PTX_COMPARE_EACH(variables, variable_count, ptx_compare_variable);
    PTX_COMPARE_EACH(functions, function_count, ptx_compare_function);
    ptx_difference origins = ptx_compare_origins(a, b);
    if (origins != NULL) return origins;
    PTX_COMPARE_EACH(sections, section_count, ptx_compare_text);
    PTX_COMPARE_EACH(pragmas, pragma_count, ptx_compare_text);
    PTX_COMPARE_EACH(items, item_count, ptx_compare_item);
    PTX_COMPARE(kernel_count);
    return NULL;
}

#endif
