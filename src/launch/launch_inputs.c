#include "launch/launch_inputs.h"

#include <string.h>

static const char *copy(const char *text, struct arena *arena) {
    return arena_string(arena, text, strlen(text));
}

wb_status launch_inputs_of(const struct wb_launch *launch, bool any_contents, struct arena *arena,
                           struct launch_inputs *inputs) {
    const size_t arguments = launch->arguments.count, variables = launch->variables.count;
    *inputs = (struct launch_inputs){.any_contents = any_contents,
                                     .arguments = arena_array(arena, arguments + 1, sizeof(char *)),
                                     .variables = arena_array(arena, variables + 1, sizeof(char *))};
    if (inputs->arguments == NULL || inputs->variables == NULL) return WB_ERR_LIMIT;
    if (launch->arguments_from_file && launch->file != NULL) {
        inputs->file = copy(launch->file, arena);
        if (inputs->file == NULL) return WB_ERR_LIMIT;
    }
    for (; inputs->argument_count < arguments; inputs->argument_count++) {
        const char **argument = &inputs->arguments[inputs->argument_count];
        *argument = copy(launch->arguments.items[inputs->argument_count].text, arena);
        if (*argument == NULL) return WB_ERR_LIMIT;
    }
    for (; inputs->variable_count < variables; inputs->variable_count++) {
        const char **variable = &inputs->variables[inputs->variable_count];
        *variable = copy(launch->variables.items[inputs->variable_count].name, arena);
        if (*variable == NULL) return WB_ERR_LIMIT;
    }
    return WB_OK;
}
