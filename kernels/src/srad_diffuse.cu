// One step of speckle reducing anisotropic diffusion. How much flows between two pixels depends on a
// coefficient of the lower or right one's gradients; each thread works out the coefficients of its own pixel
// and of these two neighbours, so that threads read most pixels that others nearby read as well. Beyond the
// border the image goes on with its outermost pixels.
struct image {
    const float *pixels;
    int width, height;
};

__device__ float pixel(image image, int x, int y) {
    return image.pixels[y * image.width + x];
}

// What the neighbours differ by: north, south, west, east.
__device__ float4 differences(image image, int x, int y) {
    float own = pixel(image, x, y);
    return {pixel(image, x, max(y - 1, 0)) - own, pixel(image, x, min(y + 1, image.height - 1)) - own,
            pixel(image, max(x - 1, 0), y) - own, pixel(image, min(x + 1, image.width - 1), y) - own};
}

__device__ float coefficient(image image, int x, int y, float speckle) {
    float4 d = differences(image, x, y);
    float own = pixel(image, x, y);
    float gradient = (d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w) / (own * own);
    float laplacian = (d.x + d.y + d.z + d.w) / own;
    float scale = 1.0f + 0.25f * laplacian;
    float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
    float value = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));
    return fminf(fmaxf(value, 0.0f), 1.0f);
}

extern "C" __global__ void srad_diffuse(const float *pixels, float *result, int width, int height,
                                        float speckle, float step) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    image image = {pixels, width, height};
    float4 d = differences(image, x, y);
    float here = coefficient(image, x, y, speckle);
    float south = coefficient(image, x, min(y + 1, height - 1), speckle);
    float east = coefficient(image, min(x + 1, width - 1), y, speckle);
    float divergence = here * d.x + south * d.y + here * d.z + east * d.w;
    result[y * width + x] = pixel(image, x, y) + 0.25f * step * divergence;
}
