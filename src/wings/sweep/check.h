/* What of a product can be checked before anything runs, and which of its units other products have, too. */
#ifndef WB_WINGS_SWEEP_CHECK_H
#define WB_WINGS_SWEEP_CHECK_H

#include "wings/sweep/sweep.h"

/* WB_ERR_INPUT with a message for keys that are not of the subject, for values of keys that no machine of the
 * product takes, for single arguments that no launch of it has, and for deadlines. */
wb_status sweep_check_product(wb_sweep *sweep, const struct sweep_product *product);

/* Finds the units of a product that those of the sweep have already. */
void sweep_find_overlaps(wb_sweep *sweep, struct sweep_product *product);

#endif
