/* What a grid executes as a trace of Accel-Sim's tracer (.traceg), for tests. */
#ifndef WB_TESTS_TRACE_TEXT_H
#define WB_TESTS_TRACE_TEXT_H

#include "base/base.h"
#include "warp/trace/trace.h"

/* Where generic addresses have shared and local memory in the trace; and what stands there for address 0 of
 * local memory. */
#define TRACE_SHARED_WINDOW UINT64_C(0x7f4000000000)
#define TRACE_LOCAL_WINDOW UINT64_C(0x7f4002000000)
#define TRACE_LOCAL_BASE UINT64_C(0xfff000)

/* How it is written: the version of the tracer; whether addresses are listed, or shortened as the tracer
 * does; whether guards that decide nothing are false in every other lane; whether lines of the source are
 * there. */
struct trace_style {
    unsigned version;
    bool lists, odd_guards, has_lines;
};

/* Appends the trace of a grid of real paths of machine code. */
void trace_text_put(struct text *out, const wb_grid *grid, const struct trace_style *style);

#endif
