#include "report/parts/launch.h"

#include <inttypes.h>

#include "report/write/json.h"

/* How a number of registers came about: in JSON, and behind the number. */
static const struct {
    const char *name, *sentence;
} sources[] = {
    [WB_REGISTERS_GIVEN] = {"given", "as given"},
    [WB_REGISTERS_MAXNREG] = {"maxnreg", "not given, at most what .maxnreg says"},
    [WB_REGISTERS_LAUNCH_BOUNDS] = {"launch-bounds",
                                    "not given, at most what .maxntid and .minnctapersm leave"},
    [WB_REGISTERS_OF_MACHINE] = {"machine", "not given, at most what a thread of the machine can have"},
    [WB_REGISTERS_ONE_BLOCK] = {"one-block", "not given, at most what lets one block fit"},
    [WB_REGISTERS_UNKNOWN] = {"unknown", "not given, and the machine states no limit"},
};

void report_put_register_range(struct text *out, const struct register_range *range) {
    if (range->most != WB_UNLIMITED) {
        text_printf(out, "%" PRIu32, range->least);
        if (range->most != range->least) text_printf(out, " to %" PRIu32, range->most);
        text_string(out, " a thread: ");
    }
    text_printf(out, "%s\n", sources[range->source].sentence);
}

json_t *report_registers_json(const struct register_range *range) {
    json_t *most = range->most == WB_UNLIMITED ? json_null() : json_integer((json_int_t)range->most);
    return json_pack("{s:I, s:o, s:s}", "least", (json_int_t)range->least, "most", most, "source",
                     sources[range->source].name);
}

static void put_names(struct text *out, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s %s", i > 0 ? "," : "", names[i]);
}

static void put_inputs(struct text *out, const struct launch_inputs *inputs) {
    text_string(out, "inputs   ");
    if (inputs->any_contents) text_string(out, "any: contents of buffers and variables are not used; ");
    if (inputs->argument_count + inputs->variable_count == 0) {
        text_string(out, "no arguments\n");
        return;
    }
    text_printf(out, "given%s%s:", inputs->file != NULL ? " by " : "",
                inputs->file != NULL ? inputs->file : "");
    put_names(out, inputs->arguments, inputs->argument_count);
    if (inputs->variable_count > 0) text_printf(out, "%s contents of", inputs->argument_count > 0 ? "," : "");
    put_names(out, inputs->variables, inputs->variable_count);
    text_char(out, '\n');
}

static json_t *names_json(const char *const *names, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, json_text(names[i]));
    return array;
}

static void add_inputs(const struct launch_inputs *inputs, json_t **object) {
    json_put(object, "inputs", json_string(inputs->any_contents ? "any" : "given"));
    json_put(object, "launch_file", inputs->file != NULL ? json_text(inputs->file) : json_null());
    json_put(object, "arguments", names_json(inputs->arguments, inputs->argument_count));
    json_put(object, "variables", names_json(inputs->variables, inputs->variable_count));
}

void report_put_launch(struct text *out, const struct launch_inputs *inputs, const struct wb_machine *machine,
                       const struct block_demand *demand) {
    const struct register_range registers = machine_register_range(machine, demand);
    put_inputs(out, inputs);
    text_string(out, "registers ");
    report_put_register_range(out, &registers);
}

void report_add_launch(const struct launch_inputs *inputs, const struct wb_machine *machine,
                       const struct block_demand *demand, json_t **object) {
    const struct register_range registers = machine_register_range(machine, demand);
    add_inputs(inputs, object);
    json_put(object, "registers", report_registers_json(&registers));
}

void report_put_fetch(struct text *out, const struct machine_fetch *fetch) {
    if (fetch_can_stall(fetch))
        text_printf(out, ", instruction cache %u bytes in %u ways", fetch->size, fetch->ways);
}
