/* Any bytes as a makespan problem in YAML. */
#include <stdint.h>

#include "fuzz_spec.h"
#include "wings/makespan/strings/spec_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_spec(problem_file_parse, data, size);
    return 0;
}
