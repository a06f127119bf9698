/* Instructions that are known by name, and not supported: tests/cli/test_cli_cubin.c. For sm_90a. */
#define KERNEL extern "C" __global__ void

KERNEL gradient(unsigned long long texture, float *out) {
    float value;
    asm volatile("tex.grad.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %2}], {%2, %2}, {%2, %2};"
                 : "=f"(value)
                 : "l"(texture), "f"(out[1]));
    out[threadIdx.x] = value;
}

KERNEL surface_atomic(unsigned long long surface, int *out) {
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(surface), "r"(out[0]), "r"(out[1]));
}

KERNEL mbarrier(unsigned long long unused, unsigned *out) {
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    out[threadIdx.x] = 1;
}

KERNEL bulk(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned copy[128];
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 512;" ::"l"(in));
    out[threadIdx.x] = copy[threadIdx.x];
}

KERNEL __cluster_dims__(2) cluster(const unsigned *in, unsigned *out) {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
    out[threadIdx.x] = in[threadIdx.x];
}

/* A block of it alone is bounded. */
KERNEL __cluster_dims__(2) in_clusters(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x];
}

KERNEL dependent(const unsigned *in, unsigned *out) {
    asm volatile("griddepcontrol.wait;");
    out[threadIdx.x] = in[threadIdx.x];
}

KERNEL warpgroup(const unsigned *in, unsigned *out) {
    asm volatile("wgmma.fence.sync.aligned;");
    out[threadIdx.x] = in[threadIdx.x];
}

KERNEL multicast(const unsigned *in, unsigned *out) {
    unsigned sum;
    asm volatile("multimem.ld_reduce.global.add.u32 %0, [%1];" : "=r"(sum) : "l"(in));
    out[threadIdx.x] = sum;
}

KERNEL unknown(const unsigned *in, unsigned *out) {
    asm volatile("pmevent 3;");
    out[threadIdx.x] = in[threadIdx.x];
}
