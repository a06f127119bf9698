// Clusters, bulk copies and asynchronous barriers of sm_90.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256) exchange(int *out) {
    __shared__ int mine;
    mine = threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;");
    unsigned local = (unsigned)__cvta_generic_to_shared(&mine), remote, rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank ^ 1));
    int value;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(remote));
    out[threadIdx.x] = value;
}

__global__ void bulk(const int *in, int *out) {
    __shared__ alignas(128) int stage[256];
    __shared__ unsigned long long barrier;
    unsigned b = (unsigned)__cvta_generic_to_shared(&barrier);
    unsigned s = (unsigned)__cvta_generic_to_shared(stage);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1));
        asm volatile("fence.proxy.async;");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(1024));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s),
                     "l"(in), "r"(1024), "r"(b));
    }
    __syncthreads();
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(b), "r"(0));
    unsigned elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(elected));
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    asm volatile("griddepcontrol.wait;");
    out[threadIdx.x] = stage[threadIdx.x] + elected;
}

__global__ void matrix(float *out, unsigned long long a, unsigned long long b) {
    float d[8] = {};
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "l"(a), "l"(b), "r"(1));
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;");
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = d[i];
}
