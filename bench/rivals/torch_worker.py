"""PyTorch as a competitor: holds the operands and answers on standard output what it is told to do.

prepare TYPE M N K THREADS FILE_A FILE_B FILE_C   ready
run LAUNCHES                                      nanoseconds, by its own clock
fetch                                             done: the result is in FILE_C
Anything that fails is answered by "error WHY".
"""
import sys
import time

import torch


def load(path, rows, columns, dtype):
    return torch.from_file(path, shared=True, size=rows * columns, dtype=dtype).view(rows, columns)


class Product:
    def __init__(self, type_name, m, n, k, threads, file_a, file_b, file_c):
        dtype = {"f32": torch.float32, "f64": torch.float64}[type_name]
        m, n, k = int(m), int(n), int(k)
        torch.set_num_threads(int(threads))
        self.a = load(file_a, m, k, dtype).clone()
        self.b = load(file_b, k, n, dtype).clone()
        self.c = torch.full((m, n), float("nan"), dtype=dtype)
        self.result = load(file_c, m, n, dtype)

    def run(self, launches):
        a, b, c, multiply = self.a, self.b, self.c, torch.mm
        start = time.perf_counter_ns()
        for _ in range(launches):
            multiply(a, b, out=c)
        return time.perf_counter_ns() - start

    def fetch(self):
        self.result.copy_(self.c)


def answer(words, product):
    if words[0] == "prepare":
        return Product(*words[1:]), "ready"
    if words[0] == "run":
        return product, str(product.run(int(words[1])))
    product.fetch()
    return product, "done"


def main():
    torch.set_grad_enabled(False)
    print("torch", torch.__version__, flush=True)
    product = None
    for line in sys.stdin:
        try:
            product, text = answer(line.split(), product)
        except Exception as failure:  # the parent names it and goes on without PyTorch
            text = "error " + " ".join(str(failure).split())
        print(text, flush=True)


main()
