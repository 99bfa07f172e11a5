"""Validates X12 interchanges, a JSON string a line, with pyx12: prints the codes of its 999 as a JSON list a line.

null where it has no answer: it has no tables for the guide, or ends in an error of its own.
"""

import functools
import io
import json
import logging
import os
import sys
import tempfile

import pyx12.map_if
import pyx12.params
import pyx12.x12n_document

logging.disable(logging.CRITICAL)

# It reads a guide anew for every interchange, which takes most of the time; what it counts is not kept there.
read_map = functools.cache(pyx12.map_if.load_map_file)
PARAMETERS = pyx12.params.params()
pyx12.map_if.load_map_file = lambda file, _parameters, path=None: read_map(file, PARAMETERS, path)


def codes(text, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    acknowledged = io.StringIO()
    try:
        pyx12.x12n_document.x12n_document(PARAMETERS, path, acknowledged, None, None)
    except Exception:  # noqa: BLE001, whatever it is, there is no answer
        return None
    found, complete = set(), False
    for segment in acknowledged.getvalue().replace("\n", "").split("~"):
        elements = segment.split("*")
        if elements[0] == "IK3" and len(elements) > 4 and elements[4] not in ("", "8"):
            found.add("IK304:" + elements[4])
        elif elements[0] == "IK4":
            found.add("IK403:" + elements[3])
        complete = complete or elements[0] == "IK5"
    return sorted(found) if complete else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            print(json.dumps(codes(json.loads(line), os.path.join(folder, "in.edi"))), flush=True)


main()
