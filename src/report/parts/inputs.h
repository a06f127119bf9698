/* The inputs of a result, for tracing: files and presets with checksums, and the options that overrode keys
 * of the machine. */
#ifndef WB_REPORT_PARTS_INPUTS_H
#define WB_REPORT_PARTS_INPUTS_H

#include "launch/launch.h"
#include "report/write/json.h"

/* Two lines for each, the second with its checksum; then what overrode keys of the machine. */
void inputs_put(struct text *out, const struct sources *sources);

/* "inputs" of the innermost object: */
void inputs_json(struct json *json, const struct sources *sources);

/* the same of a list of them; */
void inputs_list_json(struct json *json, const wb_input *inputs, size_t count);

/* and what overrode keys of the machine: "settings". */
void inputs_settings_json(struct json *json, const struct wb_machine *machine);

#endif
