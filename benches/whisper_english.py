"""Times Whisper's English normalizer (the package `whisper-normalizer`) at what the bench `voice` times: every turn of an hour.

Standard input: a turn a line.
"""

import sys
import time
from importlib.metadata import version

from whisper_normalizer.english import EnglishTextNormalizer


def main():
    turns = sys.stdin.buffer.read().decode().split("\n")
    normalize = EnglishTextNormalizer()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for text in turns:
            normalize(text)
        best = min(best, time.perf_counter() - start)
    size = sum(len(text.encode()) for text in turns)
    print(f"whisper-normalizer {version('whisper-normalizer')}: fastest of 5 passes {best * 1e3:.1f} ms, {size / best / 1e6:.2f} MB/s")


main()
