"""Makes a wheel of the module that cargo built for the tests: `dev_wheel.py NATIVE CONFINE OUT`. Prints its path.

What is released is built by maturin (`cargo xtask wheel`); this one has the same files, without building anything twice.
"""

import base64
import hashlib
import pathlib
import re
import sys
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent


def metadata(project):
    """Name, version, extras and entry points, as `pyproject.toml` has them."""
    version = re.search(r'^version = "(.*)"', (HERE.parent.parent / "Cargo.toml").read_text(), re.M).group(1)
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}", "Requires-Python: >=3.10"]
    for extra, wanted in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {one}; extra == '{extra}'" for one in wanted)]
    points = []
    for group, names in project["entry-points"].items():
        points += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    return version, "\n".join(lines) + "\n", "\n".join(points) + "\n"


def main(native, confine, out):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    version, about, points = metadata(project)
    name = f"{project['name'].replace('-', '_')}-{version}"
    files = {f"candor/{path.relative_to(HERE / 'python/candor')}": path.read_bytes() for path in sorted((HERE / "python/candor").rglob("*")) if path.is_file() and "__pycache__" not in path.parts}
    files["candor/_native.abi3.so"] = pathlib.Path(native).read_bytes()
    files["candor/candor-confine"] = pathlib.Path(confine).read_bytes()
    files[f"{name}.dist-info/METADATA"] = about.encode()
    files[f"{name}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: candor-tests\nRoot-Is-Purelib: false\nTag: cp310-abi3-linux_x86_64\n"
    files[f"{name}.dist-info/entry_points.txt"] = points.encode()
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}\n")
    record = f"{name}.dist-info/RECORD"
    files[record] = ("".join(rows) + f"{record},,\n").encode()
    wheel = pathlib.Path(out) / f"{name}-cp310-abi3-linux_x86_64.whl"
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        for path, data in files.items():
            about = zipfile.ZipInfo(path)
            about.external_attr = (0o100755 if path.endswith("/candor-confine") else 0o100644) << 16
            archive.writestr(about, data)
    print(wheel)


main(*sys.argv[1:])
