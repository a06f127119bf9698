/* The code of a program: its images and their kernels, as text and JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "lift/lift.h"
#include "report/parts/document.h"
#include "report/parts/parts.h"
#include "report/write/output.h"

/* An image and what is known of its kernels. */
struct shown_image {
    const wb_image *image;
    kernel_names kernels;
    const char *error; /* why they are not known, or NULL */
};

struct shown_program {
    const wb_program *program;
    struct arena arena;
    struct shown_image *images;
    size_t count;
};

static const char *const kinds[] = {
    [WB_IMAGE_PTX] = "ptx", [WB_IMAGE_CODE] = "machine-code", [WB_IMAGE_OTHER] = "other"};

/* The first error of an image that cannot be read. */
static const char *error_of(struct shown_program *shown, const wb_diagnostics *messages) {
    wb_message message;
    for (size_t i = 0; wb_diagnostics_message(messages, i, &message); i++)
        if (message.severity == WB_SEVERITY_ERROR)
            return arena_string(&shown->arena, message.text, strlen(message.text));
    return "";
}

static wb_status show_image(struct shown_program *shown, struct shown_image *image) {
    struct wb_diagnostics messages = {0};
    if (image->image->kind == WB_IMAGE_OTHER || image->image->relocatable) return WB_OK;
    const wb_status status =
        program_image_kernels(shown->program, image->image, &shown->arena, &messages, &image->kernels);
    if (status != WB_OK) image->error = error_of(shown, &messages);
    diagnostics_clear(&messages);
    return status == WB_ERR_LIMIT || (status != WB_OK && image->error == NULL) ? WB_ERR_LIMIT : WB_OK;
}

static wb_status show(struct shown_program *shown) {
    shown->count = program_image_count(shown->program);
    shown->images = arena_array(&shown->arena, shown->count, sizeof *shown->images);
    if (shown->images == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < shown->count; i++) {
        shown->images[i].image = wb_program_image(shown->program, i);
        WB_TRY(show_image(shown, &shown->images[i]));
    }
    return WB_OK;
}

static void put_image(struct text *out, const struct shown_image *shown) {
    const wb_image *image = shown->image;
    text_printf(out, "%s: %s%s%s, %" PRIu64 " bytes", image->name,
                image->kind == WB_IMAGE_CODE  ? "machine code"
                : image->kind == WB_IMAGE_PTX ? "PTX"
                                              : "neither PTX nor machine code",
                image->unit[0] != '\0' ? ", unit " : "", image->unit, image->bytes);
    if (image->relocatable) text_string(out, ", not linked");
    if (shown->error != NULL) text_printf(out, "; %s", shown->error);
    text_char(out, '\n');
    for (size_t k = 0; k < shown->kernels.count; k++) {
        char *readable = demangle(shown->kernels.items[k]);
        text_printf(out, "    %s%s%s\n", shown->kernels.items[k], readable != NULL ? "  " : "",
                    readable != NULL ? readable : "");
        free(readable);
    }
}

static void put_text(struct text *out, const struct shown_program *shown) {
    if (shown->count == 0) text_printf(out, "%s: no GPU code\n", program_name(shown->program));
    for (size_t i = 0; i < shown->count; i++)
        put_image(out, &shown->images[i]);
}

static void put_json(struct text *out, const struct shown_program *shown) {
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-program", 1);
    inputs_list_json(&json, program_input(shown->program), 1);
    json_open_array(&json, "images");
    for (size_t i = 0; i < shown->count; i++) {
        const struct shown_image *of = &shown->images[i];
        json_open_object(&json, NULL);
        json_put(&json, "name %s, unit %s, kind %s", of->image->name, of->image->unit,
                 kinds[of->image->kind]);
        json_put_bool(&json, "linked", !of->image->relocatable);
        json_put_count(&json, "bytes", of->image->bytes);
        json_put_texts(&json, "kernels", of->kernels.items, (uint32_t)of->kernels.count);
        json_put(&json, "error %s", of->error);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

wb_status wb_program_report(const wb_program *program, wb_report_format format, wb_diagnostics *diagnostics,
                            char **text) {
    struct shown_program shown = {.program = program};
    struct text out = {0};
    wb_status status = show(&shown);
    if (status != WB_OK) {
        status = diagnose_out_of_memory(diagnostics, program_name(program));
    } else if (format == WB_REPORT_JSON) {
        put_json(&out, &shown);
    } else {
        put_text(&out, &shown);
    }
    arena_free(&shown.arena);
    return report_take(status, &out, diagnostics, text);
}
