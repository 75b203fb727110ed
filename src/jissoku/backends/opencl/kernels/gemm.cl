// C = alpha op(A) op(B) + beta C, in two kernels. `pack` copies a block of A into panels of MR rows and of B
// into panels of NR columns, each stored depth by depth and filled up with zeros, whatever the transposes
// and edges; `multiply` keeps an MR x NR tile of C in registers and streams one panel of each past it.
//
// The host defines: REAL (what is computed in: float, double), IN_F16 or IN_BF16 (else A and B are REAL), MR,
// WIDTH (of a vector), NV (vectors in a row of the tile), PACK_DEPTH, LOCAL_ROWS and LOCAL_COLUMNS, USE_FMA
// (fma() is a hardware instruction; else mad()), and CPU_PREFETCH where __builtin_prefetch takes any address.
#if REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, WIDTH)
#define LOAD_VECTOR JOIN(vload, WIDTH)
#define STORE_VECTOR JOIN(vstore, WIDTH)
#define REAL4 JOIN(REAL, 4)
#define NR (NV * WIDTH)

#if defined(IN_F16)
typedef half In;
#define LOAD(p) vload_half(0, p)
#define LOAD4(p) vload_half4(0, p)
#elif defined(IN_BF16)
typedef ushort In;
#define LOAD(p) as_float((uint)*(p) << 16)
#define LOAD4(p) as_float4(convert_uint4(vload4(0, p)) << 16)
#else
typedef REAL In;
#define LOAD(p) (*(p))
#define LOAD4(p) vload4(0, p)
#define LOAD_WIDE
#endif

#if USE_FMA
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) mad(a, b, c)
#endif

#ifdef CPU_PREFETCH
#define PREFETCH(p) __builtin_prefetch((const __private void*)(uintptr_t)(p), 0, 3)
#else
#define PREFETCH(p)
#endif

// One panel of `width` lanes, of which the first `lanes` exist. Element (lane, k) of the source lies at
// from[lane * lane_step + k * depth_step]. `width` is a constant where this is inlined.
inline void pack_panel(const __global In* restrict from,
                       ulong lane_step,
                       ulong depth_step,
                       int lanes,
                       int width,
                       int depth,
                       __global REAL* restrict to) {
  int k = 0;
  if (lanes == width && depth_step == 1) {
    for (; k + 16 <= depth; k += 16) {  // a cache line of four lanes at a time, turned 4 x 4
      for (int lane = 0; lane + 4 <= width; lane += 4) {
        const __global In* source = from + lane * lane_step + k;
        __global REAL* target = to + k * width + lane;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          const REAL4 r0 = LOAD4(source);
          const REAL4 r1 = LOAD4(source + lane_step);
          const REAL4 r2 = LOAD4(source + 2 * lane_step);
          const REAL4 r3 = LOAD4(source + 3 * lane_step);
          vstore4((REAL4)(r0.s0, r1.s0, r2.s0, r3.s0), 0, target);
          vstore4((REAL4)(r0.s1, r1.s1, r2.s1, r3.s1), 0, target + width);
          vstore4((REAL4)(r0.s2, r1.s2, r2.s2, r3.s2), 0, target + 2 * width);
          vstore4((REAL4)(r0.s3, r1.s3, r2.s3, r3.s3), 0, target + 3 * width);
          source += 4;
          target += 4 * width;
        }
      }
      for (int lane = width / 4 * 4; lane < width; ++lane) {
        for (int i = k; i < k + 16; ++i) {
          to[i * width + lane] = LOAD(from + lane * lane_step + i);
        }
      }
    }
  } else if (lanes == width && lane_step == 1) {
    for (; k < depth; ++k) {
#ifdef LOAD_WIDE
      if (width % WIDTH == 0) {
        for (int v = 0; v < width / WIDTH; ++v) {
          STORE_VECTOR(LOAD_VECTOR(v, from + k * depth_step), v, to + k * width);
        }
        continue;
      }
#endif
      for (int lane = 0; lane + 4 <= width; lane += 4) {
        vstore4(LOAD4(from + k * depth_step + lane), 0, to + k * width + lane);
      }
      for (int lane = width / 4 * 4; lane < width; ++lane) {
        to[k * width + lane] = LOAD(from + k * depth_step + lane);
      }
    }
  }
  for (; k < depth; ++k) {
    for (int lane = 0; lane < width; ++lane) {
      to[k * width + lane] = lane < lanes ? LOAD(from + lane * lane_step + k * depth_step) : 0;
    }
  }
}

// Work-items: (panel of A, then of B; piece of the depth; matrix of the batch). The block of both matrices
// starts at depth `first` and is `depth` deep.
__kernel __attribute__((reqd_work_group_size(PACK_LOCAL, 1, 1))) void pack(const __global In* restrict a,
                                                                           ulong a_offset,
                                                                           ulong a_lane_step,
                                                                           ulong a_depth_step,
                                                                           ulong a_batch_step,
                                                                           const __global In* restrict b,
                                                                           ulong b_offset,
                                                                           ulong b_lane_step,
                                                                           ulong b_depth_step,
                                                                           ulong b_batch_step,
                                                                           __global REAL* restrict a_packed,
                                                                           __global REAL* restrict b_packed,
                                                                           int m,
                                                                           int n,
                                                                           int first,
                                                                           int depth) {
  const int a_panels = (m + MR - 1) / MR;
  const int b_panels = (n + NR - 1) / NR;
  const int panel = get_global_id(0);
  const int start = get_global_id(1) * PACK_DEPTH;
  const int piece = min(PACK_DEPTH, depth - start);
  const ulong batch = get_global_id(2);
  if (panel < a_panels) {
    pack_panel(a + a_offset + batch * a_batch_step + (ulong)panel * MR * a_lane_step +
                   (ulong)(first + start) * a_depth_step,
               a_lane_step,
               a_depth_step,
               min(MR, m - panel * MR),
               MR,
               piece,
               a_packed + ((batch * a_panels + panel) * depth + start) * MR);
  } else if (panel < a_panels + b_panels) {
    const int column = panel - a_panels;
    pack_panel(b + b_offset + batch * b_batch_step + (ulong)column * NR * b_lane_step +
                   (ulong)(first + start) * b_depth_step,
               b_lane_step,
               b_depth_step,
               min(NR, n - column * NR),
               NR,
               piece,
               b_packed + ((batch * b_panels + column) * depth + start) * NR);
  }
}

// One tile of C. Element (lane, k) of A lies at a[min(lane, lanes - 1) * lane_step + k * depth_step]: lanes that
// do not exist repeat the last one. Steps are constants where this is inlined, but for one of them.
inline void multiply_tile(const __global REAL* restrict a,
                          ulong lane_step,
                          ulong depth_step,
                          int lanes,
                          const __global VECTOR* restrict b_row,
                          __global REAL* target,
                          ulong c_row_step,
                          int columns,
                          int depth,
                          REAL alpha,
                          REAL beta) {
  VECTOR sum[MR][NV];
  ulong lane_at[MR];
#pragma unroll
  for (int i = 0; i < MR; ++i) {
    lane_at[i] = (ulong)min(i, lanes - 1) * lane_step;
#pragma unroll
    for (int v = 0; v < NV; ++v) {
      PREFETCH(target + i * c_row_step + v * WIDTH);
      sum[i][v] = (VECTOR)(0);
    }
  }
#pragma unroll 4
  for (int k = 0; k < depth; ++k) {
    PREFETCH(a + 16 * depth_step);
    VECTOR factor[NV];
#pragma unroll
    for (int v = 0; v < NV; ++v) {
      PREFETCH(b_row + 8 * NV + v);
      factor[v] = b_row[v];
    }
#pragma unroll
    for (int i = 0; i < MR; ++i) {
      const VECTOR lane = (VECTOR)(a[lane_at[i]]);
#pragma unroll
      for (int v = 0; v < NV; ++v) {
        sum[i][v] = MULTIPLY_ADD(lane, factor[v], sum[i][v]);
      }
    }
    a += depth_step;
    b_row += NV;
  }

  if (lanes >= MR && columns >= NR) {
#pragma unroll
    for (int i = 0; i < MR; ++i) {
#pragma unroll
      for (int v = 0; v < NV; ++v) {
        __global REAL* place = target + i * c_row_step;
        VECTOR value = alpha * sum[i][v];
        if (beta != 0) {
          value = MULTIPLY_ADD((VECTOR)(beta), LOAD_VECTOR(v, place), value);
        }
        STORE_VECTOR(value, v, place);
      }
    }
    return;
  }
  REAL tile[MR * NR];
#pragma unroll
  for (int i = 0; i < MR; ++i) {
#pragma unroll
    for (int v = 0; v < NV; ++v) {
      STORE_VECTOR(alpha * sum[i][v], i * NV + v, tile);
    }
  }
  for (int i = 0; i < min(MR, lanes); ++i) {
    for (int j = 0; j < min(NR, columns); ++j) {
      __global REAL* place = target + i * c_row_step + j;
      *place = tile[i * NR + j] + (beta == 0 ? 0 : beta * *place);
    }
  }
}

// Work-items: (tile column within a block, tile row, block of columns and matrix of the batch). In this order a
// CPU, which runs them one after the other, keeps a panel of A in its first-level cache and a block of B in its
// second. With beta == 0, C is not read. A is packed, or, with A_IN_PLACE, read where it lies: rows contiguous.
__kernel __attribute__((reqd_work_group_size(LOCAL_COLUMNS, LOCAL_ROWS, 1))) void multiply(
    const __global REAL* restrict a,
    ulong a_offset,
    ulong a_row_step,
    ulong a_batch_step,
    const __global REAL* restrict b_packed,
    __global REAL* restrict c,
    ulong c_offset,
    ulong c_row_step,
    ulong c_batch_step,
    int m,
    int n,
    int first,
    int depth,
    int block,
    int blocks,
    REAL alpha,
    REAL beta) {
  const int in_block = get_global_id(0);
  const int row = get_global_id(1) * MR;
  const int tile_column = get_global_id(2) % blocks * block + in_block;
  const int column = tile_column * NR;
  if (in_block >= block || row >= m || column >= n) {
    return;
  }
  const ulong batch = get_global_id(2) / blocks;
  const ulong b_panel = batch * ((n + NR - 1) / NR) + tile_column;
  const __global VECTOR* restrict b_row = (const __global VECTOR*)(b_packed + b_panel * depth * NR);
  __global REAL* target = c + c_offset + batch * c_batch_step + row * c_row_step + column;
#ifdef A_IN_PLACE
  const __global REAL* a_row = a + a_offset + batch * a_batch_step + row * a_row_step + first;
  multiply_tile(a_row, a_row_step, 1, m - row, b_row, target, c_row_step, n - column, depth, alpha, beta);
#else
  const ulong a_panel = batch * ((m + MR - 1) / MR) + get_global_id(1);
  const __global REAL* a_lanes = a + a_panel * depth * MR;
  const int lanes = m - row;
  if (lanes >= MR) {
    multiply_tile(a_lanes, 1, MR, MR, b_row, target, c_row_step, n - column, depth, alpha, beta);
  } else {
    multiply_tile(a_lanes, 1, MR, lanes, b_row, target, c_row_step, n - column, depth, alpha, beta);
  }
#endif
}
