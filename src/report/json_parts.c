#include "report/json_parts.h"

json_t *json_three_numbers(const uint32_t numbers[3]) {
    return json_pack("[I, I, I]", (json_int_t)numbers[0], (json_int_t)numbers[1], (json_int_t)numbers[2]);
}

json_t *json_machine(const struct wb_machine *machine) {
    json_t *depth = machine->dispatch_depth == DEPTH_UNLIMITED ? json_string("unlimited")
                                                               : json_integer(machine->dispatch_depth);
    return json_pack(
        "{s:s, s:f, s:I, s:I, s:o, s:I, s:I, s:s}", "name", machine->name, "clock_mhz", machine->clock_mhz,
        "sub_cores", (json_int_t)machine->sub_cores, "issue_width", (json_int_t)machine->issue_width,
        "dispatch_depth", depth, "mem_latency", (json_int_t)machine->mem_latency, "launch_overhead",
        (json_int_t)machine->launch_overhead, "requests", memory_requests_name(&machine->memory));
}
