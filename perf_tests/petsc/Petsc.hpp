// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <petscksp.h>

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// PETSc's objects, with Tpetra's distribution of rows.
namespace Petsc {

/// Throws if a function of PETSc has failed. PETSc has printed the reason.
inline void check(PetscErrorCode code) {
  if (code != PETSC_SUCCESS) throw std::runtime_error("PETSc: error " + std::to_string(static_cast<int>(code)));
}

/// Owns an object of PETSc or SLEPc.
template <class T, PetscErrorCode (*destroy)(T*)>
class Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner(Owner&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  Owner& operator=(const Owner&) = delete;
  ~Owner() { static_cast<void>(destroy(&object_)); }
  void reset(Owner&& other) { std::swap(object_, other.object_); }  ///< takes the object of another owner

  operator T() const { return object_; }
  T* operator&() { return &object_; }  ///< for functions that make an object

 private:
  T object_ = nullptr;
};

using Matrix = Owner<Mat, MatDestroy>;
using Vector = Owner<Vec, VecDestroy>;
using LinearSolver = Owner<KSP, KSPDestroy>;

/// Copies a matrix whose rank r has the rows before those of rank r + 1. Its format is AIJ, PETSc's default.
inline Matrix copy_of(const Tpetra::CrsMatrix<double>& A) {
  const auto rows = static_cast<PetscInt>(A.getRowMap()->getLocalNumElements());
  Matrix result;
  check(MatCreate(PETSC_COMM_WORLD, &result));
  check(MatSetSizes(result, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetType(result, MATAIJ));
  check(MatSetUp(result));
  using Row = Tpetra::CrsMatrix<double>;
  Row::nonconst_global_inds_host_view_type indices("indices", A.getLocalMaxNumRowEntries());
  Row::nonconst_values_host_view_type values("values", A.getLocalMaxNumRowEntries());
  std::vector<PetscInt> columns(indices.extent(0));
  for (PetscInt i = 0; i < rows; ++i) {
    const auto row = A.getRowMap()->getGlobalElement(i);
    std::size_t count = 0;
    A.getGlobalRowCopy(row, indices, values, count);
    for (std::size_t k = 0; k < count; ++k) columns[k] = static_cast<PetscInt>(indices(k));
    const auto global = static_cast<PetscInt>(row);
    check(MatSetValues(result, 1, &global, static_cast<PetscInt>(count), columns.data(), values.data(), ADD_VALUES));
  }
  check(MatAssemblyBegin(result, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(result, MAT_FINAL_ASSEMBLY));
  check(MatSetOption(result, MAT_SPD, PETSC_TRUE));
  return result;
}

/// Returns a dense matrix of zeros with the shape of X.
inline Matrix dense_like(const Tpetra::MultiVector<double>& X) {
  Matrix result;
  check(MatCreateDense(PETSC_COMM_WORLD, static_cast<PetscInt>(X.getLocalLength()), PETSC_DECIDE,
                       static_cast<PetscInt>(X.getGlobalLength()), static_cast<PetscInt>(X.getNumVectors()), nullptr,
                       &result));
  return result;
}

/// Copies a multivector to a dense matrix.
inline Matrix copy_of(const Tpetra::MultiVector<double>& X) {
  Matrix result = dense_like(X);
  const auto from = X.getLocalViewHost(Tpetra::Access::ReadOnly);
  PetscScalar* to = nullptr;
  PetscInt stride = 0;
  check(MatDenseGetLDA(result, &stride));
  check(MatDenseGetArrayWrite(result, &to));
  for (std::size_t j = 0; j < from.extent(1); ++j)
    for (std::size_t i = 0; i < from.extent(0); ++i) to[i + j * static_cast<std::size_t>(stride)] = from(i, j);
  check(MatDenseRestoreArrayWrite(result, &to));
  return result;
}

/// Copies a dense matrix to a multivector.
inline void copy(Mat X, Tpetra::MultiVector<double>& Y) {
  const auto to = Y.getLocalViewHost(Tpetra::Access::OverwriteAll);
  const PetscScalar* from = nullptr;
  PetscInt stride = 0;
  check(MatDenseGetLDA(X, &stride));
  check(MatDenseGetArrayRead(X, &from));
  for (std::size_t j = 0; j < to.extent(1); ++j)
    for (std::size_t i = 0; i < to.extent(0); ++i) to(i, j) = from[i + j * static_cast<std::size_t>(stride)];
  check(MatDenseRestoreArrayRead(X, &from));
}

}  // namespace Petsc
