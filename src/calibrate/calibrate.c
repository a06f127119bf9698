/* A machine file that says of a preset what a compiler keeps to. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "calibrate/calibrate.h"
#include "calibrate/kept.h"
#include "machine/machine.h"
#include "ptx/ptx.h"

/* ---- The kernels ---- */

/* In front of the architecture from which on the kernels of a file assemble, in its name. */
#define FROM "from_sm_"

/* The first PTX version that knows all of the instructions and architectures. */
#define PTX_VERSION "7.8"

static bool is_for(const struct embedded_file *file, uint32_t architecture) {
    uint64_t from;
    const char *digits = file->name + strlen(FROM);
    return number_u64(digits, strlen(digits), &from) && from <= architecture;
}

wb_status wb_calibration_ptx(uint32_t architecture, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    text_printf(&out, ".version %s\n.target sm_%u\n.address_size 64\n", PTX_VERSION, architecture);
    for (const struct embedded_file *file = embedded_calibration; file->name != NULL; file++) {
        if (!is_for(file, architecture)) continue;
        text_char(&out, '\n');
        text_append(&out, file->text, file->size);
    }
    *text = text_take(&out);
    return *text == NULL ? diagnose_out_of_memory(diagnostics, "machine calibrate") : WB_OK;
}

/* ---- Held against the machine ---- */

static bool contradicts(const struct machine_sass_class *stated, const struct kept *kept,
                        enum sass_class class) {
    if (!stated->given) return false;
    return stated->fixed ? kept_counts(kept, class) : kept_stalls(kept, class);
}

/* A machine that takes a class for what it is not times code that it does not know: says so of each. */
static wb_status require_agreement(const struct kept *kept, const struct wb_machine *machine,
                                   wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++) {
        const enum sass_class class = (enum sass_class)c;
        if (!contradicts(&machine->sass.classes[c], kept, class)) continue;
        diagnose(
            diagnostics, SEVERITY_ERROR, machine->name,
            machine->sass.classes[c].fixed
                ? "class %s has a fixed latency on this machine, but the compiler guards its results or "
                  "sources by dependence counters: bounds on this machine would be wrong"
                : "class %s has no fixed latency on this machine, but the compiler relies on stall cycles "
                  "for its results, without a dependence counter: bounds on this machine would be wrong",
            sass_class_name(class));
        status = WB_ERR_INPUT;
    }
    return status;
}

wb_status calibrate_require(const struct wb_machine *machine, uint32_t sm, const char *what,
                            wb_diagnostics *diagnostics) {
    if (wb_machine_takes_ptx(machine)) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "times PTX: only machines of `code: sass` are calibrated");
        return WB_ERR_INPUT;
    }
    if (machine->inputs.count == 0 || machine->inputs.items[0].role != WB_INPUT_PRESET) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "is not a preset, but the file written is based on one");
        return WB_ERR_INPUT;
    }
    if (machine->sass.sm == sm) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, machine->name, "is a machine for sm_%u, but %s sm_%u",
             machine->sass.sm, what, sm);
    return WB_ERR_INPUT;
}

/* ---- The file ---- */

/* Columns of a comment. */
#define COMMENT_COLUMNS 110

/* Appends an item to a list in a comment, on a new line where the last has no room. */
static void put_item(struct text *out, size_t *line_start, bool *first, const char *item) {
    if (!*first) text_char(out, ',');
    if (!*first && out->length - *line_start + strlen(item) + 2 > COMMENT_COLUMNS) {
        *line_start = out->length + 1;
        text_string(out, "\n#      ");
    }
    text_printf(out, " %s", item);
    *first = false;
}

static void put_readers(const struct kept *kept, enum kept_use use, uint32_t producer, const char *title,
                        struct text *out) {
    size_t line_start = out->length;
    bool first = true;
    for (uint32_t reader = 0; reader < SASS_CLASS_COUNT; reader++) {
        const uint32_t least = kept->least[use][producer][reader];
        if (least == 0) continue;
        if (first) text_printf(out, "#    %s", title);
        char item[64];
        (void)text_format(item, sizeof item, "%s %u", sass_class_name((enum sass_class)reader), least);
        put_item(out, &line_start, &first, item);
    }
    if (!first) text_char(out, '\n');
}

static void put_distances(const struct kept *kept, struct text *out) {
    text_string(
        out,
        "# Results that stall counts carry: cycles from the issue of an instruction to that of the one that\n"
        "# reads them, as few as the compiler leaves. Bounds take them from the code at hand.\n");
    for (uint32_t class = 0; class < SASS_CLASS_COUNT; class ++) {
        if (!kept_stalls(kept, (enum sass_class) class)) continue;
        text_printf(out, "#  %s\n", sass_class_name((enum sass_class) class));
        put_readers(kept, KEPT_REGISTER, class, "register read by", out);
        put_readers(kept, KEPT_PREDICATE, class, "predicate read by", out);
        put_readers(kept, KEPT_GUARD, class, "guard of", out);
    }
}

static bool is_without_results(const struct kept *kept, enum sass_class class) {
    return kept->classes[class].count != 0 && !kept_counts(kept, class) && !kept_stalls(kept, class);
}

/* A list of the classes of which `belongs` is true, with their least stall counts where these are all there
 * is. */
static void put_classes(const struct kept *kept, bool (*belongs)(const struct kept *, enum sass_class),
                        bool stalls, const char *title, struct text *out) {
    size_t line_start = out->length;
    bool first = true;
    text_printf(out, "#\n# %s:", title);
    for (uint32_t c = 0; c < SASS_CLASS_COUNT; c++) {
        const enum sass_class class = (enum sass_class)c;
        char item[64];
        if (!belongs(kept, class)) continue;
        if (stalls)
            (void)text_format(item, sizeof item, "%s %u", sass_class_name(class),
                              kept->classes[class].least_stall);
        else
            (void)text_format(item, sizeof item, "%s", sass_class_name(class));
        put_item(out, &line_start, &first, item);
    }
    text_string(out, first ? " none\n" : "\n");
}

static void put_comments(const struct kept *kept, const char *compiler, struct text *out) {
    text_printf(
        out,
        "# What %s keeps between machine instructions of sm_%u, read by warpbound machine calibrate.\n#\n",
        compiler, kept->sm);
    put_distances(kept, out);
    put_classes(kept, kept_counts, false, "Results, or sources, that dependence counters guard", out);
    put_classes(kept, is_without_results, true, "What shows neither, with its least stall count", out);
}

static bool is_confirmed(const struct kept *kept, const struct wb_machine *machine, uint32_t class) {
    if (!machine->sass.classes[class].given) return false;
    return kept_counts(kept, (enum sass_class) class) || kept_stalls(kept, (enum sass_class) class);
}

static void put_sources(const struct kept *kept, const struct wb_machine *machine, const char *compiler,
                        struct text *out) {
    char from[FIGURE_FROM_MAX];
    (void)text_format(from, sizeof from, "stall counts and dependence counters of %.200s", compiler);
    text_string(out, "sources:\n  - mark: measured\n    from: ");
    field_print_quoted(from, out);
    text_string(out, "\n    keys: [");
    const char *separator = "";
    for (uint32_t class = 0; class < SASS_CLASS_COUNT; class ++) {
        if (!is_confirmed(kept, machine, class)) continue;
        text_printf(out, "%sclass.%s.fixed", separator, sass_class_name((enum sass_class) class));
        separator = ", ";
    }
    text_string(out, "]\n");
}

static void put_file(const struct kept *kept, const struct wb_machine *machine, const char *compiler,
                     struct text *out) {
    put_comments(kept, compiler, out);
    char name[MACHINE_NAME_MAX];
    (void)text_format(name, sizeof name, "%.40s-calibrated", machine->name);
    text_printf(out, "base: %s\nname: ", machine->inputs.items[0].path);
    field_print_quoted(name, out);
    text_char(out, '\n');
    put_sources(kept, machine, compiler, out);
}

void calibrate_put_printable(const char *name, char *line, size_t size) {
    size_t length = 0;
    for (; *name != '\0' && length + 1 < size; name++)
        line[length++] = ascii_printable(*name) ? *name : '?';
    line[length] = '\0';
}

static wb_status require_code(const wb_module *unit, const wb_machine *machine, wb_diagnostics *diagnostics) {
    if (unit->code != NULL)
        return calibrate_require(machine, unit->code->sm, "the machine code is for", diagnostics);
    diagnose(diagnostics, SEVERITY_ERROR, unit->source.name, "is not machine code");
    return WB_ERR_INPUT;
}

wb_status wb_calibrate(const wb_module *module, const wb_machine *machine, const char *compiler,
                       wb_diagnostics *diagnostics, char **text) {
    char line[200];
    calibrate_put_printable(compiler, line, sizeof line);
    for (uint32_t u = 0; u < ptx_unit_count(module); u++)
        WB_TRY(require_code(ptx_unit(module, u), machine, diagnostics));
    struct kept *kept = calloc(1, sizeof *kept);
    if (kept == NULL) return diagnose_out_of_memory(diagnostics, machine->name);
    for (uint32_t u = 0; u < ptx_unit_count(module); u++)
        kept_add(ptx_unit(module, u)->code, kept);
    wb_status status = require_agreement(kept, machine, diagnostics);
    struct text out = {0};
    if (status == WB_OK) {
        put_file(kept, machine, line, &out);
        *text = text_take(&out);
        if (*text == NULL) status = diagnose_out_of_memory(diagnostics, machine->name);
    }
    free(kept);
    return status;
}

wb_status wb_calibration_machine(uint32_t architecture, wb_diagnostics *diagnostics, wb_machine **machine) {
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        WB_TRY(wb_machine_load(wb_machine_preset_name(i), diagnostics, machine));
        if ((*machine)->sass.sm == architecture && (*machine)->inputs.count == 1) return WB_OK;
        wb_machine_free(*machine);
        *machine = NULL;
    }
    diagnose(diagnostics, SEVERITY_ERROR, "machine calibrate",
             "no preset of `code: sass` is for sm_%u: `warpbound machine list` names the presets",
             architecture);
    return WB_ERR_INPUT;
}
