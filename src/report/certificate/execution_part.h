/* An execution of a block as a certificate has it: when each instruction was issued (docs/certificates.md).
 */
#ifndef WB_REPORT_CERTIFICATE_EXECUTION_PART_H
#define WB_REPORT_CERTIFICATE_EXECUTION_PART_H

#include "bound/analysis/analysis.h"
#include "report/certificate/block_part.h"

/* Writes the longest execution of the analysed block that is known and small enough, behind the block;
 * *longest says how long it takes, 0 if there is none. Status as report_flush. */
wb_status certificate_put_execution(struct certificate *certificate, const wb_analysis *analysis,
                                    wb_diagnostics *diagnostics, cycles *longest);

#endif
