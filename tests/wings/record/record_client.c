/* A program that uses a GPU, for `warpbound record`: record_client WAY WHAT, from the root of the sources. It
 * comes to the driver's functions by dlsym ("named"), by cuGetProcAddress ("looked-up"), or, compiled with
 * LINKED, as a program that is linked with the driver does. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wstrict-prototypes"

typedef int (*driver_function)(); /* of any parameters */

/* With sanitizers: what ends with the program need not be freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}

static void *driver;
static int looked_up;

/* A function of the driver: by cuGetProcAddress the name has no version. */
static driver_function find(const char *name) {
    driver_function found, look_up;
    void *symbol = dlsym(driver, looked_up ? "cuGetProcAddress_v2" : name);
    int status;
    if (symbol == NULL) exit(9);
    memcpy(&found, &symbol, sizeof found);
    if (!looked_up) return found;
    char base[64];
    (void)snprintf(base, sizeof base, "%.*s", (int)(strstr(name, "_v2") ? strlen(name) - 3 : strlen(name)),
                   name);
    memcpy(&look_up, &symbol, sizeof look_up);
    if (look_up(base, &symbol, 12040, (uint64_t)0, &status) != 0) exit(9);
    memcpy(&found, &symbol, sizeof found);
    return found;
}

#define CALL(name, ...)                                                                                      \
    do {                                                                                                     \
        const int result = find(#name)(__VA_ARGS__);                                                         \
        if (result != 0) (void)fprintf(stderr, "%s: %d\n", #name, result);                                   \
        if (result != 0) exit(8);                                                                            \
    } while (0)

static char *read_whole(const char *path) {
    char *bytes = calloc(1, 1 << 20);
    FILE *file = fopen(path, "rb");
    if (file == NULL || bytes == NULL || fread(bytes, 1, (1 << 20) - 1, file) == 0) exit(7);
    (void)fclose(file);
    return bytes;
}

static void *load(const char *path) {
    void *module;
    CALL(cuModuleLoadData, &module, read_whole(path));
    return module;
}

static uint64_t allocate(size_t bytes) {
    uint64_t address;
    CALL(cuMemAlloc_v2, &address, bytes);
    return address;
}

static void *function_of(void *module, const char *name) {
    void *function;
    CALL(cuModuleGetFunction, &function, module, name);
    return function;
}

/* y += a x of n elements. */
static void saxpy(void *function, void *stream, uint32_t n, uint64_t x, uint64_t y) {
    float a = 2.5f;
    void *params[] = {&n, &a, &x, &y};
    CALL(cuLaunchKernel, function, 2, 1, 1, 256, 1, 1, 0, stream, params, NULL);
}

/* Two modules, two streams, a struct with a pointer, memory that is freed and comes again, work in place. */
static void work(const char *code) {
    void *first, *second, *buffer_size = (void *)2, *buffer_pointer = (void *)1;
    void *saxpy_function = function_of(load(code), "saxpy");
    void *parts_function = function_of(load("tests/wings/device/data/parts.ptx"), "parts");
    const uint64_t x = allocate(40000), y = allocate(40000), out = allocate(1024);
    CALL(cuStreamCreate, &first, 0);
    CALL(cuStreamCreate, &second, 0);
    saxpy(saxpy_function, first, 10000, x, y);
    saxpy(saxpy_function, first, 10000, x, y);
    saxpy(saxpy_function, first, 5000, x, x + 20000);
    CALL(cuMemFree_v2, y);
    saxpy(saxpy_function, first, 5000, x, allocate(20000));
    struct {
        uint64_t out;
        uint32_t n, unused;
    } parts = {out + 256, 7, 0};
    size_t bytes = sizeof parts;
    void *extra[] = {buffer_pointer, &parts, buffer_size, &bytes, NULL};
    for (int i = 0; i < 2; i++)
        CALL(cuLaunchKernel, parts_function, 1, 1, 1, 64, 1, 1, 256, second, NULL, extra);
}

/* As the runtime of CUDA 12 does it. */
static void work_by_library(void) {
    void *library, *kernel, *function;
    uint64_t x, y;
    uint32_t n = 10000;
    float a = 2.5f;
    CALL(cuLibraryLoadData, &library, read_whole("kernels/saxpy.ptx"), NULL, NULL, 0, NULL, NULL, 0);
    CALL(cuLibraryGetKernel, &kernel, library, "saxpy");
    CALL(cuKernelGetFunction, &function, kernel);
    CALL(cuMemAllocAsync, &x, (size_t)40000, NULL);
    CALL(cuMemAllocAsync, &y, (size_t)40000, NULL);
    struct attribute {
        int id, padding;
        unsigned value[16];
    } clusters = {4, 0, {2, 1, 1}};
    struct {
        unsigned shape[7];
        void *stream;
        struct attribute *attributes;
        unsigned count;
    } config = {{2, 1, 1, 256, 1, 1, 0}, NULL, &clusters, 0};
    void *params[] = {&n, &a, &x, &y};
    CALL(cuLaunchKernelEx, &config, kernel, params, NULL);
    config.count = 1;
    CALL(cuLaunchKernelEx, &config, function, params, NULL);
    CALL(cuMemFreeAsync, x, NULL);
}

/* A node that adds a x to y of n elements, behind `after`, if that is not NULL. */
static void *add_node(void *graph, void *after, void *kernel, unsigned threads, uint64_t x, uint64_t y) {
    void *node;
    uint32_t n = 1000;
    float a = 2.5f;
    void *params[] = {&n, &a, &x, &y};
    struct {
        void *function;
        unsigned shape[7];
        void **params, **extra;
        void *kernel, *context;
    } made = {NULL, {1, 1, 1, threads, 1, 1, 0}, params, NULL, kernel, NULL};
    CALL(cuGraphAddKernelNode_v2, &node, graph, &after, (size_t)(after != NULL), &made);
    return node;
}

/* A graph of two kernels, one behind the other, which a third one with one is launched in, in its own stream;
 * what a stream captures, launched in another one; and one of kernels side by side. */
static void work_by_graphs(void) {
    void *graph, *outer, *exec, *node, *streams[3];
    void *module = load("kernels/saxpy.ptx"), *kernel = function_of(module, "saxpy");
    const uint64_t x = allocate(40000), y = allocate(40000);
    for (int i = 0; i < 3; i++)
        CALL(cuStreamCreate, &streams[i], 0);
    CALL(cuGraphCreate, &graph, 0);
    node = add_node(graph, add_node(graph, NULL, kernel, 64, x, y), kernel, 128, x, y);
    CALL(cuGraphCreate, &outer, 0);
    CALL(cuGraphAddChildGraphNode, &node, outer, NULL, (size_t)0, graph);
    (void)add_node(outer, node, kernel, 32, x, y);
    CALL(cuGraphInstantiateWithFlags, &exec, outer, (uint64_t)0);
    CALL(cuGraphLaunch, exec, streams[0]);
    saxpy(kernel, streams[0], 1000, x, y);
    CALL(cuGraphLaunch, exec, streams[0]);
    CALL(cuStreamBeginCapture_v2, streams[1], 0);
    saxpy(kernel, streams[1], 500, x, y);
    saxpy(kernel, streams[1], 500, y, x);
    CALL(cuStreamEndCapture, streams[1], &graph);
    CALL(cuGraphInstantiateWithFlags, &exec, graph, (uint64_t)0);
    CALL(cuGraphLaunch, exec, streams[1]);
    CALL(cuGraphCreate, &graph, 0);
    (void)add_node(graph, NULL, kernel, 64, x, y);
    (void)add_node(graph, NULL, kernel, 64, x, x);
    CALL(cuGraphInstantiateWithFlags, &exec, graph, (uint64_t)0);
    CALL(cuGraphLaunch, exec, streams[2]);
}

/* A kernel that the driver itself was asked for. */
static void work_hidden(void) {
    void *module = load("kernels/saxpy.ptx"), *function;
    void *front = driver;
    driver = dlopen("libwarpbound-driver.so.1", RTLD_LAZY);
    if (driver == NULL) exit(6);
    CALL(cuModuleGetFunction, &function, module, "saxpy");
    driver = front;
    saxpy(function, NULL, 10, allocate(40), allocate(40));
}

int main(int argc, char **argv) {
    const char *what = argc > 2 ? argv[2] : "";
    if (strcmp(what, "nothing") == 0) return 0;
#ifdef LINKED
    driver = RTLD_DEFAULT;
#else
    driver = dlopen("libcuda.so.1", RTLD_LAZY);
#endif
    looked_up = strcmp(argv[1], "looked-up") == 0;
    CALL(cuInit, 0);
    if (strcmp(what, "cubin") == 0) work("kernels/cubin/saxpy.sm_87.cubin");
    if (strcmp(what, "work") == 0 || strcmp(what, "crash") == 0 || strcmp(what, "fail") == 0)
        work("kernels/saxpy.ptx");
    if (strcmp(what, "library") == 0) work_by_library();
    if (strcmp(what, "graphs") == 0) work_by_graphs();
    if (strcmp(what, "hidden") == 0) work_hidden();
    if (strcmp(what, "crash") == 0) abort();
    if (strcmp(what, "memory") == 0) (void)allocate(64);
    return strcmp(what, "fail") == 0 ? 5 : 0;
}
