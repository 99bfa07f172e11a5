"""Grades many sandboxes beside other work of an event loop, within one budget."""

from __future__ import annotations

import asyncio
from typing import List

import candor

TASK = candor.Task(
    {
        "id": "order",
        "criteria": [
            {
                "id": "sent",
                "assertion": {
                    "assert": "portal-state-match",
                    "correlate_by": {"resource": "orders", "key": "id", "value": 1},
                    "assertions": [{"path": "status", "expected": "sent"}],
                },
            }
        ],
    }
)


async def main() -> List[str]:
    """Grades ten sandboxes, every third of them wrong."""
    engine = candor.Engine(threads=2)
    boxes = [
        candor.Sandbox(portal={"orders": [{"id": 1, "status": "draft" if number % 3 == 0 else "sent"}]}) for number in range(10)
    ]
    runs = await asyncio.gather(*(candor.acheck(TASK, box, engine=engine) for box in boxes))
    return [run.verdict for run in runs]


if __name__ == "__main__":
    verdicts = asyncio.run(main())
    print(", ".join(verdicts))
    assert verdicts.count("pass") == 6
