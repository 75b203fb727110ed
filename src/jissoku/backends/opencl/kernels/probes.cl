// Ceilings: multiply-adds that touch registers only, and STREAM's triad. The host defines REAL, WIDTH, CHAINS,
// LOCAL and USE_FMA as in gemm.cl.
#if REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, WIDTH)
#if USE_FMA
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) mad(a, b, c)
#endif

// 2 * CHAINS * WIDTH FLOP per round; work-items from `longer` on do one round less. Sums are written, so that
// none is dropped.
__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1))) void fma_peak(__global REAL* restrict out,
                                                                          REAL factor,
                                                                          REAL term,
                                                                          ulong rounds,
                                                                          ulong longer) {
  VECTOR sum[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) {
    sum[i] = (VECTOR)(1 + i * term);
  }
  const VECTOR factors = (VECTOR)(factor);
  const VECTOR terms = (VECTOR)(term);
  const ulong own_rounds = get_global_id(0) < longer ? rounds : rounds - 1;
  for (ulong round = 0; round < own_rounds; ++round) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) {
      sum[i] = MULTIPLY_ADD(sum[i], factors, terms);
    }
  }
  VECTOR total = sum[0];
#pragma unroll
  for (int i = 1; i < CHAINS; ++i) {
    total += sum[i];
  }
  REAL lanes[WIDTH];
  JOIN(vstore, WIDTH)(total, 0, lanes);
  REAL value = 0;
  for (int i = 0; i < WIDTH; ++i) {
    value += lanes[i];
  }
  out[get_global_id(0)] = value;
}

#if REAL_IS_DOUBLE
// Work-item w does elements [w * share, (w + 1) * share) of `count`, or with step > 1 every step-th from w on.
__kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1))) void triad(__global double* restrict a,
                                                                       ulong a_offset,
                                                                       const __global double* restrict b,
                                                                       ulong b_offset,
                                                                       const __global double* restrict c,
                                                                       ulong c_offset,
                                                                       double scalar,
                                                                       ulong count,
                                                                       ulong share,
                                                                       ulong step) {
  const ulong item = get_global_id(0);
  const ulong first = step == 1 ? item * share : item;
  const ulong last = step == 1 ? min(first + share, count) : count;
  for (ulong i = first; i < last; i += step) {
    a[a_offset + i] = b[b_offset + i] + scalar * c[c_offset + i];
  }
}
#endif
