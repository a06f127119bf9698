/* A small grid whose accesses are perhaps made (perhaps_orders.h) as a kernel: what is not known follows from
 * constants of unknown contents, which no cache serves, so that its accesses are those of the grid. */
#ifndef WB_TESTS_PERHAPS_KERNEL_H
#define WB_TESTS_PERHAPS_KERNEL_H

#include "perhaps_orders.h"
#include "warpbound.h"

#define PERHAPS_DATA 1024u

/* Lines of the grid up to this one are in a first array, from it on in a second one. */
#define PERHAPS_SECOND 8u

struct perhaps_kernel {
    struct perhaps_grid grid;
    uint32_t first_lines, second_lines; /* of the arrays */
    char *ptx;
    uint32_t at[PERHAPS_WARPS][PERHAPS_OPS]; /* where in the text the instruction of an access stands */
    uint32_t barrier_labels[PERHAPS_PHASES]; /* of barriers that are perhaps executed; 0: none */
};

/* A random grid as a kernel, to be freed. */
void perhaps_kernel_make(uint64_t seed, struct perhaps_kernel *kernel);

/* The kernel of a grid that is given. */
void perhaps_kernel_write(const struct perhaps_grid *grid, uint32_t first_lines, uint32_t second_lines,
                          struct perhaps_kernel *kernel);
void perhaps_kernel_free(struct perhaps_kernel *kernel);

/* A machine whose first level is that of the grid. */
wb_machine *perhaps_kernel_machine(const struct perhaps_grid *grid);

/* The launch with contents of a seed, or, of seed 0, with contents that are not known. */
wb_launch *perhaps_kernel_launch(const struct perhaps_kernel *kernel, uint64_t seed);

/* The facts that covering it needs, to be freed. The parsed kernel must outlive them. */
wb_facts *perhaps_kernel_facts(const struct perhaps_kernel *kernel, const wb_kernel *parsed,
                               wb_diagnostics *diagnostics);

#endif
