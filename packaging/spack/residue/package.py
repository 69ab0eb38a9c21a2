"""A recipe for Spack: put this folder into a repository of yours, then `spack install residue`."""

from spack.package import *


class Residue(Package):
    """What does every event leave behind, who left it, and why: an exact memory profiler for
    programs with an event loop."""

    # The sources of a release, with the page built: `make package` makes that file.
    url = "file:///path/to/residue-0.1.0-source.tar.gz"

    license("MIT OR Apache-2.0", checked_by="residue")

    version("0.1.0", sha256="@SHA256@")

    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")
    depends_on("gmake", type="build")

    requires("platform=linux", "target=x86_64:", msg="Residue records on Linux on x86-64")

    def install(self, spec, prefix):
        Executable("cargo")("build", "--release", "--locked", "--package", "residue")
        Executable("scripts/install")("target/release/residue", prefix)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_recording(self):
        Executable(join_path(self.prefix.bin, "residue"))("selftest")
