/* The source that code was compiled from, line by line: of the files that its line information names, as far
 * as they are still there. */
#ifndef WB_REPORT_WRITE_SOURCE_TEXT_H
#define WB_REPORT_WRITE_SOURCE_TEXT_H

#include "base/base.h"
#include "ptx/ptx.h"

/* Most bytes of a file that is looked into. */
#define SOURCE_TEXT_SIZE_MAX ((size_t)4 << 20)

/* A file; without text where it is not found. */
struct source_text {
    const char *name; /* as the line information has it */
    char *text;
    size_t size;
    VEC(size_t) starts; /* offset of each line */
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

/* A line, from 1, without its end; NULL if not known. For a file that has changed since, the current line. */
const char *source_texts_line(struct source_texts *texts, const char *file, uint32_t line, size_t *length);

/* How many lines there are; 0: the file is not found. */
size_t source_texts_line_count(struct source_texts *texts, const char *file);

#endif
