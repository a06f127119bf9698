/* The library in front of the driver's: `warpbound record` puts it into a folder as libcuda.so.1, and that
 * folder in front of LD_LIBRARY_PATH. It needs the real driver under the name LOG_DRIVER: so whoever looks up
 * a function that is not here, by linking or by dlsym, finds the driver's own. The functions that are here
 * call the driver's, and append to the log what came of it (log.h). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "images.h"
#include "wings/record/log.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Driver entry points are exported, all else is not. */
#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_FOUND = 500 };
enum {
    ATTRIBUTE_CAPABILITY_MAJOR = 75,
    ATTRIBUTE_CAPABILITY_MINOR = 76,
    ATTRIBUTE_REGISTERS = 4
}; /* of devices; of functions */
enum { LAUNCH_ATTRIBUTE_CLUSTER = 4 };

/* ---- The real driver ----------------------------------------------------------------------------------- */

/* A function of the driver, NULL where it has none of that name. */
static void *driver_function(const char *name) {
    static void *driver; /* whoever comes first: all find the same */
    void *library = __atomic_load_n(&driver, __ATOMIC_RELAXED);
    if (library == NULL) library = dlopen(LOG_DRIVER, RTLD_LAZY | RTLD_NOLOAD);
    __atomic_store_n(&driver, library, __ATOMIC_RELAXED);
    return library != NULL ? dlsym(library, name) : NULL;
}

/* Looks up the driver's function and stores it in a pointer to functions. */
#define FIND(name, pointer)                                                                                  \
    do {                                                                                                     \
        void *of_driver = driver_function(name);                                                             \
        memcpy(&(pointer), &of_driver, sizeof of_driver);                                                    \
    } while (0)

/* ---- The log ------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is static below */

/* The log, or -1: there is none, or it cannot be written to. */
static int log_file(void) {
    static int file = -1;
    static bool tried;
    const char *path = tried ? NULL : getenv(LOG_VARIABLE);
    tried = true;
    if (path != NULL) file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return file;
}

/* Appends a record of two parts. What is not written as a whole is the last of the process. */
static void append(enum log_kind kind, const void *fixed, size_t fixed_bytes, const void *rest,
                   size_t rest_bytes) {
    static bool failed;
    const struct log_head head = {kind, (uint32_t)getpid(), fixed_bytes + rest_bytes};
    const void *const bytes[] = {&head, fixed, rest};
    struct iovec parts[] = {{NULL, sizeof head}, {NULL, fixed_bytes}, {NULL, rest_bytes}};
    for (size_t i = 0; i < 3; i++)
        memcpy(&parts[i].iov_base, &bytes[i], sizeof bytes[i]); /* which are only read */
    const int error = errno;
    ssize_t written = 0;
    (void)pthread_mutex_lock(&lock);
    const int file = log_file();
    if (file >= 0 && !failed) {
        do
            written = writev(file, parts, 3);
        while (written < 0 && errno == EINTR);
        failed = written != (ssize_t)(sizeof head + fixed_bytes + rest_bytes);
    }
    (void)pthread_mutex_unlock(&lock);
    errno = error;
}

static void append_pair(enum log_kind kind, uint64_t a, uint64_t b, const char *name) {
    const struct log_pair pair = {a, b};
    append(kind, &pair, sizeof pair, name, name != NULL ? strlen(name) : 0);
}

static uint64_t number(const void *handle) {
    return (uint64_t)(uintptr_t)handle;
}

/* ---- Modules ------------------------------------------------------------------------------------------- */

/* That of the context, or the first. */
static int current_device(void) {
    int (*get)(int *), device;
    FIND("cuCtxGetDevice", get);
    return get != NULL && get(&device) == SUCCESS ? device : 0;
}

static uint32_t architecture(void) {
    int (*get_attribute)(int *, int, int), major = 0, minor = 0;
    const int device = current_device();
    FIND("cuDeviceGetAttribute", get_attribute);
    if (get_attribute == NULL || get_attribute(&major, ATTRIBUTE_CAPABILITY_MAJOR, device) != SUCCESS ||
        get_attribute(&minor, ATTRIBUTE_CAPABILITY_MINOR, device) != SUCCESS)
        return 0;
    return (uint32_t)(major * 10 + minor);
}

static void note_module(const void *handle, const void *image) {
    const struct log_module module = {.handle = number(handle), .architecture = architecture()};
    const size_t size = image_find(&image);
    append(LOG_MODULE, &module, sizeof module, image, size);
}

/* The same of a module that the driver read from a file. */
static void note_module_file(const void *handle, const char *path) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char *image = fstat(file, &status) == 0 ? calloc(1, (size_t)status.st_size + 1) : NULL;
    if (image != NULL && read(file, image, (size_t)status.st_size) == status.st_size)
        note_module(handle, image);
    free(image);
    (void)close(file);
}

/* ---- Functions, and where their parameters stand ------------------------------------------------------- */

enum { PARAMS_MOST = LOG_PARAMS_MAX, BUCKETS = 4096 };

struct function {
    struct function *next; /* of the same bucket */
    const void *handle;
    bool is_kernel; /* a CUkernel, else a CUfunction */
    bool is_known;  /* where its parameters stand: */
    uint32_t registers;
    size_t count, bytes;
    struct {
        size_t at, size;
    } * params;
};

static struct function *functions[BUCKETS];

static struct function **bucket_of(const void *handle) {
    return &functions[(number(handle) >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

/* With the lock held; NULL: there is none. */
static struct function *function_of(const void *handle) {
    struct function *at = *bucket_of(handle);
    while (at != NULL && at->handle != handle)
        at = at->next;
    return at;
}

/* A handle is of a new function when it comes again. */
static void keep_function(const void *handle, bool is_kernel) {
    (void)pthread_mutex_lock(&lock);
    struct function *kept = function_of(handle);
    if (kept == NULL && (kept = calloc(1, sizeof *kept)) != NULL) {
        kept->handle = handle;
        kept->next = *bucket_of(handle);
        *bucket_of(handle) = kept;
    }
    if (kept != NULL) {
        kept->is_kernel = is_kernel;
        kept->is_known = false;
    }
    (void)pthread_mutex_unlock(&lock);
}

static void note_function(const void *handle, const void *module, const char *name, bool is_kernel) {
    keep_function(handle, is_kernel);
    append_pair(LOG_FUNCTION, number(handle), number(module), name);
}

/* Asks the driver how many registers a thread has. */
static void learn_registers(struct function *function) {
    int (*of_function)(int *, int, const void *), (*of_kernel)(int *, int, const void *, int), count = 0;
    FIND("cuFuncGetAttribute", of_function);
    FIND("cuKernelGetAttribute", of_kernel);
    if (function->is_kernel && of_kernel != NULL)
        (void)of_kernel(&count, ATTRIBUTE_REGISTERS, function->handle, current_device());
    if (!function->is_kernel && of_function != NULL)
        (void)of_function(&count, ATTRIBUTE_REGISTERS, function->handle);
    function->registers = (uint32_t)count;
}

/* Asks the driver (12.4 or newer) where the parameters stand. */
static void learn_params(struct function *function) {
    int (*ask)(const void *, size_t, size_t *, size_t *);
    size_t at, size;
    FIND(function->is_kernel ? "cuKernelGetParamInfo" : "cuFuncGetParamInfo", ask);
    learn_registers(function);
    if (ask == NULL) return;
    function->count = function->bytes = 0;
    int result = NOT_FOUND;
    while (function->count < PARAMS_MOST &&
           (result = ask(function->handle, function->count, &at, &size)) == SUCCESS) {
        void *more = realloc(function->params, (function->count + 1) * sizeof *function->params);
        if (more == NULL) return;
        function->params = more;
        if (at > PARAMS_MOST || size > PARAMS_MOST - at) return;
        function->params[function->count].at = at;
        function->params[function->count++].size = size;
        if (at + size > function->bytes) function->bytes = at + size;
    }
    function->is_known = result == INVALID_VALUE; /* there is none behind the last */
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* The parameters of a launch, which `params` lists, as one buffer that the caller frees; NULL: it is not
 * known where they stand. */
static uint8_t *gather(const void *handle, void **params, size_t *bytes, uint32_t *registers) {
    (void)pthread_mutex_lock(&lock);
    struct function *function = function_of(handle);
    if (function != NULL && !function->is_known) learn_params(function);
    *registers = function != NULL ? function->registers : 0;
    const bool known = function != NULL && function->is_known && (params != NULL || function->count == 0);
    uint8_t *gathered = known ? calloc(function->bytes + 1, 1) : NULL;
    for (size_t i = 0; gathered != NULL && i < function->count; i++)
        memcpy(gathered + function->params[i].at, params[i], function->params[i].size);
    *bytes = gathered != NULL ? function->bytes : 0;
    (void)pthread_mutex_unlock(&lock);
    return gathered;
}

/* `shape`: grid, block, and bytes of shared memory. */
static void note_launch(enum log_kind kind, const void *handle, const unsigned shape[7], uint64_t stream,
                        uint32_t flags, void **params, void **extra) {
    struct log_launch launch = {.function = number(handle), .stream = stream, .shared = shape[6]};
    size_t listed, bytes = 0;
    uint8_t *gathered = gather(handle, params, &listed, &launch.registers);
    const void *buffer = NULL;
    memcpy(launch.grid, shape, sizeof launch.grid);
    memcpy(launch.block, shape + 3, sizeof launch.block);
    for (void **at = extra; at != NULL && at[0] != NULL; at += 2) { /* CU_LAUNCH_PARAM_END is 0 */
        if (number(at[0]) == 1) buffer = at[1];
        if (number(at[0]) == 2) memcpy(&bytes, at[1], sizeof bytes);
    }
    if (buffer == NULL) bytes = listed;
    if (buffer == NULL) buffer = gathered;
    const bool known = buffer != NULL && bytes <= PARAMS_MOST;
    launch.flags = flags | (known ? 0 : LOG_NO_PARAMS);
    append(kind, &launch, sizeof launch, buffer, known ? bytes : 0);
    free(gathered);
}

/* A stream's number: the default one of a thread, which has a handle for all threads, is that thread's. */
static uint64_t stream_number(const void *stream, bool per_thread) {
    const uintptr_t default_of_thread = 2;
    const bool own = (uintptr_t)stream == default_of_thread || (stream == NULL && per_thread);
    if (own) return UINT64_C(1) << 63 | (uint64_t)syscall(SYS_gettid);
    return (uintptr_t)stream == 1 ? 0 : number(stream); /* 1: the default of all threads, by its other name */
}

/* What a stream captures is not launched: it becomes nodes of a graph. */
static bool captures(const void *stream) {
    int (*ask)(const void *, int *), status = 0;
    FIND("cuStreamIsCapturing", ask);
    return ask != NULL && ask(stream, &status) == SUCCESS && status != 0;
}

static void note_plain(const void *function, const unsigned shape[7], const void *stream, bool per_thread,
                       void **params, void **extra) {
    if (captures(stream)) return;
    note_launch(LOG_LAUNCH, function, shape, stream_number(stream, per_thread), 0, params, extra);
}

/* CUlaunchConfig and CUlaunchAttribute. */
struct config {
    unsigned shape[7];
    void *stream;
    const struct attribute {
        int id, padding;
        unsigned value[16];
    } * attributes;
    unsigned attribute_count;
};

static void note_config(const struct config *config, const void *function, bool per_thread, void **params,
                        void **extra) {
    uint32_t flags = 0;
    if (captures(config->stream)) return;
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const unsigned *value = config->attributes[i].value;
        if (config->attributes[i].id == LAUNCH_ATTRIBUTE_CLUSTER &&
            (value[0] > 1 || value[1] > 1 || value[2] > 1))
            flags |= LOG_CLUSTERS;
    }
    note_launch(LOG_LAUNCH, function, config->shape, stream_number(config->stream, per_thread), flags, params,
                extra);
}

/* ---- Graphs -------------------------------------------------------------------------------------------- */

enum { NODE_KERNEL = 0, NODE_GRAPH = 4, NODE_CONDITIONAL = 13 }; /* CUgraphNodeType */

/* CUDA_KERNEL_NODE_PARAMS; only its second version has what is behind `extra`. */
struct node {
    void *function;
    unsigned shape[7];
    void **params, **extra;
    void *kernel, *context;
};

/* Notes a kernel by the handle that the program has. */
static void note_node(void *of, const void *graph) {
    struct node node = {0};
    int (*get)(void *, struct node *);
    FIND("cuGraphKernelNodeGetParams_v2", get);
    if (get == NULL) FIND("cuGraphKernelNodeGetParams", get);
    if (get == NULL || get(of, &node) != SUCCESS) return;
    (void)pthread_mutex_lock(&lock);
    const bool is_kernel = node.kernel != NULL && function_of(node.function) == NULL;
    (void)pthread_mutex_unlock(&lock);
    note_launch(LOG_NODE, is_kernel ? node.kernel : node.function, node.shape, number(graph), 0, node.params,
                node.extra);
}

/* Puts nodes in their order where each is behind the one before; false: some may run side by side, or that is
 * not known. There are no circles, so that as many edges as that leave no other ways. */
static bool put_in_order(void *graph, void **nodes, size_t count) {
    int (*get)(void *, void **, void **, size_t *);
    size_t edges = 0, done = 1, e;
    FIND("cuGraphGetEdges", get);
    if (count < 2) return true;
    if (get == NULL || get(graph, NULL, NULL, &edges) != SUCCESS || edges != count - 1) return false;
    void **from = calloc(3 * count, sizeof *from);
    if (from == NULL) return false;
    void **to = from + count, **order = to + count;
    bool follows = get(graph, from, to, &edges) == SUCCESS && edges == count - 1;
    for (size_t i = 0; follows && order[0] == NULL && i < count; i++) {
        for (e = 0; e < edges && to[e] != nodes[i]; e++)
            ;
        if (e == edges) order[0] = nodes[i];
    }
    for (; follows && done < count; done++) {
        for (e = 0; e < edges && from[e] != order[done - 1]; e++)
            ;
        follows = e < edges;
        if (follows) order[done] = to[e];
    }
    if (follows) memcpy(nodes, order, count * sizeof *nodes);
    free(from);
    return follows;
}

/* Notes all kernels of a graph, and of graphs in it, for `exec`, which was made of it; whether each is behind
 * the one before. */
static bool note_nodes(const void *exec, void *graph) {
    int (*get)(void *, void **, size_t *), (*type_of)(void *, int *), (*inside)(void *, void **), type = 0;
    size_t count = 0;
    void *child = NULL;
    FIND("cuGraphGetNodes", get);
    FIND("cuGraphNodeGetType", type_of);
    FIND("cuGraphChildGraphNodeGetGraph", inside);
    if (get == NULL || type_of == NULL || inside == NULL || get(graph, NULL, &count) != SUCCESS) return false;
    void **nodes = calloc(count + 1, sizeof *nodes);
    bool in_order = nodes != NULL && get(graph, nodes, &count) == SUCCESS;
    if (!in_order) count = 0;
    in_order = in_order && put_in_order(graph, nodes, count);
    for (size_t i = 0; i < count; i++) {
        if (type_of(nodes[i], &type) != SUCCESS) type = NODE_CONDITIONAL;
        if (type == NODE_CONDITIONAL) in_order = false; /* its kernels are not seen */
        if (type == NODE_KERNEL) note_node(nodes[i], exec);
        if (type == NODE_GRAPH)
            in_order = inside(nodes[i], &child) == SUCCESS && note_nodes(exec, child) && in_order;
    }
    free(nodes);
    return in_order;
}

static void note_exec(const void *exec, void *graph) {
    append_pair(LOG_EXEC, number(exec), 0, NULL);
    if (note_nodes(exec, graph)) append_pair(LOG_EXEC, number(exec), 1, NULL);
}

/* ---- The driver's functions ---------------------------------------------------------------------------- */

/* A function that notes something when the driver's has succeeded. */
#define PASS(name, parameters, arguments, note)                                                              \
    EXPORT int name parameters {                                                                             \
        int(*call) parameters;                                                                               \
        FIND(#name, call);                                                                                   \
        const int result = call != NULL ? call arguments : NOT_FOUND;                                        \
        if (result == SUCCESS) note;                                                                         \
        return result;                                                                                       \
    }

/* Memory is gone before the driver has it: another thread may be given the same. */
#define RELEASE(name, parameters, arguments, address)                                                        \
    EXPORT int name parameters {                                                                             \
        int(*call) parameters;                                                                               \
        FIND(#name, call);                                                                                   \
        append_pair(LOG_FREE, address, 0, NULL);                                                             \
        return call != NULL ? call arguments : NOT_FOUND;                                                    \
    }

#define ALLOCATED(address, bytes) append_pair(LOG_ALLOCATE, address, bytes, NULL)

PASS(cuModuleLoad, (void **module, const char *path), (module, path), note_module_file(*module, path))
PASS(cuModuleLoadData, (void **module, const void *image), (module, image), note_module(*module, image))
PASS(cuModuleLoadDataEx, (void **module, const void *image, unsigned count, void *names, void **values),
     (module, image, count, names, values), note_module(*module, image))
PASS(cuModuleLoadFatBinary, (void **module, const void *image), (module, image), note_module(*module, image))
PASS(cuLibraryLoadData,
     (void **library, const void *image, void *names, void **values, unsigned count, void *own_names,
      void **own_values, unsigned own_count),
     (library, image, names, values, count, own_names, own_values, own_count), note_module(*library, image))
PASS(cuLibraryLoadFromFile,
     (void **library, const char *path, void *names, void **values, unsigned count, void *own_names,
      void **own_values, unsigned own_count),
     (library, path, names, values, count, own_names, own_values, own_count),
     note_module_file(*library, path))
PASS(cuLibraryGetModule, (void **module, void *library), (module, library),
     append_pair(LOG_MODULE_OF, number(*module), number(library), NULL))
PASS(cuModuleGetFunction, (void **function, void *module, const char *name), (function, module, name),
     note_function(*function, module, name, false))
PASS(cuLibraryGetKernel, (void **kernel, void *library, const char *name), (kernel, library, name),
     note_function(*kernel, library, name, true))

EXPORT int cuKernelGetFunction(void **function, void *kernel) {
    int (*call)(void **, void *);
    FIND("cuKernelGetFunction", call);
    const int result = call != NULL ? call(function, kernel) : NOT_FOUND;
    if (result != SUCCESS || *function == kernel) return result;
    keep_function(*function, false);
    append_pair(LOG_FUNCTION_OF, number(*function), number(kernel), NULL);
    return result;
}

PASS(cuMemAlloc_v2, (uint64_t * address, size_t bytes), (address, bytes), ALLOCATED(*address, bytes))
PASS(cuMemAllocManaged, (uint64_t * address, size_t bytes, unsigned flags), (address, bytes, flags),
     ALLOCATED(*address, bytes))
PASS(cuMemAllocPitch_v2, (uint64_t * address, size_t *pitch, size_t width, size_t rows, unsigned element),
     (address, pitch, width, rows, element), ALLOCATED(*address, *pitch *rows))
PASS(cuMemAllocAsync, (uint64_t * address, size_t bytes, void *stream), (address, bytes, stream),
     ALLOCATED(*address, bytes))
PASS(cuMemAllocAsync_ptsz, (uint64_t * address, size_t bytes, void *stream), (address, bytes, stream),
     ALLOCATED(*address, bytes))
PASS(cuMemAllocFromPoolAsync, (uint64_t * address, size_t bytes, void *pool, void *stream),
     (address, bytes, pool, stream), ALLOCATED(*address, bytes))
PASS(cuMemAllocFromPoolAsync_ptsz, (uint64_t * address, size_t bytes, void *pool, void *stream),
     (address, bytes, pool, stream), ALLOCATED(*address, bytes))
PASS(cuMemAllocHost_v2, (void **address, size_t bytes), (address, bytes), ALLOCATED(number(*address), bytes))
PASS(cuMemHostAlloc, (void **address, size_t bytes, unsigned flags), (address, bytes, flags),
     ALLOCATED(number(*address), bytes))
PASS(cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags), (address, bytes, flags),
     ALLOCATED(number(address), bytes))
PASS(cuMemMap, (uint64_t address, size_t bytes, size_t at, uint64_t handle, uint64_t flags),
     (address, bytes, at, handle, flags), ALLOCATED(address, bytes))

RELEASE(cuMemFree_v2, (uint64_t address), (address), address)
RELEASE(cuMemFreeAsync, (uint64_t address, void *stream), (address, stream), address)
RELEASE(cuMemFreeAsync_ptsz, (uint64_t address, void *stream), (address, stream), address)
RELEASE(cuMemFreeHost, (void *address), (address), number(address))
RELEASE(cuMemHostUnregister, (void *address), (address), number(address))
RELEASE(cuMemUnmap, (uint64_t address, size_t bytes), (address, bytes), address)

#define SHAPE unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared
#define SHAPE_OF gx, gy, gz, bx, by, bz, shared
#define LAUNCH(name, per_thread)                                                                             \
    PASS(name, (void *function, SHAPE, void *stream, void **params, void **extra),                           \
         (function, SHAPE_OF, stream, params, extra),                                                        \
         note_plain(function, (const unsigned[]){SHAPE_OF}, stream, per_thread, params, extra))
#define LAUNCH_COOPERATIVE(name, per_thread)                                                                 \
    PASS(name, (void *function, SHAPE, void *stream, void **params), (function, SHAPE_OF, stream, params),   \
         note_plain(function, (const unsigned[]){SHAPE_OF}, stream, per_thread, params, NULL))
#define LAUNCH_EX(name, per_thread)                                                                          \
    PASS(name, (const struct config *config, void *function, void **params, void **extra),                   \
         (config, function, params, extra), note_config(config, function, per_thread, params, extra))
#define INSTANTIATE(name)                                                                                    \
    PASS(name, (void **exec, void *graph, void **node, char *text, size_t size),                             \
         (exec, graph, node, text, size), note_exec(*exec, graph))
#define INSTANTIATE_WITH(name, of)                                                                           \
    PASS(name, (void **exec, void *graph, of with), (exec, graph, with), note_exec(*exec, graph))

LAUNCH(cuLaunchKernel, false)
LAUNCH(cuLaunchKernel_ptsz, true)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, false)
LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, true)
LAUNCH_EX(cuLaunchKernelEx, false)
LAUNCH_EX(cuLaunchKernelEx_ptsz, true)
INSTANTIATE(cuGraphInstantiate)
INSTANTIATE(cuGraphInstantiate_v2)
INSTANTIATE_WITH(cuGraphInstantiateWithFlags, uint64_t)
INSTANTIATE_WITH(cuGraphInstantiateWithParams, void *)
INSTANTIATE_WITH(cuGraphInstantiateWithParams_ptsz, void *)
PASS(cuGraphLaunch, (void *graph, void *stream), (graph, stream),
     append_pair(LOG_GRAPH, stream_number(stream, false), number(graph), NULL))
PASS(cuGraphLaunch_ptsz, (void *graph, void *stream), (graph, stream),
     append_pair(LOG_GRAPH, stream_number(stream, true), number(graph), NULL))

/* ---- Looking up functions by name ---------------------------------------------------------------------- */

#define PER_THREAD_DEFAULT_STREAM 2u /* a flag of cuGetProcAddress */

/* A function of that name of this library, not of the driver behind it; or NULL. */
static void *own_function(const char *name) {
    Dl_info here, there;
    if (dladdr(&lock, &here) == 0) return NULL;
    void *library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library != NULL ? dlsym(library, name) : NULL;
    return found != NULL && dladdr(found, &there) != 0 && there.dli_fbase == here.dli_fbase ? found : NULL;
}

/* Puts the function of this library in the place of the driver's that was found, if it has one: of a name
 * without its version the newest, as all since CUDA 6.5 mean, but for two that CUDA 12 changed. */
static void replace(const char *name, void **found, int version, uint64_t flags) {
    static const char *const endings[] = {"_ptsz", "_v2", ""};
    const bool changed = strcmp(name, "cuGetProcAddress") == 0;
    if (version >= 12000 && strcmp(name, "cuGraphInstantiate") == 0) name = "cuGraphInstantiateWithFlags";
    for (size_t i = (flags & PER_THREAD_DEFAULT_STREAM) != 0 ? 0 : 1; *found != NULL && i < 3; i++) {
        char symbol[100];
        if (i == 1 && changed && version < 12000) continue;
        (void)snprintf(symbol, sizeof symbol, "%s%s", name, endings[i]);
        void *own = own_function(symbol);
        if (own == NULL) continue;
        *found = own;
        return;
    }
}

PASS(cuGetProcAddress, (const char *name, void **found, int version, uint64_t flags),
     (name, found, version, flags), replace(name, found, version, flags))
PASS(cuGetProcAddress_v2, (const char *name, void **found, int version, uint64_t flags, int *status),
     (name, found, version, flags, status), replace(name, found, version, flags))
