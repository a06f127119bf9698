/* The log of a recording: what the library in front of the driver (library/) writes, in the traced process,
 * and recording.h reads, when that has ended.
 *
 * The file begins with LOG_MAGIC. Records follow, each a struct log_head and as many bytes as that says: one
 * of the structs below, and what its comment names. Numbers are those of the machine. Each record is appended
 * by one call of the kernel, so that threads and processes do not mix, and a crash loses at most the last
 * one. */
#ifndef WB_WINGS_RECORD_LOG_H
#define WB_WINGS_RECORD_LOG_H

#include <stdint.h>

#define LOG_MAGIC "warpbound log 1\n"
#define LOG_MAGIC_BYTES (sizeof LOG_MAGIC - 1)

/* The environment variable that names the file to the traced process, which exists. */
#define LOG_VARIABLE "WARPBOUND_RECORD"

/* The name of the real driver to the library, beside which it lies. */
#define LOG_DRIVER "libwarpbound-driver.so.1"

/* Most bytes of the parameters of a kernel (CUDA's own limit). */
#define LOG_PARAMS_MAX 32764u

enum log_kind {
    LOG_MODULE = 1,  /* struct log_module: one was loaded */
    LOG_MODULE_OF,   /* struct log_pair: module `a` is of library `b` */
    LOG_FUNCTION,    /* struct log_pair: function `a` of module `b`; its name */
    LOG_FUNCTION_OF, /* struct log_pair: function `a` is kernel `b` */
    LOG_ALLOCATE,    /* struct log_pair: memory at address `a` of `b` bytes */
    LOG_FREE,        /* struct log_pair: memory at address `a` */
    LOG_LAUNCH,      /* struct log_launch */
    LOG_GRAPH,       /* struct log_pair: graph `b` was launched in stream `a` */
    LOG_EXEC,        /* struct log_pair: `b` is 0: graph `a` was made to be launched, and its kernels follow;
                        1: they did, and each is behind the one before */
    LOG_NODE,        /* struct log_launch: a kernel of a graph, which is its `stream` */
};

struct log_head {
    uint32_t kind, process;
    uint64_t bytes; /* behind this struct */
};

struct log_pair {
    uint64_t a, b;
};

/* The image follows: PTX without the zero byte at its end, a cubin, or a container. */
struct log_module {
    uint64_t handle;
    uint32_t architecture; /* of the GPU: 87; 0: not known */
    uint32_t reserved;
};

enum log_flags {
    LOG_NO_PARAMS = 1, /* the driver does not tell where they stand */
    LOG_CLUSTERS = 2,  /* blocks are launched in clusters */
};

/* The bytes of the parameters follow. */
struct log_launch {
    uint64_t function, stream;
    uint32_t grid[3], block[3];
    uint32_t shared; /* bytes, dynamic */
    uint32_t flags;
    uint32_t registers; /* of a thread; 0: not known */
    uint32_t reserved;
};

#endif
