/* The code that an analysis is of: where its instructions stand, and how they read. */
#ifndef WB_REPORT_HTML_CODE_H
#define WB_REPORT_HTML_CODE_H

#include "bound/analysis/analysis.h"
#include "report/write/source_lines.h"

/* Zero-initialised there is none. */
struct html_code {
    const struct wb_kernel *kernel; /* NULL: it was written by hand */
    const uint32_t *code_first;     /* as in struct wb_block */
    struct source_lines lines;
};

/* Closed with html_code_close, also after an error (WB_ERR_LIMIT, without a message). */
wb_status html_code_open(const struct wb_analysis *analysis, struct html_code *code);
void html_code_close(struct html_code *code);

/* The instruction of an index as in paths; the code has a kernel. */
const struct ptx_inst *html_code_inst(const struct html_code *code, size_t index,
                                      const struct ptx_function **function);

/* Appends the instruction as it stands in the PTX; "instruction 3" of code written by hand. */
void html_code_put(struct text *out, const struct html_code *code, size_t index);

/* Appends "PTX line 12, saxpy.cu:4"; nothing of code written by hand. */
void html_code_put_place(struct text *out, const struct html_code *code, size_t index);

#endif
