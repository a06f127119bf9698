/* Loops whose passes integers decide that come from parameters and threads: what the checker of certificates
 * computes (check/lanes.c), each operation of it. */
typedef unsigned u32;
typedef unsigned long long u64;

/* By all bits of e. */
#define PASSES(e)                                                                       \
    _Pragma("unroll 1") for (u32 i = 0; i < ((u32)(e) * 0x9e3779b9 >> 30); i++) sum += data[i];

extern "C" __global__ void decisions(u32 *data, u32 n, u32 m, u64 wide) {
    const u32 t = threadIdx.x * 13 + threadIdx.y * 7 + blockIdx.x * 29 + 5, b = blockIdx.x * 77 + blockIdx.y;
    const int signed_n = (int)(n ^ t), signed_m = (int)m;
    u32 sum = 0;
    PASSES(t * n + m)
    PASSES(t - n - m)
    PASSES(__umulhi(t * 0x9e3779b9, n))
    PASSES(__mulhi((int)(t * 0x9e3779b9), signed_m))
    PASSES((u64)(t * n) * m + wide >> 33)
    PASSES((long long)(signed_n * 7) * signed_m - (long long)wide >> 31)
    PASSES(min(t * m, n))
    PASSES((u32)max(signed_n * 5, signed_m))
    PASSES((u32)abs(signed_n * 3))
    PASSES(n << (t & 31))
    PASSES(m >> (t % 40))
    PASSES((u32)(signed_m >> (t & 31)))
    PASSES(__funnelshift_l(n, m, t))
    PASSES(__funnelshift_rc(m, n, t))
    PASSES((u32)(wide >> (t & 63)))
    PASSES((u32)((long long)~wide >> (t & 63)))
    PASSES((n & t) | (m & ~t) ^ b)
    PASSES(t < (n & 63) ? m : n)
    PASSES(signed_n < signed_m ? t : t / 3)
    PASSES(wide + ((u64)t << 33) < ((u64)m << 32 | n) ? t : t >> 1)
    PASSES((long long)(wide * t) > (long long)wide ? t : t >> 1)
    PASSES(wide == ((u64)t << 32 | n) ? 1 : t % 7)
    PASSES((u32)(signed_n / 5))
    PASSES((u32)(signed_m / 8 + (int)t))
    PASSES(b * n + (b >> 3) - min(b, m))
    PASSES((b << 2) + n & (b ^ m) | b % 5)
    PASSES(b < n && t > 7 || m == b ? t : 2)
    PASSES((t == 3) != (n > t * m) ? t : m)
    PASSES(signed_m / 16 + signed_n % 32)
    PASSES(blockIdx.y * 3 + n)
    PASSES((u64)t * n + wide - ((u64)m << 20) >> 32)
    if (t % 3 == 1 && (t ^ n) > m)
        PASSES(t >> 2)
    else
        PASSES(t >> 3)
    data[t] = sum;
}
