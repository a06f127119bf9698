/* Proves what a certificate claims (docs/makespan-proofs.md, T6): from the file and the model alone, with no
 * code of the methods that found it. */
#ifndef WB_MAKESPAN_CERTIFICATE_CHECK_H
#define WB_MAKESPAN_CERTIFICATE_CHECK_H

#include "wings/makespan/strings/witness_file.h"

/* What has been proven: the longest schedule takes from witness.schedule.makespan to `upper` cycles. */
struct certificate_proof {
    struct witness witness;
    uint32_t upper;
    uint32_t tail_warps; /* states of at most so many unfinished warps are in the file one by one */
    uint64_t states;     /* of the tail */
    uint64_t cells;      /* of the run abstraction; 0 where the tail has all warps */
};

/* Checks `size` bytes, a gzip file; `name` stands for it in messages. WB_ERR_INPUT with a message when it
 * proves nothing, WB_ERR_LIMIT when its tables would take more than `memory` bytes. Freed with
 * certificate_proof_free, also after an error. */
wb_status certificate_check(const char *name, const char *bytes, size_t size, uint64_t memory,
                            uint32_t threads, wb_diagnostics *diagnostics, struct certificate_proof *proof);
void certificate_proof_free(struct certificate_proof *proof);

#endif
