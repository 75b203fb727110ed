// What a network does beside products, in FP32. The host defines LOCAL, the work-items of a group: 1 on a CPU,
// whose compiler vectorises the inner loop, a wavefront elsewhere, whose items take neighbouring elements.
//
// Rows are cut into pieces of PIECE columns, and group g does the pieces g, g + groups, ...
#define PIECE 1024

// Where a tensor's matrix begins, and how far apart its rows and its matrices are, in elements.
#define TENSOR(name) __global float *name, ulong name##_offset, ulong name##_row, ulong name##_batch
#define ROW(name) (name + name##_offset + matrix * name##_batch + row * name##_row)
#define EACH_PIECE                                                                  \
  const ulong row_pieces = (columns + PIECE - 1) / PIECE;                           \
  for (ulong piece = get_group_id(0); piece < row_pieces * rows * batch; piece += get_num_groups(0))
#define IN_PIECE                                                                    \
  const ulong matrix = piece / row_pieces / rows;                                   \
  const ulong row = piece / row_pieces % rows;                                      \
  const ulong first = piece % row_pieces * PIECE;                                   \
  const ulong last = min(first + PIECE, columns);
#define EACH_ELEMENT for (ulong i = first + get_local_id(0); i < last; i += LOCAL)
#define KERNEL __kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1))) void

// A NaN is not less than 0, and passes; so does -0. `out` may be `in`.
KERNEL bias_activation(
    TENSOR(in), TENSOR(bias), TENSOR(out), ulong columns, ulong rows, ulong batch, int relu) {
  EACH_PIECE {
    IN_PIECE
    const __global float* from = ROW(in);
    const __global float* terms = bias + bias_offset;
    __global float* to = ROW(out);
    EACH_ELEMENT {
      const float sum = from[i] + terms[i];
      to[i] = relu && sum < 0 ? 0.0f : sum;
    }
  }
}
