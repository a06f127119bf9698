/* The units of a sweep, one after another. */
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "launch/launch.h"
#include "wings/sweep/sweep.h"

/* ---- Checksums of files -------------------------------------------------------------------------------
 */

/* Larger files are known by their first bytes only: the analysis refuses them. */
#define FILE_MAX SOURCE_SIZE_MAX

/* The checksum of a text, into 65 bytes. */
static void digest_text(const char *text, size_t length, char digest[WB_SHA256_DIGITS + 1]) {
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

static void put_named(struct digest_list *list, const wb_sweep *sweep, const char *path, bool is_other);

/* What a launch file names, and the code beside it, which it stands for where it names none; `is_other`: of a
 * kernel that is among the neighbours of another one, whose own neighbours count for nothing. */
static void put_launches(struct digest_list *list, const wb_sweep *sweep, const char *path, bool is_other,
                         const wb_launches *launches) {
    static const char *const endings[] = {"ptx", "cubin"};
    const wb_input *input;
    for (size_t l = 0; l < wb_launches_count(launches); l++)
        for (size_t i = 0; (input = wb_launch_input(wb_launches_at(launches, l), i)) != NULL; i++)
            put_input(list, input);
    for (wb_launch_setting s = WB_LAUNCH_CODE; s <= WB_LAUNCH_PTXAS_INFO; s++)
        if (wb_launches_setting(launches, s) != NULL) put_file(list, wb_launches_setting(launches, s));
    if (wb_launches_setting(launches, WB_LAUNCH_MACHINE) != NULL)
        put_machine(list, wb_launches_setting(launches, WB_LAUNCH_MACHINE));
    const char *dot = strrchr(path, '.'), *other = launches_neighbour(launches);
    if (other != NULL && !is_other) put_named(list, sweep, other, true);
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
static void put_named(struct digest_list *list, const wb_sweep *sweep, const char *path, bool is_other) {
    struct wb_diagnostics discarded = {0};
    wb_launches *launches = NULL;
    const wb_launch_files files = sweep->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
    bool is_launch = false;
    put_file(list, path);
    if (wb_is_launch_file(path, &discarded, &is_launch) == WB_OK && is_launch &&
        wb_launches_read(path, files, &discarded, &launches) == WB_OK)
        put_launches(list, sweep, path, is_other, launches);
    list->text.failed |= discarded.no_memory;
    wb_launches_free(launches);
    diagnostics_clear(&discarded);
}

/* One checksum of all files behind a value of an axis of files: of a launch file those of the files that it
 * names or that stand beside it, too; of a machine those of its bases. Files that cannot be read have one of
 * their own. NULL when memory is exhausted. */
static const char *digest_value(wb_sweep *sweep, const struct axis_row *row, struct axis_value *value) {
    struct digest_list list = {.folder = sweep->folder};
    char digest[WB_SHA256_DIGITS + 1];
    if (value->digest != NULL) return value->digest;
    if (row->kind == AXIS_MACHINE)
        put_machine(&list, value->path);
    else
        put_named(&list, sweep, value->path, false);
    if (!list.text.failed) {
        digest_text(list.text.data, list.text.length, digest);
        value->digest = arena_string(&sweep->arena, digest, WB_SHA256_DIGITS);
    }
    text_free(&list.text);
    return value->digest;
}

/* A unit with its memory. */
struct unit {
    wb_sweep_unit shown; /* first: what the caller has */
    struct arena arena;
};

/* Which value of each axis a unit has. */
struct choice {
    struct sweep_product *product;
    size_t values[SWEEP_AXES_MAX];
};

static struct axis_value *chosen(const struct choice *choice, size_t axis) {
    return &choice->product->axes.items[axis].values.items[choice->values[axis]];
}

static struct choice choose(struct sweep_product *product, uint64_t index) {
    struct choice choice = {.product = product};
    for (size_t i = product->axes.count; i-- > 0;) {
        const size_t count = product->axes.items[i].values.count;
        choice.values[i] = (size_t)(index % count);
        index /= count;
    }
    return choice;
}

/* ---- Exclusions ------------------------------------------------------------------------------------------
 */

static bool is_match(const struct choice *choice, const struct sweep_match *match) {
    for (size_t i = 0; i < choice->product->axes.count; i++) {
        if (strcmp(choice->product->axes.items[i].name, match->name) != 0) continue;
        for (size_t p = 0; p < match->patterns.count; p++)
            if (fnmatch(match->patterns.items[p], chosen(choice, i)->text, 0) == 0) return true;
    }
    return false;
}

static bool is_excluded(const wb_sweep *sweep, const struct choice *choice) {
    for (size_t e = 0; e < sweep->excluded.count; e++) {
        const struct sweep_exclusion *exclusion = &sweep->excluded.items[e];
        size_t matched = 0;
        while (matched < exclusion->matches.count && is_match(choice, &exclusion->matches.items[matched]))
            matched++;
        if (matched == exclusion->matches.count) return true;
    }
    return false;
}

/* Whether an earlier product has the same unit. */
static bool is_repeated(const struct choice *choice) {
    const struct sweep_product *product = choice->product;
    for (size_t o = 0; o < product->overlaps.count; o++) {
        size_t axis = 0;
        while (axis < product->axes.count && product->overlaps.items[o].common[axis][choice->values[axis]])
            axis++;
        if (axis == product->axes.count) return true;
    }
    return false;
}

/* ---- One unit --------------------------------------------------------------------------------------------
 */

/* What the words of a unit are made of; in the unit's arena, which is protected. */
struct unit_writer {
    wb_sweep *sweep;
    struct unit *unit;
    const struct choice *choice;
    const char **arguments;
    size_t argument_count;
};

static void add_argument(struct unit_writer *writer, const char *argument) {
    writer->arguments[writer->argument_count++] = argument;
}

static void add_option(struct unit_writer *writer, const struct sweep_axis *axis, const char *value) {
    struct text option = {.arena = &writer->unit->arena};
    const char *name = axis->row->kind == AXIS_SETTING    ? axis->name
                       : axis->row->kind == AXIS_ARGUMENT ? axis->name + strlen(axis->row->key)
                                                          : "";
    text_printf(&option, "--%s=%s%s%s", axis->row->option, name, name[0] != '\0' ? "=" : "", value);
    add_argument(writer, text_take(&option));
}

/* Each argument of a list of them. */
static void add_list(struct unit_writer *writer, const struct sweep_axis *axis,
                     const struct ytree_node *list) {
    for (const struct ytree_node *value = list->first; value != NULL; value = value->next)
        add_option(writer, axis, value->text);
}

/* The parameter by which units of these commands choose methods. */
static const struct axis_row *methods_row(unsigned commands) {
    const struct axis_row *row;
    size_t i = 0;
    while ((row = axis_at(i)) != NULL &&
           ((row->commands & commands) == 0 || row->option == NULL || strcmp(row->option, "method") != 0))
        i++;
    return row;
}

/* How many methods a unit has. */
static size_t method_count(const struct unit_writer *writer, const struct axis_row *row) {
    const struct sweep_product *product = writer->choice->product;
    const char *list = NULL;
    size_t count = 1;
    for (size_t i = 0; i < product->axes.count; i++)
        if (product->axes.items[i].row == row) list = chosen(writer->choice, i)->text;
    if (list == NULL || strcmp(list, "all") == 0) {
        while (row->names(count) != NULL)
            count++;
        return count;
    }
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

static void add_time_limit(struct unit_writer *writer, const struct axis_row *subject) {
    struct text limit = {.arena = &writer->unit->arena};
    const double methods =
        subject->limit_each ? (double)method_count(writer, methods_row(subject->commands)) : 1;
    text_printf(&limit, "--time-limit=%f", fmax(0.001, writer->sweep->time_limit / methods));
    add_argument(writer, text_take(&limit));
}

static size_t argument_count(const struct choice *choice) {
    size_t count = choice->product->axes.count + 8;
    for (size_t i = 0; i < choice->product->axes.count; i++)
        if (choice->product->axes.items[i].row->kind == AXIS_ARGUMENTS)
            count += chosen(choice, i)->node->count;
    return count;
}

static void write_arguments(struct unit_writer *writer) {
    const struct sweep_product *product = writer->choice->product;
    const struct axis_row *subject = sweep_subject(product)->row;
    const char *code = "";
    writer->arguments =
        arena_array(&writer->unit->arena, argument_count(writer->choice), sizeof *writer->arguments);
    add_argument(writer, subject->command);
    add_argument(writer, "--json");
    for (size_t i = 0; i < product->axes.count; i++) {
        const struct sweep_axis *axis = &product->axes.items[i];
        const struct axis_value *value = chosen(writer->choice, i);
        if (axis->row->kind == AXIS_ARGUMENTS)
            add_list(writer, axis, value->node);
        else if (axis->row->option != NULL)
            add_option(writer, axis, value->text);
        else
            code = value->text;
    }
    if (writer->sweep->allow_files && subject->of_code) add_argument(writer, "--allow-files");
    if (writer->sweep->time_limit > 0) add_time_limit(writer, subject);
    add_argument(writer, "--");
    add_argument(writer, code);
    writer->unit->shown.arguments = writer->arguments;
    writer->unit->shown.argument_count = writer->argument_count;
}

static void write_parameters(struct unit_writer *writer) {
    const struct sweep_product *product = writer->choice->product;
    wb_sweep_unit *shown = &writer->unit->shown;
    struct text name = {.arena = &writer->unit->arena};
    wb_parameter *parameters = arena_array(&writer->unit->arena, product->axes.count, sizeof *parameters);
    for (size_t i = 0; i < product->axes.count; i++) {
        parameters[i] = (wb_parameter){product->axes.items[i].name, chosen(writer->choice, i)->text};
        text_printf(&name, "%s%s=%s", i > 0 ? " " : "", parameters[i].name, parameters[i].value);
    }
    shown->parameters = parameters;
    shown->parameter_count = product->axes.count;
    shown->name = text_take(&name);
}

/* The checksum of the parameters, and that of all that the results depend on. */
static void write_keys(struct unit_writer *writer) {
    const struct sweep_product *product = writer->choice->product;
    wb_sweep_unit *shown = &writer->unit->shown;
    struct text all = {.arena = &writer->unit->arena};
    for (size_t i = 0; i < shown->parameter_count; i++)
        text_printf(&all, "%s=%s\n", shown->parameters[i].name, shown->parameters[i].value);
    digest_text(all.data, all.length, shown->id);
    text_printf(&all, "warpbound %s\n", wb_build());
    for (size_t i = 0; i < product->axes.count; i++) {
        struct axis_value *value = chosen(writer->choice, i);
        if (value->path == NULL) continue;
        const char *digest = digest_value(writer->sweep, product->axes.items[i].row, value);
        if (digest == NULL) arena_fail(&writer->unit->arena, WB_ERR_LIMIT);
        text_printf(&all, "%s\n", digest);
    }
    digest_text(all.data, all.length, shown->key);
}

static void write_unit(void *context) {
    struct unit_writer *writer = context;
    write_parameters(writer);
    write_arguments(writer);
    write_keys(writer);
}

static wb_status make_unit(wb_sweep *sweep, const struct choice *choice, wb_diagnostics *diagnostics,
                           wb_sweep_unit **made) {
    struct unit *unit = calloc(1, sizeof *unit);
    if (unit == NULL) return diagnose_out_of_memory(diagnostics, "sweep");
    struct unit_writer writer = {.sweep = sweep, .unit = unit, .choice = choice};
    unit->shown.folder = sweep->folder;
    unit->shown.time_limit = sweep->time_limit;
    unit->shown.memory_limit = sweep->memory_limit;
    if (arena_protect(&unit->arena, write_unit, &writer) != WB_OK) {
        wb_sweep_unit_free(&unit->shown);
        return diagnose_out_of_memory(diagnostics, "sweep");
    }
    *made = &unit->shown;
    return WB_OK;
}

void wb_sweep_unit_free(wb_sweep_unit *unit) {
    struct unit *whole = (struct unit *)(void *)unit;
    if (whole == NULL) return;
    arena_free(&whole->arena);
    free(whole);
}

/* ---- All units -------------------------------------------------------------------------------------------
 */

/* The next combination that is new and not excluded, behind which the sweep then stands; false: there is
 * none. */
static bool next_choice(wb_sweep *sweep, struct choice *choice) {
    for (; sweep->product < sweep->products.count; sweep->product++, sweep->index = 0) {
        struct sweep_product *product = &sweep->products.items[sweep->product];
        while (sweep->index < product->count) {
            *choice = choose(product, sweep->index++);
            if (!is_repeated(choice) && !is_excluded(sweep, choice)) return true;
        }
    }
    return false;
}

wb_status wb_sweep_next(wb_sweep *sweep, wb_diagnostics *diagnostics, wb_sweep_unit **unit) {
    struct choice choice;
    *unit = NULL;
    return next_choice(sweep, &choice) ? make_unit(sweep, &choice, diagnostics, unit) : WB_OK;
}

void wb_sweep_skip(wb_sweep *sweep, uint64_t count) {
    struct choice choice;
    while (count > 0 && next_choice(sweep, &choice))
        count--;
}

void wb_sweep_rewind(wb_sweep *sweep) {
    sweep->product = 0;
    sweep->index = 0;
}

uint64_t wb_sweep_count(const wb_sweep *sweep) {
    wb_sweep counted = *sweep;
    struct choice choice;
    uint64_t count = 0;
    wb_sweep_rewind(&counted);
    while (next_choice(&counted, &choice))
        count++;
    return count;
}
