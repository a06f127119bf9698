#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* All that comes out of a pipe, up to its end; NULL when memory is exhausted. */
static char *read_pipe(int pipe_end) {
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    if (all == NULL) return NULL;
    char piece[4096];
    for (;;) {
        const ssize_t got = read(pipe_end, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        (void)fwrite(piece, 1, (size_t)got, all);
    }
    if (fclose(all) == 0) return text;
    free(text);
    return NULL;
}

static int start(const char **arguments, int output, pid_t *process) {
    posix_spawn_file_actions_t files;
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) return error;
    error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (error == 0) /* which changes none of the arguments */
        error = posix_spawnp(process, arguments[0], &files, NULL, (char **)(void *)arguments, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

static int end_of(pid_t process) {
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_run(const char **arguments, char **printed) {
    int ends[2];
    pid_t process;
    *printed = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    const int error = start(arguments, ends[1], &process);
    (void)close(ends[1]);
    if (error == 0) *printed = read_pipe(ends[0]);
    (void)close(ends[0]);
    if (error != 0) {
        errno = error;
        return -1;
    }
    const int status = end_of(process);
    if (*printed != NULL) return status;
    errno = ENOMEM;
    return -1;
}
