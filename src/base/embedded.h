/* Files that the build puts inside the library (cmake/embed.cmake). */
#ifndef WB_BASE_EMBEDDED_H
#define WB_BASE_EMBEDDED_H

#include <stddef.h>

/* One file: its name without directory and extension, its NUL-terminated bytes. */
struct embedded_file {
    const char *name;
    const char *text;
    size_t size;
};

/* Machine descriptions of machines/, sorted by name; the last entry has no name. */
extern const struct embedded_file embedded_presets[];

/* Kernels whose machine code shows what a compiler keeps to, src/calibrate/ptx/, likewise. */
extern const struct embedded_file embedded_calibration[];

/* Style and script of HTML reports, src/report/html/page/, likewise. */
extern const struct embedded_file embedded_html_page[];

#endif
