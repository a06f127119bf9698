/* A linear program in memory: variables from 0 to a whole number, whole coefficients, rows that bound sums of
 * them from above, from below or both, and an objective to be made as large as possible. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_ILP_PROGRAM_H
#define WB_PAPERS_MAKESPAN_FORMS_ILP_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "wings/makespan/strings/schedule.h"

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

/* Empty but for its arena, which is protected. */
struct ilp_model {
    struct arena *arena;
    VEC(struct ilp_column) columns;
    VEC(struct ilp_row) rows;
    VEC(struct ilp_term) terms;
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

/* The terms of a linear program by columns, as solvers and files of columns take them: those of column c
 * stand from start[c] on, before start[c + 1], by rows. */
struct ilp_matrix {
    int *start;
    int *row;
    double *coefficient; /* whole */
};

struct ilp_matrix ilp_matrix_make(const struct ilp_model *model, struct arena *arena);

/* ---- Formulations of a makespan problem as a linear program: each writes the program and reads a schedule
 * off its solution. */

/* A warp as the formulations see it. Warps of equal strings can be exchanged: the last of them may be taken
 * to be the one that ends last. */
struct ilp_warp {
    const uint8_t *unit; /* of its instructions */
    uint32_t length;
    uint32_t start; /* its first instruction among those of all warps */
    bool last;      /* of its group */
};

/* The problem with a number of cycles that no schedule exceeds. Eq. (5) of ECRTS'12, which the paper takes,
 * is no such number where a unit type has room for several warps; the closed form (docs/makespan-proofs.md,
 * T1) is. */
struct ilp_instance {
    const struct makespan_problem *problem;
    uint32_t horizon;
    struct ilp_warp *warps; /* all of them, as a schedule numbers them */
};

struct ilp_form {
    const char *name;
    /* Writes the program into an empty model; its objective is the makespan. WB_ERR_LIMIT without a message
     * when the model needs more than `memory` bytes. */
    wb_status (*build)(const struct ilp_instance *instance, uint64_t memory, struct ilp_model *model);
    /* Reads off the solution, by whether each column is 1, the cycle of every instruction. */
    void (*decode)(const struct ilp_instance *instance, const bool *one, struct schedule *schedule);
};

extern const struct ilp_form ilp_form_short, ilp_form_long, ilp_form_cumulative;

/* In a protected arena. WB_ERR_LIMIT without a message when the problem has 2^31 instructions times cycles.
 */
wb_status ilp_instance_make(const struct makespan_problem *problem, struct arena *arena,
                            struct ilp_instance *instance);

/* Unit types, and behind them what limits the issues of a cycle, as one more unit that all instructions use.
 */
#define ILP_ISSUE UNIT_TYPES
#define ILP_RESOURCES (UNIT_TYPES + 1u)

/* Warps that a resource has room for in a cycle. */
uint32_t ilp_capacity(const struct makespan_problem *problem, uint32_t resource);

/* Whether an instruction of that unit type uses the resource. */
bool ilp_uses(uint32_t unit, uint32_t resource);

/* Whether so many warps have instructions for the resource that a cycle can use all of it. */
bool ilp_can_fill(const struct ilp_instance *instance, uint32_t resource);

/* Names of the columns that say whether cycle t uses all of a resource: E and G of the paper for the first
 * two. */
struct ilp_name ilp_full_name(uint32_t resource, uint32_t t);

/* ---- A linear program as text that other solvers read: in the LP format of CPLEX and in free MPS ----------
 */

/* Appends the program. `title` becomes a comment; it has no line breaks. What fails shows in out->failed. */
typedef void ilp_writer(const struct ilp_model *model, const char *title, struct text *out);

ilp_writer ilp_lp_write;

/* With the names that ilp_lp_write gives rows and columns. MPS has no word for the largest value of the
 * objective that all readers know: the row obj is minus the objective, to be made small. */
ilp_writer ilp_mps_write;

#endif
