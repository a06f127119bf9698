/* A thread block as a certificate has it (docs/certificates.md). */
#ifndef WB_REPORT_CERTIFICATE_BLOCK_PART_H
#define WB_REPORT_CERTIFICATE_BLOCK_PART_H

#include "base/base.h"
#include "report/write/output.h"
#include "warp/timed/timed.h"

/* A certificate being written. */
struct certificate {
    struct text text; /* not written yet */
    wb_writer writer; /* takes the text, and counts it into `sum` */
    const wb_writer *out;
    uint64_t sum; /* of what was written */
};

/* Whether warps execute parts of the paths, as of covering ones. */
bool certificate_is_of_parts(const struct timed_block *block);

/* Writes a block; claims about it can follow. Status as report_flush. */
wb_status certificate_put_block(struct certificate *certificate, const char *name,
                                const struct timed_block *block);

#endif
