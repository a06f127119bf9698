// Colours of four floats become four bytes, and four integers rounded in the four directions: vector loads and
// stores, saturation, and conversions.
extern "C" __global__ void quantise(const float4 *colours, uchar4 *bytes, int4 *rounded, int n, float gain,
                                    float offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 colour = colours[i];
    colour.x = colour.x * gain + offset;
    colour.y = colour.y * gain + offset;
    colour.z = colour.z * gain + offset;
    colour.w = colour.w * gain + offset;
    bytes[i] = make_uchar4(__float2uint_rn(255.0f * __saturatef(colour.x)),
                           __float2uint_rn(255.0f * __saturatef(colour.y)),
                           __float2uint_rn(255.0f * __saturatef(colour.z)),
                           __float2uint_rn(255.0f * __saturatef(colour.w)));
    rounded[i] = make_int4(__float2int_rd(100.0f * colour.x), __float2int_ru(100.0f * colour.y),
                           __float2int_rn(100.0f * colour.z), __float2int_rz(100.0f * colour.w));
}
