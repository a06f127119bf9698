/* Any bytes as a configuration file of ECRTS'12. */
#include <stdint.h>

#include "fuzz_spec.h"
#include "wings/makespan/strings/spec_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_spec(config_file_parse, data, size);
    return 0;
}
