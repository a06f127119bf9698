/* The formulas for whole kernels: each is computed for every number of resident blocks of an SM, gives its
 * parts, and has the same assumptions. */
#ifndef WB_BOUND_KERNEL_KERNEL_BOUNDS_H
#define WB_BOUND_KERNEL_KERNEL_BOUNDS_H

#include "bound/grid/grid_work.h"
#include "bound/method/kernel_time.h"
#include "bound/method/method.h"

/* The value of a formula when every SM has at most `resident` blocks at a time. */
typedef struct kernel_time (*kernel_formula)(const struct grid_work *work, uint64_t resident);

/* The largest time of the formula for any number of resident blocks that is possible, with the services of
 * the memory that all SMs share. */
struct kernel_time kernel_time_worst(const struct grid_work *work, kernel_formula formula);

/* Sets cycles and parts of a bound. */
void kernel_bound_set(const struct grid_work *work, const struct kernel_time *time, wb_bound *bound);

/* The formulas (docs/proofs.md, section 12). Blocks go to any SM with a free slot, except
 * where dispatch is static. */
struct kernel_time kernel_area(const struct grid_work *work, uint64_t resident);    /* K-AREA */
struct kernel_time kernel_balance(const struct grid_work *work, uint64_t resident); /* K-BAL */
struct kernel_time kernel_one_sm(const struct grid_work *work, uint64_t resident);  /* K-SM */
struct kernel_time kernel_static(const struct grid_work *work, uint64_t resident); /* K-SM, static dispatch */

/* The same, none of them more, with chains through sub-cores counted besides (docs/sub-core-bounds.md). */
struct kernel_time kernel_chain_area(const struct grid_work *work, uint64_t resident);
struct kernel_time kernel_chain_balance(const struct grid_work *work, uint64_t resident);
struct kernel_time kernel_chain_one_sm(const struct grid_work *work, uint64_t resident);
struct kernel_time kernel_chain_static(const struct grid_work *work, uint64_t resident);

/* K-SERIAL, for any dispatch but static; saturated where a serial time is not known. */
struct kernel_time kernel_serial(const struct grid_work *work, uint64_t resident);

/* K-OLDEST, likewise, where the oldest block issues first. */
struct kernel_time kernel_oldest(const struct grid_work *work, uint64_t resident);

/* Makes a time that is proven a bound, with what all kernel bounds assume. */
void kernel_upper_set(const struct bound_input *input, const struct grid_work *work,
                      const struct kernel_time *time, wb_bound *bound);

/* The bound of a formula: its largest time for any number of resident blocks, or, if requests wait in a known
 * order, that with their waiting in their latencies, if it is less. An upper bound. */
wb_status kernel_upper(const struct bound_input *input, kernel_formula formula, wb_bound *bound);

/* The same of a formula that counts chains through sub-cores. */
wb_status kernel_chain_upper(const struct bound_input *input, kernel_formula formula, wb_bound *bound);

/* Whether forms about sub-cores are computed unless they are named: of one sub-core they say nothing new. */
bool kernel_has_sub_cores(const struct bound_input *input);

/* Forms of the bound of a kernel that have files of their own; what they need is beside what `kernel` does.
 */
extern const struct bound_method form_wave, form_serial, form_oldest;

/* Work that the alignments of form_wave get unless it is named: less than those of blocks, as sums are nearly
 * as good. */
#define WAVE_WORK UINT64_C(300000000)

/* Form number i, and its name; NULL past the end. */
const struct bound_method *kernel_form_at(size_t index);
const char *kernel_form_name(size_t index);

/* Whether a form divides what all blocks do evenly among the SMs. */
bool kernel_form_is_area(const char *form);

#endif
