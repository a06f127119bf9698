/* Certificates: a schedule and the tables that prove that none is longer, in a file that needs no trust
 * (docs/makespan-proofs.md, T6). */
#ifndef WB_MAKESPAN_CERTIFICATE_WRITE_H
#define WB_MAKESPAN_CERTIFICATE_WRITE_H

#include "wings/makespan/exact/exact.h"

/* Writes a certificate for the schedule, which is one of run->problem; the file appears when it is complete.
 * Like the method "exact" it begins with small tables, and takes larger ones while they do not prove the
 * schedule to be the longest; *upper is what the last ones prove. WB_ERR_LIMIT with a message when none fit
 * the memory that the settings allow or makespan_goes_on says no, WB_ERR_INPUT when the file cannot be
 * written. */
wb_status certificate_write(const struct makespan_run *run, const struct exact_limits *limits,
                            const struct schedule *witness, const char *path, uint32_t *upper);

#endif
