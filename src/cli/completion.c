#include "completion.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool completion_print(FILE *stream, const char *shell) {
    for (const struct embedded_file *script = completion_scripts; script->name != NULL; script++) {
        if (strcmp(script->name, shell) != 0) continue;
        (void)fputs(script->text, stream);
        return true;
    }
    return false;
}

/* The command line, up to the cursor. */
struct line {
    FILE *stream;
    char *const *words; /* the command first, the word under the cursor last */
    size_t count;
    const char *word; /* of the last one, what is completed: that of --option=WORD */
    char before[256]; /* what stands in front of that */
};

static void offer(const struct line *line, const char *word, const char *meaning) {
    (void)fprintf(line->stream, "%s%s%s%s\n", line->before, word, meaning != NULL ? "\t" : "",
                  meaning != NULL ? meaning : "");
}

/* What stands behind the next separator, or NULL. */
static const char *behind(const char *words, char separator) {
    const char *found = strchr(words, separator);
    return found == NULL ? NULL : found + 1;
}

static bool is_among(const char *word, size_t length, const char *words, char separator) {
    for (const char *at = words; at != NULL; at = behind(at, separator))
        if (strncmp(at, word, length) == 0 && (at[length] == separator || at[length] == '\0')) return true;
    return false;
}

/* ---- Names in files: what is wrong with a file is not said ------------------------------------------------
 */

static bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text), of_ending = strlen(ending);
    return length >= of_ending && strcmp(text + length - of_ending, ending) == 0;
}

/* What is no file may be the word of an option, or a stream that nothing comes from. */
static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void offer_code(const struct line *line, const char *path, wb_diagnostics *discarded) {
    wb_module *module = NULL;
    if (wb_module_read(path, discarded, &module) != WB_OK) return;
    for (size_t i = 0; i < wb_module_kernel_count(module); i++)
        offer(line, wb_kernel_name(wb_module_kernel(module, i)), NULL);
    wb_module_free(module);
}

static void offer_launched(const struct line *line, const char *path, wb_diagnostics *discarded) {
    wb_launches *launches = NULL;
    bool is_launch = false;
    if (wb_is_launch_file(path, discarded, &is_launch) != WB_OK || !is_launch ||
        wb_launches_read(path, WB_FILES_BELOW, discarded, &launches) != WB_OK)
        return;
    const char *code = wb_launches_code(launches);
    if (code != NULL) offer_code(line, code, discarded);
    wb_launches_free(launches);
}

/* The kernels of the files in front of the cursor. */
static void offer_kernels(const struct line *line) {
    wb_diagnostics *discarded = wb_diagnostics_new();
    if (discarded == NULL) return;
    for (size_t i = 1; i + 1 < line->count; i++) {
        const char *path = line->words[i];
        if (ends_with(path, ".yaml") || ends_with(path, ".yml"))
            offer_launched(line, path, discarded);
        else if (is_file(path))
            offer_code(line, path, discarded);
    }
    wb_diagnostics_free(discarded);
}

/* Keys that say what the machine is called cannot be set. */
static bool is_name(const char *key, size_t length) {
    static const char *const endings[] = {"name", "description"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t of_ending = strlen(endings[i]);
        if (length >= of_ending && strncmp(key + length - of_ending, endings[i], of_ending) == 0 &&
            (length == of_ending || key[length - of_ending - 1] == '.'))
            return true;
    }
    return false;
}

/* The report has {"key":"mem_latency", ... for each: no text in it can have these quotes. */
static void offer_keys(const struct line *line, const char *name) {
    wb_diagnostics *discarded = wb_diagnostics_new();
    static const char begin[] = "{\"key\":\"";
    wb_machine *machine = NULL;
    char *report = NULL;
    if (discarded != NULL && wb_machine_load(name, discarded, &machine) == WB_OK &&
        wb_machine_report(machine, WB_REPORT_JSON, discarded, &report) == WB_OK)
        for (const char *key = report; (key = strstr(key, begin)) != NULL;) {
            key += strlen(begin);
            const size_t length = strcspn(key, "\"");
            if (!is_name(key, length))
                (void)fprintf(line->stream, "%s%.*s=\n", line->before, (int)length, key);
        }
    free(report);
    wb_machine_free(machine);
    wb_diagnostics_free(discarded);
}

/* ---- Values -------------------------------------------------------------------------------------------- */

/* Files of these endings, which spaces separate; NULL: any. */
static void offer_files(const struct line *line, const char *endings) {
    if (endings == NULL) (void)fputs(":file *\n", line->stream);
    for (const char *at = endings; at != NULL; at = behind(at, ' '))
        (void)fprintf(line->stream, ":file *.%.*s\n", (int)strcspn(at, " "), at);
}

static void offer_machines(const struct line *line) {
    for (size_t i = 0; i < wb_machine_preset_count(); i++)
        offer(line, wb_machine_preset_name(i), NULL);
    offer_files(line, "yaml yml");
}

/* Names of a registry, but for old names of methods, which stand behind all others; of a list, those that it
 * does not have yet. */
static void offer_names(struct line *line, const struct option_row *row) {
    const bool is_list = strcmp(row->argument, "LIST") == 0;
    const char *comma = is_list ? strrchr(line->word, ',') : NULL, *given = line->word, *name;
    if (is_list) (void)fputs(":nospace\n", line->stream);
    const size_t used = strlen(line->before), kept = comma != NULL ? (size_t)(comma + 1 - given) : 0;
    if (used + kept >= sizeof line->before) return;
    memcpy(line->before + used, given, kept);
    for (size_t i = 0; (name = row->words[0] != NULL ? row->words[i] : row->names(i)) != NULL; i++) {
        if (row->words[0] == NULL && wb_method_of_word(name) != name) break;
        if (comma == NULL || !is_among(name, strlen(name), given, ',')) offer(line, name, NULL);
    }
}

static const char *machine_of(const struct line *line) {
    static const char option[] = "--machine=";
    const char *machine = WB_MACHINE_USUAL;
    for (size_t i = 1; i + 1 < line->count; i++) {
        if (strncmp(line->words[i], option, strlen(option)) == 0) machine = line->words[i] + strlen(option);
        if (strcmp(line->words[i], "-m") == 0 || strcmp(line->words[i], "--machine") == 0)
            machine = line->words[i + 1];
    }
    return machine;
}

static void offer_value(struct line *line, const struct option_row *row) {
    if (row->words[0] != NULL || row->names != NULL) offer_names(line, row);
    if (strcmp(row->argument, "MACHINE") == 0) offer_machines(line);
    if (strcmp(row->argument, "DIR") == 0) (void)fputs(":folders\n", line->stream);
    if (strcmp(row->argument, "PROGRAM") == 0) (void)fputs(":programs\n", line->stream);
    if (strcmp(row->argument, "FILE") == 0 || row->endings != NULL) offer_files(line, row->endings);
    if (strcmp(row->name, "kernel") == 0) offer_kernels(line);
    if (strcmp(row->name, "set") != 0) return;
    (void)fputs(":nospace\n", line->stream);
    offer_keys(line, machine_of(line));
}

/* ---- Options ------------------------------------------------------------------------------------------- */

static bool is_shown(const struct option_row *row, const struct command *command) {
    return row->kind != OPTION_HEADING && (row->commands & command->bit) != 0 && row->help != NULL;
}

/* Whether the word is the option; behind its letter or name may stand what *rest begins with. */
static bool is_option(const char *word, const struct option_row *row, const char **rest) {
    const size_t length = strlen(row->name);
    if (word[0] != '-') return false;
    if (row->letter != 0 && word[1] == row->letter) return *rest = word + 2, true;
    if (word[1] != '-' || strncmp(word + 2, row->name, length) != 0) return false;
    *rest = word + 2 + length;
    return **rest == '\0' || **rest == '=';
}

/* The value of the option in front of the cursor, or of the one at it; false where none is expected. */
static bool offer_value_at_cursor(struct line *line, const struct command *command) {
    const char *last = line->words[line->count - 1], *rest;
    const struct option_row *row;
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (!is_shown(row, command) || row->argument == NULL) continue;
        const bool attached = is_option(last, row, &rest) && *rest != '\0';
        if (attached) {
            line->word = rest + (last[1] == '-');
            if ((size_t)(line->word - last) >= sizeof line->before) return false;
            (void)snprintf(line->before, sizeof line->before, "%.*s", (int)(line->word - last), last);
        } else if (line->count < 3 || row->kind == OPTION_COUNT ||
                   !is_option(line->words[line->count - 2], row, &rest) || *rest != '\0') {
            continue;
        }
        if (row->kind != OPTION_COUNT) offer_value(line, row);
        return true;
    }
    return false;
}

static void offer_options(const struct line *line, const struct command *command) {
    const struct option_row *row;
    char name[64];
    for (size_t i = 0; (row = option_at(i)) != NULL; i++) {
        if (!is_shown(row, command)) continue;
        const char letter[] = {'-', row->letter, '\0'};
        (void)snprintf(name, sizeof name, "--%s", row->name);
        offer(line, name, row->help);
        if (row->letter != 0) offer(line, letter, row->help);
    }
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* What a word of a usage line stands for. */
static void offer_operand(const struct line *line, const char *word) {
    const char *dot = memchr(word, '.', strcspn(word, " "));
    if (strncmp(word, "MACHINE", strlen("MACHINE")) == 0) offer_machines(line);
    if (strncmp(word, "DATABASE", strlen("DATABASE")) == 0) offer_files(line, "db");
    if (dot == NULL) return;
    char ending[16];
    (void)snprintf(ending, sizeof ending, "%.*s", (int)strcspn(dot + 1, " "), dot + 1);
    const bool is_code = strcmp(ending, "ptx") == 0 || strcmp(ending, "cubin") == 0; /* of any name */
    offer_files(line, is_code ? NULL : strcmp(ending, "yaml") == 0 ? "yaml yml" : ending);
}

/* A word of a usage line that stands for itself, or words, separated by '|'. */
static bool is_verb(const char *word) {
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz|");
    return (word[length] == ' ' || word[length] == '\0') && *word != '|';
}

static const char *next_word(const char *word) {
    word += strcspn(word, " ");
    return word + (*word == ' ');
}

/* Offers each of the verbs. */
static void offer_verbs(const struct line *line, const char *verbs) {
    char verb[32];
    for (;; verbs++) {
        const size_t length = strcspn(verbs, "| ");
        (void)snprintf(verb, sizeof verb, "%.*s", (int)length, verbs);
        offer(line, verb, NULL);
        verbs += length;
        if (*verbs != '|') return;
    }
}

static bool is_verb_given(const struct line *line, const char *verbs) {
    char list[64];
    (void)snprintf(list, sizeof list, "%.*s", (int)strcspn(verbs, " "), verbs);
    for (size_t i = 1; i + 1 < line->count; i++)
        if (is_among(line->words[i], strlen(line->words[i]), list, '|')) return true;
    return false;
}

/* The usage line has forms, which " | " separates: "FILE.yaml | show|plot DATABASE". What follows a verb
 * that is given, or else all verbs and what may stand without one. */
static void offer_operands(const struct line *line, const struct command *command) {
    const char *given = NULL, *verb = NULL;
    char operands[256];
    command_operands(command, operands, sizeof operands);
    for (const char *word = operands; *word != '\0' && given == NULL; word = next_word(word))
        if (is_verb(word) && is_verb_given(line, word)) given = word;
    for (const char *word = operands; *word != '\0'; word = next_word(word)) {
        if (*word == '|')
            verb = NULL;
        else if (!is_verb(word) && verb == given)
            offer_operand(line, word);
        if (!is_verb(word)) continue;
        verb = word;
        if (given == NULL) offer_verbs(line, word);
    }
}

/* ---- The command line ---------------------------------------------------------------------------------- */

static void offer_commands(const struct line *line) {
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        offer(line, command->name, command->summary);
}

void completion_offer(FILE *stream, char *const *words, size_t count) {
    if (count == 0) return;
    struct line line = {.stream = stream, .words = words, .count = count, .word = words[count - 1]};
    const struct command *command = command_named(words[0]);
    if (count == 1) {
        offer_commands(&line);
        offer(&line, "help", "print the options of a command");
        offer(&line, "manual", "print a manual page, for man -l -");
        offer(&line, "completion", "print the completion script of a shell");
        offer(&line, "--help", "list the commands");
        offer(&line, "--version", "print the version");
    } else if (command != NULL) {
        if (offer_value_at_cursor(&line, command)) return;
        if (line.word[0] == '-')
            offer_options(&line, command);
        else
            offer_operands(&line, command);
    } else if (strcmp(words[0], "help") == 0 || strcmp(words[0], "manual") == 0) {
        offer_commands(&line);
    } else if (strcmp(words[0], "completion") == 0) {
        for (size_t i = 0; completion_scripts[i].name != NULL; i++)
            offer(&line, completion_scripts[i].name, NULL);
    }
}
