/* Any 16 bytes as an instruction of any architecture: known, or refused with a reason; printable either way.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sass/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No instruction is written longer. */
#define TEXT_MAX 400u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90, 100, 120, 70};
    struct text text = {0};
    for (size_t at = 0; at + SASS_BYTES < size; at += SASS_BYTES + 1) {
        struct sass_inst inst;
        const char *reason = NULL;
        const uint32_t sm = architectures[data[at] % (sizeof architectures / sizeof *architectures)];
        const bool known = sass_decode(sm, data + at + 1, (uint32_t)(at * SASS_BYTES), &inst, &reason);
        if (known != (reason == NULL) || known != (inst.row != NULL)) abort();
        text.length = 0;
        sass_put(&inst, &text);
        sass_put_control(&inst.control, &text);
        if (text.failed || text.length == 0 || text.length > TEXT_MAX || strlen(text.data) != text.length)
            abort();
        for (int field = 0; field < SASS_FIELDS; field++)
            (void)sass_field(&inst, (enum sass_field)field);
    }
    text_free(&text);
    return 0;
}
