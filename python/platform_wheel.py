"""Adds the command `chronos` to the wheel of this package: `platform_wheel.py WHEEL BINARY PLATFORM_TAGS FOLDER`.

The wheel that setuptools makes has the Python module alone. pip puts what is below `.data/scripts` into the folder of commands, as
it is: so the command works after `pip install` as well as the module, and one wheel serves all versions of Python.
"""

import base64
import hashlib
import pathlib
import sys
import zipfile

EXECUTABLE = 0o100755


def written(name, data, mode=0o100644):
    """An entry of an archive, with the same bytes for the same content."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = mode << 16
    return entry, data


def tagged(text, tags):
    """The file WHEEL of a package that is of a platform."""
    kept = [line for line in text.splitlines() if line and not line.startswith(("Tag:", "Root-Is-Purelib:"))]
    kept += ["Root-Is-Purelib: false"] + [f"Tag: py3-none-{tag}" for tag in tags]
    return "\n".join(kept) + "\n"


def record_line(entry, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{entry.filename},sha256={digest},{len(data)}\n"


def platform_wheel(wheel, binary, tags, folder):
    name, version = pathlib.Path(wheel).name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    entries = []
    with zipfile.ZipFile(wheel) as plain:
        for member in plain.namelist():
            data = plain.read(member)
            if member == f"{info}/WHEEL":
                data = tagged(data.decode(), tags).encode()
            if member != f"{info}/RECORD":
                entries.append(written(member, data))
    command = pathlib.Path(binary).read_bytes()
    entries.append(written(f"{name}-{version}.data/scripts/chronos", command, EXECUTABLE))
    record = "".join(record_line(*entry) for entry in entries) + f"{info}/RECORD,,\n"
    entries.append(written(f"{info}/RECORD", record.encode()))
    path = pathlib.Path(folder) / f"{name}-{version}-py3-none-{'.'.join(tags)}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in entries:
            archive.writestr(entry, data)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.splitlines()[0])
    print(platform_wheel(sys.argv[1], sys.argv[2], sys.argv[3].split("."), sys.argv[4]))
