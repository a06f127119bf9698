/* Where instructions stand: lines of the PTX, and lines of the source (.loc). */
#ifndef WB_REPORT_WRITE_SOURCE_LINES_H
#define WB_REPORT_WRITE_SOURCE_LINES_H

#include "base/base.h"
#include "ptx/ptx.h"
#include "report/write/json.h"
#include "report/write/sheet.h"

struct source_lines {
    const struct wb_module *module;
    VEC(size_t) starts; /* offset of each line of the PTX */
};

/* An instruction as a reader finds it. */
struct inst_place {
    const char *source_file; /* of its .loc, or NULL */
    uint32_t source_line;
    uint32_t line;    /* of the PTX, from 1; of the listing of machine code */
    bool is_machine;  /* it is of machine code */
    uint32_t address; /* of machine code: in the kernel's code, bytes */
};

/* Finds where the lines of the PTX start. Closed with source_lines_close, also after an error (WB_ERR_LIMIT,
 * without a message). */
wb_status source_lines_open(const struct wb_module *module, struct source_lines *lines);
void source_lines_close(struct source_lines *lines);

struct inst_place source_lines_place(const struct source_lines *lines, const struct ptx_inst *inst);

/* Appends where the code stands: "PTX line 24", or of machine code "0x0230". */
void source_lines_put_code(struct text *out, const struct inst_place *place);

/* The cell of a table with the line of the code, or the address of machine code. */
void source_lines_cell(struct sheet *table, const struct inst_place *place);

/* Appends a guard such as "@!%p1"; nothing for an instruction without one. */
void source_lines_put_guard(struct text *out, const struct ptx_function *function,
                            const struct ptx_inst *inst);

/* Appends an instruction with its guard on one line, as it stands in the PTX, the end of a long one cut. */
void source_lines_put_inst(struct text *out, const struct wb_module *module,
                           const struct ptx_function *function, const struct ptx_inst *inst);

/* The members "address", of machine code, "source_file" and "source_line", where the place has them. */
void source_lines_json(struct json *json, const struct inst_place *place);

#endif
