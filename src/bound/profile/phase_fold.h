/* The repetitions of a loop on a walker's path, without walking every one of them. */
#ifndef WB_BOUND_PROFILE_PHASE_FOLD_H
#define WB_BOUND_PROFILE_PHASE_FOLD_H

#include "bound/profile/phase_walker.h"

/* Takes a walker that is at a fold without a barrier, and of enough repetitions to be worth it, behind the
 * fold (exactly as walking would); others are left where they are. WB_ERR_LIMIT when memory is exhausted. */
wb_status phase_walker_fold(struct phase_walker *walker, struct section_profile *profile);

#endif
