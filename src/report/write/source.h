/* Source lines and instructions in reports. */
#ifndef WB_REPORT_WRITE_SOURCE_H
#define WB_REPORT_WRITE_SOURCE_H

#include "ptx/ptx.h"
#include "report/write/write.h"

/* ---- Where instructions stand: lines of the PTX, and lines of the source (.loc). */

/* The offset of each line of a text. */
typedef VEC(size_t) line_starts;

struct source_lines {
    const struct wb_module *module;
    line_starts starts; /* of the PTX */
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

/* A line of the PTX, from 1, without its end; NULL if there is none. */
const char *source_lines_text(const struct source_lines *lines, uint32_t line, size_t *length);

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

/* ---- The source that code was compiled from, line by line: of the files that its line information names, as
 * far as they are still there. */

/* Most bytes of a file that is looked into. */
#define SOURCE_TEXT_SIZE_MAX ((size_t)4 << 20)

/* A file; without text where it is not found. */
struct source_text {
    const char *name; /* as the line information has it */
    char *text;
    size_t size;
    line_starts starts;
};

/* Those that were asked for so far. */
struct source_texts {
    const struct wb_module *module;
    const char *folder; /* that the sources are in; NULL: not known. Set it before asking for the first */
    VEC(struct source_text) files;
    bool failed; /* memory was exhausted */
};

/* Texts of the sources of a module, freed with source_texts_close. A file is read when it is asked for: by
 * its name, or the last part of it, in `folder`; else by its name from the root, from the folder of the code
 * or from the one that the process is in, else by the last part of its name beside the code.
 * It is read only if its name ends as those of sources do: code of others cannot have any file printed. */
struct source_texts source_texts_open(const struct wb_module *module);
void source_texts_close(struct source_texts *texts);

/* Appends where a source lies that the code of file `code` names, in one of those places, and says whether it
 * is there. */
bool source_find(const char *folder, const char *code, const char *name, struct text *path);

/* A line, from 1, without its end; NULL if not known. For a file that has changed since, the current line. */
const char *source_texts_line(struct source_texts *texts, const char *file, uint32_t line, size_t *length);

/* How many lines there are; 0: the file is not found. */
size_t source_texts_line_count(struct source_texts *texts, const char *file);

#endif
