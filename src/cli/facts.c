/* warpbound facts: a file of flow facts to be completed by hand; and the hint to write one. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

int command_facts(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    wb_status status = inputs_load_launch(options, NULL, diagnostics, &inputs);
    if (status == WB_OK) status = wb_facts_template(inputs.kernel, inputs.launch, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}

/* Whether the shell takes the text for one word as it is. */
static bool is_plain_word(const char *text) {
    for (const char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("_-+=:,./@%", *c) == NULL) return false;
    return *text != '\0';
}

/* Appends " OPTION WORD", the word quoted for the shell where it has to be. */
static void put_word(FILE *out, const char *option, const char *word) {
    if (word == NULL) return;
    (void)fprintf(out, " %s%s", option, *option == '\0' ? "" : " ");
    if (is_plain_word(word)) {
        (void)fputs(word, out);
        return;
    }
    (void)fputc('\'', out);
    for (const char *c = word; *c != '\0'; c++)
        (void)fputs(*c == '\'' ? "'\\''" : (const char[]){*c, '\0'}, out);
    (void)fputc('\'', out);
}

/* Appends the command line of warpbound facts for the same kernel and launch. */
static void put_command(FILE *out, const struct options *options) {
    (void)fputs("warpbound facts", out);
    for (size_t i = 0; i < options->operands.count; i++)
        put_word(out, "", options->operands.items[i]);
    put_word(out, "-k", options->kernel);
    put_word(out, "-l", options->launch);
    put_word(out, "-g", options->grid);
    put_word(out, "-b", options->block);
    put_word(out, "-s", options->shared);
    for (size_t i = 0; i < options->arguments.count; i++)
        put_word(out, "-a", options->arguments.items[i]);
    for (size_t i = 0; i < options->variables.count; i++)
        put_word(out, "-c", options->variables.items[i]);
}

void facts_suggest(const struct options *options, wb_diagnostics *diagnostics) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return;
    (void)fputs("to get a template: ", out);
    put_command(out, options);
    (void)fputs(" > k.facts; fill it in, then add --facts k.facts", out);
    if (fclose(out) == 0) wb_diagnostics_note(diagnostics, "facts", text);
    free(text);
}
