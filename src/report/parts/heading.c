#include "report/parts/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts/document.h"

/* How a number of registers came about: in JSON, and behind the number. */
static const struct {
    const char *name, *sentence;
} register_sources[] = {
    [WB_REGISTERS_GIVEN] = {"given", "as given"},
    [WB_REGISTERS_MAXNREG] = {"maxnreg", "not given, at most what .maxnreg says"},
    [WB_REGISTERS_LAUNCH_BOUNDS] = {"launch-bounds",
                                    "not given, at most what .maxntid and .minnctapersm leave"},
    [WB_REGISTERS_OF_MACHINE] = {"machine", "not given, at most what a thread of the machine can have"},
    [WB_REGISTERS_ONE_BLOCK] = {"one-block", "not given, at most what lets one block fit"},
    [WB_REGISTERS_UNKNOWN] = {"unknown", "not given, and the machine states no limit"},
    [WB_REGISTERS_OF_CODE] = {"code", "as the machine code says"},
};

void heading_put_registers(struct text *out, const struct register_range *range) {
    if (range->most != WB_UNLIMITED) {
        text_printf(out, "%u", range->least);
        if (range->most != range->least) text_printf(out, " to %u", range->most);
        text_string(out, " a thread: ");
    }
    text_printf(out, "%s\n", register_sources[range->source].sentence);
}

void heading_registers_json(struct json *json, const struct register_range *range) {
    json_put_object(json, "registers", "least %u, most %*u, source %s", range->least,
                    range->most != WB_UNLIMITED, range->most, register_sources[range->source].name);
}

static void put_names(struct text *out, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        text_string(out, i > 0 ? ", " : " ");
        text_printable(out, names[i], strlen(names[i]));
    }
}

static void put_inputs(struct text *out, const struct launch_inputs *inputs) {
    text_string(out, "inputs   ");
    if (inputs->trace != NULL) {
        text_string(out, "one execution, which was recorded in ");
        text_printable(out, inputs->trace, strlen(inputs->trace));
        text_char(out, '\n');
        return;
    }
    if (inputs->any_contents) text_string(out, "any: contents of buffers and variables are not used; ");
    if (inputs->argument_count + inputs->variable_count == 0) {
        text_string(out, "no arguments\n");
        return;
    }
    text_string(out, inputs->file != NULL ? "given by " : "given");
    if (inputs->file != NULL) text_printable(out, inputs->file, strlen(inputs->file));
    text_char(out, ':');
    put_names(out, inputs->arguments, inputs->argument_count);
    if (inputs->variable_count > 0) text_printf(out, "%s contents of", inputs->argument_count > 0 ? "," : "");
    put_names(out, inputs->variables, inputs->variable_count);
    text_char(out, '\n');
}

void heading_put_launch(struct text *out, const struct launch_inputs *inputs,
                        const struct wb_machine *machine, const struct block_demand *demand) {
    const struct register_range registers = machine_register_range(machine, demand);
    put_inputs(out, inputs);
    text_string(out, "registers ");
    heading_put_registers(out, &registers);
}

void heading_launch_json(struct json *json, const struct launch_inputs *inputs,
                         const struct wb_machine *machine, const struct block_demand *demand) {
    const struct register_range registers = machine_register_range(machine, demand);
    json_put(json, "inputs %s, launch_file %s",
             inputs->trace != NULL  ? "traced"
             : inputs->any_contents ? "any"
                                    : "given",
             inputs->file);
    json_put_texts(json, "arguments", inputs->arguments, inputs->argument_count);
    json_put_texts(json, "variables", inputs->variables, inputs->variable_count);
    json_put_texts(json, "variable_contents", inputs->contents, inputs->variable_count);
    json_open_array(json, "assume"); /* what hardware may violate */
    for (int what = 0; what < LAUNCH_ASSUMPTIONS; what++)
        if ((inputs->assumptions >> what & 1) != 0)
            json_put_text(json, NULL, launch_assumption_name((enum launch_assumption)what));
    json_close(json);
    heading_registers_json(json, &registers);
}

/* The least and the most cycles that data from memory takes, as the machine states them. */
struct latency_range {
    bool has_least;
    uint32_t least, most;
};

static struct latency_range memory_latency(const struct wb_machine *machine) {
    const struct latency_range ranges[] = {
        [ISA_PTX] = {machine->mem_least.stated, machine->mem_least.value, machine->mem_latency},
        [ISA_SASS] = {true, sass_memory_least(&machine->sass), sass_memory_most(&machine->sass)}};
    return ranges[machine_isa(machine)];
}

void heading_put_memory_latency(struct text *out, const struct wb_machine *machine) {
    const struct latency_range range = memory_latency(machine);
    if (range.has_least) text_printf(out, "%u to ", range.least);
    text_printf(out, "%u", range.most);
}

void heading_put_fetch(struct text *out, const struct machine_fetch *fetch) {
    if (fetch_can_stall(fetch))
        text_printf(out, ", instruction cache %u bytes in %u ways", fetch->size, fetch->ways);
}

void heading_put_kernel(struct text *out, const char *label, const struct wb_kernel *kernel) {
    const struct wb_module *module = kernel->module;
    char *readable = demangle(wb_kernel_name(kernel));
    text_string(out, label);
    if (readable != NULL)
        text_printf(out, "%s, in %s ", readable, module->code == NULL ? "PTX" : "the cubin");
    text_string(out, wb_kernel_name(kernel));
    if (module->origin.text == NULL)
        text_printf(out, " (%s)\n", module->source.name);
    else
        text_printf(out, "\n%-*s%s\n", (int)strlen(label), "code", module->origin.text);
    free(readable);
}

void heading_put_grid(struct text *out, const struct wb_grid *grid) {
    const uint32_t *blocks = grid->dimensions, *threads = grid->block_size;
    if (grid->kernel != NULL) heading_put_kernel(out, "kernel   ", grid->kernel);
    text_printf(out, "grid     %ux%ux%u blocks of %ux%ux%u threads: %u warp%s a block", blocks[0], blocks[1],
                blocks[2], threads[0], threads[1], threads[2], grid->warp_count, plural(grid->warp_count));
    if (grid->executed != 0) text_printf(out, "; %" PRIu64 " executed", grid->executed);
    text_char(out, '\n');
}

void heading_put_gpu(struct text *out, const struct timed_grid *timed) {
    static const char *const memories[] = {
        [ISA_PTX] = "no caches", [ISA_SASS] = "global memory latency %u to %u"};
    const struct wb_machine *machine = timed->machine;
    const struct machine_memory *memory = &machine->memory;
    const struct latency_range range = memory_latency(machine);
    heading_put_grid(out, timed->grid);
    text_printf(out, "machine  %s at %g MHz: %u SM%s, ", machine->name, machine->clock_mhz, memory->sms,
                plural(memory->sms));
    if (memory_has_hierarchy(memory))
        text_printf(out, "first level %u bytes in %u ways, second level %u bytes in %u ways",
                    memory->l1.bytes, memory->l1.ways, memory->l2.bytes, memory->l2.ways);
    else
        text_printf(out, memories[machine_isa(machine)], range.least, range.most);
    heading_put_fetch(out, &machine->fetch);
    text_char(out, '\n');
    if (!memory_is_contended(memory)) return;
    text_printf(out, "memory   one for all SMs: a request in %u cycle%s, arbiter %s", memory->service,
                plural(memory->service), memory_arbiter_name(memory));
    if (memory->outstanding != 0) text_printf(out, ", at most %u of an SM on their way", memory->outstanding);
    text_char(out, '\n');
}

void heading_kernel_json(struct json *json, const struct wb_kernel *kernel) {
    const struct ptx_origin none = {0}, *origin = kernel != NULL ? &kernel->module->origin : &none;
    json_put(json, "kernel %s, file %s", kernel != NULL ? wb_kernel_name(kernel) : NULL,
             kernel != NULL ? kernel->module->input.path : NULL);
    if (origin->image != NULL && origin->unit != NULL)
        json_put_object(json, "image", "name %s, unit %s", origin->image, origin->unit);
}

#define FETCH(member) RECORD_FIELD(#member, NULL, 0, 0, RECORD_U32, struct machine_fetch, member)
static const struct record_field fetch_fields[] = {FETCH(size),    FETCH(ways),
                                                   FETCH(line),    FETCH(instruction_bytes),
                                                   FETCH(buffer),  FETCH(per_cycle),
                                                   FETCH(latency), FETCH(miss_latency),
                                                   FETCH(misses),  {0}};

#define CACHE(key, member) RECORD_FIELD(key, NULL, 0, 0, RECORD_U32, struct cache_geometry, member)
static const struct record_field cache_fields[] = {
    CACHE("size", bytes), CACHE("ways", ways), CACHE("line", line_bytes), CACHE("sector", sector_bytes), {0}};

/* SMs, the memory that they share, caches. */
static void put_memory(struct json *json, const struct machine_memory *memory) {
    json_put_count(json, "sms", memory->sms);
    if (memory_is_contended(memory)) {
        json_put_object(json, "memory", "service %u, arbiter %s, outstanding %u", memory->service,
                        memory_arbiter_name(memory), memory->outstanding);
    }
    record_object(json, "l1", cache_fields, &memory->l1, NULL);
    record_object(json, "l2", cache_fields, &memory->l2, NULL);
}

void heading_machine_json(struct json *json, const struct wb_machine *machine, bool with_memory) {
    json_open_object(json, "machine");
    json_put(json, "name %s, clock_mhz %g, sub_cores %u, issue_width %u, issue_per_warp %u", machine->name,
             machine->clock_mhz, machine->sub_cores, machine->issue_width, machine->issue_per_warp);
    if (machine->dispatch_depth == DEPTH_UNLIMITED)
        json_put_text(json, "dispatch_depth", "unlimited");
    else
        json_put_count(json, "dispatch_depth", machine->dispatch_depth);
    const struct latency_range range = memory_latency(machine);
    if (machine->sass.sm > 0) json_put_count(json, "architecture", machine->sass.sm);
    json_put_count(json, "mem_latency", range.most);
    if (range.has_least) json_put_count(json, "mem_latency_least", range.least);
    json_put(json, "launch_overhead %u, requests %s", machine->launch_overhead,
             memory_requests_name(&machine->memory));
    if (fetch_can_stall(&machine->fetch)) record_object(json, "fetch", fetch_fields, &machine->fetch, NULL);
    if (with_memory) put_memory(json, &machine->memory);
    inputs_settings_json(json, machine);
    json_close(json);
}

void heading_gpu_json(struct json *json, const struct timed_grid *timed) {
    const struct wb_grid *grid = timed->grid;
    const struct block_demand demand = grid_block_demand(grid);
    heading_kernel_json(json, grid->kernel);
    heading_machine_json(json, timed->machine, true);
    json_open_object(json, "launch");
    json_put_counts(json, "grid", grid->dimensions, 3);
    json_put_counts(json, "block", grid->block_size, 3);
    json_put(json, "shared_bytes %" PRIu64 ", blocks %" PRIu64 ", warps %u", grid->shared_bytes,
             grid_block_count(grid), grid->warp_count);
    if (grid->kernel != NULL) heading_launch_json(json, &grid->inputs, timed->machine, &demand);
    json_close(json);
}

void heading_gpu_inputs_json(struct json *json, const struct timed_grid *timed) {
    const struct wb_grid *grid = timed->grid;
    const struct sources made_from = {.kernel = grid->kernel,
                                      .launch = &grid->inputs,
                                      .facts = grid->cover.covers ? grid->cover.facts.from : NULL,
                                      .machine = timed->machine};
    inputs_json(json, &made_from);
}

void heading_fetches_json(struct json *json, const struct wb_machine *machine, uint64_t fetches,
                          uint64_t misses) {
    if (!fetch_can_stall(&machine->fetch)) return;
    json_put(json, "fetches %" PRIu64 ", fetch_misses %" PRIu64, fetches, misses);
}

/* ---- Inputs ------------------------------------------------------------------------------------------ */

void inputs_put(struct text *out, const struct sources *sources) {
    const wb_input *input;
    const char *setting;
    for (size_t i = 0; (input = sources_at(sources, i)) != NULL; i++) {
        text_printf(out, "  %s ", wb_input_role_name(input->role));
        text_printable(out, input->path, strlen(input->path));
        text_printf(out, ", %" PRIu64 " bytes\n    sha256 %s\n", input->bytes, input->sha256);
    }
    if (sources->machine == NULL) return;
    for (size_t i = 0; (setting = wb_machine_setting(sources->machine, i)) != NULL; i++)
        text_printf(out, "  --set %s\n", setting);
}

static void put_input(struct json *json, const wb_input *input) {
    json_put_object(json, NULL, "role %s, path %s, sha256 %s, bytes %" PRIu64,
                    wb_input_role_name(input->role), input->path, input->sha256, input->bytes);
}

void inputs_json(struct json *json, const struct sources *sources) {
    const wb_input *input;
    json_open_array(json, "inputs");
    for (size_t i = 0; (input = sources_at(sources, i)) != NULL; i++)
        put_input(json, input);
    json_close(json);
}

void inputs_list_json(struct json *json, const wb_input *inputs, size_t count) {
    json_open_array(json, "inputs");
    for (size_t i = 0; i < count; i++)
        put_input(json, &inputs[i]);
    json_close(json);
}

void inputs_settings_json(struct json *json, const struct wb_machine *machine) {
    const char *setting;
    json_open_array(json, "settings");
    for (size_t i = 0; (setting = wb_machine_setting(machine, i)) != NULL; i++)
        json_put_text(json, NULL, setting);
    json_close(json);
}

/* ---- Documents --------------------------------------------------------------------------------------- */

void document_open(struct json *json, const char *format, uint32_t version) {
    json_open_object(json, NULL);
    json_put_object(json, "format", "name %s, version %u", format, version);
    json_put_text(json, "warpbound", wb_version());
}
