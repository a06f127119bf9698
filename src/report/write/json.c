#include "report/write/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/utf8.h"

/* Gives up a container of which something is missing. */
static void give_up(json_t **container) {
    json_decref(*container);
    *container = NULL;
}

void json_put(json_t **object, const char *key, json_t *value) {
    if (json_object_set_new(*object, key, value) != 0) give_up(object);
}

void json_add(json_t **array, json_t *value) {
    if (json_array_append_new(*array, value) != 0) give_up(array);
}

void json_put_all(json_t **object, json_t *keys) {
    if (json_object_update_new(*object, keys) != 0) give_up(object);
}

void json_put_source(json_t **object, const char *file, uint32_t line) {
    if (file == NULL) return;
    json_put(object, "source_file", json_text(file));
    json_put(object, "source_line", json_integer((json_int_t)line));
}

/* The text with U+FFFD in place of each byte that is not UTF-8. */
static json_t *mended_text(const char *text) {
    struct text mended = {0};
    for (size_t left = strlen(text); left > 0;) {
        uint32_t point;
        const size_t size = utf8_decode(text, left, &point), taken = size == 0 ? 1 : size;
        text_append(&mended, size == 0 ? "\xef\xbf\xbd" : text, size == 0 ? 3 : size);
        text += taken;
        left -= taken;
    }
    char *made = text_take(&mended);
    json_t *string = made != NULL ? json_string(made) : NULL;
    free(made);
    return string;
}

json_t *json_text(const char *text) {
    if (text == NULL) return json_null();
    return utf8_valid(text, strlen(text)) ? json_string(text) : mended_text(text);
}

/* Passes a piece on: always 0, as jansson does not heed every failure of a piece; the text does. */
static int write_piece(const char *bytes, size_t length, void *out) {
    text_append(out, bytes, length);
    return 0;
}

void json_write(json_t *value, size_t flags, struct text *out) {
    locale_t before = c_locale_enter();
    if (value == NULL || json_dump_callback(value, write_piece, out, flags) != 0) out->failed = true;
    c_locale_leave(before);
    json_decref(value);
}

void json_write_member(struct text *out, const char *name, json_t *value) {
    text_printf(out, "  \"%s\": ", name);
    json_write(value, JSON_COMPACT | JSON_ENCODE_ANY, out);
    text_string(out, ",\n");
}

json_t *json_three_numbers(const uint32_t numbers[3]) {
    return json_pack("[I, I, I]", (json_int_t)numbers[0], (json_int_t)numbers[1], (json_int_t)numbers[2]);
}

/* Instruction fetch of a machine where it can stall. */
static json_t *fetch_json(const struct machine_fetch *fetch) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "size", (json_int_t)fetch->size, "ways",
                     (json_int_t)fetch->ways, "line", (json_int_t)fetch->line, "instruction_bytes",
                     (json_int_t)fetch->instruction_bytes, "buffer", (json_int_t)fetch->buffer, "per_cycle",
                     (json_int_t)fetch->per_cycle, "latency", (json_int_t)fetch->latency, "miss_latency",
                     (json_int_t)fetch->miss_latency, "misses", (json_int_t)fetch->misses);
}

json_t *json_machine(const struct wb_machine *machine) {
    json_t *depth = machine->dispatch_depth == DEPTH_UNLIMITED ? json_string("unlimited")
                                                               : json_integer(machine->dispatch_depth);
    json_t *object =
        json_pack("{s:o, s:f, s:I, s:I, s:I, s:o, s:I, s:I, s:s}", "name", json_text(machine->name),
                  "clock_mhz", machine->clock_mhz, "sub_cores", (json_int_t)machine->sub_cores, "issue_width",
                  (json_int_t)machine->issue_width, "issue_per_warp", (json_int_t)machine->issue_per_warp,
                  "dispatch_depth", depth, "mem_latency", (json_int_t)machine->mem_latency, "launch_overhead",
                  (json_int_t)machine->launch_overhead, "requests", memory_requests_name(&machine->memory));
    if (fetch_can_stall(&machine->fetch)) json_put(&object, "fetch", fetch_json(&machine->fetch));
    return object;
}

void json_put_fetches(json_t **object, const struct wb_machine *machine, uint64_t fetches, uint64_t misses) {
    if (!fetch_can_stall(&machine->fetch)) return;
    json_put(object, "fetches", json_integer((json_int_t)fetches));
    json_put(object, "fetch_misses", json_integer((json_int_t)misses));
}
