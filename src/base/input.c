#include "base/files.h"

#include <nettle/sha2.h>
#include <string.h>

static const char *const role_names[] = {
    [WB_INPUT_PTX] = "ptx",         [WB_INPUT_LAUNCH] = "launch",   [WB_INPUT_DATA] = "data",
    [WB_INPUT_FACTS] = "facts",     [WB_INPUT_PRESET] = "preset",   [WB_INPUT_MACHINE] = "machine",
    [WB_INPUT_BY_HAND] = "by-hand", [WB_INPUT_PROBLEM] = "problem", [WB_INPUT_PTXAS] = "ptxas-info",
    [WB_INPUT_CUBIN] = "cubin",
};

const char *wb_input_role_name(wb_input_role role) {
    return role_names[role];
}

static void sha256(const void *bytes, size_t size, char hex[WB_SHA256_DIGITS + 1]) {
    static const char digits[] = "0123456789abcdef";
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, size, bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[WB_SHA256_DIGITS] = '\0';
}

wb_input input_of(wb_input_role role, const char *path, const void *bytes, size_t size) {
    _Static_assert(2 * SHA256_DIGEST_SIZE == WB_SHA256_DIGITS, "two digits a byte");
    wb_input input = {.role = role, .path = path, .bytes = size};
    sha256(bytes, size, input.sha256);
    return input;
}

wb_status input_copy(const wb_input *input, struct arena *arena, wb_input *copy) {
    const char *path = arena_string(arena, input->path, strlen(input->path));
    if (path == NULL) return WB_ERR_LIMIT;
    *copy = *input;
    copy->path = path;
    return WB_OK;
}

bool input_equal(const wb_input *a, const wb_input *b) {
    return a->role == b->role && a->bytes == b->bytes && strcmp(a->sha256, b->sha256) == 0 &&
           strcmp(a->path, b->path) == 0;
}
