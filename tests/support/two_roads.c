#include "two_roads.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grid_execute.h"

/* A module that was read, with its kernel. */
struct walked {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
};

static wb_status read_module(const struct road *road, const char *kernel, struct walked *walked) {
    const wb_status status =
        wb_module_parse(road->name, road->bytes, road->size, walked->diagnostics, &walked->module);
    return status != WB_OK
               ? status
               : wb_module_find_kernel(walked->module, kernel, walked->diagnostics, &walked->kernel);
}

/* A buffer after the execution. */
struct contents {
    uint8_t *bytes, *known;
    size_t size;
};

static wb_status execute(const struct walked *walked, const wb_launch *launch, size_t argument,
                         struct contents *contents) {
    return grid_execute(walked->kernel, launch, argument, walked->diagnostics, &contents->bytes,
                        &contents->known, &contents->size);
}

static bool is_known(const struct contents *contents, size_t i) {
    return (contents->known[i / 8] >> i % 8 & 1) != 0;
}

static double f32_at(const struct contents *contents, size_t i) {
    float value;
    memcpy(&value, contents->bytes + i / sizeof value * sizeof value, sizeof value);
    return (double)value;
}

/* Byte i of the two. */
static bool is_equal(const struct contents *ptx, const struct contents *machine_code, size_t i,
                     double error) {
    if (!is_known(ptx, i)) return true;
    if (!is_known(machine_code, i)) return false;
    if (ptx->bytes[i] == machine_code->bytes[i]) return true;
    const double expected = f32_at(ptx, i);
    return error > 0 && fabs(f32_at(machine_code, i) - expected) <= error * fmax(1, fabs(expected));
}

static enum two_roads compare(const struct road_buffer *buffer, const struct contents *ptx,
                              const struct contents *machine_code, struct text *violation) {
    size_t differing = 0, first = 0, vague = 0;
    for (size_t i = 0; i < ptx->size && i < machine_code->size; i++) {
        if (is_equal(ptx, machine_code, i, buffer->error)) continue;
        vague += !is_known(machine_code, i);
        if (differing++ == 0) first = i;
    }
    if (differing == 0 && ptx->size == machine_code->size) return ROADS_AGREE;
    text_printf(violation,
                "argument %zu: %zu of %zu bytes differ, the first is byte %zu (0x%zx): ", buffer->argument,
                differing, ptx->size, first, first);
    if (is_known(machine_code, first))
        text_printf(violation, "0x%02x, by PTX 0x%02x\n", machine_code->bytes[first], ptx->bytes[first]);
    else
        text_printf(violation, "not known, by PTX 0x%02x\n", ptx->bytes[first]);
    return vague == differing && ptx->size == machine_code->size ? ROADS_VAGUE : ROADS_DIFFER;
}

static enum two_roads refused(const struct walked *walked, struct text *violation) {
    text_string(violation, wb_diagnostics_text(walked->diagnostics));
    return ROADS_REFUSED;
}

static enum two_roads compare_buffer(const struct walked walked[2], const wb_launch *launch,
                                     const struct road_buffer *buffer, struct text *violation) {
    struct contents contents[2] = {0};
    enum two_roads found = ROADS_AGREE;
    const wb_status status = execute(&walked[0], launch, buffer->argument, &contents[0]);
    if (status == WB_OK) {
        const wb_status other = execute(&walked[1], launch, buffer->argument, &contents[1]);
        if (other != WB_OK) {
            (void)refused(&walked[1], violation);
            found = other == WB_ERR_DECLINED ? ROADS_VAGUE : ROADS_DIFFER;
        } else {
            found = compare(buffer, &contents[0], &contents[1], violation);
        }
    } else if (status != WB_ERR_DECLINED) {
        text_printf(violation, "the PTX is not executed: %s", wb_diagnostics_text(walked[0].diagnostics));
        found = ROADS_DIFFER;
    }
    for (int i = 0; i < 2; i++) {
        free(contents[i].bytes);
        free(contents[i].known);
    }
    return found;
}

enum two_roads two_roads_compare(const struct road *ptx, const struct road *machine_code, const char *kernel,
                                 wb_launch *launch, unsigned take, const struct road_buffer *buffers,
                                 size_t buffer_count, struct text *violation) {
    struct walked walked[2] = {{.diagnostics = wb_diagnostics_new()}, {.diagnostics = wb_diagnostics_new()}};
    enum two_roads found = ROADS_AGREE;
    if ((take != 0 && wb_launch_assume(launch, take, walked[0].diagnostics) != WB_OK) ||
        read_module(ptx, kernel, &walked[0]) != WB_OK) {
        text_printf(violation, "the PTX is not read: %s", wb_diagnostics_text(walked[0].diagnostics));
        found = ROADS_DIFFER;
    } else if (read_module(machine_code, kernel, &walked[1]) != WB_OK) {
        found = refused(&walked[1], violation);
    }
    for (size_t i = 0; found == ROADS_AGREE && i < buffer_count; i++)
        found = compare_buffer(walked, launch, &buffers[i], violation);
    for (int i = 0; i < 2; i++) {
        wb_module_free(walked[i].module);
        wb_diagnostics_free(walked[i].diagnostics);
    }
    return found;
}
