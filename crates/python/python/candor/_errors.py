"""The exceptions of Candor. A criterion that could not be verified is not one of them."""

from __future__ import annotations

import os
from typing import NamedTuple, Optional, Sequence, Tuple, Union

__all__ = ["BundleError", "Error", "InternalError", "Problem", "SandboxError", "TaskError"]


class Problem(NamedTuple):
    """A problem of a task file and its place."""

    path: Optional[str]
    line: Optional[int]
    column: Optional[int]
    message: str


_Given = Tuple[Union[None, str, "os.PathLike[str]"], Optional[int], Optional[int], str]


class Error(Exception):
    """Something is wrong with what Candor was given, or it could not be read."""

    path: Optional[str] = None
    """The file, if the problem is in one."""
    line: Optional[int] = None
    """The line, from 1 on."""
    column: Optional[int] = None
    """The column, from 1 on."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class TaskError(Error):
    """A task is wrong. `problems` has everything that is; `path`, `line` and `column` are the place of the first one."""

    problems: Tuple[Problem, ...]

    def __init__(self, message: str, problems: Sequence[_Given] = ()) -> None:
        super().__init__(message, problems)
        self.problems = tuple(
            Problem(None if path is None else os.fspath(path), line, column, text) for path, line, column, text in problems
        )
        if self.problems:
            self.path, self.line, self.column = self.problems[0][:3]


class SandboxError(Error):
    """A sandbox cannot be opened or made."""

    def __init__(
        self,
        message: str,
        path: "Union[None, str, os.PathLike[str]]" = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
    ) -> None:
        super().__init__(message, path, line, column)
        self.path = None if path is None else os.fspath(path)
        self.line, self.column = line, column


class BundleError(Error):
    """An evidence bundle is wrong."""


class InternalError(Error):
    """Candor itself broke, which is a defect of it. Nothing is said about the work."""


def masked(error: BaseException, mask: str) -> BaseException:
    """The error with `mask` in the place of its sentence, which may quote data. Its class and its place are kept."""
    if isinstance(error, TaskError):
        place = ":".join(str(part) for part in (error.path, error.line, error.column) if part is not None)
        problems = [(path, line, column, mask) for path, line, column, _ in error.problems]
        return TaskError(f"{place}: {mask}" if place else mask, problems)
    if isinstance(error, SandboxError):
        return SandboxError(mask, error.path, error.line, error.column)
    if isinstance(error, Error):
        return type(error)(mask)
    for kind in (TypeError, ValueError):
        if isinstance(error, kind):
            return kind(mask)
    return error
