"""The loop of every segment of X12 transaction sets, as pyx12 and linuxforhealth-x12 have it.

Standard input: one JSON string a line, an interchange with one transaction set, `~` and `*` as delimiters.
Standard output: for each line an object with a member for each reader: `{"loops": [[loop, segment], ...]}` in the order
the reader gives them, ST to SE, the loop empty for what stands in the set itself; or `{"error": text}`.
"""

import functools
import io
import json
import logging
import re
import sys

import pyx12.error_handler
import pyx12.map_if
import pyx12.params
import pyx12.x12context
from linuxforhealth.x12.io import X12ModelReader
from linuxforhealth.x12.models import X12Segment, X12SegmentGroup

# It reads a guide anew for every interchange, which takes most of the time; what it counts is not kept there.
read_map = functools.cache(pyx12.map_if.load_map_file)
PARAMETERS = pyx12.params.params()
pyx12.map_if.load_map_file = lambda file, _parameters, path=None: read_map(file, PARAMETERS, path)


def pyx12_loops(text):
    # Its index of maps knows each guide by one identifier alone.
    for said, known in (("X222A2", "X222A1"), ("X223A3", "X223A2"), ("X223A1", "X223A2")):
        text = text.replace(said, known)
    reader = pyx12.x12context.X12ContextReader(
        PARAMETERS, pyx12.error_handler.errh_null(), io.StringIO(text))
    loops = []
    for node in reader.iter_segments():
        if node.id in ("ISA", "GS", "GE", "IEA", "TA1"):
            continue
        steps = node.x12_map_node.get_path().split("/")[:-1]
        loop = next((step for step in reversed(steps) if re.fullmatch(r"\d{4}[A-Z]{0,2}", step)), "")
        loops.append([loop, node.seg_data.format("~", "*", ":").rstrip("~")])
    return loops


def linuxforhealth_loops(text):
    loops = []

    def walk(loop, group):
        for name in group.__fields__:
            value = getattr(group, name)
            for part in value if isinstance(value, list) else [value]:
                inner = name[5:].upper() if name.startswith("loop_") else loop
                if isinstance(part, X12SegmentGroup):
                    walk(inner, part)
                elif isinstance(part, X12Segment):
                    loops.append([loop, part.x12().rstrip("~")])

    with X12ModelReader(text) as reader:
        for model in reader.models():
            walk("", model)
    return loops


def attempt(read, text):
    try:
        return {"loops": read(text)}
    except Exception as error:  # whatever a reader raises is what it says about the set
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def main():
    logging.disable()
    for line in sys.stdin:
        text = json.loads(line)
        print(json.dumps({"pyx12": attempt(pyx12_loops, text), "linuxforhealth": attempt(linuxforhealth_loops, text)}))


main()
