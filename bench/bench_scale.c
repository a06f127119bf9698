/* What a default `warpbound analyze` of a tiled product of N x N matrices costs: processor time and memory
 * against N; the work grows with its cube (docs/block-classes.md). */
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_support.h"

#define TILE 16u
#define BAR_SECONDS 0.05 /* of a character */

static const struct scale_case {
    const char *code, *machine;
} cases[] = {
    {"kernels/sgemm_tiled.ptx", "ecrts2025-orin"},
    {"kernels/sgemm_tiled.ptx", "jcse2017"},
    {"kernels/cubin/sgemm_tiled.sm_86.cubin", "rtx-3070"},
};

/* Becomes the command. */
static void analyze(const struct scale_case *test, uint32_t n) {
    char grid[32], buffer[32], size[32];
    (void)snprintf(grid, sizeof grid, "%u,%u", n / TILE, n / TILE);
    (void)snprintf(buffer, sizeof buffer, "buf:f32[%u]", n * n);
    (void)snprintf(size, sizeof size, "i32:%u", n);
    if (freopen("/dev/null", "w", stdout) != NULL)
        (void)execl("build/warpbound", "warpbound", "analyze", test->code, "-m", test->machine, "-g", grid,
                    "-b", "16,16", "-a", buffer, "-a", buffer, "-a", buffer, "-a", size, "-a", size, "-a",
                    "f32:1", "-a", "f32:0", (char *)NULL);
    perror("build/warpbound");
    _exit(1);
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void bench_case(const struct scale_case *test, uint32_t n) {
    struct rusage usage;
    int ended = 0;
    (void)fflush(stdout); /* or the child prints it, too */
    const pid_t child = fork();
    if (child == 0) analyze(test, n);
    if (child < 0 || wait4(child, &ended, 0, &usage) != child || ended != 0) {
        (void)fputs("bench_scale: the analysis failed\n", stderr);
        exit(1);
    }
    const double spent = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    printf("scale %-5s %-14s N = %5u: %5.2f s, %4ld MB ", test->code[8] == 'c' ? "cubin" : "PTX",
           test->machine, n, spent, usage.ru_maxrss / 1024);
    for (double bar = BAR_SECONDS / 2; bar < spent; bar += BAR_SECONDS)
        putchar('#');
    putchar('\n');
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t n = 256; n <= 16384; n *= 2)
            bench_case(&cases[i], n);
    return EXIT_SUCCESS;
}
