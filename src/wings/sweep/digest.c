#include "wings/sweep/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"

/* Larger files are known by their first bytes only: the analysis refuses them. */
#define FILE_MAX SOURCE_SIZE_MAX

void digest_text(const char *text, size_t length, char digest[WB_SHA256_DIGITS + 1]) {
    memcpy(digest, input_of(WB_INPUT_DATA, "", text, length).sha256, WB_SHA256_DIGITS + 1);
}

/* What the checksum is made of. */
struct digest_list {
    struct text text;
    const char *folder; /* of the sweep */
};

/* A path as the sweep file has it: from wherever the sweep is run, the checksum is the same. */
static const char *seen_from(const char *folder, const char *path) {
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void put_line(struct digest_list *list, const char *what, const char *path, const char *digest) {
    text_printf(&list->text, "%s %s %s\n", what, seen_from(list->folder, path), digest);
}

static void put_input(struct digest_list *list, const wb_input *input) {
    put_line(list, wb_input_role_name(input->role), input->path, input->sha256);
}

/* A file that is there or not. */
static void put_file(struct digest_list *list, const char *path) {
    struct wb_diagnostics discarded = {0};
    char *text = NULL, digest[WB_SHA256_DIGITS + 1] = "-";
    size_t size;
    if (file_read(path, FILE_MAX, &discarded, &text, &size) == WB_OK) digest_text(text, size, digest);
    put_line(list, "file", path, digest);
    list->text.failed |= discarded.no_memory;
    free(text);
    diagnostics_clear(&discarded);
}

static void put_machine(struct digest_list *list, const char *path) {
    struct wb_diagnostics discarded = {0};
    wb_machine *machine = NULL;
    const wb_input *input;
    if (wb_machine_load(path, &discarded, &machine) != WB_OK)
        put_file(list, path);
    else
        for (size_t i = 0; (input = wb_machine_input(machine, i)) != NULL; i++)
            put_input(list, input);
    list->text.failed |= discarded.no_memory;
    wb_machine_free(machine);
    diagnostics_clear(&discarded);
}

/* What a launch file names, and the code beside it, which it stands for where it names none. */
static void put_launches(struct digest_list *list, const char *path, const wb_launches *launches) {
    static const char *const endings[] = {"ptx", "cubin"};
    const wb_input *input;
    for (size_t l = 0; l < wb_launches_count(launches); l++)
        for (size_t i = 0; (input = wb_launch_input(wb_launches_at(launches, l), i)) != NULL; i++)
            put_input(list, input);
    for (wb_launch_setting s = WB_LAUNCH_CODE; s <= WB_LAUNCH_PTXAS_INFO; s++)
        if (wb_launches_setting(launches, s) != NULL) put_file(list, wb_launches_setting(launches, s));
    if (wb_launches_setting(launches, WB_LAUNCH_MACHINE) != NULL)
        put_machine(list, wb_launches_setting(launches, WB_LAUNCH_MACHINE));
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; i++) {
        struct text beside = {0};
        text_printf(&beside, "%.*s.%s", (int)(dot - path), path, endings[i]);
        if (beside.failed)
            list->text.failed = true;
        else
            put_file(list, beside.data);
        text_free(&beside);
    }
}

/* A file, and what it names where it is a launch file. */
static void put_named(struct digest_list *list, const wb_sweep *sweep, const char *path) {
    struct wb_diagnostics discarded = {0};
    wb_launches *launches = NULL;
    const wb_launch_files files = sweep->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
    bool is_launch = false;
    put_file(list, path);
    if (wb_is_launch_file(path, &discarded, &is_launch) == WB_OK && is_launch &&
        wb_launches_read(path, files, &discarded, &launches) == WB_OK)
        put_launches(list, path, launches);
    list->text.failed |= discarded.no_memory;
    wb_launches_free(launches);
    diagnostics_clear(&discarded);
}

const char *digest_value(wb_sweep *sweep, const struct axis_row *row, struct axis_value *value) {
    struct digest_list list = {.folder = sweep->folder};
    char digest[WB_SHA256_DIGITS + 1];
    if (value->digest != NULL) return value->digest;
    if (row->kind == AXIS_MACHINE)
        put_machine(&list, value->path);
    else
        put_named(&list, sweep, value->path);
    if (!list.text.failed) {
        digest_text(list.text.data, list.text.length, digest);
        value->digest = arena_string(&sweep->arena, digest, WB_SHA256_DIGITS);
    }
    text_free(&list.text);
    return value->digest;
}
