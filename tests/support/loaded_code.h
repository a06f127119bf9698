/* What tests of machine code analyse. */
#ifndef WB_TESTS_LOADED_CODE_H
#define WB_TESTS_LOADED_CODE_H

#include "kernel_suite.h"

/* Machine code with its launch, and of it block (0,0,0) on the preset of its architecture. */
struct loaded_code {
    struct loaded_kernel kernel;
    wb_machine *machine;
    wb_block *block; /* NULL: declined, as its data is not known */
    wb_analysis *analysis;
};

/* Loads all of it, or fails the running test. */
struct loaded_code code_load(const char *path, const char *launch);
void code_unload(struct loaded_code *code);

#endif
