/* How many blocks an SM holds at a time, and why no more, for people and as JSON (docs/occupancy.md). */
#include <assert.h>
#include <inttypes.h>

#include "report/parts/parts.h"

/* A range of numbers as text; one number where both ends are the same. */
struct range_text {
    char data[64];
};

static struct range_text range_text(uint64_t least, uint64_t most) {
    struct range_text range;
    assert(least <= most);
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
    const struct register_range registers = registers_of(occupancy);
    heading_put_kernel(out, "kernel     ", occupancy->kernel);
    text_printf(out, "block      %ux%ux%u threads: %u warp%s, %" PRIu64 " bytes of shared memory\n", block[0],
                block[1], block[2], occupancy->warps, plural(occupancy->warps), occupancy->shared_bytes);
    text_printf(out, "machine    %s\nregisters  ", wb_machine_name(occupancy->machine));
    heading_put_registers(out, &registers);
    text_char(out, '\n');
}

static void put_resources(struct text *out, const wb_occupancy *occupancy) {
    struct sheet table = {0};
    sheet_column(&table, SHEET_LEFT, 0, "resource");
    sheet_column(&table, SHEET_RIGHT, 36, "a block takes");
    sheet_column(&table, SHEET_RIGHT, 50, "an SM has");
    sheet_column(&table, SHEET_RIGHT, 62, "blocks");
    sheet_headings(&table);
    for (int r = 0; r < WB_OCCUPANCY_RESOURCES; r++) {
        const wb_occupancy_resource *resource = &occupancy->resources[r];
        sheet_text(&table, resource->name);
        sheet_text(&table, resource->block_most >= WB_UNLIMITED
                               ? "?"
                               : range_text(resource->block_least, resource->block_most).data);
        if (resource->sm != 0)
            sheet_count(&table, resource->sm);
        else
            sheet_text(&table, "-");
        sheet_text(&table, resource->blocks_most == WB_UNLIMITED
                               ? "any"
                               : range_text(resource->blocks_least, resource->blocks_most).data);
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
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
    text_printf(out, "\nresident   %s block%s, %s", range_text(least, most).data, plural(most),
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
        text_printf(out, "  %u block%s with at most ", step->blocks, plural(step->blocks));
        if (step->fewer_registers) text_printf(out, "%u registers a thread", step->registers);
        if (step->fewer_registers && step->less_shared) text_string(out, " and ");
        if (step->less_shared) text_printf(out, "%" PRIu64 " bytes of shared memory", step->shared_bytes);
        text_char(out, '\n');
    }
}

static void resource_json(struct json *json, const wb_occupancy_resource *resource) {
    json_put_object(json, NULL,
                    "name %s, block_least %" PRIu64 ", block_most %*" PRIu64 ", block_limit %*" PRIu64
                    ", sm %*" PRIu64 ", blocks_least %*u, blocks_most %*u, binds_least %d, binds_most %d",
                    resource->name, resource->block_least, resource->block_most < WB_UNLIMITED,
                    resource->block_most, resource->block_limit != 0, resource->block_limit,
                    resource->sm != 0, resource->sm, resource->blocks_least != WB_UNLIMITED,
                    resource->blocks_least, resource->blocks_most != WB_UNLIMITED, resource->blocks_most,
                    resource->binds_least, resource->binds_most);
}

static void resident_json(struct json *json, const wb_occupancy *occupancy) {
    const uint32_t least = occupancy->blocks_least, most = occupancy->blocks_most;
    const bool is_known = occupancy->warps_of_sm != 0;
    json_put_object(json, "resident",
                    "blocks_least %u, blocks_most %u, warps_least %" PRIu64 ", warps_most %" PRIu64
                    ", occupancy_percent_least %*g, occupancy_percent_most %*g",
                    least, most, warps_of(occupancy, least), warps_of(occupancy, most), is_known,
                    percent_of(occupancy, least), is_known, percent_of(occupancy, most));
}

void occupancy_members_json(struct json *json, const wb_occupancy *occupancy) {
    const struct register_range registers = registers_of(occupancy);
    json_put(json, "threads %u, warps %u, shared_bytes %" PRIu64, occupancy->threads, occupancy->warps,
             occupancy->shared_bytes);
    heading_registers_json(json, &registers);
    json_open_array(json, "resources");
    for (int r = 0; r < WB_OCCUPANCY_RESOURCES; r++)
        resource_json(json, &occupancy->resources[r]);
    json_close(json);
    resident_json(json, occupancy);
    json_open_array(json, "steps");
    for (size_t s = 0; s < occupancy->step_count; s++) {
        const wb_occupancy_step *step = &occupancy->steps[s];
        json_put_object(json, NULL, "blocks %u, registers %*u, shared_bytes %*" PRIu64, step->blocks,
                        step->fewer_registers, step->registers, step->less_shared, step->shared_bytes);
    }
    json_close(json);
}

static void put_json(struct text *out, const wb_occupancy *occupancy) {
    struct json json = json_begin(out, JSON_LINES);
    const struct sources sources = {
        .kernel = occupancy->kernel, .given = occupancy->launch, .machine = occupancy->machine};
    document_open(&json, "warpbound-occupancy", 1);
    heading_kernel_json(&json, occupancy->kernel);
    heading_machine_json(&json, occupancy->machine, false);
    inputs_json(&json, &sources);
    json_put_counts(&json, "block", occupancy->block, 3);
    occupancy_members_json(&json, occupancy);
    json_close(&json);
}

wb_status wb_occupancy_report(const wb_occupancy *occupancy, wb_report_format format,
                              wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    if (format == WB_REPORT_JSON) {
        put_json(&out, occupancy);
    } else {
        put_heading(&out, occupancy);
        put_resources(&out, occupancy);
        put_resident(&out, occupancy);
        put_steps(&out, occupancy);
    }
    return report_take(WB_OK, &out, diagnostics, text);
}
