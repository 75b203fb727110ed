/* A library that looks like OpenBLAS to us, for the tests of how engines are tried and loaded. It
 * multiplies with plain loops, unless told otherwise when it is compiled:
 *   -DCRASH    ends with SIGILL in gemm       -DWRONG  adds 1 to the first element
 *   -DOLD_CPU  takes its "Prescott" kernel unless OPENBLAS_CORETYPE says otherwise
 *   -DCRASH_SKYLAKEX  ends with SIGILL under OPENBLAS_CORETYPE=SkylakeX, as on a CPU without AVX-512 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int threads = 1;

char *openblas_get_config(void) { return "OpenBLAS 9.8.7 PRETEND"; }
int openblas_get_parallel(void) { return 0; }
int openblas_get_num_threads(void) { return threads; }
void openblas_set_num_threads(int count) { threads = count; }

char *openblas_get_corename(void) {
#ifdef OLD_CPU
  char *asked = getenv("OPENBLAS_CORETYPE");
  return asked != NULL ? asked : "Prescott";
#else
  return "SkylakeX";
#endif
}

static void misbehave(void) {
#ifdef CRASH
  raise(SIGILL);
#endif
#ifdef CRASH_SKYLAKEX
  if (strcmp(openblas_get_corename(), "SkylakeX") == 0) {
    raise(SIGILL);
  }
#endif
}

#ifdef WRONG
#define ERROR 1
#else
#define ERROR 0
#endif

#define DEFINE(T, GEMM, GEMV)                                                                               \
  void GEMM(int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b,       \
            int ldb, T beta, T *c, int ldc) {                                                               \
    (void)order;                                                                                            \
    misbehave();                                                                                            \
    for (int i = 0; i < m; ++i) {                                                                           \
      for (int j = 0; j < n; ++j) {                                                                         \
        T sum = 0;                                                                                          \
        for (int p = 0; p < k; ++p) {                                                                       \
          sum += (ta == 111 ? a[i * lda + p] : a[p * lda + i]) * (tb == 111 ? b[p * ldb + j] : b[j * ldb + p]); \
        }                                                                                                   \
        c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]) + (i + j == 0 ? ERROR : 0);  \
      }                                                                                                     \
    }                                                                                                       \
  }                                                                                                         \
  void GEMV(int order, int transpose, int rows, int columns, T alpha, const T *a, int lda, const T *x,      \
            int x_step, T beta, T *y, int y_step) {                                                         \
    int outputs = transpose == 111 ? rows : columns, inputs = transpose == 111 ? columns : rows;            \
    (void)order;                                                                                            \
    for (int i = 0; i < outputs; ++i) {                                                                     \
      T sum = 0;                                                                                            \
      for (int p = 0; p < inputs; ++p) {                                                                    \
        sum += (transpose == 111 ? a[i * lda + p] : a[p * lda + i]) * x[p * x_step];                        \
      }                                                                                                     \
      y[i * y_step] = alpha * sum + beta * y[i * y_step]; /* a NaN in y spreads, as in some versions */     \
    }                                                                                                       \
  }

DEFINE(float, cblas_sgemm, cblas_sgemv)
DEFINE(double, cblas_dgemm, cblas_dgemv)
