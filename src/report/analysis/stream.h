/* Reports of a stream of kernels: what its formats have in common, and one function per format. */
#ifndef WB_REPORT_ANALYSIS_STREAM_H
#define WB_REPORT_ANALYSIS_STREAM_H

#include "bound/analysis/stream.h"

/* The whole stream under policy number `policy`, launch overheads included, when every kernel was simulated
 * under it (of covering paths: with the given data); else false. */
bool report_stream_simulated(const struct wb_stream *stream, size_t policy, cycles *simulated);

/* The slowest of these that the bounds are about; 0 when there is none. */
cycles report_stream_slowest(const struct wb_stream *stream);

wb_status report_stream_text(const struct wb_stream *stream, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text);
wb_status report_stream_json(const struct wb_stream *stream, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text);

#endif
