/* Where the repeated experiments of a paper go: a page, its pictures, and the data behind it as CSV files.
 * The programs run from the project's top folder. */
#ifndef WB_REPRODUCE_OUTPUT_H
#define WB_REPRODUCE_OUTPUT_H

#include "base/base.h"
#include "warpbound.h"

#define OUTPUT_FOLDER "docs/reproduction"

struct output {
    const char
        *paper; /* "ecrts2025": page docs/reproduction/PAPER.md, its files in docs/reproduction/PAPER/ */
    wb_diagnostics *diagnostics;
};

/* Writes the page; the text is empty afterwards. */
wb_status output_page(const struct output *output, struct text *text);

/* Writes a file of the page, a picture or data, likewise. */
wb_status output_file(const struct output *output, const char *file, struct text *text);

/* Appends a picture to the page; `what` stands in for it where it is not shown. */
void output_put_image(const struct output *output, const char *file, const char *what, struct text *page);

/* Appends a paragraph with an empty line, or an item of a list, "- ...", in lines of at most 100 columns. */
void output_put_words(struct text *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The main function of the program of a paper; `reproduce` writes the page. */
int output_main(const char *paper, wb_status (*reproduce)(const struct output *output));

#endif
