/* Whether the launches of a product have the single arguments that it varies. */
#ifndef WB_WINGS_SWEEP_ARGUMENTS_H
#define WB_WINGS_SWEEP_ARGUMENTS_H

#include "wings/sweep/sweep.h"

/* WB_ERR_INPUT with a message for each value of a single argument that no launch of the product takes. Where
 * one cannot be read nothing is said: its units will. */
wb_status sweep_check_arguments(wb_sweep *sweep, const struct sweep_product *product);

#endif
