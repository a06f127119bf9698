/* Where the repeated experiments of a paper go: a page, and the pictures on it. The programs run from the
 * project's top folder. */
#ifndef WB_REPRODUCE_OUTPUT_H
#define WB_REPRODUCE_OUTPUT_H

#include "base/status.h"
#include "base/text.h"
#include "warpbound.h"

#define OUTPUT_FOLDER "docs/reproduction"

struct output {
    const char
        *paper; /* "ecrts2025": page docs/reproduction/PAPER.md, pictures in docs/reproduction/PAPER/ */
    wb_diagnostics *diagnostics;
};

/* Writes the page; the text is empty afterwards. */
wb_status output_page(const struct output *output, struct text *text);

/* Writes a file of the page, such as a picture, likewise. */
wb_status output_file(const struct output *output, const char *file, struct text *text);

/* Appends a picture to the page; `what` stands in for it where it is not shown. */
void output_put_image(const struct output *output, const char *file, const char *what, struct text *page);

/* The main function of the program of a paper; `reproduce` writes the page. */
int output_main(const char *paper, wb_status (*reproduce)(const struct output *output));

#endif
