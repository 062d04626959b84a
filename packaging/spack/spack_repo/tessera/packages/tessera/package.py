# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tessera(CMakePackage, CudaPackage):
    """Tessera multiplies sparse matrices by dense multivectors, in formats that
    suit the matrix, on the backends of Kokkos."""

    # No server has the sources. This file is a part of them: it takes them from
    # the repository that it lies in.
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("Apache-2.0 WITH LLVM-exception")

    version("develop", branch="main")

    every_scalar = ("float", "double", "complex_float", "complex_double")
    cuda_archs = ("80", "86", "87", "89", "90", "100", "120")

    variant("shared", default=False, description="Build shared libraries")
    variant("openmp", default=True, description="Run on threads, by OpenMP")
    variant("io", default=True, description="Build the component Io: files of matrices")
    variant("driver", default=True, when="+io", description="Build the programs tessera_spmm and tessera_smoke")
    variant("tests", default=False, when="+io", description="Build the unit tests")
    variant("kokkos-kernels", default=False, description="Build the component KokkosKernels")
    variant("trilinos", default=False, description="Build the component Tpetra")
    variant("mpi", default=True, when="+trilinos", description="Use a Tpetra with MPI")
    variant("nccl", default=False, when="+trilinos+cuda", description="Build the component Nccl")
    variant(
        "scalars",
        default=",".join(every_scalar),
        values=every_scalar,
        multi=True,
        description="Scalars of matrices to compile for",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("zlib-api", when="+io")

    # To the newest minor versions that are tested (docs/releases.md).
    depends_on("kokkos@4.5:5.2")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos~openmp+serial", when="~openmp")
    depends_on("kokkos+pic", when="+shared")
    # Kernels and what includes Kokkos are compiled by nvcc, the latter by its wrapper.
    with when("+cuda"):
        depends_on("cuda@12.4:13.0")
        depends_on("kokkos@4.5:4.6+cuda+cuda_lambda+wrapper cxxstd=20")
        for arch in cuda_archs:
            depends_on(f"kokkos cuda_arch={arch}", when=f"cuda_arch={arch}")
    depends_on("kokkos~cuda", when="~cuda")

    depends_on("kokkos-kernels@4.5:5.0", when="+kokkos-kernels")
    depends_on("kokkos-kernels+cuda", when="+kokkos-kernels+cuda")
    for arch in cuda_archs:
        depends_on(f"kokkos-kernels cuda_arch={arch}", when=f"+kokkos-kernels cuda_arch={arch}")
    depends_on("kokkos-kernels+openmp", when="+kokkos-kernels+openmp")

    with when("+trilinos"):
        depends_on("trilinos@16.1:17.0+tpetra+belos")
        depends_on("trilinos+cuda+wrapper", when="+cuda")
        for arch in cuda_archs:
            depends_on(f"trilinos cuda_arch={arch}", when=f"cuda_arch={arch}")
        depends_on("trilinos+openmp", when="+openmp")
        depends_on("trilinos+mpi", when="+mpi")
        depends_on("trilinos~mpi", when="~mpi")
        depends_on("mpi", when="+mpi")

    depends_on("nccl", when="+nccl")

    depends_on("cli11", type="build", when="+driver")
    depends_on("nlohmann-json", type="build", when="+driver")
    depends_on("googletest@1.10:", type="build", when="+tests")
    depends_on("googletest@1.10:", type="test")

    conflicts("%gcc@:11", msg="Tessera needs GCC 12 or newer, or Clang")
    conflicts("cuda_arch=none", when="+cuda", msg="Kokkos needs to know the GPU: cuda_arch=90")
    for arch in CudaPackage.cuda_arch_values:
        if arch not in cuda_archs:
            conflicts(f"cuda_arch={arch}", msg=f"kernels are for one of {', '.join(cuda_archs)}")

    requires("scalars=double", when="+trilinos", msg="Tpetra needs double")
    requires("scalars=double", when="+tests", msg="the tests need double")

    sanity_check_is_file = [join_path("include", "tessera", "Tessera.hpp")]

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TESSERA_ENABLE_IO", "io"),
            self.define("TESSERA_ENABLE_TOOLS", spec.satisfies("+driver")),
            self.define_from_variant("TESSERA_ENABLE_CUDA", "cuda"),
            self.define_from_variant("TESSERA_ENABLE_KOKKOS_KERNELS", "kokkos-kernels"),
            self.define_from_variant("TESSERA_ENABLE_TPETRA", "trilinos"),
            self.define("TESSERA_ENABLE_NCCL", spec.satisfies("+nccl")),
            self.define("TESSERA_SCALARS", self.values_of("scalars", self.every_scalar)),
            self.define("TESSERA_ENABLE_TESTS", self.run_tests or spec.satisfies("+tests")),
            self.define("TESSERA_ENABLE_EXAMPLES", False),
        ]
        # Kernels are compiled for the GPU that Kokkos is for.
        if spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args

    def test_smoke(self):
        """multiply small matrices in every format and compare with a serial product"""
        program = join_path(self.prefix.bin, "tessera_smoke")
        if not os.path.exists(program):
            raise SkipTest("the variant driver is off, which installs tessera_smoke")
        which(program, required=True)()

    def values_of(self, variant, every):
        """The chosen values of a variant, always in the same order."""
        return [value for value in every if self.spec.satisfies(f"{variant}={value}")]
