// Functions that are called: directly, through a table, recursively, with structures, with printf.
#include <cstdio>

struct Pair {
    double first;
    int second[3];
};

__constant__ float weights[4] = {0.25f, 0.5f, -1.0f, 3.0e-7f};
__constant__ short table[2][3] = {{1, -2, 3}, {4, 5, -6}};
__device__ double total = 1.5;
__device__ int numbers[8] = {1, 2, 3};
__device__ int *middle = numbers + 5;
__device__ const char *greeting = "hello";

__device__ __noinline__ int twice(int x) { return 2 * x + table[x & 1][x % 3]; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }

typedef int (*unary)(int);
__device__ unary operations[2] = {twice, thrice};

__device__ __noinline__ long long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

__device__ __noinline__ Pair swap(Pair pair, float scale) {
    Pair result = {pair.second[0] * scale, {(int)pair.first, pair.second[2], pair.second[1]}};
    return result;
}

__global__ void __launch_bounds__(128, 2) direct(int *out, Pair pair) {
    Pair swapped = swap(pair, weights[threadIdx.x & 3]);
    out[threadIdx.x] = twice(swapped.second[1]) + (int)swapped.first + (int)factorial(swapped.second[0]);
}

__global__ void indirect(int *out, int which) {
    out[threadIdx.x] = operations[which & 1](out[threadIdx.x]) + *middle;
}

__global__ void prints(double x) {
    printf("%s %f %d\n", greeting, pow(x, total), threadIdx.x);
}

__global__ void dense_switch(int *out, int x) {
    switch (x) {
    case 0: out[0] = 4; break;
    case 1: out[1] = 17; break;
    case 2: out[x * 3] = 5; break;
    case 3: out[2] = out[4]; break;
    case 4: out[7] = -1; break;
    case 5: out[9] = 6; break;
    default: out[x] = 0;
    }
}
