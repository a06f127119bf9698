#include "completion.h"

#include <assert.h>
#include <string.h>

/* ---- Candidates ---------------------------------------------------------------------------------------- */

/* Old names of methods, which stand behind all others, are taken but not proposed. */
const char *candidate_at(const struct candidates *candidates, size_t index) {
    if (candidates->words != NULL) return candidates->words[index];
    const char *name = candidates->names != NULL ? candidates->names(index) : NULL;
    return name == NULL || wb_method_of_word(name) == name ? name : NULL;
}

void put_candidates(FILE *stream, const struct candidates *candidates, const char *before) {
    const char *word;
    for (size_t i = 0; (word = candidate_at(candidates, i)) != NULL; i++)
        (void)fprintf(stream, "%s%s", before, word);
}

static void add_endings(struct candidates *candidates, const char *endings) {
    const size_t length = strlen(candidates->endings);
    candidates->files = true;
    if (strstr(candidates->endings, endings) != NULL) return;
    (void)snprintf(candidates->endings + length, sizeof candidates->endings - length, "%s%s",
                   length == 0 ? "" : " ", endings);
}

static const char *preset_name(size_t index) {
    return index < wb_machine_preset_count() ? wb_machine_preset_name(index) : NULL;
}

static struct candidates machines(void) {
    struct candidates candidates = {.names = preset_name};
    add_endings(&candidates, "yaml yml");
    return candidates;
}

struct candidates candidates_of_option(const struct option_row *row) {
    const char *argument = row->argument;
    struct candidates candidates = {.names = row->names, .is_list = strcmp(argument, "LIST") == 0};
    if (strcmp(argument, "MACHINE") == 0) return machines();
    if (strcmp(row->name, "kernel") == 0) candidates.asked = "kernels";
    if (strcmp(row->name, "set") == 0) candidates = (struct candidates){.asked = "keys", .is_prefix = true};
    if (row->words[0] != NULL) candidates.words = row->words;
    candidates.files = strcmp(argument, "FILE") == 0;
    candidates.folders = strcmp(argument, "DIR") == 0;
    candidates.programs = strcmp(argument, "PROGRAM") == 0;
    if (row->endings != NULL) add_endings(&candidates, row->endings);
    return candidates;
}

static const char *command_name(size_t index) {
    const struct command *command = command_at(index);
    return command != NULL ? command->name : NULL;
}

static const struct shell {
    const char *name;
    void (*print)(FILE *stream);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

enum { SHELLS = sizeof shells / sizeof *shells };

static const char *shell_name(size_t index) {
    return index < SHELLS ? shells[index].name : NULL;
}

bool first_word_at(size_t index, struct first_word *word) {
    static const struct first_word words[] = {
        {"help", "print the options of a command", {.names = command_name}},
        {"manual", "print a manual page, for man -l -", {.names = command_name}},
        {"completion", "print the completion script of a shell", {.names = shell_name}},
        {"--help", "list the commands", {.names = NULL}},
        {"--version", "print the version", {.names = NULL}},
    };
    if (index >= sizeof words / sizeof *words) return false;
    *word = words[index];
    return true;
}

bool is_shown_option(const struct option_row *row, const struct command *command) {
    return row->kind != OPTION_HEADING && (row->commands & command->bit) != 0 && row->help != NULL;
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* What a word of a usage line stands for. */
static void add_operand(struct candidates *candidates, const char *word) {
    const char *dot = strchr(word, '.');
    if (strcmp(word, "MACHINE") == 0) *candidates = machines();
    if (strcmp(word, "FILE") == 0) candidates->files = true;
    if (strncmp(word, "DATABASE", strlen("DATABASE")) == 0) add_endings(candidates, "db");
    if (dot == NULL) return;
    add_endings(candidates, strcmp(dot, ".yaml") == 0 ? "yaml yml" : dot + 1);
    if (strcmp(dot, ".ptx") == 0) add_endings(candidates, "cubin");
}

static bool is_verb(const char *word) {
    return word[strspn(word, "abcdefghijklmnopqrstuvwxyz|")] == '\0' && strcmp(word, "|") != 0;
}

size_t operand_forms(const struct command *command, struct operand_form forms[OPERAND_FORMS_MAX]) {
    char line[256], *rest = NULL;
    size_t count = 1, at = 0;
    command_operands(command, line, sizeof line);
    forms[0] = (struct operand_form){.verbs = ""};
    for (char *word = strtok_r(line, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "|") == 0) {
            at = 0;
        } else if (is_verb(word)) {
            assert(count < OPERAND_FORMS_MAX);
            at = count++;
            forms[at] = (struct operand_form){.verbs = ""};
            (void)snprintf(forms[at].verbs, sizeof forms[at].verbs, "%s", word);
        } else {
            add_operand(&forms[at].candidates, word);
        }
    }
    return count;
}

void put_verbs(FILE *stream, const struct operand_form *form, const char *before, const char *after,
               const char *separator) {
    for (const char *c = form->verbs; *c != '\0';) {
        const size_t length = strcspn(c, "|");
        (void)fprintf(stream, "%s%s%.*s%s", c == form->verbs ? "" : separator, before, (int)length, c, after);
        c += length + (c[length] == '|');
    }
}

/* ---- Shells -------------------------------------------------------------------------------------------- */

bool completion_print(FILE *stream, const char *shell) {
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(shells[i].name, shell) != 0) continue;
        shells[i].print(stream);
        return true;
    }
    return false;
}
