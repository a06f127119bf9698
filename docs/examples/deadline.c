/* Whether a kernel meets a deadline: deadline KERNEL.ptx LAUNCH.yaml MACHINE DEADLINE, such as 100us */
#include <inttypes.h>
#include <stdio.h>
#include <warpbound.h>

int main(int argc, char **argv) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (argc != 5 || messages == NULL) return WB_ERR_INPUT;
    uint64_t deadline = 0;
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    wb_launch *launch = NULL;
    wb_machine *machine = NULL;
    wb_analysis *analysis = NULL;
    const wb_analyze_options options = {
        .size = sizeof options, .has_deadline = true, .accept = WB_ACCEPT_PTX_MODEL};

    int status = wb_module_read(argv[1], messages, &module);
    if (status == WB_OK) status = wb_launch_read(argv[2], WB_FILES_BELOW, messages, &launch);
    if (status == WB_OK) status = wb_module_find_kernel(module, wb_launch_kernel(launch), messages, &kernel);
    if (status == WB_OK) status = wb_machine_load(argv[3], messages, &machine);
    if (status == WB_OK) status = wb_deadline_cycles(machine, argv[4], messages, &deadline);
    if (status == WB_OK) status = wb_analyze(kernel, launch, machine, &options, messages, &analysis);
    if (status == WB_OK) {
        const wb_verdict verdict = wb_analysis_judge(analysis, WB_SCOPE_KERNEL, &deadline);
        if (verdict.is_bounded)
            printf("%s: at most %" PRIu64 " cycles (%s by %s), deadline %s\n", wb_kernel_name(kernel),
                   verdict.cycles, wb_kind_name(verdict.bound->kind), verdict.bound->method,
                   wb_state_name(verdict.state));
        else
            printf("%s: nothing is proven of the whole kernel\n", wb_kernel_name(kernel));
        status = verdict.state == WB_MET ? 0 : 1;
    }

    fputs(wb_diagnostics_text(messages), stderr);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(messages);
    return status;
}
