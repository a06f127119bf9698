/* What a file is, by its content, where it is given in place of another: a source instead of PTX, a launch
 * file instead of a machine. */
#ifndef WB_BASE_CONTENT_H
#define WB_BASE_CONTENT_H

#include <stddef.h>

#include "base/status.h"

enum content {
    CONTENT_UNKNOWN, /* anything, or too little to tell */
    CONTENT_EMPTY,
    CONTENT_PTX,
    CONTENT_LAUNCH,
    CONTENT_MACHINE,
    CONTENT_FACTS,
    CONTENT_BLOCK, /* written by hand, in YAML: expected, never told */
    CONTENT_CUDA,
    CONTENT_LLVM,
    CONTENT_BITCODE,
    CONTENT_CUBIN,
    CONTENT_FATBIN,
    CONTENT_ELF, /* of the host */
    CONTENT_ARCHIVE,
    CONTENT_LISTING, /* of cuobjdump: PTX with a heading */
    CONTENT_GPGPUSIM /* a gpgpusim.config */
};

enum content content_of(const char *text, size_t size);

/* Fails when the text of the file `name` is known to be something else than `expected`: with a message that
 * says what it is, and a note what to do with it. Where PTX is expected, machine code would do, too, and the
 * message says so: whoever asks has seen that it is none. */
wb_status content_expect(enum content expected, const char *name, const char *text, size_t size,
                         wb_diagnostics *diagnostics);

#endif
