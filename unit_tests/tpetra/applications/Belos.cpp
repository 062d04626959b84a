// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Belos.hpp"

#include <BelosBlockCGSolMgr.hpp>
#include <BelosBlockGmresSolMgr.hpp>
#include <BelosLSQRSolMgr.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>

namespace Applications {

namespace {

Teuchos::ParameterList blocks_of_four() {
  Teuchos::ParameterList options;
  options.set("Block Size", 4);
  return options;
}

}  // namespace

std::vector<Application> belos() {
  return {{"block CG",
           [](const RCP<Matrix>& A) {
             return solve<Belos::BlockCGSolMgr<double, MultiVector, Operator>>(A, Teuchos::null, blocks_of_four());
           }},
          {"pseudo-block CG",
           [](const RCP<Matrix>& A) {
             return solve<Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator>>(A, Teuchos::null, {});
           }},
          {"block GMRES",
           [](const RCP<Matrix>& A) {
             return solve<Belos::BlockGmresSolMgr<double, MultiVector, Operator>>(A, Teuchos::null, blocks_of_four());
           }},
          {"pseudo-block GMRES",
           [](const RCP<Matrix>& A) {
             return solve<Belos::PseudoBlockGmresSolMgr<double, MultiVector, Operator>>(A, Teuchos::null, {});
           }},
          {"LSQR",
           [](const RCP<Matrix>& A) {  // also multiplies by the transpose
             return solve<Belos::LSQRSolMgr<double, MultiVector, Operator>>(A, Teuchos::null, {}, 1);
           }}};
}

}  // namespace Applications
