#include "report/parts/inputs.h"

#include <inttypes.h>
#include <string.h>

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
    json_open_object(json, NULL);
    json_put_text(json, "role", wb_input_role_name(input->role));
    json_put_text(json, "path", input->path);
    json_put_text(json, "sha256", input->sha256);
    json_put_count(json, "bytes", input->bytes);
    json_close(json);
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
