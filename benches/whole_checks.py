"""Reads a file and finds its last record, as a check of one criterion does: what the bench `criteria` compares with.

    python3 whole_checks.py READER FILE

Readers: `json` and `orjson` parse each line; `duckdb` selects from NDJSON; `split-hl7v2` and `split-x12` are plain
Python; `python-hl7` parses each message; `pyx12` reads each segment. The processor time of the process is measured from
outside, with the start of Python in it.
"""

import sys


def by_lines(loads, file):
    found = 0
    with open(file, "rb") as lines:
        for line in lines:
            row = loads(line)
            key = row.get("request_id") or row.get("id")
            found += key is not None and row.get("status") in ("submitted", "final")
    return found


def read_json(file):
    import json

    return by_lines(json.loads, file)


def read_orjson(file):
    import orjson

    return by_lines(orjson.loads, file)


def read_duckdb(file):
    import duckdb

    rows = f"read_json('{file}', format = 'newline_delimited')"
    last = f"(SELECT max(request_id) FROM {rows})"
    return len(duckdb.sql(f"SELECT status FROM {rows} WHERE request_id = {last}").fetchall())


def messages(file):
    with open(file, encoding="utf-8", newline="") as text:
        for message in text.read().split("MSH|")[1:]:
            yield "MSH|" + message


def split_hl7v2(file):
    found = 0
    for message in messages(file):
        segments = [segment.split("|") for segment in message.split("\r")]
        found += any(segment[0] == "OBX" and segment[5] == "4.1" for segment in segments)
    return found


def read_python_hl7(file):
    import hl7

    return sum(hl7.parse(message)["OBX"][0][5][0] == "4.1" for message in messages(file))


def split_x12(file):
    with open(file, encoding="ascii") as text:
        segments = [segment.strip().split("*") for segment in text.read().split("~")]
    return sum(segment[0] == "EB" and segment[1] == "1" for segment in segments)


def read_pyx12(file):
    # Its X12Reader looks for the number of each set in a list, and so takes the square of their number.
    import pyx12.rawx12file
    import pyx12.segment

    found = 0
    with open(file, encoding="ascii") as text:
        raw = pyx12.rawx12file.RawX12File(text)
        for line in raw:
            segment = pyx12.segment.Segment(line, raw.seg_term, raw.ele_term, raw.subele_term)
            found += segment.get_seg_id() == "EB" and segment.get_value("EB01") == "1"
    return found


READERS = {
    "json": read_json,
    "orjson": read_orjson,
    "duckdb": read_duckdb,
    "split-hl7v2": split_hl7v2,
    "python-hl7": read_python_hl7,
    "split-x12": split_x12,
    "pyx12": read_pyx12,
}

reader, path = sys.argv[1:]
sys.exit(READERS[reader](path) == 0)
