/* Files with abstract warps in place of PTX (docs/abstract-cta.md). */
#ifndef WB_PAPERS_ABSTRACT_CTA_ABSTRACT_WARP_FILE_H
#define WB_PAPERS_ABSTRACT_CTA_ABSTRACT_WARP_FILE_H

#include "machine/machine.h"
#include "papers/abstract_cta/abstract_window.h"

/* What a file says. Zero-initialised it is empty. */
struct abstract_warp_file {
    char name[MACHINE_NAME_MAX];
    struct wb_machine *machine;
    struct abstract_cta cta;
};

/* Whether a text is such a file: it has the key `abstract_warp` at the start of a line. */
bool abstract_warp_file_is(const char *text, size_t size);

/* Parses a file; `name` stands for it in messages. *file, empty before, is to be freed in any case. */
wb_status abstract_warp_file_parse(const char *name, const char *text, size_t size,
                                   wb_diagnostics *diagnostics, struct abstract_warp_file *file);
void abstract_warp_file_free(struct abstract_warp_file *file);

#endif
