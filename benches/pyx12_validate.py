"""Times pyx12 at validating interchanges: those that it has maps for.

Standard input: an interchange a line.
"""

import io
import logging
import sys
import time

import pyx12.error_handler
import pyx12.params
import pyx12.x12n_document


def main():
    logging.disable()
    params = pyx12.params.params()
    read, spent, count = 0, 0.0, 0
    for line in sys.stdin.buffer:
        text = line.decode("latin-1").strip()
        for said, known in (("X222A2", "X222A1"), ("X223A3", "X223A2"), ("X223A1", "X223A2")):
            text = text.replace(said, known)
        start = time.perf_counter()
        try:
            pyx12.x12n_document.x12n_document(params, io.StringIO(text), None, None, None)
        except Exception:  # no map for the guide
            continue
        spent += time.perf_counter() - start
        read += len(text)
        count += 1
    print(f"pyx12, validation: {count} interchanges, {read} bytes, {spent:.2f} s, {read / spent / 1e6:.3f} MB/s")


main()
