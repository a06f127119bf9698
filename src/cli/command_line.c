#include "command_line.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "values.h"

/* What is shown of a text of the command line, which may be of any length. */
#define SHOWN_MAX 60

/* ---- Values -------------------------------------------------------------------------------------------- */

static wb_status no_memory(wb_diagnostics *diagnostics) {
    wb_diagnostics_error(diagnostics, "warpbound", "out of memory");
    return WB_ERR_LIMIT;
}

static bool read_word(const char *text, const char *const *words, unsigned *index) {
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *index = i;
        return true;
    }
    return false;
}

/* Whether all of a list, separated by commas, are names of a registry, or it is "all". */
static bool are_names(const char *list, const char *(*name_at)(size_t)) {
    wb_diagnostics *discarded = wb_diagnostics_new();
    const bool are = discarded != NULL && wb_names_check(list, name_at, discarded) == WB_OK;
    wb_diagnostics_free(discarded);
    return are;
}

/* Room for one more item in a list that may become as long as the command line. */
static void *list_room(void **items, size_t *count, size_t size, size_t room) {
    if (*items == NULL) *items = calloc(room, size);
    return *items != NULL ? (char *)*items + (*count)++ * size : NULL;
}

static bool append_text(struct option_list *list, const char *value, size_t room) {
    const char **item = list_room((void **)&list->items, &list->count, sizeof *list->items, room);
    if (item != NULL) *item = value;
    return item != NULL;
}

static bool append_given(struct given_options *list, const struct option_row *row, const char *value,
                         size_t room) {
    struct given_option *item = list_room((void **)&list->items, &list->count, sizeof *list->items, room);
    if (item != NULL) *item = (struct given_option){row, value};
    return item != NULL;
}

/* Stores the value of an option, unless it is wrong; lists have `room` at most. */
static wb_status store_option(struct options *options, const struct option_row *row, const char *value,
                              size_t room, wb_diagnostics *diagnostics, bool *right) {
    union {
        const char *text;
        struct option_number number;
        struct option_place place;
        double seconds;
    } unused;
    const bool is_given = row->offset == offsetof(struct options, given);
    void *member = is_given ? (void *)&unused : (char *)options + row->offset;
    struct option_number *number = member;
    struct option_place *place = member;
    unsigned word;
    bool stored = true;
    switch (row->kind) {
    case OPTION_HEADING: assert(false); break;
    case OPTION_FLAG: *(bool *)member = true; break;
    case OPTION_SOME:
    case OPTION_TEXT: *(const char **)member = value; break;
    case OPTION_NAMES:
        stored = are_names(value, row->names);
        *(const char **)member = value;
        break;
    case OPTION_LIST:
        if (!is_given && !append_text(member, value, room)) return no_memory(diagnostics);
        break;
    case OPTION_SETTING: break;
    case OPTION_WORD:
        stored = read_word(value, row->words, &word);
        if (stored) *(unsigned *)member = word + 1;
        break;
    case OPTION_NUMBER:
        assert(value != NULL);
        stored = read_number(value, strlen(value), row->least, row->most, &number->value);
        number->given = true;
        break;
    case OPTION_COUNT:
        number->value = row->least;
        stored = value == NULL || read_number(value, strlen(value), 1, row->most, &number->value);
        number->given = true;
        break;
    case OPTION_PLACE:
        stored = read_dimensions(value, 0, place->index);
        place->given = true;
        break;
    case OPTION_SIZE: stored = wb_read_bytes(value, member) && *(uint64_t *)member > 0; break;
    case OPTION_SECONDS: stored = read_seconds(value, member); break;
    case OPTION_FORMAT:
        stored = read_word(value, row->words, &word);
        if (stored) *(enum output_format *)member = format_named(value);
        break;
    case OPTION_JSON: *(enum output_format *)member = format_named(row->name); break;
    }
    *right = stored;
    return !is_given || append_given(&options->given, row, value, room) ? WB_OK : no_memory(diagnostics);
}

/* ---- What is wrong ------------------------------------------------------------------------------------- */

void about_option(const char *option, const char *value, char about[ABOUT_MAX], wb_diagnostics *diagnostics) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%[]?";
    (void)snprintf(about, ABOUT_MAX, "--%s", option);
    if (value != NULL) {
        const char *quote = *value != '\0' && value[strspn(value, plain)] == '\0' ? "" : "'";
        (void)snprintf(about, ABOUT_MAX, "--%s %s%.*s%s%s", option, quote, SHOWN_MAX, value,
                       strlen(value) > SHOWN_MAX ? "..." : "", quote);
    }
    wb_diagnostics_about(diagnostics, about);
}

/* An error about an option, of which `length` bytes are what the user wrote; returns WB_ERR_INPUT. The text
 * is freed. */
static wb_status option_error(const char *option, size_t length, FILE *out, char **text,
                              wb_diagnostics *diagnostics) {
    char where[SHOWN_MAX + 1];
    (void)snprintf(where, sizeof where, "%.*s", (int)(length < SHOWN_MAX ? length : SHOWN_MAX), option);
    const bool failed = fclose(out) != 0;
    wb_diagnostics_error(diagnostics, where, failed ? "wrong" : *text);
    free(*text);
    return WB_ERR_INPUT;
}

/* "a, b or c" */
static void put_words(FILE *out, const char *const *words) {
    for (size_t i = 0; words[i] != NULL; i++)
        (void)fprintf(out, "%s%s", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
}

/* "; did you mean --x?" where there is such a name. */
static void put_nearest(FILE *out, const char *prefix, const char *word, const char *const *names) {
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    const char *nearest = wb_nearest_name(word, names, count);
    if (nearest != NULL) (void)fprintf(out, "; did you mean %s%s?", prefix, nearest);
}

/* An error about a value: what is expected, and what was probably meant. */
static wb_status report_wrong_value(const struct option_row *row, const char *value,
                                    wb_diagnostics *diagnostics) {
    char *text = NULL, about[ABOUT_MAX];
    size_t size;
    about_option(row->name, value, about, diagnostics);
    if (row->kind == OPTION_NAMES) return wb_names_check(value, row->names, diagnostics);
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return no_memory(diagnostics);
    (void)fprintf(out, "expected ");
    if (row->expected != NULL) {
        (void)fprintf(out, "%s", row->expected);
    } else {
        put_words(out, row->words);
        put_nearest(out, "", value, row->words);
    }
    return option_error("", 0, out, &text, diagnostics);
}

static bool has_name(const struct option_row *row, const char *name, size_t length) {
    return row->name != NULL && strlen(row->name) == length && memcmp(row->name, name, length) == 0;
}

/* The commands that take an option of other commands, as bits. */
static unsigned commands_that_take(char letter, const char *name, size_t length) {
    const struct option_row *row;
    unsigned commands = 0;
    for (size_t i = 0; (row = option_at(i)) != NULL; i++)
        if (name != NULL ? has_name(row, name, length) : row->letter == letter && letter != '\0')
            commands |= row->commands;
    return commands;
}

/* Says that other commands take it, and why this one does not. */
static void put_refusal(FILE *out, unsigned command, unsigned commands) {
    const struct command *other, *this = command_of(command);
    (void)fprintf(out, "not an option of %s, which %s, but of", this->name, this->does);
    const char *separator = " ";
    for (size_t i = 0; (other = command_at(i)) != NULL; i++) {
        if ((other->bit & commands) == 0) continue;
        (void)fprintf(out, "%s%s", separator, other->name);
        separator = ", ";
    }
}

/* What was probably meant: a name that this begins, or is spelt like it. */
static void put_meant(FILE *out, unsigned command, const char *name) {
    const struct option_row *row;
    const char *names[OPTION_ROWS_MAX + 1];
    size_t count = 0, begun = 0;
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if ((row->commands & command) == 0) continue;
        assert(count < OPTION_ROWS_MAX);
        names[count++] = row->name;
        if (*name == '\0' || strncmp(row->name, name, strlen(name)) != 0) continue;
        (void)fprintf(out, "%s--%s", begun++ == 0 ? "; did you mean " : " or ", row->name);
    }
    names[count] = NULL;
    if (begun > 0)
        (void)fprintf(out, "?");
    else
        put_nearest(out, "--", name, names);
}

static wb_status report_unknown(unsigned command, const char *option, wb_diagnostics *diagnostics) {
    const bool is_long = option[1] == '-';
    const size_t length = is_long ? strcspn(option, "=") : 2;
    const unsigned commands =
        commands_that_take(option[1], is_long ? option + 2 : NULL, is_long ? length - 2 : 0);
    char *text = NULL, name[SHOWN_MAX + 1];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return no_memory(diagnostics);
    if (commands != 0) {
        put_refusal(out, command, commands);
        return option_error(option, length, out, &text, diagnostics);
    }
    (void)fprintf(out, "unknown option");
    (void)snprintf(name, sizeof name, "%.*s", length < SHOWN_MAX ? (int)length - 2 : SHOWN_MAX, option + 2);
    if (is_long) put_meant(out, command, name);
    (void)fprintf(out, " (warpbound help %s lists the options)", command_of(command)->name);
    return option_error(option, length, out, &text, diagnostics);
}

static wb_status report_value(const char *option, size_t length, const char *message,
                              wb_diagnostics *diagnostics) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return no_memory(diagnostics);
    (void)fputs(message, out);
    return option_error(option, length, out, &text, diagnostics);
}

/* ---- The command line ---------------------------------------------------------------------------------- */

/* What is being read. */
struct command_line {
    int argc, at; /* `at`: of the argument that is being read */
    char **argv;
    struct options *options;
    wb_diagnostics *diagnostics;
    const struct option_row *wrong; /* the first with a wrong value: who asks for help gets it all the same */
    const char *wrong_value;
};

/* The row of a long option, or else of a letter, that the command takes. */
static const struct option_row *row_of(unsigned command, char letter, const char *name, size_t length) {
    const struct option_row *row;
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if ((row->commands & command) == 0) continue;
        if (name != NULL ? has_name(row, name, length) : row->letter == letter) return row;
    }
    return NULL;
}

static wb_status take_option(struct command_line *line, const struct option_row *row, const char *value) {
    bool right = true;
    wb_status status =
        store_option(line->options, row, value, (size_t)line->argc + 1, line->diagnostics, &right);
    if (right || line->wrong != NULL) return status;
    line->wrong = row;
    line->wrong_value = value;
    return status;
}

/* Whether the next argument is the option's list: it begins with a name of that, or can be no operand. */
static bool begins_with_name(const struct command_line *line, const struct option_row *row) {
    const char *next = line->at + 1 < line->argc ? line->argv[line->at + 1] : "", *name;
    const size_t length = strcspn(next, ",");
    for (size_t i = 0; (name = row->names(i)) != NULL; i++)
        if (strlen(name) == length && strncmp(name, next, length) == 0) return true;
    if (strncmp(next, "all", length) == 0 && length == 3) return true;
    return line->options->operands.count > 0 && next[0] != '-' && next[0] != '\0';
}

/* The value of the option that is being read, if it takes one: `attached` to it, or else the next argument.
 */
static wb_status take_value(struct command_line *line, const struct option_row *row, size_t length,
                            const char *attached) {
    const char *option = line->argv[line->at];
    if (row->argument == NULL) return take_option(line, row, NULL);
    if (attached != NULL) return take_option(line, row, attached);
    if (row->kind == OPTION_COUNT) {
        const char *next = line->at + 1 < line->argc ? line->argv[line->at + 1] : "";
        const bool is_number = next[0] != '\0' && next[strspn(next, "0123456789")] == '\0';
        return take_option(line, row, is_number ? line->argv[++line->at] : NULL);
    }
    if (row->kind == OPTION_SOME)
        return take_option(line, row, begins_with_name(line, row) ? line->argv[++line->at] : "");
    if (line->at + 1 == line->argc)
        return report_value(option, length, "expected a value after it", line->diagnostics);
    return take_option(line, row, line->argv[++line->at]);
}

/* "--name" or "--name=value" */
static wb_status read_long(struct command_line *line) {
    const char *option = line->argv[line->at];
    const size_t length = strcspn(option, "=");
    const struct option_row *row = row_of(line->options->command, 0, option + 2, length - 2);
    const char *attached = option[length] == '=' ? option + length + 1 : NULL;
    if (row == NULL) return report_unknown(line->options->command, option, line->diagnostics);
    if (row->argument == NULL && attached != NULL)
        return report_value(option, length, "takes no value", line->diagnostics);
    return take_value(line, row, length, attached);
}

/* "-x", "-x value", "-xvalue"; several that take no value may stand in one argument. */
static wb_status read_letters(struct command_line *line) {
    const char *letters = line->argv[line->at] + 1;
    for (wb_status status; *letters != '\0'; letters++) {
        const struct option_row *row = row_of(line->options->command, *letters, NULL, 0);
        if (row == NULL)
            return report_unknown(line->options->command, (const char[]){'-', *letters, '\0'},
                                  line->diagnostics);
        const bool takes_value = row->argument != NULL;
        status = take_value(line, row, SHOWN_MAX, letters[1] != '\0' ? letters + 1 : NULL);
        if (status != WB_OK || takes_value) return status;
    }
    return WB_OK;
}

static bool is_standard_input(const char *file) {
    return file != NULL && strcmp(file, "-") == 0;
}

/* Standard input can be read once. */
static wb_status check_standard_input(const struct options *options, wb_diagnostics *diagnostics) {
    const char *const files[] = {options->launch, options->machine, options->facts, options->ptxas_info,
                                 options->trace};
    size_t readers = 0;
    for (size_t i = 0; i < options->operands.count; i++)
        readers += is_standard_input(options->operands.items[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        readers += is_standard_input(files[i]);
    for (size_t i = 0; i < options->given.count; i++)
        readers += options->given.items[i].row->reads && is_standard_input(options->given.items[i].value);
    if (readers <= 1) return WB_OK;
    wb_diagnostics_error(diagnostics, "-",
                         "standard input can be read only once: name files for all other inputs");
    return WB_ERR_INPUT;
}

/* What the command does in place of its own work: one option at most says so. */
static wb_status choose_run(struct options *options, wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < options->given.count; i++) {
        const struct option_row *row = options->given.items[i].row, *other = options->instead;
        char where[SHOWN_MAX], message[100];
        if (row->run == NULL) continue;
        options->instead = row;
        if (other == NULL || other == row) continue;
        (void)snprintf(where, sizeof where, "--%s", row->name);
        (void)snprintf(message, sizeof message, "cannot be combined with --%s", other->name);
        wb_diagnostics_error(diagnostics, where, message);
        return WB_ERR_INPUT;
    }
    for (size_t i = 0; options->instead == NULL && i < options->given.count; i++)
        if (options->given.items[i].row->needs != NULL)
            return usage_error(diagnostics, options->given.items[i].row->needs);
    return WB_OK;
}

wb_status options_parse(unsigned command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options) {
    struct command_line line = {argc, 1, argv, options, diagnostics, NULL, NULL};
    bool only_operands = false;
    wb_status status = WB_OK;
    *options = (struct options){.command = command, .words = argv + 1, .word_count = argc - 1};
    for (; status == WB_OK && line.at < argc; line.at++) {
        const char *text = argv[line.at];
        if (only_operands || text[0] != '-' || text[1] == '\0') {
            if (!append_text(&options->operands, text, (size_t)argc + 1)) status = no_memory(diagnostics);
        } else if (strcmp(text, "--") == 0) {
            only_operands = true;
        } else {
            status = text[1] == '-' ? read_long(&line) : read_letters(&line);
        }
    }
    if (status != WB_OK || options->help) return status;
    if (line.wrong != NULL) {
        status = report_wrong_value(line.wrong, line.wrong_value, diagnostics);
        wb_diagnostics_about(diagnostics, NULL);
        return status;
    }
    status = choose_run(options, diagnostics);
    return status == WB_OK ? check_standard_input(options, diagnostics) : status;
}

void options_free(struct options *options) {
    const struct option_row *row;
    wb_launches_free(options->launch_file);
    for (size_t i = 0; i < sizeof options->of_launch / sizeof *options->of_launch; i++)
        free(options->of_launch[i]);
    free(options->code_of_launch);
    free(options->operands.items);
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (row->kind != OPTION_LIST || row->offset == offsetof(struct options, given) ||
            (row->commands & options->command) == 0)
            continue;
        struct option_list *list = (void *)((char *)options + row->offset);
        free(list->items);
        *list = (struct option_list){0};
    }
    free(options->given.items);
}
