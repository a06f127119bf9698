#include "report/machine/occupancy.h"

#include <inttypes.h>

#include "base/text.h"
#include "ptx/ptx.h"
#include "report/parts/bounds.h"
#include "report/parts/launch.h"
#include "report/write/json.h"

/* Where the columns of the table end. */
enum { COLUMN_BLOCK = 36, COLUMN_SM = 50, COLUMN_BLOCKS = 62 };

/* A range of numbers as text; one number where both ends are the same. */
struct range_text {
    char data[64];
};

static struct range_text range_text(uint64_t least, uint64_t most) {
    struct range_text range;
    if (least == most)
        (void)text_format(range.data, sizeof range.data, "%" PRIu64, least);
    else
        (void)text_format(range.data, sizeof range.data, "%" PRIu64 " to %" PRIu64, least, most);
    return range;
}

static struct register_range registers_of(const wb_occupancy *occupancy) {
    return (struct register_range){occupancy->registers_least, occupancy->registers_most,
                                   occupancy->register_source};
}

static void put_heading(struct text *out, const wb_occupancy *occupancy) {
    const uint32_t *block = occupancy->block;
    text_printf(out, "kernel     %s (%s)\n", wb_kernel_name(occupancy->kernel),
                occupancy->kernel->module->source.name);
    text_printf(out, "block      %ux%ux%u threads: %u warp%s, %" PRIu64 " bytes of shared memory\n", block[0],
                block[1], block[2], occupancy->warps, occupancy->warps == 1 ? "" : "s",
                occupancy->shared_bytes);
    text_printf(out, "machine    %s\n", wb_machine_name(occupancy->machine));
    const struct register_range registers = registers_of(occupancy);
    text_string(out, "registers  ");
    report_put_register_range(out, &registers);
    text_char(out, '\n');
}

static void put_resource(struct text *out, const wb_occupancy_resource *resource) {
    text_string(out, resource->name);
    report_put_right(out, COLUMN_BLOCK,
                     resource->block_most >= WB_UNLIMITED
                         ? "?"
                         : range_text(resource->block_least, resource->block_most).data);
    if (resource->sm != 0)
        report_put_count(out, COLUMN_SM, resource->sm);
    else
        report_put_right(out, COLUMN_SM, "-");
    report_put_right(out, COLUMN_BLOCKS,
                     resource->blocks_most == WB_UNLIMITED
                         ? "any"
                         : range_text(resource->blocks_least, resource->blocks_most).data);
    text_char(out, '\n');
}

/* "blocks, warps and threads": what binds at one end of the range. */
static void put_binding(struct text *out, const wb_occupancy *occupancy, bool at_most) {
    const char *names[WB_OCCUPANCY_RESOURCES];
    int count = 0;
    for (int r = 0; r < WB_OCCUPANCY_RESOURCES; r++) {
        const wb_occupancy_resource *resource = &occupancy->resources[r];
        if (at_most ? resource->binds_most : resource->binds_least) names[count++] = resource->name;
    }
    for (int n = 0; n < count; n++)
        text_printf(out, "%s%s", n == 0 ? "" : n == count - 1 ? " and " : ", ", names[n]);
}

/* Warps of so many blocks. */
static uint64_t warps_of(const wb_occupancy *occupancy, uint32_t blocks) {
    return (uint64_t)blocks * occupancy->warps;
}

static double percent_of(const wb_occupancy *occupancy, uint32_t blocks) {
    return report_percent(warps_of(occupancy, blocks), occupancy->warps_of_sm);
}

static void put_resident(struct text *out, const wb_occupancy *occupancy) {
    const uint32_t least = occupancy->blocks_least, most = occupancy->blocks_most;
    text_printf(out, "\nresident   %s block%s, %s", range_text(least, most).data, most == 1 ? "" : "s",
                range_text(warps_of(occupancy, least), warps_of(occupancy, most)).data);
    if (occupancy->warps_of_sm != 0) text_printf(out, " of %u", occupancy->warps_of_sm);
    text_string(out, " warps");
    if (occupancy->warps_of_sm != 0 && least == most)
        text_printf(out, ": occupancy %.1f %%", percent_of(occupancy, most));
    else if (occupancy->warps_of_sm != 0)
        text_printf(out, ": occupancy %.1f to %.1f %%", percent_of(occupancy, least),
                    percent_of(occupancy, most));
    text_string(out, most == 0       ? "\nno block fits: limited by "
                     : least == most ? "\nlimited by "
                                     : "\nat most limited by ");
    put_binding(out, occupancy, true);
    if (least != most) {
        text_string(out, ", at least by ");
        put_binding(out, occupancy, false);
    }
    text_char(out, '\n');
}

static void put_steps(struct text *out, const wb_occupancy *occupancy) {
    if (occupancy->step_count == 0) {
        text_string(out, "\nno fewer registers and no less shared memory make room for more blocks\n");
        return;
    }
    text_string(out, "\nroom for\n");
    for (size_t s = 0; s < occupancy->step_count; s++) {
        const wb_occupancy_step *step = &occupancy->steps[s];
        text_printf(out, "  %u block%s with at most ", step->blocks, step->blocks == 1 ? "" : "s");
        if (step->fewer_registers) text_printf(out, "%u registers a thread", step->registers);
        if (step->fewer_registers && step->less_shared) text_string(out, " and ");
        if (step->less_shared) text_printf(out, "%" PRIu64 " bytes of shared memory", step->shared_bytes);
        text_char(out, '\n');
    }
}

wb_status report_occupancy_text(const wb_occupancy *occupancy, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    put_heading(&out, occupancy);
    text_string(&out, "resource");
    report_put_right(&out, COLUMN_BLOCK, "a block takes");
    report_put_right(&out, COLUMN_SM, "an SM has");
    report_put_right(&out, COLUMN_BLOCKS, "blocks");
    text_char(&out, '\n');
    for (int r = 0; r < WB_OCCUPANCY_RESOURCES; r++)
        put_resource(&out, &occupancy->resources[r]);
    put_resident(&out, occupancy);
    put_steps(&out, occupancy);
    return report_take_text(&out, diagnostics, text);
}

/* A number, or null. */
static json_t *number_or_null(bool stated, uint64_t number) {
    return stated ? json_integer((json_int_t)number) : json_null();
}

static json_t *resource_json(const wb_occupancy_resource *resource) {
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "name", resource->name, "block_least",
                     (json_int_t)resource->block_least, "block_most",
                     number_or_null(resource->block_most < WB_UNLIMITED, resource->block_most), "block_limit",
                     number_or_null(resource->block_limit != 0, resource->block_limit), "sm",
                     number_or_null(resource->sm != 0, resource->sm), "blocks_least",
                     number_or_null(resource->blocks_least != WB_UNLIMITED, resource->blocks_least),
                     "blocks_most",
                     number_or_null(resource->blocks_most != WB_UNLIMITED, resource->blocks_most),
                     "binds_least", (int)resource->binds_least, "binds_most", (int)resource->binds_most);
}

static json_t *percent_json(const wb_occupancy *occupancy, uint32_t blocks) {
    return occupancy->warps_of_sm == 0 ? json_null() : json_real(percent_of(occupancy, blocks));
}

static json_t *resident_json(const wb_occupancy *occupancy) {
    const uint32_t least = occupancy->blocks_least, most = occupancy->blocks_most;
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "blocks_least", (json_int_t)least, "blocks_most",
                     (json_int_t)most, "warps_least", (json_int_t)warps_of(occupancy, least), "warps_most",
                     (json_int_t)warps_of(occupancy, most), "occupancy_percent_least",
                     percent_json(occupancy, least), "occupancy_percent_most", percent_json(occupancy, most));
}

static json_t *step_json(const wb_occupancy_step *step) {
    return json_pack("{s:I, s:o, s:o}", "blocks", (json_int_t)step->blocks, "registers",
                     number_or_null(step->fewer_registers, step->registers), "shared_bytes",
                     number_or_null(step->less_shared, step->shared_bytes));
}

wb_status report_occupancy_json(const wb_occupancy *occupancy, wb_diagnostics *diagnostics, char **text) {
    json_t *resources = json_array(), *steps = json_array();
    for (int r = 0; r < WB_OCCUPANCY_RESOURCES; r++)
        json_add(&resources, resource_json(&occupancy->resources[r]));
    for (size_t s = 0; s < occupancy->step_count; s++)
        json_add(&steps, step_json(&occupancy->steps[s]));
    const struct register_range registers = registers_of(occupancy);
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "warpbound", wb_version(),
                  "kernel", json_text(wb_kernel_name(occupancy->kernel)), "file",
                  json_text(occupancy->kernel->module->source.name), "machine",
                  json_machine(occupancy->machine), "block", json_three_numbers(occupancy->block), "threads",
                  (json_int_t)occupancy->threads, "warps", (json_int_t)occupancy->warps, "shared_bytes",
                  (json_int_t)occupancy->shared_bytes, "registers", report_registers_json(&registers),
                  "resources", resources, "resident", resident_json(occupancy), "steps", steps);
    return report_take_json(root, diagnostics, text);
}

wb_status wb_occupancy_report(const wb_occupancy *occupancy, wb_report_format format,
                              wb_diagnostics *diagnostics, char **text) {
    return format == WB_REPORT_JSON ? report_occupancy_json(occupancy, diagnostics, text)
                                    : report_occupancy_text(occupancy, diagnostics, text);
}
