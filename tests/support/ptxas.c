#include "ptxas.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_ROOM 4096

static char found[PATH_ROOM];

static bool is_in(const char *folder, size_t length) {
    const int written = snprintf(found, sizeof found, "%.*s/ptxas", (int)length, folder);
    return written > 0 && (size_t)written < sizeof found && access(found, X_OK) == 0;
}

const char *ptxas_find(void) {
    const char *given = getenv("WB_PTXAS");
    if (given != NULL) return access(given, X_OK) == 0 ? given : NULL;
    const char *path = getenv("PATH");
    for (const char *at = path; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        if (is_in(at, length)) return found;
        at += length + (at[length] == ':');
    }
    static const char usual[] = "/usr/local/cuda/bin";
    return is_in(usual, strlen(usual)) ? found : NULL;
}

static bool run(const char *ptxas, uint32_t sm, uint32_t level, const char *from, const char *to) {
    char architecture[32], optimisation[32];
    snprintf(architecture, sizeof architecture, "-arch=sm_%u", sm);
    snprintf(optimisation, sizeof optimisation, "-O%u", level);
    char fmad[] = "--fmad=false", output[] = "-o", program[] = "ptxas", input_path[PATH_ROOM],
         output_path[PATH_ROOM];
    snprintf(input_path, sizeof input_path, "%s", from);
    snprintf(output_path, sizeof output_path, "%s", to);
    char *const arguments[] = {program,    architecture, optimisation, fmad,
                               input_path, output,       output_path,  NULL};
    extern char **environ;
    pid_t child;
    int status;
    if (posix_spawn(&child, ptxas, NULL, NULL, arguments, environ) != 0) return false;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    const bool written = fputs(text, file) >= 0;
    return fclose(file) == 0 && written;
}

static bool read_bytes(const char *path, uint8_t **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    bool read = fseek(file, 0, SEEK_END) == 0;
    const long length = read ? ftell(file) : -1;
    read = length > 0 && fseek(file, 0, SEEK_SET) == 0;
    *size = read ? (size_t)length : 0;
    *bytes = read ? malloc(*size) : NULL;
    read = *bytes != NULL && fread(*bytes, 1, *size, file) == *size;
    (void)fclose(file);
    if (!read) free(*bytes);
    return read;
}

bool ptxas_compile(const char *ptxas, const char *ptx, uint32_t sm, uint32_t level, uint8_t **cubin,
                   size_t *size) {
    /* Not called as those of the command, which removes what other processes have left of them. */
    char folder[] = "/tmp/test-ptxas-XXXXXX", from[64], to[64];
    if (mkdtemp(folder) == NULL) return false;
    snprintf(from, sizeof from, "%s/k.ptx", folder);
    snprintf(to, sizeof to, "%s/k.cubin", folder);
    const bool made = write_text(from, ptx) && run(ptxas, sm, level, from, to) && read_bytes(to, cubin, size);
    (void)unlink(from);
    (void)unlink(to);
    (void)rmdir(folder);
    return made;
}
