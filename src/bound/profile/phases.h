/* Algorithm 1 of ECRTS 2025 with the repairs of docs/proofs.md, section 6: one warp alone on the machine,
 * with one instance of every unit, cut into sections at its barriers. Each section starts on a clean machine.
 */
#ifndef WB_BOUND_PROFILE_PHASES_H
#define WB_BOUND_PROFILE_PHASES_H

#include "bound/profile/phase_walker.h"

/* Most instructions of a path whose phases are worth listing: some 50 MB of text. */
#define PHASES_LISTED_MAX ((uint64_t)1 << 20)

/* Walks to the end of the next section: behind the next barrier, or to the end of the path, which sets
 * `ended`. A walker that has ended gives empty sections. Without a sink repetitions of loops are skipped
 * where that changes nothing. */
wb_status phase_walker_section(struct phase_walker *walker, struct section_profile *profile);

/* All phases of one path into `sink`. WB_ERR_LIMIT with a message when memory is exhausted, else what the
 * sink returned. */
wb_status phases_of_path(const struct timed_block *block, uint32_t path, const struct phase_sink *sink,
                         wb_diagnostics *diagnostics);

#endif
