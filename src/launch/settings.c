/* The files that launches name, and what launch files say in place of options of the command. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"

/* Whether a path leads out of the folder that it is relative to. */
static bool leads_out(const char *path) {
    if (path[0] == '/') return true;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    }
    return false;
}

/* Whether a path, its links followed, stays inside of a folder. What is not there is left to its reader. */
static bool stays_inside(const char *path, const char *folder) {
    char *file = realpath(path, NULL), *inside = realpath(folder, NULL);
    const size_t length = inside == NULL ? 0 : strlen(inside);
    const bool stays = file == NULL || inside == NULL || strcmp(inside, "/") == 0 ||
                       (strncmp(file, inside, length) == 0 && file[length] == '/');
    free(file);
    free(inside);
    return stays;
}

/* Whether a file that may lie elsewhere because of its ending has that ending, its links followed. */
static bool really_ends_with(const char *path, const char *ending) {
    char *file = realpath(path, NULL);
    const bool ends = file == NULL || file_ends_with(file, ending);
    free(file);
    return ends;
}

static wb_status refuse_link(const char *name, const struct subject *subject, wb_diagnostics *diagnostics) {
    diagnose_about(diagnostics, SEVERITY_ERROR, subject,
                   "'%.80s': this is a link out of the launch file's folder: --allow-files lets launch files "
                   "name any file",
                   name);
    return WB_ERR_INPUT;
}

wb_status launch_file_path(const char *name, const struct subject *subject,
                           const struct launch_folder *folder, wb_diagnostics *diagnostics, char **path) {
    if (folder != NULL && folder->files == WB_FILES_BELOW && leads_out(name)) {
        diagnose_about(diagnostics, SEVERITY_ERROR, subject,
                       "'%.80s': this file is outside the launch file's folder: --allow-files lets launch "
                       "files name any file",
                       name);
        return WB_ERR_INPUT;
    }
    struct text joined = {0};
    const bool stream = strcmp(name, FILE_STREAM) == 0; /* a file of that name, in a launch file */
    const bool here = folder == NULL || (strcmp(folder->path, ".") == 0 && !stream);
    if (name[0] != '/' && !here) text_printf(&joined, "%s/", folder->path);
    text_string(&joined, name);
    *path = text_take(&joined);
    if (*path == NULL) return diagnose_out_of_memory(diagnostics, name);
    if (folder == NULL || folder->files != WB_FILES_BELOW || stays_inside(*path, folder->path)) return WB_OK;
    free(*path);
    *path = NULL;
    return refuse_link(name, subject, diagnostics);
}

/* What a setting is. */
enum setting_kind {
    SETTING_FILE, /* in the launch file's folder or below */
    SETTING_CODE, /* a file that may lie elsewhere where its name ends in .ptx: code is often one folder up,
                     and nothing that is secret has such a name */
    SETTING_MACHINE,   /* a file, or the name of a preset */
    SETTING_DEADLINE,  /* a time */
    SETTING_PARTITION, /* SMs and a kind */
    SETTING_BUDGET,    /* of neighbours */
    SETTING_NAME,      /* of something in the code */
    SETTING_NAMES,     /* a list of names, or one */
    SETTING_PROMISES,  /* likewise of promises */
    SETTING_IMAGES     /* the same of names that only the code knows */
};

/* What compiles PTX. */
static const char *compiler_at(size_t index) {
    return index == 0 ? "ptxas" : NULL;
}

static const struct {
    const char *key, *expected;
    enum setting_kind kind;
    const char *(*name_at)(size_t); /* of SETTING_NAMES */
} settings[LAUNCH_SETTINGS] = {
    [WB_LAUNCH_CODE] = {"code", "the name of a PTX file, cubin or program", SETTING_CODE, NULL},
    [WB_LAUNCH_FACTS] = {"facts", "the name of a file of flow facts", SETTING_FILE, NULL},
    [WB_LAUNCH_PTXAS_INFO] = {"ptxas_info", "the name of a file with the output of ptxas -v", SETTING_FILE,
                              NULL},
    [WB_LAUNCH_MACHINE] = {"machine", "the name of a machine or of its file", SETTING_MACHINE, NULL},
    [WB_LAUNCH_DEADLINE] = {"deadline", "a deadline such as 300us", SETTING_DEADLINE, NULL},
    [WB_LAUNCH_ACCEPT] = {"accept", "a list of models, such as [ptx-model]", SETTING_NAMES,
                          wb_accept_name_at},
    [WB_LAUNCH_COMPILE] = {"compile", "ptxas", SETTING_NAMES, compiler_at},
    [WB_LAUNCH_RESIDENT] = {"resident",
                            "a list of translations, data, data.ARGUMENT, code, code-l1, block-l1",
                            SETTING_PROMISES, NULL},
    [WB_LAUNCH_PARTITION] = {"partition", PARTITION_EXPECTED, SETTING_PARTITION, NULL},
    [WB_LAUNCH_INTERFERENCE] = {"interference", NEIGHBOURS_EXPECTED, SETTING_BUDGET, NULL},
    [WB_LAUNCH_KERNEL] = {"kernel", "the name of a kernel", SETTING_NAME, NULL},
    [WB_LAUNCH_IMAGE] = {"image", "the name of an image of a program, or a list of them", SETTING_IMAGES,
                         NULL},
};

/* ---- Models that are accepted ---- */

const char *wb_accept_name_at(size_t index) {
    static const char *const names[] = {"ptx-model"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

wb_status wb_accept_read(const char *names, wb_diagnostics *diagnostics, unsigned *accepted) {
    uint64_t chosen;
    WB_TRY(choose_names("accept", names, wb_accept_name_at, diagnostics, &chosen));
    *accepted = (unsigned)chosen;
    return WB_OK;
}

/* ---- Lists of names ---- */

/* A list of names as the command line has it, in *text. */
static wb_status join_names(const struct ytree *document, const struct ytree_node *list, const char *expected,
                            struct text *text) {
    for (const struct ytree_node *item = list->first; item != NULL; item = item->next) {
        WB_TRY(ytree_require(document, item, YTREE_SCALAR, expected));
        text_printf(text, "%s%s", item == list->first ? "" : ",", item->text);
    }
    return text->failed ? diagnose_out_of_memory(document->diagnostics, document->source.name) : WB_OK;
}

/* Whether the names of a list may be in that of the setting. */
static bool are_known(wb_launch_setting setting, const char *names) {
    struct wb_diagnostics discarded = {0};
    uint64_t chosen;
    wb_status status = WB_OK;
    if (settings[setting].kind == SETTING_NAMES)
        status = choose_names(settings[setting].key, names, settings[setting].name_at, &discarded, &chosen);
    if (settings[setting].kind == SETTING_PROMISES) status = promises_check(names, &discarded);
    diagnostics_clear(&discarded);
    return status == WB_OK;
}

static wb_status store_names(wb_launch_setting setting, const struct ytree *document,
                             const struct ytree_node *value, struct wb_launch *launch) {
    const char *expected = settings[setting].expected;
    struct text names = {0};
    wb_status status = WB_OK;
    if (value->kind == YTREE_LIST)
        status = join_names(document, value, expected, &names);
    else if (value->kind == YTREE_SCALAR)
        text_string(&names, value->text);
    if (status == WB_OK && names.length == 0) status = ytree_expected(document, value, expected);
    if (status == WB_OK && !are_known(setting, names.data))
        status = ytree_error(document, value, "'%.60s': expected %s", names.data, expected);
    if (status == WB_OK) {
        launch->settings[setting] = arena_string(&launch->arena, names.data, names.length);
        if (launch->settings[setting] == NULL)
            status = diagnose_out_of_memory(document->diagnostics, document->source.name);
    }
    text_free(&names);
    return status;
}

/* A part of the GPU, as wb_machine_set takes it. */
static wb_status store_partition(const struct ytree *document, const struct ytree_node *value,
                                 struct wb_launch *launch) {
    struct machine_partition partition;
    struct text text = {.arena = &launch->arena};
    WB_TRY(partition_read(document, value, &partition));
    text_printf(&text, "%" PRIu32 ",%s", partition.sms, partition_kinds[partition.kind]);
    launch->settings[WB_LAUNCH_PARTITION] = text.data;
    return text.failed ? diagnose_out_of_memory(document->diagnostics, document->source.name) : WB_OK;
}

/* What others have of memory, likewise. */
static wb_status store_budget(const struct ytree *document, const struct ytree_node *value,
                              const struct launch_folder *folder, struct wb_launch *launch) {
    struct stated_neighbours stated;
    struct text text = {.arena = &launch->arena};
    WB_TRY(neighbours_read(document, value, &stated));
    text_printf(&text, "%" PRIu32 ",%" PRIu32, stated.requests, stated.bytes_per_us);
    if (stated.of[0] != '\0') {
        const struct subject subject = {.source = &document->source, .offset = ytree_find(value, "of")->at};
        char *path = NULL;
        WB_TRY(launch_file_path(stated.of, &subject, folder, document->diagnostics, &path));
        text_printf(&text, ",%s,%s", stated.every, path);
        free(path);
    }
    launch->settings[WB_LAUNCH_INTERFERENCE] = text.data;
    return text.failed ? diagnose_out_of_memory(document->diagnostics, document->source.name) : WB_OK;
}

const char *launch_promise_problem(const struct wb_launch *launch, const char *promise, size_t length,
                                   const struct launch_argument **part) {
    const char *name = promised_buffer(promise, length);
    if (name == NULL) return NULL;
    *part = launch_part_named(launch, name, length - (size_t)(name - promise));
    if (*part == NULL) return "there is no argument of that name";
    if ((*part)->same_as != NULL) return "that argument has the buffer of another one: name that";
    return (*part)->is_buffer || (*part)->blank ? NULL : "that argument is no buffer";
}

/* The same of all in a text. */
static wb_status check_promises(const struct wb_launch *launch, const struct ytree *document,
                                const struct ytree_node *item) {
    const struct launch_argument *part;
    size_t length;
    for (const char *at = item->text;; at += length + 1) {
        length = strcspn(at, ",");
        const char *problem = launch_promise_problem(launch, at, length, &part);
        if (problem != NULL) return ytree_error(document, item, "'%.*s': %s", (int)length, at, problem);
        if (at[length] == '\0') return WB_OK;
    }
}

wb_status launch_check_promises(const struct wb_launch *launch, const struct ytree *document,
                                const struct ytree_node *mapping) {
    const struct ytree_node *list = ytree_find(mapping, settings[WB_LAUNCH_RESIDENT].key);
    if (list == NULL || launch->arguments.count == 0) return WB_OK;
    if (list->kind == YTREE_SCALAR) return check_promises(launch, document, list);
    for (const struct ytree_node *item = list->first; item != NULL; item = item->next)
        WB_TRY(check_promises(launch, document, item));
    return WB_OK;
}

/* ---- All settings ---- */

const char *launch_setting_key(wb_launch_setting setting) {
    return settings[setting].key;
}

/* Presets have no folder and no ending. */
static bool is_machine_file(const char *name) {
    return strchr(name, '/') != NULL || file_ends_with(name, ".yaml") || file_ends_with(name, ".yml");
}

/* Whether a setting names a file, and in which folder it may lie. */
static bool names_file(enum setting_kind kind, const char *text, struct launch_folder *folder) {
    if (kind == SETTING_CODE && file_ends_with(text, ".ptx")) folder->files = WB_FILES_ANY;
    return kind < SETTING_DEADLINE && (kind != SETTING_MACHINE || is_machine_file(text));
}

wb_status launch_setting_store(wb_launch_setting setting, const struct ytree *document,
                               const struct ytree_node *value, const struct launch_folder *folder,
                               struct wb_launch *launch) {
    const struct subject subject = {.source = &document->source, .offset = value->at};
    struct launch_folder own = folder != NULL ? *folder : (struct launch_folder){".", WB_FILES_BELOW};
    char *path = NULL;
    launch->settings_at[setting] = value->at;
    if (settings[setting].kind == SETTING_PARTITION) return store_partition(document, value, launch);
    if (settings[setting].kind == SETTING_BUDGET) return store_budget(document, value, &own, launch);
    if (settings[setting].kind >= SETTING_NAMES) return store_names(setting, document, value, launch);
    if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
        return ytree_expected(document, value, settings[setting].expected);
    const char *problem = settings[setting].kind == SETTING_DEADLINE ? deadline_problem(value->text) : NULL;
    if (problem != NULL) return ytree_error(document, value, "'%.60s': %s", value->text, problem);
    if (names_file(settings[setting].kind, value->text, &own))
        WB_TRY(launch_file_path(value->text, &subject, &own, document->diagnostics, &path));
    const bool elsewhere = folder != NULL && folder->files == WB_FILES_BELOW && own.files == WB_FILES_ANY;
    if (path != NULL && elsewhere && !really_ends_with(path, ".ptx")) {
        free(path);
        return refuse_link(value->text, &subject, document->diagnostics);
    }
    const char *stored = path != NULL ? path : value->text;
    launch->settings[setting] = arena_string(&launch->arena, stored, strlen(stored));
    free(path);
    return launch->settings[setting] != NULL
               ? WB_OK
               : diagnose_out_of_memory(document->diagnostics, document->source.name);
}

const char *wb_launches_setting(const wb_launches *launches, wb_launch_setting setting) {
    if ((unsigned)setting >= LAUNCH_SETTINGS) return NULL;
    for (size_t i = 0; i < launches->count; i++)
        if (launches->items[i] != NULL && launches->items[i]->settings[setting] != NULL)
            return launches->items[i]->settings[setting];
    return NULL;
}

const char *launches_neighbour(const wb_launches *launches) {
    const char *part = wb_launches_setting(launches, WB_LAUNCH_INTERFERENCE);
    for (int p = 0; part != NULL && p < 3; p++) /* "REQUESTS,BYTES,TIME,FILE" */
        part = strchr(part, ',') != NULL ? strchr(part, ',') + 1 : NULL;
    return part;
}

void wb_launches_note(const wb_launches *launches, wb_launch_setting setting, const char *note,
                      wb_diagnostics *diagnostics) {
    if (launches->settings_at[setting] > 0)
        diagnose_at(diagnostics, SEVERITY_NOTE, &launches->source, launches->settings_at[setting], "%s",
                    note);
}

/* Whether a document is a launch, or a list of them, and no other file of the command. */
static bool describes_launches(const struct ytree_node *root) {
    const struct ytree_node *launch = root->kind == YTREE_LIST ? root->first : root;
    if (launch == NULL || launch->kind != YTREE_MAPPING) return false;
    return ytree_find(launch, "code") != NULL || ytree_find(launch, "arguments") != NULL ||
           ytree_find(launch, "grid") != NULL ||
           (ytree_find(launch, "kernel") != NULL && ytree_find(launch, "block") != NULL);
}

wb_status wb_is_launch_file(const char *path, wb_diagnostics *diagnostics, bool *is_launch) {
    struct wb_diagnostics unsaid = {0};
    struct ytree document = {0};
    char *text = NULL;
    size_t size = 0;
    wb_status status = file_read(path, YTREE_SIZE_MAX, &unsaid, &text, &size);
    if (status == WB_OK) status = launch_tree_parse(path, text, size, &unsaid, &document);
    *is_launch =
        status == WB_OK ? describes_launches(document.root) : content_of(text, size) == CONTENT_LAUNCH;
    ytree_free(&document);
    free(text);
    diagnostics_clear(&unsaid);
    return status == WB_ERR_LIMIT ? diagnose_out_of_memory(diagnostics, path) : WB_OK;
}
