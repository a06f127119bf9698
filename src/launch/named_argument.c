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

static wb_status refuse(struct text *message, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, "argument", "%s",
             message->failed ? "out of memory" : message->data);
    text_free(message);
    return WB_ERR_INPUT;
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
    }
    if (count > LISTED_MAX) text_printf(&message, ", ... %zu", count);
    return refuse(&message, diagnostics);
}

/* The value with the type in front that it leaves out: that of the scalar that it replaces. */
static wb_status complete_value(const struct launch_argument *old, const struct assignment *assignment,
                                wb_diagnostics *diagnostics, struct text *whole) {
    const char *colon = strchr(old->text, ':');
    const bool has_type = colon != NULL && !old->is_buffer && strncmp(old->text, "buf:", 4) != 0 &&
                          strncmp(old->text, "bytes", 5) != 0;
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

wb_status launch_argument_named(struct wb_launch *launch, const struct wb_kernel *kernel,
                                const char *assignment, wb_diagnostics *diagnostics, size_t *index,
                                struct launch_argument *argument) {
    const size_t length = strcspn(assignment, "=");
    const struct assignment parts = {assignment, assignment + length + 1, length};
    const struct subject subject = {.where = "argument"};
    struct text whole = {0};
    if (!wb_is_named_argument(assignment)) {
        diagnose(diagnostics, SEVERITY_ERROR, "argument", "'%.*s': expected NAME=VALUE such as n=1024",
                 SHOWN_MAX, assignment);
        return WB_ERR_INPUT;
    }
    *index = find_argument(launch, kernel, &parts);
    if (*index == launch->arguments.count) return refuse_name(launch, kernel, &parts, diagnostics);
    const struct launch_argument *old = &launch->arguments.items[*index];
    wb_status status = complete_value(old, &parts, diagnostics, &whole);
    if (status == WB_OK)
        status = launch_argument_parse(&launch->arena, whole.data, &subject, NULL, diagnostics, argument);
    argument->name = old->name;
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
