#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define INDEX "kernels/index.txt"

static const struct sweep_machine machines[] = {
    {"ampere-sm80", "ampere-sm80", NULL},
    {"hopper-sm90", "hopper-sm90", NULL},
    {"ecrts2025-orin", "ecrts2025-orin", NULL},
    {"ecrts2025-orin/4", "ecrts2025-orin", "sub_cores=4"},
};

static const char *const sm_counts[] = {"1", "2", "8", "max"};

static const struct sweep_size sizes[] = {{"one-wave", 2}, {"waves", 7}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *machine_name(size_t index) {
    return index < COUNT(machines) ? machines[index].name : NULL;
}

static const char *sm_count_name(size_t index) {
    return index < COUNT(sm_counts) ? sm_counts[index] : NULL;
}

static const char *size_name(size_t index) {
    return index < COUNT(sizes) ? sizes[index].name : NULL;
}

/* Whether a list has the name. */
static bool chosen(const char *list, const char *name) {
    const size_t length = strlen(name);
    if (strcmp(list, "all") == 0) return true;
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length) {
        const bool begins = at == list || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return false;
}

/* The kernels of the index that are chosen; those with unknown data cannot be simulated. */
static wb_status read_index(const char *list, wb_diagnostics *diagnostics, struct sweep *sweep) {
    char line[512];
    FILE *index = fopen(INDEX, "r");
    if (index == NULL) {
        wb_diagnostics_error(diagnostics, INDEX, "cannot be read: the program runs from the top folder");
        return WB_ERR_INPUT;
    }
    while (fgets(line, sizeof line, index) != NULL) {
        struct sweep_kernel kernel;
        if (line[0] == '#' || sscanf(line, "%63s %95s %95s", kernel.name, kernel.ptx, kernel.launch) != 3)
            continue;
        if (strstr(kernel.launch, "unknown") != NULL || !chosen(list, kernel.name)) continue;
        if (vec_push(&sweep->kernels, kernel) != WB_OK) break;
    }
    const bool complete = feof(index) != 0;
    (void)fclose(index);
    if (!complete) return diagnose_out_of_memory(diagnostics, INDEX);
    if (sweep->kernels.count > 0) return WB_OK;
    wb_diagnostics_error(diagnostics, list, "no kernel of " INDEX " with known data has this name");
    return WB_ERR_INPUT;
}

wb_status sweep_make(const struct sweep_choice *choice, wb_diagnostics *diagnostics, struct sweep *sweep) {
    *sweep = (struct sweep){0};
    WB_TRY(wb_names_check(choice->machines, machine_name, diagnostics));
    WB_TRY(wb_names_check(choice->sms, sm_count_name, diagnostics));
    WB_TRY(wb_names_check(choice->sizes, size_name, diagnostics));
    WB_TRY(read_index(choice->kernels, diagnostics, sweep));
    for (size_t m = 0; m < COUNT(machines); m++)
        for (size_t s = 0; s < COUNT(sm_counts); s++)
            for (size_t z = 0; z < COUNT(sizes); z++)
                for (size_t k = 0; k < sweep->kernels.count; k++) {
                    const struct sweep_case one = {&machines[m], sm_counts[s], &sizes[z],
                                                   &sweep->kernels.items[k], !choice->no_search};
                    if (!chosen(choice->machines, machines[m].name) || !chosen(choice->sms, sm_counts[s]) ||
                        !chosen(choice->sizes, sizes[z].name))
                        continue;
                    if (vec_push(&sweep->cases, one) != WB_OK)
                        return diagnose_out_of_memory(diagnostics, INDEX);
                }
    return WB_OK;
}

void sweep_free(struct sweep *sweep) {
    vec_free(&sweep->kernels);
    vec_free(&sweep->cases);
}

bool sweep_same_table(const struct sweep_case *a, const struct sweep_case *b) {
    return a->machine == b->machine && a->sms == b->sms && a->size == b->size;
}
