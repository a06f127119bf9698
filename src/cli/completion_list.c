/* What scripts of shells ask for while a command line is written: names that stand in files. Nothing is said
 * of what cannot be read. */
#include <stdlib.h>
#include <string.h>

#include "completion.h"

static bool ends_with(const char *text, const char *ending) {
    const size_t length = strlen(text), of_ending = strlen(ending);
    return length >= of_ending && strcmp(text + length - of_ending, ending) == 0;
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static void list_code(FILE *stream, const char *path, wb_diagnostics *unheard) {
    wb_module *module = NULL;
    if (wb_module_read(path, unheard, &module) != WB_OK) return;
    for (size_t i = 0; i < wb_module_kernel_count(module); i++)
        (void)fprintf(stream, "%s\n", wb_kernel_name(wb_module_kernel(module, i)));
    wb_module_free(module);
}

static void list_launched(FILE *stream, const char *path, wb_diagnostics *unheard) {
    wb_launches *launches = NULL;
    bool is_launch = false;
    if (wb_is_launch_file(path, unheard, &is_launch) != WB_OK || !is_launch ||
        wb_launches_read(path, WB_FILES_BELOW, unheard, &launches) != WB_OK)
        return;
    const char *code = wb_launches_code(launches);
    if (code != NULL) list_code(stream, code, unheard);
    wb_launches_free(launches);
}

static void list_kernels(FILE *stream, char *const *words, size_t count, wb_diagnostics *unheard) {
    for (size_t i = 0; i < count; i++) {
        if (ends_with(words[i], ".ptx") || ends_with(words[i], ".cubin"))
            list_code(stream, words[i], unheard);
        else if (ends_with(words[i], ".yaml") || ends_with(words[i], ".yml"))
            list_launched(stream, words[i], unheard);
    }
}

/* ---- Keys of machines ---------------------------------------------------------------------------------- */

/* The machine of the command line: bash hands `--machine=X` over as three words. */
static const char *machine_of(char *const *words, size_t count) {
    static const char option[] = "--machine=";
    const char *machine = WB_MACHINE_USUAL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(words[i], option, strlen(option)) == 0) machine = words[i] + strlen(option);
        if (strcmp(words[i], "-m") != 0 && strcmp(words[i], "--machine") != 0) continue;
        const size_t at = i + 1 < count && strcmp(words[i + 1], "=") == 0 ? i + 2 : i + 1;
        if (at < count) machine = words[at];
    }
    return machine;
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
static void list_keys(FILE *stream, const char *name, wb_diagnostics *unheard) {
    static const char begin[] = "{\"key\":\"";
    wb_machine *machine = NULL;
    char *report = NULL;
    if (wb_machine_load(name, unheard, &machine) == WB_OK &&
        wb_machine_report(machine, WB_REPORT_JSON, unheard, &report) == WB_OK)
        for (const char *key = report; (key = strstr(key, begin)) != NULL;) {
            key += strlen(begin);
            const size_t length = strcspn(key, "\"");
            if (!is_name(key, length)) (void)fprintf(stream, "%.*s=\n", (int)length, key);
        }
    free(report);
    wb_machine_free(machine);
}

bool completion_list(FILE *stream, const char *asked, char *const *words, size_t count) {
    const bool kernels = strcmp(asked, "kernels") == 0, keys = strcmp(asked, "keys") == 0;
    wb_diagnostics *unheard = kernels || keys ? wb_diagnostics_new() : NULL;
    if (unheard == NULL) return kernels || keys;
    if (kernels)
        list_kernels(stream, words, count, unheard);
    else
        list_keys(stream, machine_of(words, count), unheard);
    wb_diagnostics_free(unheard);
    return true;
}
