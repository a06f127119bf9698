/* Another value for one argument of a launch, which is known by its name or its place. */
#include <string.h>

#include "launch/launch.h"

/* Longest part of a name or value in a message, and most names that it lists. */
#define SHOWN_MAX 60
#define LISTED_MAX 16

/* "NAME=VALUE", taken apart. */
struct assignment {
    const char *name, *value;
    size_t length; /* of the name */
};

bool wb_is_named_argument(const char *text) {
    const size_t length = strcspn(text, "=:[");
    return length > 0 && text[length] == '=';
}

static bool is_name(const char *name, const struct assignment *assignment) {
    return name != NULL && strlen(name) == assignment->length &&
           memcmp(name, assignment->name, assignment->length) == 0;
}

/* What the kernel calls its parameter; NULL: it has none there, or is not known. */
static const char *parameter_name(const struct wb_kernel *kernel, size_t index) {
    const struct ptx_function *function = kernel != NULL ? kernel_function(kernel) : NULL;
    if (function == NULL || index >= function->param_count) return NULL;
    return kernel->module->variables[function->params[index]].name;
}

/* The argument of that name or place; their count: there is none. */
static size_t find_argument(const struct wb_launch *launch, const struct wb_kernel *kernel,
                            const struct assignment *assignment) {
    const size_t count = launch->arguments.count;
    uint64_t place;
    if (number_u64(assignment->name, assignment->length, &place))
        return place >= 1 && place <= count ? (size_t)place - 1 : count;
    for (size_t i = 0; i < count; i++)
        if (is_name(launch->arguments.items[i].name, assignment)) return i;
    for (size_t i = 0; i < count; i++)
        if (is_name(parameter_name(kernel, i), assignment)) return i;
    return count;
}

/* The field "NAME.PATH" of an argument, and its index; NULL: there is none. */
static const struct launch_field *find_field(const struct wb_launch *launch, const struct wb_kernel *kernel,
                                             const struct assignment *assignment, size_t *index) {
    const char *dot = memchr(assignment->name, '.', assignment->length);
    if (dot == NULL) return NULL;
    const size_t length = (size_t)(dot - assignment->name), rest = assignment->length - length - 1;
    const struct assignment whole = {assignment->name, assignment->value, length};
    *index = find_argument(launch, kernel, &whole);
    if (*index == launch->arguments.count) return NULL;
    const struct launch_argument *argument = &launch->arguments.items[*index];
    for (size_t i = 0; i < argument->field_count; i++)
        if (strlen(argument->fields[i].path) == rest && memcmp(argument->fields[i].path, dot + 1, rest) == 0)
            return &argument->fields[i];
    return NULL;
}

const struct launch_argument *launch_part_named(const struct wb_launch *launch, const char *name,
                                                size_t length) {
    const struct assignment parts = {.name = name, .length = length};
    size_t index = find_argument(launch, NULL, &parts);
    if (index < launch->arguments.count) return &launch->arguments.items[index];
    const struct launch_field *field = find_field(launch, NULL, &parts, &index);
    return field != NULL ? &field->value : NULL;
}

const struct launch_argument *launch_buffer_named(const struct wb_launch *launch,
                                                  const struct wb_kernel *kernel, const char *same_as,
                                                  size_t *part) {
    const struct assignment named = {same_as, "", strlen(same_as)};
    size_t index = find_argument(launch, kernel, &named);
    const struct launch_argument *found = NULL;
    const struct launch_field *field = NULL;
    if (index < launch->arguments.count)
        found = &launch->arguments.items[index];
    else
        field = find_field(launch, kernel, &named, &index);
    if (field != NULL) found = &field->value;
    if (found == NULL || !found->is_buffer || found->same_as != NULL) return NULL;
    *part = launch_parts_before(launch, index);
    if (field != NULL) *part += (size_t)(field - launch->arguments.items[index].fields);
    return found;
}

static wb_status refuse(struct text *message, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, "argument", "%s",
             message->failed ? "out of memory" : message->data);
    text_free(message);
    return WB_ERR_INPUT;
}

/* Appends the fields of an argument, as they are called behind its name. */
static void put_fields(struct text *out, const struct launch_argument *argument) {
    for (size_t i = 0; i < argument->field_count && i < LISTED_MAX; i++)
        text_printf(out, "%s .%s", i == 0 ? " with" : ",", argument->fields[i].path);
    if (argument->field_count > LISTED_MAX) text_string(out, " ...");
}

/* Says which arguments there are. */
static wb_status refuse_name(const struct wb_launch *launch, const struct wb_kernel *kernel,
                             const struct assignment *assignment, wb_diagnostics *diagnostics) {
    const size_t count = launch->arguments.count;
    struct text message = {0};
    text_printf(&message, "there is no argument '%.*s'",
                (int)(assignment->length < SHOWN_MAX ? assignment->length : SHOWN_MAX), assignment->name);
    text_string(&message, count == 0 ? ": the launch gives none" : "; there are ");
    for (size_t i = 0; i < count && i < LISTED_MAX; i++) {
        const char *own = launch->arguments.items[i].name, *of_kernel = parameter_name(kernel, i);
        text_printf(&message, "%s%zu", i > 0 ? ", " : "", i + 1);
        if (own != NULL || of_kernel != NULL) text_printf(&message, " (%s)", own != NULL ? own : of_kernel);
        put_fields(&message, &launch->arguments.items[i]);
    }
    if (count > LISTED_MAX) text_printf(&message, ", ... %zu", count);
    return refuse(&message, diagnostics);
}

/* The value with the type in front that it leaves out: that of the scalar that it replaces. */
static wb_status complete_value(const struct launch_argument *old, const struct assignment *assignment,
                                wb_diagnostics *diagnostics, struct text *whole) {
    const char *colon = strchr(old->text, ':');
    const bool has_type = colon != NULL && old->type != PTX_TYPE_NONE;
    if (strpbrk(assignment->value, ":[") != NULL)
        text_string(whole, assignment->value);
    else if (has_type)
        text_printf(whole, "%.*s:%s", (int)(colon - old->text), old->text, assignment->value);
    else {
        struct text message = {0};
        text_printf(&message,
                    "argument '%.*s' is '%.*s', and '%.*s' has no type: expected one such as i32:1024 or "
                    "buf:f32[1024]=iota",
                    (int)(assignment->length < SHOWN_MAX ? assignment->length : SHOWN_MAX), assignment->name,
                    SHOWN_MAX, old->text, SHOWN_MAX, assignment->value);
        return refuse(&message, diagnostics);
    }
    return whole->failed ? diagnose_out_of_memory(diagnostics, "argument") : WB_OK;
}

/* The bytes that a field takes, 0 where that is to be filled in. */
static uint64_t field_bytes(const struct launch_argument *value) {
    if (value->is_buffer) return LAUNCH_POINTER_BYTES;
    return value->type != PTX_TYPE_NONE ? ptx_type_bytes(value->type)
                                        : launch_contents_size(&value->contents);
}

/* Whether one is a floating-point number and the other an integer. */
static bool is_other_kind(const struct launch_argument *old, const struct launch_argument *value) {
    const enum ptx_type_kind own = ptx_type_kind(old->type), given = ptx_type_kind(value->type);
    if (old->type == PTX_TYPE_NONE || value->type == PTX_TYPE_NONE) return false;
    return own != PTX_KIND_BITS && given != PTX_KIND_BITS &&
           (own == PTX_KIND_FLOAT) != (given == PTX_KIND_FLOAT);
}

/* The struct with another text for one field; the fields behind it move in the text. */
static wb_status replace_text(struct wb_launch *launch, const struct launch_field *old, const char *value,
                              struct launch_argument *argument, struct launch_field *fields) {
    const char *shown = old->bare ? strchr(value, ':') + 1 : value;
    struct text text = {0};
    text_printf(&text, "%.*s%s%s", (int)old->text_at, argument->text, shown,
                argument->text + old->text_at + old->text_length);
    argument->text = text.failed ? NULL : arena_string(&launch->arena, text.data, text.length);
    text_free(&text);
    const uint32_t moved = (uint32_t)strlen(shown) - old->text_length;
    fields[old - argument->fields].text_length += moved;
    for (size_t i = 0; i < argument->field_count; i++)
        if (fields[i].text_at > old->text_at) fields[i].text_at += moved;
    return argument->text == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* Another value for one field of argument `index`, of the same size. */
static wb_status set_field(struct wb_launch *launch, const struct launch_field *old,
                           const struct launch_site *site, const char *value,
                           struct launch_argument *argument) {
    struct launch_argument parsed;
    WB_TRY(launch_value_parse(site, value, &parsed));
    const uint64_t bytes = field_bytes(&old->value);
    const bool stands_alone = old->text_length > 0 && bytes > 0;
    if (!stands_alone || bytes != field_bytes(&parsed) || (old->bare && parsed.type == PTX_TYPE_NONE) ||
        is_other_kind(&old->value, &parsed)) {
        diagnose(site->diagnostics, SEVERITY_ERROR, "argument", "%s: %s", old->path,
                 old->text_length == 0 ? "this field is given together with others: give the whole struct"
                 : bytes == 0          ? "the size of this field is to be filled in: give the whole struct"
                                       : "a field keeps its size and kind");
        return WB_ERR_INPUT;
    }
    struct launch_field *fields = arena_array(&launch->arena, argument->field_count, sizeof *fields);
    if (fields == NULL) return diagnose_out_of_memory(site->diagnostics, "argument");
    memcpy(fields, argument->fields, argument->field_count * sizeof *fields);
    fields[old - argument->fields].value = parsed;
    if (replace_text(launch, old, value, argument, fields) != WB_OK)
        return diagnose_out_of_memory(site->diagnostics, "argument");
    argument->fields = fields;
    argument->blank = false;
    for (size_t i = 0; i < argument->field_count; i++)
        argument->blank |= fields[i].value.blank;
    return WB_OK;
}

wb_status launch_argument_named(struct wb_launch *launch, const struct wb_kernel *kernel,
                                const char *assignment, wb_diagnostics *diagnostics, size_t *index,
                                struct launch_argument *argument) {
    const size_t length = strcspn(assignment, "=");
    const struct assignment parts = {assignment, assignment + length + 1, length};
    const struct subject subject = {.where = "argument"};
    const struct launch_site site = {&launch->arena, &subject, NULL, diagnostics, NULL, &launch->types};
    struct text whole = {0};
    if (!wb_is_named_argument(assignment)) {
        diagnose(diagnostics, SEVERITY_ERROR, "argument", "'%.*s': expected NAME=VALUE such as n=1024",
                 SHOWN_MAX, assignment);
        return WB_ERR_INPUT;
    }
    *index = find_argument(launch, kernel, &parts);
    const bool is_whole = *index < launch->arguments.count;
    const struct launch_field *field = is_whole ? NULL : find_field(launch, kernel, &parts, index);
    if (!is_whole && field == NULL) return refuse_name(launch, kernel, &parts, diagnostics);
    const struct launch_argument *old = &launch->arguments.items[*index];
    wb_status status = complete_value(field != NULL ? &field->value : old, &parts, diagnostics, &whole);
    *argument = *old;
    if (status == WB_OK && field != NULL)
        status = set_field(launch, field, &site, whole.data, argument);
    else if (status == WB_OK)
        status = launch_argument_parse(&site, old->name, whole.data, argument);
    text_free(&whole);
    return status;
}

wb_status wb_launch_set_argument(wb_launch *launch, const wb_kernel *kernel, const char *assignment,
                                 wb_diagnostics *diagnostics) {
    struct launch_argument argument = {0};
    size_t index;
    WB_TRY(launch_argument_named(launch, kernel, assignment, diagnostics, &index, &argument));
    launch->arguments.items[index] = argument;
    launch->argument_replaced = true;
    return WB_OK;
}
