/* Inputs of programs that gate on verdicts: reports of tests (JUnit), results of analyses (SARIF 2.1.0), and
 * messages as JSON. A run that failed before its verdict has such a report, too. */
#ifndef WB_REPORT_GATE_GATE_H
#define WB_REPORT_GATE_GATE_H

#include "report/parts/parts.h"

/* The content of a report. */
struct gate {
    const wb_verdict *verdict; /* NULL: there is none, as the run failed */
    struct verdict_words words;
    const char *name;               /* of the kernel, or of what was read */
    const char *label;              /* of the test case; NULL: made of the name and the machine's */
    const char *source;             /* a folder of sources; or NULL */
    const char *file;               /* of its PTX, or what was written by hand; NULL: not known */
    const struct wb_kernel *kernel; /* where findings stand; NULL: there is no PTX */
    const wb_analysis *analysis;    /* what the inputs are of: this, */
    const wb_stream *stream;        /* or this; both NULL: of nothing */
    const wb_diagnostics *messages; /* of the run, so far */
};

/* An input file; NULL past the end. */
const wb_input *gate_input(const struct gate *gate, size_t index);

/* Appends the verdict in a line, or the first error. */
void gate_put_line(struct text *out, const struct gate *gate);

/* Appends the report of an analysis, or of a stream (the other is NULL), in one of the formats. */
void gate_put(struct text *out, wb_report_format format, const wb_analysis *analysis, const wb_stream *stream,
              const wb_report_options *options, const wb_diagnostics *messages);

void gate_put_junit(struct text *out, const struct gate *gate);
void gate_put_sarif(struct text *out, const struct gate *gate);

#endif
