# Copyright the chronos developers.
#
# SPDX-License-Identifier: MIT

from spack.package import *


class ChronosHpc(CargoPackage):
    """Predicts how long a C/MPI program takes, per task, function and line, without
    running it, on a machine and a network that files describe."""

    license("MIT")

    # Built from a checkout: spack dev-build --source-path . chronos-hpc@0.1.0
    version("0.1.0")

    depends_on("c", type=("build", "run"))
    depends_on("rust@1.95:", type="build")
    # The integer-set library is built with them.
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")

    @property
    def build_args(self):
        return ["--locked"]
