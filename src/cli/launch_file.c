/* The launch file of a command, and what it says in place of options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

/* Commands of the launch of a kernel. */
#define TAKES_LAUNCHES                                                                                       \
    (COMMAND_ANALYZE | COMMAND_SIMULATE | COMMAND_PATH | COMMAND_CFG | COMMAND_CACHE | COMMAND_FACTS |       \
     COMMAND_OCCUPANCY | WING_COMMANDS)

/* Those of them for which registers count. */
#define TIMES_REGISTERS (COMMAND_ANALYZE | COMMAND_SIMULATE | COMMAND_CACHE | COMMAND_OCCUPANCY)

bool is_yaml_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Takes an operand that is a launch file for -l. */
static wb_status take_operand(struct options *options, wb_diagnostics *diagnostics) {
    const char *operand = options->operands.count == 1 ? options->operands.items[0] : NULL;
    bool is_launch = false;
    if (operand == NULL || !is_yaml_name(operand)) return WB_OK;
    const wb_status status = wb_is_launch_file(operand, diagnostics, &is_launch);
    if (status != WB_OK || !is_launch) return status;
    if (options->launch != NULL) {
        wb_diagnostics_error(diagnostics, operand, "this is a second launch file besides that of -l");
        return WB_ERR_INPUT;
    }
    options->launch = operand;
    options->operands.count = 0;
    return WB_OK;
}

/* Says how a launch file is told which code it is of. */
static wb_status refuse_without_code(const char *launch, wb_diagnostics *diagnostics) {
    char note[600];
    wb_diagnostics_error(diagnostics, launch, "this launch file does not name its code");
    (void)snprintf(
        note, sizeof note,
        "add the line 'code: KERNEL.ptx' (or a cubin or program) to it, or name both files: KERNEL.ptx -l %s",
        launch);
    wb_diagnostics_note(diagnostics, launch, note);
    return WB_ERR_INPUT;
}

void note_setting(const struct options *options, wb_launch_setting setting, const char *used,
                  wb_diagnostics *diagnostics) {
    const char *said = options->of_launch[setting];
    if (used != NULL && said != NULL && strcmp(used, said) == 0)
        wb_launches_note(options->launch_file, setting, "it is named here", diagnostics);
}

/* Copies what the file says in place of options: these outlive its launches, for messages at the end. */
static wb_status keep_settings(struct options *options) {
    for (unsigned which = 0; which < sizeof options->of_launch / sizeof *options->of_launch; which++) {
        const char *setting = wb_launches_setting(options->launch_file, which);
        if (setting == NULL) continue;
        options->of_launch[which] = strdup(setting);
        if (options->of_launch[which] == NULL) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

/* The launch file says which code is launched, where no operand does. */
static wb_status fill_in_code(struct options *options, wb_diagnostics *diagnostics) {
    const char *code = wb_launches_code(options->launch_file);
    if (options->operands.count > 0) return WB_OK;
    if (code == NULL) return refuse_without_code(options->launch, diagnostics);
    options->code_of_launch = strdup(code);
    if (options->code_of_launch == NULL) return WB_ERR_LIMIT;
    if (options->operands.items == NULL) options->operands.items = calloc(1, sizeof(char *));
    if (options->operands.items == NULL) return WB_ERR_LIMIT;
    options->operands.items[options->operands.count++] = options->code_of_launch;
    return WB_OK;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* Flow facts and image of the launch file are of the code that it names, or that is given to it. */
static void fill_in_of_code(struct options *options) {
    const char *code = options->of_launch[WB_LAUNCH_CODE], *facts = options->of_launch[WB_LAUNCH_FACTS];
    if (code != NULL && !is_same_file(code, options->operands.items[0])) return;
    if (options->image == NULL) options->image = options->of_launch[WB_LAUNCH_IMAGE];
    if (facts == NULL || options->facts != NULL) return;
    options->facts = facts;
    options->facts_of_launch = true;
}

wb_status launch_file_load(struct options *options, wb_diagnostics *diagnostics) {
    if ((options->command & TAKES_LAUNCHES) == 0) return WB_OK;
    wb_status status = take_operand(options, diagnostics);
    if (status != WB_OK || options->launch == NULL) return status;
    const wb_launch_files files = options->allow_files ? WB_FILES_ANY : WB_FILES_BELOW;
    status = wb_launches_read(options->launch, files, diagnostics, &options->launch_file);
    if (status == WB_OK) status = keep_settings(options);
    if (status == WB_OK) status = fill_in_code(options, diagnostics);
    if (status != WB_OK) return status;
    fill_in_of_code(options);
    if ((options->command & TIMES_REGISTERS) != 0)
        options->ptxas_info_of_launch = options->of_launch[WB_LAUNCH_PTXAS_INFO];
    if (options->machine == NULL) options->machine = options->of_launch[WB_LAUNCH_MACHINE];
    if (options->deadline == NULL) options->deadline = options->of_launch[WB_LAUNCH_DEADLINE];
    options->compile_of_launch = options->of_launch[WB_LAUNCH_COMPILE] != NULL;
    if (options->accept == NULL) options->accept = options->of_launch[WB_LAUNCH_ACCEPT];
    return WB_OK;
}
