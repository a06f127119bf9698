#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"

/* The longest line of a page. */
#define PAGE_COLUMNS 100u

/* Writes a text that is complete to a file, and frees it. */
static wb_status write_text(const char *path, struct text *text, wb_diagnostics *diagnostics) {
    char *complete = text_take(text);
    wb_status status = complete != NULL ? wb_file_write(path, complete, diagnostics)
                                        : diagnose_out_of_memory(diagnostics, path);
    free(complete);
    return status;
}

wb_status output_page(const struct output *output, struct text *text) {
    char path[256];
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s.md", output->paper);
    while (text->length > 1 && strcmp(text->data + text->length - 2, "\n\n") == 0)
        text->data[--text->length] = '\0';
    return write_text(path, text, output->diagnostics);
}

wb_status output_file(const struct output *output, const char *file, struct text *text) {
    char path[256];
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s", output->paper);
    (void)mkdir(path, 0777); /* where this fails for another reason than that it exists, writing does */
    (void)snprintf(path, sizeof path, OUTPUT_FOLDER "/%s/%s", output->paper, file);
    return write_text(path, text, output->diagnostics);
}

void output_put_image(const struct output *output, const char *file, const char *what, struct text *page) {
    text_printf(page, "![%s](%s/%s)\n\n", what, output->paper, file);
}

/* Characters of a word in UTF-8. */
static size_t width_of(const char *word, size_t length) {
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)word[i] & 0xC0) != 0x80;
    return width;
}

/* Bytes up to a space that is not within `...`. */
static size_t word_length(const char *words) {
    size_t length = 0;
    for (bool quoted = false; words[length] != '\0' && (quoted || words[length] != ' '); length++)
        quoted ^= words[length] == '`';
    return length;
}

/* Appends words that are separated by single spaces; later lines are indented. */
static void put_lines(const char *words, size_t indent, struct text *page) {
    size_t column = 0;
    while (*words != '\0') {
        const size_t length = word_length(words), width = width_of(words, length);
        if (column > 0 && column + 1 + width > PAGE_COLUMNS) {
            text_char(page, '\n');
            text_append(page, "  ", indent);
            column = indent;
        } else if (column > 0) {
            text_char(page, ' ');
            column++;
        }
        text_append(page, words, length);
        column += width;
        words += length + (words[length] == ' ');
    }
}

void output_put_words(struct text *page, const char *format, ...) {
    va_list arguments;
    struct text words = {0};
    va_start(arguments, format);
    text_vprintf(&words, format, arguments);
    va_end(arguments);
    char *complete = text_take(&words);
    if (complete == NULL) {
        page->failed = true;
        return;
    }
    const bool item = strncmp(complete, "- ", 2) == 0;
    put_lines(complete, item ? 2 : 0, page);
    text_string(page, item ? "\n" : "\n\n");
    free(complete);
}

int output_main(const char *paper, wb_status (*reproduce)(const struct output *output)) {
    const struct output output = {.paper = paper, .diagnostics = wb_diagnostics_new()};
    if (output.diagnostics == NULL) return WB_ERR_LIMIT;
    wb_status status = reproduce(&output);
    if (status == WB_OK)
        printf("wrote " OUTPUT_FOLDER "/%s.md and its files\n", paper);
    else
        (void)fputs(wb_diagnostics_text(output.diagnostics), stderr);
    wb_diagnostics_free(output.diagnostics);
    return (int)status;
}
