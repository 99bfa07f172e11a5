"""Validates results that Candor wrote: JUnit's XML by the schema of Jenkins, FHIR resources by fhir.resources (R4B, in which
TestReport, OperationOutcome and Bundle are what they are in R4).

usage: report_formats.py SCHEMA FILE…
The end of a file's name says what it is: .junit, .testreport, .operationoutcome. Says one line a file; ends with 1 where one is not valid.
"""

import json
import sys

import xmlschema
from fhir.resources.bundle import Bundle
from fhir.resources.operationoutcome import OperationOutcome
from fhir.resources.testreport import TestReport

MODELS = {"Bundle": Bundle, "OperationOutcome": OperationOutcome, "TestReport": TestReport}


def main():
    schema = xmlschema.XMLSchema(sys.argv[1])
    wrong = 0
    for name in sys.argv[2:]:
        try:
            if name.endswith(".junit"):
                schema.validate(name)
            else:
                with open(name, encoding="utf-8") as file:
                    resource = json.load(file)
                MODELS[resource["resourceType"]].parse_obj(resource)
            print("valid", name)
        except Exception as error:  # Whatever it is, it is what is wrong with the file.
            wrong += 1
            print("not valid", name, error)
    sys.exit(1 if wrong else 0)


main()
