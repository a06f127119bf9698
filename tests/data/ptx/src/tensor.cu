// Matrix instructions and asynchronous copies of sm_80.
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

__global__ void wmma_tile(const half *a, const half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}

__global__ void mma_tile(const unsigned *in, float *out) {
    __shared__ unsigned tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    unsigned address = (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x * 16;
    unsigned a[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(address));
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(tile[0]), "r"(tile[1]));
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void copies(const float4 *in, float4 *out) {
    extern __shared__ float4 stage[];
    __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = __ldg(&stage[threadIdx.x ^ 1]);
    __stcs(&out[threadIdx.x + 32], __ldcg(&in[threadIdx.x]));
}

__global__ void textures(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float *out) {
    float4 colour = tex2D<float4>(texture, threadIdx.x + 0.5f, 2.0f);
    out[0] = colour.x + tex1Dfetch<float>(texture, 3) + tex3D<float>(texture, 1.0f, 2.0f, 3.0f);
    out[1] = tex2DLod<float>(texture, 1.0f, 2.0f, 3.0f) + tex2Dgather<float4>(texture, 1.0f, 2.0f, 1).y;
    surf2Dwrite(out[2], surface, 4, 5);
    out[3] = surf2Dread<float>(surface, 8, 9);
}
