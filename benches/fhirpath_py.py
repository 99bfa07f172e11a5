"""Times fhirpathpy at what the bench `fhirpath` times: compiled expressions, each over one resource.

Standard input: JSON, a list of [resource, expression]. Standard output: nanoseconds an evaluation, a line each.
"""

import json
import sys
import time

import fhirpathpy
from fhirpathpy.models import models


def main():
    for resource, expression in json.load(sys.stdin):
        compiled = fhirpathpy.compile(expression, models["r4"])
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter_ns()
            for _ in range(50):
                compiled(resource)
            best = min(best, (time.perf_counter_ns() - start) / 50)
        print(best)


main()
