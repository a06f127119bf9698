/* Any bytes as a launch file, as a list of launches and, up to the first NUL, as an argument: an error with a
 * message, or contents that can be written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger buffers are not filled, to keep the runs fast. */
#define FILL_MAX 65536u

static void fill(const struct launch_contents *contents) {
    uint64_t size = launch_contents_size(contents);
    if (size == 0 || size > FILL_MAX) return;
    uint8_t *bytes = calloc(1, (size_t)size);
    launch_contents_fill(contents, bytes);
    free(bytes);
}

/* Fields lie in their struct, one behind the other. */
static void check_fields(const struct launch_argument *argument) {
    uint64_t end = 0;
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct launch_argument *value = &argument->fields[i].value;
        fill(&value->contents);
        if (argument->blank) continue;
        const uint64_t size = value->is_buffer               ? LAUNCH_POINTER_BYTES
                              : value->type != PTX_TYPE_NONE ? ptx_type_bytes(value->type)
                                                             : launch_contents_size(&value->contents);
        if (argument->fields[i].offset < end || size == 0) abort();
        end = argument->fields[i].offset + size;
    }
    if (!argument->blank && end > launch_contents_size(&argument->contents)) abort();
}

/* Members of declared types lie in them, one behind the other. */
static void check_types(const launch_types *types) {
    for (size_t i = 0; i < types->count; i++) {
        const struct host_type *type = types->items[i].type;
        uint64_t end = 0;
        for (uint32_t m = 0; m < type->member_count; m++) {
            if (type->members[m].offset < end) abort();
            end = type->members[m].offset + type->members[m].type->size;
        }
        if (end > type->size || type->size > LAUNCH_STRUCT_MAX) abort();
    }
}

/* A buffer that another argument names has contents of its own; open ones can be zeros. */
static void check_buffers(const wb_launch *launch) {
    struct arena arena = {0};
    struct wb_launch zeros;
    uint64_t offset;
    size_t owner;
    (void)launch_with_zeros(launch, &arena, &zeros);
    for (size_t i = 0; i < launch->arguments.count; i++) {
        const struct launch_argument *argument = &zeros.arguments.items[i];
        for (size_t p = 0; p < launch_part_count(argument); p++) {
            const struct launch_argument *part = launch_part(argument, p, &offset), *buffer;
            if (part->same_as == NULL) continue;
            buffer = launch_buffer_named(&zeros, NULL, part->same_as, &owner);
            if (buffer != NULL && (!buffer->is_buffer || buffer->same_as != NULL)) abort();
        }
    }
    arena_free(&arena);
}

static void fill_all(const wb_launch *launch) {
    check_buffers(launch);
    check_types(&launch->types);
    for (size_t i = 0; i < launch->arguments.count; i++) {
        fill(&launch->arguments.items[i].contents);
        if (launch->arguments.items[i].fields != NULL) check_fields(&launch->arguments.items[i]);
    }
    for (size_t i = 0; i < launch->variables.count; i++)
        fill(&launch->variables.items[i].contents);
}

/* The same bytes as a file that may be a list: what is one launch is the same one. */
static void read_list(const uint8_t *data, size_t size, bool is_launch) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launches *launches = NULL;
    wb_status status = launches_parse("fuzz.yaml", (const char *)data, size, NULL, diagnostics, &launches);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (is_launch != (status == WB_OK && !wb_launches_is_list(launches))) abort();
    for (size_t i = 0; status == WB_OK && i < wb_launches_count(launches); i++)
        fill_all(wb_launches_at(launches, i));
    wb_launches_free(launches);
    wb_diagnostics_free(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (memchr(data, '@', size) != NULL) return 0; /* would read files, and wait for devices */
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    wb_status status = launch_parse("fuzz.yaml", (const char *)data, size, NULL, diagnostics, &launch);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) fill_all(launch);
    wb_launch_free(launch);
    read_list(data, size, status == WB_OK);

    char *text = strndup((const char *)data, size);
    launch = wb_launch_new();
    if (wb_launch_add_argument(launch, text, diagnostics) == WB_OK) fill_all(launch);
    if (launch->arguments.count > 0 && launch->arguments.items[0].field_count > 0) {
        struct text named = {0};
        text_printf(&named, "1.%s=i32:7", launch->arguments.items[0].fields[0].path);
        (void)wb_launch_set_argument(launch, NULL, named.data, diagnostics);
        check_fields(&launch->arguments.items[0]);
        text_free(&named);
    }
    uint32_t numbers[3] = {0};
    memcpy(numbers, data, size < sizeof numbers ? size : sizeof numbers);
    (void)wb_launch_set_grid(launch, numbers, diagnostics);
    (void)wb_launch_set_block(launch, numbers, diagnostics);
    (void)wb_launch_set_shared(launch, numbers[0], diagnostics);
    (void)wb_launch_assume(launch, numbers[1], diagnostics);
    wb_launch_free(launch);
    free(text);
    wb_diagnostics_free(diagnostics);
    return 0;
}
