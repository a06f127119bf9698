#include "report/gate/gate.h"

struct gate gate_of_failure(const wb_diagnostics *messages) {
    return (struct gate){.name = "run", .messages = messages};
}

const wb_input *gate_input(const struct gate *gate, size_t index) {
    return gate->input_at != NULL ? gate->input_at(gate->owner, index) : NULL;
}

void gate_put_line(struct text *out, const struct gate *gate) {
    if (gate->verdict != NULL) {
        verdict_put_line(out, gate->verdict, &gate->words);
        return;
    }
    size_t length;
    const char *error = diagnostics_first_error(gate->messages, &length);
    text_append(out, error, length);
}
