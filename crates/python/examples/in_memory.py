"""Grades bytes that never were on a disk: the order that went out, and the row behind the portal."""

from __future__ import annotations

from decimal import Decimal

import candor

TASK = {
    "id": "order-mri",
    "inputs": {"member_id": "W123456789", "cpt": "72148"},
    "criteria": [
        {
            "id": "order-sent",
            "label": "The order went out with the right code",
            "assertion": {
                "assert": "hl7-structural",
                "correlate_by": {"message_type": "ORM^O01", "PID.3.1": "774410"},
                "fields": [{"path": "OBR.4.1", "expected": "${inputs.cpt}"}],
            },
        },
        {
            "id": "pa-submitted",
            "label": "Prior authorization submitted for the right member",
            "assertion": {
                "assert": "portal-state-match",
                "correlate_by": {"resource": "prior_auth_requests", "key": "member_id", "value": "${inputs.member_id}"},
                "assertions": [{"path": "status", "expected": "submitted"}],
            },
        },
    ],
}

ORDER = (
    "MSH|^~\\&|EHR|CLINIC|RIS|RAD|20261120||ORM^O01|42|P|2.5.1\r"
    "PID|1||774410||Smith^John\rORC|NW|1\rOBR|1|1||72148^MRI lumbar spine\r"
)


def main() -> candor.Run:
    """Grades one task."""
    rows = [{"member_id": "W123456789", "status": "draft", "total": Decimal("120.50")}]
    box = candor.Sandbox(hl7={"out.hl7": ORDER}, portal={"prior_auth_requests": rows})
    run = candor.check(TASK, box)
    for criterion in run.criterion_runs:
        print(f"{criterion.label}: {criterion.reason or 'passed'}: {criterion.details}")
    return run


if __name__ == "__main__":
    graded = main()
    assert graded.verdict == "partial" and graded.score.exact.denominator == 2
    assert graded["pa-submitted"].reason == "field_mismatch"
