"""Where the adapters find the sandbox of a sample."""

from __future__ import annotations

import os
from typing import Any, Callable, Union

from ._native import Sandbox

SandboxOf = Union[Sandbox, str, "os.PathLike[str]", Callable[..., Any]]


def sandbox_of(given: SandboxOf, *arguments: Any, **names: Any) -> Sandbox:
    """The sandbox of one sample: a function is called, a path has its `{names}` replaced."""
    if callable(given):
        given = given(*arguments)
    if isinstance(given, Sandbox):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Sandbox.open(os.fspath(given).format(**names))
    raise TypeError(f"the sandbox is a {type(given).__name__}; expected a path, a Sandbox, or a function that gives one")
