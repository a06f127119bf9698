/* The machine file of a calibration, and what of it is said besides. */
#include <inttypes.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "machine/files.h"
#include "report/write/output.h"
#include "wings/device/calibration.h"

#define NAME_MAX_PRINTED 128u

/* ---- Comments ------------------------------------------------------------------------------------------ */

void calibration_put_gpu(const struct wb_gpu_calibration *calibration, struct text *out) {
    const struct probe_exchange *exchange = calibration->exchange;
    const struct device_facts *facts = &exchange->facts;
    char gpu[NAME_MAX_PRINTED], driver[NAME_MAX_PRINTED];
    calibrate_put_printable(facts->gpu, gpu, sizeof gpu);
    calibrate_put_printable(facts->driver, driver, sizeof driver);
    text_printf(out, "%s (sm_%u, %u SMs), driver %s%sCUDA %u.%u", gpu, facts->sm, facts->sms, driver,
                driver[0] != '\0' ? ", " : "for ", facts->cuda / 1000, facts->cuda % 1000 / 10);
    if (exchange->clock > 0)
        text_printf(out, ", SMs at %u MHz", exchange->clock);
    else
        text_string(out, ", clock not known");
}

static void put_comments(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                         struct text *out) {
    const char *unchecked = calibration->exchange->unchecked;
    text_string(out, "# Measured here, by warpbound machine calibrate --gpu: ");
    calibration_put_gpu(calibration, out);
    text_printf(out, ".\n# Machine code of the kernels: %s%s.\n#\n",
                unchecked[0] != '\0' ? "not checked: " : "",
                unchecked[0] != '\0' ? unchecked : "what they are to time");
    text_printf(
        out,
        "# Cycles of an access, and what %s charges for it. `stands`: a figure of it that is only raised,\n"
        "# as others may be slower: on a higher clock, by code that was not checked, or by chance.\n"
        "#\n"
        "# %-14s %10s %7s %7s %7s %8s %8s\n",
        machine->name, "", "n", "least", "median", "p99", "largest", "charged");
    for (size_t f = 0; f < FIGURES; f++) {
        const struct probe_times times = calibration_times(calibration, figures[f].probe);
        const struct figure_charge charge = figure_charge_of(calibration, machine, &figures[f]);
        uint32_t least, most;
        text_printf(out, "# %-14s %10" PRIu64 " %7u %7u %7u %8u %8" PRIu64 "%s\n",
                    probe_name(figures[f].probe), times.count, times.least, times.median, times.p99,
                    times.most, figure_charged(&charge),
                    figure_measured(calibration, machine, &figures[f], &least, &most) ? "" : " stands");
    }
}

static void put_kept(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                     struct text *out) {
    text_printf(
        out, "#\n# What levels keep, in bytes and pages: visited again and again in one order, and of %s:\n",
        machine->name);
    for (size_t l = 0; l < KEPT_LEVELS; l++) {
        const uint64_t keeps = calibration->exchange->keeps[l];
        text_printf(out, "# %-14s ", kept_keys[l]);
        if (keeps > 0)
            text_printf(out, "%10" PRIu64, keeps);
        else
            text_printf(out, "%10s", "unknown");
        text_printf(out, " %10u\n", kept_stated(machine, (enum kept_level)l));
    }
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

/* What is to be said of the figure and of all behind it of its key; *f becomes the last of these. False: what
 * the machine has stands. */
static bool key_measured(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                         size_t *f, uint32_t *least, uint32_t *most) {
    const struct figure *first = &figures[*f];
    *least = UINT32_MAX;
    *most = 0;
    for (;; ++*f) {
        uint32_t low, high;
        if (figure_measured(calibration, machine, &figures[*f], &low, &high)) {
            if (low < *least) *least = low;
            if (high > *most) *most = high;
        }
        if (*f + 1 == FIGURES || !figure_same_key(first, &figures[*f + 1])) return *least <= *most;
    }
}

/* The figures of a section that were measured, the title before the first; those of one name as one mapping.
 */
static void put_section(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                        const char *section, const char *title, struct text *out) {
    const char *name = NULL; /* of the mapping that is open */
    for (size_t f = 0; f < FIGURES; f++) {
        const struct figure *figure = &figures[f];
        uint32_t least, most;
        if (figure->section == NULL || strcmp(figure->section, section) != 0) continue;
        if (!key_measured(calibration, machine, &f, &least, &most)) continue;
        const bool same = name != NULL && strcmp(name, figure->name) == 0;
        if (name != NULL && !same) text_string(out, "}\n");
        text_string(out, title);
        title = "";
        name = figure->part != NULL ? figure->name : NULL;
        if (!same) text_printf(out, "  %s: %s", figure->name, figure->part != NULL ? "{" : "");
        if (figure->part != NULL) text_printf(out, "%s%s: ", same ? ", " : "", figure->part);
        if (figure->is_range)
            text_printf(out, "[%u, %u]", least, most);
        else
            text_printf(out, "%u", most);
        if (figure->part == NULL) text_char(out, '\n');
    }
    if (name != NULL) text_string(out, "}\n");
}

static void put_keys(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                     struct text *out) {
    uint32_t least, most;
    for (size_t f = 0; f < FIGURES && figures[f].section == NULL; f++)
        if (key_measured(calibration, machine, &f, &least, &most))
            text_printf(out, "%s: %u\n", figures[f].name, most);
    text_printf(out, "memory:\n  sms: %u\n", calibration->exchange->facts.sms);
    put_section(calibration, machine, "memory", "", out);
    put_section(calibration, machine, "class", "classes:\n", out);
    text_printf(out, "sass:\n  sm: %u\n", machine->sass.sm);
    put_section(calibration, machine, "sass", "", out);
    for (size_t l = 0; l < KEPT_LEVELS; l++)
        if (kept_is_less(calibration, machine, (enum kept_level)l))
            text_printf(out, "  %s: %" PRIu64 "\n", kept_keys[l], calibration->exchange->keeps[l]);
}

/* A source whose text begins so, behind the title if there is none yet. */
static void put_source(const struct wb_gpu_calibration *calibration, struct text *from, const char *key,
                       const char **title, struct text *out) {
    char date[DATE_MAX];
    device_date(calibration->when, false, date);
    text_string(from, "; ");
    calibration_put_gpu(calibration, from);
    if (calibration->exchange->unchecked[0] != '\0') text_string(from, "; machine code not checked");
    text_string(out, *title);
    *title = "";
    text_printf(out, "  - mark: measured\n    date: \"%s\"\n    from: ", date);
    out->failed |= from->failed;
    if (!from->failed) field_print_quoted(from->data, out);
    text_printf(out, "\n    keys: [%s]\n", key);
    text_free(from);
}

static void put_sources(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                        struct text *out) {
    const char *title = "sources:\n";
    for (size_t f = 0; f < FIGURES; f++) {
        const struct probe_times times = calibration_times(calibration, figures[f].probe);
        const struct probe_seen *seen = &calibration->exchange->seen[figures[f].probe];
        struct text from = {0}, key = {0};
        uint32_t least, most;
        if (!figure_measured(calibration, machine, &figures[f], &least, &most)) continue;
        figure_put_key(&figures[f], &key);
        text_printf(&from, "measured here: %s, n %" PRIu64 " on %u SM%s, largest %u, p99 %u, least %u",
                    probe_name(figures[f].probe), times.count, seen->sms, plural(seen->sms), times.most,
                    times.p99, times.least);
        if (calibration->margin > 0) text_printf(&from, ", with a margin of %u %%", calibration->margin);
        put_source(calibration, &from, key.failed ? "" : key.data, &title, out);
        text_free(&key);
    }
    for (size_t l = 0; l < KEPT_LEVELS; l++) {
        struct text from = {0}, key = {0};
        if (!kept_is_less(calibration, machine, (enum kept_level)l)) continue;
        text_printf(&key, "sass.%s", kept_keys[l]);
        text_string(&from, "measured here: visited again and again in one order, no access missed");
        put_source(calibration, &from, key.failed ? "" : key.data, &title, out);
        text_free(&key);
    }
}

/* ---- What is said -------------------------------------------------------------------------------------- */

static void warn_of_doubts(const struct wb_gpu_calibration *calibration, wb_diagnostics *diagnostics) {
    const struct probe_exchange *exchange = calibration->exchange;
    uint32_t least_sms = exchange->facts.sms;
    if (exchange->unchecked[0] != '\0')
        diagnose(diagnostics, SEVERITY_WARNING, exchange->facts.gpu,
                 "machine code not checked: %s: whether its loops are what was meant is not known",
                 exchange->unchecked);
    for (size_t p = 0; p < PROBE_COUNT; p++)
        if (p != PROBE_LAUNCH && exchange->seen[p].sms < least_sms) least_sms = exchange->seen[p].sms;
    if (least_sms < exchange->facts.sms)
        diagnose(diagnostics, SEVERITY_WARNING, exchange->facts.gpu,
                 "some figures are of %u of %u SMs: the others were not seen", least_sms,
                 exchange->facts.sms);
}

static void warn_of_figures(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics) {
    for (size_t f = 0; f < FIGURES; f++) {
        const struct probe_times times = calibration_times(calibration, figures[f].probe);
        const struct figure_charge charge = figure_charge_of(calibration, machine, &figures[f]);
        struct text key = {0};
        if (times.most <= figure_charged(&charge)) continue;
        figure_put_key(&figures[f], &key);
        if (!key.failed)
            diagnose(diagnostics, SEVERITY_WARNING, machine->name,
                     "%s is too small for this GPU: %u cycles were measured, and %" PRIu64 " are charged",
                     key.data, times.most, figure_charged(&charge));
        text_free(&key);
    }
    for (size_t l = 0; l < KEPT_LEVELS; l++)
        if (kept_is_less(calibration, machine, (enum kept_level)l))
            diagnose(diagnostics, SEVERITY_WARNING, machine->name,
                     "sass.%s is too large for this GPU: of more than %" PRIu64 " some accesses missed",
                     kept_keys[l], calibration->exchange->keeps[l]);
}

/* A file that is no machine would only be noticed by whoever uses it. */
static wb_status read_back(const struct text *out, wb_diagnostics *diagnostics) {
    wb_machine *made = NULL;
    const wb_status status =
        machine_parse("the machine file of what was measured", out->data, out->length, diagnostics, &made);
    wb_machine_free(made);
    return status;
}

wb_status wb_gpu_calibration_file(const wb_gpu_calibration *calibration, const wb_machine *machine,
                                  wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    char name[MACHINE_NAME_MAX];
    WB_TRY(calibrate_require(machine, calibration->exchange->facts.sm, "this GPU is of", diagnostics));
    put_comments(calibration, machine, &out);
    put_kept(calibration, machine, &out);
    (void)text_format(name, sizeof name, "%.40s-measured-here", machine->name);
    text_printf(&out, "base: %s\nname: ", machine->inputs.items[0].path);
    field_print_quoted(name, &out);
    text_char(&out, '\n');
    put_keys(calibration, machine, &out);
    put_sources(calibration, machine, &out);
    const wb_status status = out.failed ? WB_OK : read_back(&out, diagnostics);
    if (status == WB_OK) {
        warn_of_doubts(calibration, diagnostics);
        warn_of_figures(calibration, machine, diagnostics);
    }
    return report_take(status, &out, diagnostics, text);
}
