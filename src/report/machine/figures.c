/* The machine figures that bounds of some machine code use, and how reliable each is. */
#include <inttypes.h>
#include <string.h>

#include "machine/files.h"
#include "report/parts/parts.h"
#include "sass/sass.h"

/* Figures with one source under one name, such as init and write of class.mufu. */
struct figure_row {
    const char *name;   /* class.mufu */
    const char *values; /* "init 8, write [0, 33]" */
    enum figure_mark mark;
    const struct figure_source *source; /* NULL: none */
    size_t number;                      /* of the source, in the order of rows */
    uint64_t uses;                      /* instructions of the code that use them; 0: all do */
};

struct figures {
    const struct wb_machine *machine;
    const wb_module *module;
    struct arena *arena; /* protected */
    uint64_t classes[SASS_CLASS_COUNT];
    uint64_t instructions, constants, jumps, long_stalls, memory, units[MACHINE_UNITS_MAX];
    VEC(struct figure_row) rows;
};

/* ---- What the code uses -------------------------------------------------------------------------------- */

static void count_inst(struct figures *figures, const struct sass_inst *inst) {
    const enum sass_class class = sass_class_of(inst);
    figures->instructions++;
    figures->constants += sass_constant_operand(inst) != NULL;
    figures->jumps +=
        class == SASS_CLASS_BRANCH || class == SASS_CLASS_CONVERGENCE || class == SASS_CLASS_SLEEP;
    figures->long_stalls += inst->control.stall == 0 && inst->control.yield;
    if (class == SASS_CLASS_COUNT) return;
    const struct machine_sass_class *times = &figures->machine->sass.classes[class];
    figures->classes[class]++;
    figures->memory += times->plus == SASS_PLUS_MEMORY;
    for (uint32_t s = 0; s < times->stage_count; s++)
        figures->units[times->stages[s].unit]++;
}

/* The instructions that kernels reach: copies of functions count separately. */
static void count_code(struct figures *figures, const wb_module *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; i < ptx_issued_count(function); i++)
            count_inst(figures, &module->code->insts[function->insts[ptx_issued(function, i)].machine].sass);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* The row of figures under `name` with this mark and source; a new one where there is none. */
static struct figure_row *row_of(struct figures *figures, const char *name, const char *key, uint64_t uses) {
    const enum figure_mark mark = machine_figure_mark(figures->machine, key);
    const struct figure_source *source =
        mark == FIGURE_GIVEN ? NULL : machine_source_of(figures->machine, key);
    for (size_t r = 0; r < figures->rows.count; r++) {
        struct figure_row *row = &figures->rows.items[r];
        if (strcmp(row->name, name) == 0 && row->mark == mark && row->source == source) return row;
    }
    const struct figure_row made = {.name = arena_string(figures->arena, name, strlen(name)),
                                    .values = "",
                                    .mark = mark,
                                    .source = source,
                                    .uses = uses};
    arena_push(figures->arena, &figures->rows, made);
    return &figures->rows.items[figures->rows.count - 1];
}

/* Adds the figure name.KEY of a table. */
static void add_figure(struct figures *figures, const char *name, const struct field *field,
                       const void *target, uint64_t uses) {
    struct text key = {.arena = figures->arena}, values = {.arena = figures->arena};
    text_printf(&key, "%s%s%s", name, *name != '\0' ? "." : "", field->key);
    struct figure_row *row = row_of(figures, *name != '\0' ? name : field->key, key.data, uses);
    text_printf(&values, "%s%s%s ", row->values, row->values[0] != '\0' ? ", " : "", field->key);
    field_print(field, target, &values);
    row->values = values.data;
}

/* Whether a key of a class is a figure: no name of a unit, and not what a class that does not state it has;
 * that an instruction has a fixed latency, or not, is one always. */
static bool is_class_figure(const struct field *field, const struct sass_class_entry *entry) {
    if (field->kind == FIELD_BOOL) return true;
    if (field->kind == FIELD_WORD) return *(const uint32_t *)((const char *)entry + field->offset) != 0;
    if (field->kind != FIELD_U32 && field->kind != FIELD_INTERVAL) return false;
    return *(const uint32_t *)((const char *)entry + field->offset) != 0;
}

static void add_class(struct figures *figures, enum sass_class class) {
    const struct sass_class_entry entry = machine_sass_class_entry(figures->machine, class);
    const uint64_t uses = figures->classes[class];
    struct text name = {.arena = figures->arena};
    text_printf(&name, "class.%s", sass_class_name(class));
    if (!figures->machine->sass.classes[class].given) {
        const struct figure_row missing = {.name = name.data,
                                           .values = "not given: code with it is refused",
                                           .mark = FIGURE_UNSTATED,
                                           .uses = uses};
        arena_push(figures->arena, &figures->rows, missing);
        return;
    }
    for (const struct field *field = sass_class_fields; field->key != NULL; field++)
        if (is_class_figure(field, &entry)) add_figure(figures, name.data, field, &entry, uses);
}

static void add_key(struct figures *figures, const char *name, const struct field *fields, const char *key,
                    const void *target, uint64_t uses) {
    const struct field *field = field_find(fields, key);
    if (field != NULL) add_figure(figures, name, field, target, uses);
}

/* Most uses of a unit whose queue can be full. */
static uint64_t count_queued(const struct figures *figures) {
    uint64_t most = 0;
    for (uint32_t u = 0; u < figures->machine->unit_count; u++) {
        const uint32_t queue = figures->machine->units[u].queue;
        if (queue != 0 && queue != DEPTH_UNLIMITED && figures->units[u] > most) most = figures->units[u];
    }
    return most;
}

/* Keys of the core that all code uses, and those that some code uses. */
static void add_core(struct figures *figures) {
    static const char *const all[] = {
        "register_banks",      "bank_ports",         "l0_size", "l0_line", "l0_miss", "l1_instruction_size",
        "l1_instruction_line", "l1_instruction_miss"};
    const struct machine_sass *sass = &figures->machine->sass;
    const uint64_t constants = figures->constants, memory = figures->memory;
    const struct {
        const char *key;
        uint64_t uses;
    } some[] = {{"constant_probe", constants},
                {"constant_size", constants},
                {"constant_line", constants},
                {"constant_ways", constants},
                {"constant_miss", constants},
                {"l1", memory},
                {"l2", memory},
                {"dram", memory},
                {"tlb", memory},
                {"l2_sector", memory},
                {"l1_keeps", memory},
                {"l2_keeps", memory},
                {"tlb_keeps", memory},
                {"page_size", memory},
                {"align", memory},
                {"row_cycle", sass->row_cycle > 0 ? memory : 0},
                {"full_queue", count_queued(figures)},
                {"branch", figures->jumps},
                {"clock", figures->classes[SASS_CLASS_SLEEP]},
                {"long_stall", figures->long_stalls}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        add_key(figures, "sass", machine_sass_fields, all[k], sass, 0);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        if (some[k].uses > 0) add_key(figures, "sass", machine_sass_fields, some[k].key, sass, some[k].uses);
}

static const struct field top_fields[] = {
    NUMBER_ROW(wb_machine, "sub_cores", sub_cores, 1, 16),
    NUMBER_ROW(wb_machine, "barrier_release", barrier_release, 0, MACHINE_TIME_MAX),
    NUMBER_ROW(wb_machine, "launch_overhead", launch_overhead, 0, MACHINE_TIME_MAX),
    {.key = "clock_mhz", .kind = FIELD_REAL, .offset = offsetof(struct wb_machine, clock_mhz)},
    {0},
};

static void add_top(struct figures *figures) {
    const uint64_t barriers = figures->classes[SASS_CLASS_BARRIER];
    for (const struct field *field = top_fields; field->key != NULL; field++) {
        const bool of_barriers = strcmp(field->key, "barrier_release") == 0;
        if (!of_barriers || barriers > 0)
            add_figure(figures, "", field, figures->machine, of_barriers ? barriers : 0);
    }
    add_key(figures, "memory", machine_memory_fields, "sms", &figures->machine->memory, 0);
}

static void add_units(struct figures *figures) {
    for (uint32_t u = 0; u < figures->machine->unit_count; u++) {
        const struct machine_unit *unit = &figures->machine->units[u];
        struct text name = {.arena = figures->arena};
        if (figures->units[u] == 0) continue;
        text_printf(&name, "unit.%s", unit->name);
        add_key(figures, name.data, machine_sass_unit_fields, "shared", unit, figures->units[u]);
        if (unit->queue != 0)
            add_key(figures, name.data, machine_sass_unit_fields, "queue", unit, figures->units[u]);
    }
}

/* Weakest first; else in the order of the machine's keys. */
static void sort_rows(struct figures *figures) {
    for (size_t r = 1; r < figures->rows.count; r++) {
        const struct figure_row row = figures->rows.items[r];
        size_t at = r;
        for (; at > 0 && figures->rows.items[at - 1].mark > row.mark; at--)
            figures->rows.items[at] = figures->rows.items[at - 1];
        figures->rows.items[at] = row;
    }
}

/* Numbers the sources in the order of the rows. */
static void number_sources(struct figures *figures) {
    size_t count = 0;
    for (size_t r = 0; r < figures->rows.count; r++) {
        struct figure_row *row = &figures->rows.items[r];
        size_t first = 0;
        while (figures->rows.items[first].source != row->source)
            first++;
        if (row->source != NULL) row->number = first < r ? figures->rows.items[first].number : count++;
    }
}

/* The pass of wb_figures_report that finds them. */
static void find_figures(void *context) {
    struct figures *figures = context;
    for (uint32_t u = 0; u < ptx_unit_count(figures->module); u++)
        count_code(figures, ptx_unit(figures->module, u));
    for (uint32_t class = 0; class < SASS_CLASS_COUNT; class ++)
        if (figures->classes[class] > 0) add_class(figures, (enum sass_class) class);
    add_units(figures);
    add_core(figures);
    add_top(figures);
    sort_rows(figures);
    number_sources(figures);
}

/* ---- For people ---------------------------------------------------------------------------------------- */

/* Lines of people's reports. */
static const struct layout page = {.width = 80};

#define NAME_COLUMN 15u
#define VALUE_COLUMN 39u

static void put_row(struct text *out, const struct figure_row *row) {
    const size_t start = out->length;
    text_string(out, figure_mark_name(row->mark));
    text_pad(out, NAME_COLUMN);
    text_string(out, row->name);
    text_pad(out, VALUE_COLUMN - 1);
    text_printf(out, " %s", row->values);
    if (row->uses > 0) text_printf(out, "; %" PRIu64 " instruction%s", row->uses, plural(row->uses));
    if (row->source != NULL) text_printf(out, " [%zu]", row->number + 1);
    layout_wrap(out, &page, start, 0, VALUE_COLUMN);
}

static void put_sources(struct text *out, const struct figures *figures) {
    size_t next = 0;
    for (size_t r = 0; r < figures->rows.count; r++) {
        const struct figure_row *row = &figures->rows.items[r];
        const struct figure_source *source = row->source;
        if (source == NULL || row->number != next) continue;
        if (next == 0) text_char(out, '\n');
        layout_printf(out, &page, 4, "[%zu] %s%s%s: %s", next + 1,
                      figure_mark_name((enum figure_mark)(source->mark + FIGURE_ASSUMED)),
                      source->date[0] != '\0' ? ", " : "", source->date, source->from);
        next++;
    }
}

static void put_figures(struct text *out, const struct figures *figures) {
    text_printf(out, "code     %s, for sm_%u: %llu instructions\nmachine  %s, for machine code of sm_%u\n\n",
                figures->module->source.name, wb_module_architecture(figures->module),
                (unsigned long long)figures->instructions, figures->machine->name, figures->machine->sass.sm);
    layout_printf(
        out, &page, 0,
        "Bounds of this code rest on these figures of the machine, those first that can be relied on "
        "least:");
    text_char(out, '\n');
    for (size_t r = 0; r < figures->rows.count; r++)
        put_row(out, &figures->rows.items[r]);
    put_sources(out, figures);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void put_json(struct text *out, const struct figures *figures) {
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-figures", 1);
    inputs_list_json(&json, &figures->module->input, 1);
    json_put(&json, "machine %s, architecture %u, instructions %" PRIu64, figures->machine->name,
             wb_module_architecture(figures->module), figures->instructions);
    json_open_array(&json, "figures");
    for (size_t r = 0; r < figures->rows.count; r++) {
        const struct figure_row *row = &figures->rows.items[r];
        json_put_object(&json, NULL,
                        "mark %s, key %s, values %s, instructions %*" PRIu64 ", from %s, date %s",
                        figure_mark_name(row->mark), row->name, row->values, row->uses > 0, row->uses,
                        row->source != NULL ? row->source->from : NULL,
                        row->source != NULL && row->source->date[0] != '\0' ? row->source->date : NULL);
    }
    json_close(&json);
    json_close(&json);
}

/* ---- The report ---------------------------------------------------------------------------------------- */

/* Whether there is something to say. */
static wb_status check(const wb_machine *machine, const wb_module *module, wb_diagnostics *diagnostics) {
    if (!isa_keys[machine_isa(machine)].has_marks) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the figures of a machine that times PTX have no marks: expected one with code: sass");
        return WB_ERR_INPUT;
    }
    if (module->code != NULL && machine_sass_executes(&machine->sass, module->code->sm)) return WB_OK;
    if (module->code == NULL)
        diagnose(
            diagnostics, SEVERITY_ERROR, module->source.name,
            "this is PTX, of which no machine instructions are known; %s executes machine code for sm_%u",
            machine->name, machine->sass.sm);
    else
        diagnose(diagnostics, SEVERITY_ERROR, module->source.name,
                 "this machine code is for sm_%u; %s executes that for sm_%u", module->code->sm,
                 machine->name, machine->sass.sm);
    return WB_ERR_INPUT;
}

wb_status wb_figures_report(const wb_machine *machine, const wb_module *module, wb_report_format format,
                            wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    struct arena arena = {0};
    for (uint32_t u = 0; u < ptx_unit_count(module); u++)
        WB_TRY(check(machine, ptx_unit(module, u), diagnostics));
    struct figures figures = {.machine = machine, .module = module, .arena = &arena};
    wb_status status = arena_protect(&arena, find_figures, &figures);
    if (status != WB_OK) status = diagnose_out_of_memory(diagnostics, machine->name);
    if (status == WB_OK && format == WB_REPORT_JSON)
        put_json(&out, &figures);
    else if (status == WB_OK)
        put_figures(&out, &figures);
    arena_free(&arena);
    return report_take(status, &out, diagnostics, text);
}
