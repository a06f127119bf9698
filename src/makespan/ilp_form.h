/* Formulations of a makespan problem as a linear program: each writes the program and reads a schedule off
 * its solution. */
#ifndef WB_MAKESPAN_ILP_FORM_H
#define WB_MAKESPAN_ILP_FORM_H

#include "makespan/ilp_model.h"
#include "strings/schedule.h"

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

/* WB_ERR_LIMIT without a message when memory is exhausted or the problem has 2^31 instructions times cycles.
 */
wb_status ilp_instance_make(const struct makespan_problem *problem, struct ilp_instance *instance);
void ilp_instance_free(struct ilp_instance *instance);

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

#endif
