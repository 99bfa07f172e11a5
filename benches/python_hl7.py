"""Times python-hl7 at what the bench `hl7v2` times: reading each message and ten values of it.

Standard input: messages with CR behind every segment, a line feed between them.
"""

import sys
import time

import hl7

PATHS = [("MSH", 9, 1), ("MSH", 9, 2), ("MSH", 10, 1), ("PID", 3, 1), ("PID", 5, 1), ("PID", 5, 2), ("PID", 7, 1),
         ("PV1", 2, 1), ("OBX", 3, 1), ("OBX", 5, 1)]


def read(text):
    message, length = hl7.parse(text), 0
    for segment, field, component in PATHS:
        try:
            length += len(message.extract_field(segment, 1, field, 1, component))
        except LookupError:
            pass
    return length


def main():
    corpus = sys.stdin.buffer.read().decode().split("\n")
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for text in corpus:
            read(text)
        best = min(best, time.perf_counter() - start)
    print(f"python-hl7 {hl7.__version__}, ten paths: fastest of 5 passes {best * 1e3:.1f} ms, {len(corpus) / best:.0f} messages/s")


main()
