/* The budget of neighbours that run another kernel: what it asks memory for at most, in each of its launches
 * (docs/machine-code-bounds.md, section 7). */
#include <inttypes.h>
#include <string.h>

#include "analyze/request.h"
#include "base/files.h"
#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "machine/machine.h"

/* A budget with the kernel that others run, in the words of its launch file. */
struct budget {
    uint64_t requests, bytes_per_us;
    const char *every;  /* "": one launch */
    const char *launch; /* the file of the kernel */
};

static wb_status refuse(const struct budget *budget, const char *why, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, budget->launch, "interference: %s", why);
    return WB_ERR_INPUT;
}

/* Takes "1000,200,TIME,LAUNCH.yaml" apart, which is written to. False: it is no such text. */
static bool read_budget(char *stated, struct budget *budget) {
    char *parts[4] = {stated};
    for (int p = 1; p < 4; p++) {
        parts[p] = strchr(parts[p - 1], ',');
        if (parts[p] == NULL) return false;
        *parts[p]++ = '\0';
    }
    budget->every = parts[2];
    budget->launch = parts[3];
    return number_u64(parts[0], strlen(parts[0]), &budget->requests) &&
           number_u64(parts[1], strlen(parts[1]), &budget->bytes_per_us);
}

/* Makes *part the part of the GPU that the kernel has: what its launch file says, or all that is left. */
static wb_status take_other_part(const struct budget *budget, const wb_launches *launches,
                                 const wb_machine *machine, wb_machine *part, wb_diagnostics *diagnostics) {
    const char *stated = wb_launches_setting(launches, WB_LAUNCH_PARTITION);
    const uint32_t left = machine->partition.of - machine->partition.sms;
    if (machine_isa(machine) != ISA_SASS)
        return refuse(budget, "what a kernel asks memory for is bounded of machine code only", diagnostics);
    if (machine->partition.sms == 0)
        return refuse(budget, "a kernel beside it needs other SMs: state a partition", diagnostics);
    *part = *machine;
    (void)machine_take_back(part);
    part->buffers = (struct promised_buffers){0};
    uint64_t sms = left;
    if (stated != NULL && !number_u64(stated, strspn(stated, "0123456789"), &sms)) sms = 0;
    part->memory.sms = part->partition.sms = sms <= left ? (uint32_t)sms : 0;
    if (part->memory.sms > 0 && part->memory.sms <= left) return WB_OK;
    return refuse(budget, "the two partitions have more SMs than the GPU", diagnostics);
}

wb_status launched_load(wb_launches *launches, const wb_machine *machine, wb_diagnostics *diagnostics,
                        struct launched *loaded) {
    const char *facts = wb_launches_setting(launches, WB_LAUNCH_FACTS);
    WB_TRY(wb_module_read_for(wb_launches_code(launches), machine,
                              wb_launches_setting(launches, WB_LAUNCH_IMAGE), diagnostics, &loaded->module));
    WB_TRY(wb_module_find_kernel(loaded->module, wb_launches_setting(launches, WB_LAUNCH_KERNEL), diagnostics,
                                 &loaded->kernel));
    if (facts != NULL) WB_TRY(wb_facts_read(facts, loaded->kernel, diagnostics, &loaded->facts));
    loaded->launch = wb_launches_take(launches, 0);
    return WB_OK;
}

void launched_free(struct launched *loaded) {
    wb_facts_free(loaded->facts);
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
}

/* The requests of all its blocks. */
static wb_status count_requests(const struct launched *loaded, const wb_machine *part,
                                wb_diagnostics *diagnostics, uint64_t *requests) {
    const wb_analyze_options options = {.size = sizeof options,
                                        .facts = loaded->facts,
                                        .inputs = loaded->facts != NULL ? WB_INPUTS_GIVEN : WB_INPUTS_USUAL};
    struct request request;
    wb_analysis *analysis = NULL;
    WB_TRY(request_make(loaded->kernel, loaded->launch, part, &options, diagnostics, &request));
    WB_TRY(request_kernel(&request, diagnostics, &analysis));
    const uint64_t sms = cycles_min(part->memory.sms, analysis->work.block_count); /* that have blocks */
    *requests = cycles_add(grid_work_requests(&analysis->work), requests_once(part, loaded->kernel, sms));
    wb_analysis_free(analysis);
    return WB_OK;
}

/* Adds those of one launch; or of all that run in any time, two more than begin in it at most, as one that
 * began before has ended before the next; lines of an earlier one may be written back then. */
static wb_status add_launches(struct budget *budget, uint64_t requests, const wb_machine *machine,
                              wb_diagnostics *diagnostics) {
    uint64_t every;
    if (budget->every[0] != '\0') {
        WB_TRY(wb_deadline_cycles(machine, budget->every, diagnostics, &every));
        const double bytes = (double)requests * MEMORY_SECTOR_BYTES * machine->clock_mhz / (double)every;
        budget->bytes_per_us =
            cycles_add(budget->bytes_per_us, bytes < UINT32_MAX ? (uint64_t)bytes + 1 : UINT32_MAX);
        requests = cycles_mul(requests, 3);
    }
    budget->requests = cycles_add(budget->requests, requests);
    if (budget->requests < UINT32_MAX && budget->bytes_per_us < UINT32_MAX) return WB_OK;
    return refuse(budget, "it asks memory for more than can be counted", diagnostics);
}

static wb_status keep_input(const wb_input *input, wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_input copy;
    if (input_copy(input, &machine->arena, &copy) == WB_OK && vec_push(&machine->inputs, copy) == WB_OK)
        return WB_OK;
    return diagnose_out_of_memory(diagnostics, machine->name);
}

/* What the figures were derived from. */
static wb_status keep_inputs(const struct launched *loaded, wb_machine *machine,
                             wb_diagnostics *diagnostics) {
    const wb_input *input = wb_module_input(loaded->module);
    for (size_t i = 0; input != NULL; input = wb_launch_input(loaded->launch, i++))
        WB_TRY(keep_input(input, machine, diagnostics));
    return loaded->facts != NULL ? keep_input(&loaded->facts->input, machine, diagnostics) : WB_OK;
}

/* Adds the requests of the kernel of a launch file. */
static wb_status add_kernel(struct budget *budget, wb_launch_files files, wb_machine *machine,
                            wb_diagnostics *diagnostics) {
    wb_launches *launches = NULL;
    struct launched loaded = {0};
    wb_machine part;
    uint64_t requests = 0;
    WB_TRY(wb_launches_read(budget->launch, files, diagnostics, &launches));
    wb_status status = wb_launches_is_list(launches) || wb_launches_code(launches) == NULL
                           ? refuse(budget, "expected one launch, which names its code", diagnostics)
                           : take_other_part(budget, launches, machine, &part, diagnostics);
    if (status == WB_OK) status = launched_load(launches, machine, diagnostics, &loaded);
    if (status == WB_OK && loaded.launch->trace.text != NULL)
        status = refuse(budget, "a trace is one execution: others may ask memory for more", diagnostics);
    if (status == WB_OK) status = count_requests(&loaded, &part, diagnostics, &requests);
    if (status == WB_OK) status = add_launches(budget, requests, machine, diagnostics);
    if (status == WB_OK) status = keep_inputs(&loaded, machine, diagnostics);
    launched_free(&loaded);
    wb_launches_free(launches);
    return status;
}

wb_status wb_machine_set_neighbours(wb_machine *machine, const char *stated, wb_launch_files files,
                                    wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct text text = {.arena = &arena}, setting = {.arena = &arena};
    struct budget budget = {0};
    text_string(&text, stated);
    wb_status status = text.failed ? diagnose_out_of_memory(diagnostics, stated) : WB_OK;
    if (status == WB_OK && read_budget(text.data, &budget)) {
        status = add_kernel(&budget, files, machine, diagnostics);
        text_printf(&setting, "interference=%" PRIu64 ",%" PRIu64 ",%s", budget.requests, budget.bytes_per_us,
                    budget.launch);
    } else {
        text_printf(&setting, "interference=%s", stated);
    }
    if (status == WB_OK && setting.failed) status = diagnose_out_of_memory(diagnostics, stated);
    if (status == WB_OK) status = wb_machine_set(machine, setting.data, diagnostics);
    arena_free(&arena);
    return status;
}
