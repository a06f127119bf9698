/* A linear program in memory: variables from 0 to a whole number, whole coefficients, rows that bound sums of
 * them from above, from below or both, and an objective to be made as large as possible. */
#ifndef WB_MAKESPAN_ILP_MODEL_H
#define WB_MAKESPAN_ILP_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"

/* A stem and up to three indices from 1, written "LS_2_1_7"; an index of 0 ends them. */
struct ilp_name {
    const char *stem;
    uint32_t index[3];
};

struct ilp_column {
    struct ilp_name name;
    uint32_t upper;    /* from 0 to this; 1: binary */
    int32_t objective; /* coefficient in the objective */
};

enum ilp_sense { ILP_AT_MOST, ILP_EQUAL, ILP_AT_LEAST };

struct ilp_row {
    struct ilp_name name;
    enum ilp_sense sense;
    int64_t bound;
    size_t first; /* its first term; the next row's first term ends it */
};

struct ilp_term {
    uint32_t column;
    int32_t coefficient;
};

/* Zero-initialised it is empty. After a failed allocation `failed` stays set and further additions do
 * nothing, so that whoever writes a model checks once, at the end. */
struct ilp_model {
    VEC(struct ilp_column) columns;
    VEC(struct ilp_row) rows;
    VEC(struct ilp_term) terms;
    bool failed;
};

/* WB_ERR_LIMIT without a message when a model of about so many columns, rows and terms takes more than
 * `memory` bytes or more than solvers can count. */
wb_status ilp_model_fits(uint64_t columns, uint64_t rows, uint64_t terms, uint64_t memory);

/* Appends the name. */
void ilp_name_write(const struct ilp_name *name, struct text *out);

/* Adds a column and returns its index. */
uint32_t ilp_column_add(struct ilp_model *model, struct ilp_name name, uint32_t upper, int32_t objective);

/* Adds a row: begin it, add its terms (no column twice), end it. A row that no values of the variables can
 * violate is dropped when it ends. */
void ilp_row_begin(struct ilp_model *model, struct ilp_name name);
void ilp_term_add(struct ilp_model *model, uint32_t column, int32_t coefficient);
void ilp_row_end(struct ilp_model *model, enum ilp_sense sense, int64_t bound);

/* The end of a row's terms. */
size_t ilp_row_last(const struct ilp_model *model, size_t row);

void ilp_model_free(struct ilp_model *model);

#endif
