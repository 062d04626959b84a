// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module tessera._tessera: plans and arrays. The package's Python adds kinds of matrices and results.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <AnyPlan.hpp>
#include <DlpackExchange.hpp>
#include <Import.hpp>
#include <Lock.hpp>
#include <Session.hpp>
#include <Solve.hpp>
#include <array>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/PlanOptionsText.hpp>
#include <tessera/Version.hpp>
#include <tessera/Warnings.hpp>

namespace nb = nanobind;
using namespace nb::literals;

namespace Tessera::Python {

namespace {

/// Frees a plan, but not in a child of fork(): see is_forked().
struct FreeUnlessForked {
  void operator()(AnyPlan* plan) const {
    if (!is_forked()) delete plan;
  }
};

/// A plan as Python holds it. It may be destroyed after finish().
struct PlanHandle {
  std::unique_ptr<AnyPlan, FreeUnlessForked> plan;
  int rows, columns;
  std::size_t nonzeros;
};

PlanHandle handle_of(std::unique_ptr<AnyPlan> plan) {
  const int rows = plan->rows(), columns = plan->columns();
  const std::size_t nonzeros = plan->nonzeros();
  return {std::unique_ptr<AnyPlan, FreeUnlessForked>(plan.release()), rows, columns, nonzeros};
}

void check_device(const char* name, const Array& array, const Device& expected) {
  if (array.device == expected) return;
  throw std::invalid_argument(std::string(name) + " is on " + name_of(array.device) + "; expected " +
                              name_of(expected) + ", where the plan is");
}

std::string shape_of(const Array& a) {
  return "(" + std::to_string(a.extents[0]) + (a.rank == 2 ? ", " + std::to_string(a.extents[1]) : ",") + ")";
}

void check_type(const char* name, const Array& array, ElementType expected, const char* why) {
  if (array.type == expected) return;
  throw WrongType(std::string(name) + " is " + name_of(array.type) + "; expected " + name_of(expected) + ", " + why);
}

/// A copy is queued on the current stream of its library: a product on another stream does not wait for it.
void check_order(const std::string& name, const ImportedArray& array, bool has_stream) {
  if (!has_stream || !array.is_copy() || !array.get().device.is_cuda) return;
  throw std::invalid_argument(name +
                              " would be copied on another stream than `stream`; expected an array that is read "
                              "in place, or no stream");
}

void multiply(const PlanHandle& self, nb::handle x, nb::handle out, int mode_bits, std::complex<double> alpha,
              std::complex<double> beta, Stream stream, bool has_stream) {
  const auto X = ImportedArray::to_read(x, "tessera.spmm: X");
  check_order("tessera.spmm: X", X, has_stream);
  const auto Y = ImportedArray::to_write(out, "tessera.spmm: out");
  const auto mode = static_cast<Mode>(mode_bits);
  const Device device = self.plan->device();
  const WithoutLock release;
  const InUse use(device);
  check_device("tessera.spmm: X", X.get(), device);
  check_device("tessera.spmm: out", Y.get(), device);
  const int rows = Impl::is_transposed(mode) ? self.columns : self.rows;
  const int columns = Impl::is_transposed(mode) ? self.rows : self.columns;
  if (X.get().extents[0] != columns) {
    const std::string n = std::to_string(columns);
    throw std::invalid_argument("tessera.spmm: X has the shape " + shape_of(X.get()) + "; expected (" + n + ",) or (" +
                                n + ", k), because op(A) is " + std::to_string(rows) + " x " + n);
  }
  Array expected = X.get();
  expected.extents[0] = rows;
  if (Y.get().rank != expected.rank || Y.get().extents != expected.extents) {
    throw std::invalid_argument("tessera.spmm: out has the shape " + shape_of(Y.get()) + "; expected " +
                                shape_of(expected));
  }
  check_type("tessera.spmm: out", Y.get(), X.get().type, "like X");
  self.plan->multiply(stream, mode, alpha, X.get(), beta, Y.get());
}

CsrArrays csr_of(const ImportedArray& offsets, const ImportedArray& columns, const ImportedArray& values,
                 std::int64_t row_count, std::int64_t column_count) {
  const auto check_indices = [](const char* name, const Array& array) {
    if (array.type == ElementType::Int32 || array.type == ElementType::Int64) return;
    throw WrongType(std::string("tessera.make_plan: the ") + name + " of A are " + name_of(array.type) +
                    "; expected int32 or int64");
  };
  check_indices("row offsets", offsets.get());
  check_indices("column indices", columns.get());
  for (const auto* array : {&offsets, &columns}) {
    if (array->get().device == values.get().device) continue;
    throw std::invalid_argument("tessera.make_plan: the indices of A are on " + name_of(array->get().device) +
                                "; expected " + name_of(values.get().device) + ", where its values are");
  }
  return {row_count, column_count, offsets.get(), columns.get(), values.get()};
}

PlanHandle make_plan(nb::handle offsets, nb::handle columns, nb::handle values, std::int64_t row_count,
                     std::int64_t column_count, const std::string& options_text, const std::string& tuning_file,
                     Stream stream, bool has_stream) {
  PlanOptions options = parse_plan_options(options_text, "tessera.make_plan");
  options.tuning_file = tuning_file;
  const auto row_offsets = ImportedArray::vector(offsets, "tessera.make_plan: the row offsets of A");
  const auto column_indices = ImportedArray::vector(columns, "tessera.make_plan: the column indices of A");
  const auto entries = ImportedArray::vector(values, "tessera.make_plan: the values of A");
  // A copy ends with this call.
  options.shares_pattern = options.shares_pattern && !row_offsets.is_copy() && !column_indices.is_copy();
  options.shares_values = options.shares_values && !entries.is_copy();
  for (const auto* array : {&row_offsets, &column_indices, &entries})
    check_order("tessera.make_plan: an array of A", *array, has_stream);
  const CsrArrays A = csr_of(row_offsets, column_indices, entries, row_count, column_count);
  const WithoutLock release;
  const InUse use(A.values.device);
  return handle_of(A.values.device.is_cuda ? make_cuda_plan(stream, A, options) : make_host_plan(A, options));
}

ElementType type_named(const std::string& name) {
  using enum ElementType;
  for (const ElementType type : {Float, Double, ComplexFloat, ComplexDouble})
    if (name == name_of(type)) return type;
  throw WrongType("tessera.load_plan: dtype is " + name + "; expected float32, float64, complex64 or complex128");
}

PlanHandle load_plan(const std::string& path, const std::string& dtype, bool is_cuda, int gpu, Stream stream) {
  const ElementType type = type_named(dtype);
  const WithoutLock release;
  const InUse use({is_cuda, gpu});
  return handle_of(is_cuda ? load_cuda_plan(stream, path, type) : load_host_plan(path, type));
}

void update_values(PlanHandle& self, nb::handle values, Stream stream, bool has_stream) {
  const auto imported = ImportedArray::vector(values, "tessera.Plan.update_values: values");
  check_order("tessera.Plan.update_values: values", imported, has_stream);
  const Device device = self.plan->device();
  const WithoutLock release;
  const InUse use(device);
  check_device("tessera.Plan.update_values: values", imported.get(), device);
  check_type("tessera.Plan.update_values: values", imported.get(), self.plan->type(), "the type of the plan");
  self.plan->update_values(stream, imported.get());
}

/// Wraps memory of the solver as an array of the library `kind`, for the time of a call.
nb::object block_of(const Array& a, std::string_view kind) {
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(a.extents[0]),
                                            static_cast<std::size_t>(a.extents[1])};
  const auto type = a.type == ElementType::Float ? nb::dtype<float>() : nb::dtype<double>();
  const auto wrap = [&]<class Kind>(Kind) {
    return nb::cast(nb::ndarray<Kind>(a.data, 2, shape.data(), nb::handle(), nullptr, type,
                                      a.device.is_cuda ? nb::device::cuda::value : nb::device::cpu::value, a.device.id),
                    nb::rv_policy::reference);
  };
  if (kind == "torch") return wrap(nb::pytorch());
  if (kind == "cupy") return wrap(nb::cupy());
  return wrap(nb::numpy());
}

/// Makes an operator of a plan or, if `object` is none, of a function of Python, function(in, out).
SolverOperator operator_of(nb::object object, int mode, std::string_view kind) {
  SolverOperator op;
  if (object.is_none()) return op;
  if (nb::isinstance<PlanHandle>(object)) {
    op.plan = nb::cast<const PlanHandle&>(object).plan.get();
    op.mode = static_cast<Mode>(mode);
    return op;
  }
  op.function = [object, kind](const Array& in, const Array& out) {
    const InPython in_python;
    const WithLock acquire;
    const nb::object x = block_of(in, kind), y = block_of(out, kind);
    const auto call = [&] { return PyObject_CallFunctionObjArgs(object.ptr(), x.ptr(), y.ptr(), nullptr); };
    if (!nb::steal(stay_if_python_ends(call)).is_valid()) throw nb::python_error();
  };
  return op;
}

SolverResult solve_system(nb::object A, int mode, nb::object preconditioner, int preconditioner_mode, nb::handle b,
                          nb::handle x, std::string_view kind, double tolerance, int max_iterations, int max_restarts,
                          double dependence, Stream stream) {
  const auto B = ImportedArray::to_read(b, "tessera.block_cg: B");
  const auto X = ImportedArray::to_write(x, "tessera.block_cg: X");
  check_type("tessera.block_cg: X", X.get(), B.get().type, "like B");
  if (B.get().rank != X.get().rank || B.get().extents != X.get().extents) {
    throw std::invalid_argument("tessera.block_cg: X has the shape " + shape_of(X.get()) + "; expected " +
                                shape_of(B.get()) + ", like B");
  }
  if (!(B.get().device == X.get().device)) {
    throw std::invalid_argument("tessera.block_cg: X is on " + name_of(X.get().device) + "; expected " +
                                name_of(B.get().device) + ", like B");
  }
  const SolverOperator multiply = operator_of(std::move(A), mode, kind);
  const SolverOperator precondition = operator_of(std::move(preconditioner), preconditioner_mode, kind);
  const WithoutLock release;
  const InUse use(B.get().device);
  return solve(stream, multiply, precondition, B.get(), X.get(), {tolerance, max_iterations, max_restarts, dependence});
}

/// Passes warnings of the library on to Python's module warnings.
void warn(std::string_view warning) {
  if (Py_IsInitialized() == 0) return;
  const WithLock acquire;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, std::string(warning).c_str(), 1) != 0) PyErr_WriteUnraisable(nullptr);
}

nb::dict version_dictionary() {
  const Version v = version();
  const auto list_of = [](const std::vector<std::string_view>& names) {
    nb::list list;
    for (const std::string_view name : names) list.append(std::string(name));
    return list;
  };
  nb::dict result;
  result["version"] = std::to_string(v.major) + '.' + std::to_string(v.minor) + '.' + std::to_string(v.patch);
  result["commit"] = std::string(v.commit);
  result["scalars"] = list_of(v.scalars);
  result["execution_spaces"] = list_of(v.execution_spaces);
  result["components"] = list_of(v.components);
  result["gpu_model"] = std::string(v.gpu_model);
  result["kokkos"] = std::string(v.kokkos);
  result["compiler"] = std::string(v.compiler);
  return result;
}

/// Translates the exceptions that Python has other types for.
void register_exceptions() {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const FormatTooLarge& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());
    } catch (const WrongType& e) {
      PyErr_SetString(PyExc_TypeError, e.what());
    }
  });
}

void bind_plan(nb::module_& m) {
  const auto locked = nb::call_guard<WithoutLock>();
  nb::class_<PlanHandle>(m, "Plan")
      .def_ro("rows", &PlanHandle::rows)
      .def_ro("columns", &PlanHandle::columns)
      .def_ro("nonzeros", &PlanHandle::nonzeros)
      .def_prop_ro("dtype", [](const PlanHandle& p) { return name_of(p.plan->type()); })
      .def_prop_ro("device", [](const PlanHandle& p) { return name_of(p.plan->device()); })
      .def(
          "bytes", [](const PlanHandle& p) { return p.plan->bytes(); }, locked)
      .def(
          "explain", [](const PlanHandle& p) { return p.plan->explain(); }, locked)
      .def(
          "stats", [](const PlanHandle& p) { return p.plan->stats(); }, locked)
      .def("multiply", &multiply, "x"_a, "out"_a, "mode"_a, "alpha"_a, "beta"_a, "stream"_a, "has_stream"_a)
      .def("update_values", &update_values, "values"_a, "stream"_a, "has_stream"_a)
      .def(
          "prepare",
          [](PlanHandle& p, int columns, int mode, Stream stream) {
            const InUse use(p.plan->device());
            p.plan->prepare(stream, columns, static_cast<Mode>(mode));
          },
          "num_vectors"_a, "mode"_a, "stream"_a, locked)
      .def(
          "settle",
          [](PlanHandle& p, Stream stream) {
            const InUse use(p.plan->device());
            p.plan->settle(stream);
          },
          "stream"_a, locked)
      .def(
          "release_source",
          [](PlanHandle& p, Stream stream) {
            const InUse use(p.plan->device());
            p.plan->release_source(stream);
          },
          "stream"_a, locked)
      .def(
          "save",
          [](PlanHandle& p, const std::string& path, Stream stream) {
            const InUse use(p.plan->device());
            p.plan->save(stream, path);
          },
          "path"_a, "stream"_a, locked);
}

void bind_solver(nb::module_& m) {
  nb::class_<SolverResult>(m, "SolverResult")
      .def_ro("stop", &SolverResult::stop)
      .def_ro("advice", &SolverResult::advice)
      .def_ro("converged", &SolverResult::has_converged)
      .def_ro("iterations", &SolverResult::iterations)
      .def_ro("columns_alone", &SolverResult::columns_alone)
      .def_ro("lost_curvatures", &SolverResult::lost_curvatures)
      .def_ro("most_dependent", &SolverResult::most_dependent)
      .def_ro("restarts", &SolverResult::restarts)
      .def_ro("products", &SolverResult::products)
      .def_ro("residuals", &SolverResult::residuals);
  m.def("solve", &solve_system, "A"_a.none(), "mode"_a, "preconditioner"_a.none(), "preconditioner_mode"_a, "B"_a,
        "X"_a, "kind"_a, "tolerance"_a, "max_iterations"_a, "max_restarts"_a, "dependence"_a, "stream"_a);
}

}  // namespace

NB_MODULE(_tessera, m) {
  nb::set_leak_warnings(false);  // plans may live until Python ends
  register_exceptions();
  bind_plan(m);
  bind_solver(m);
  m.def("make_plan", &make_plan, "row_offsets"_a, "column_indices"_a, "values"_a, "rows"_a, "columns"_a, "options"_a,
        "tuning_file"_a, "stream"_a, "has_stream"_a);
  m.def("load_plan", &load_plan, "path"_a, "dtype"_a, "is_cuda"_a, "gpu"_a, "stream"_a);
  m.def("current_stream", &exchange_stream, "array"_a, nb::sig("def current_stream(array: object) -> int | None"));
  m.def("version", &version_dictionary, nb::sig("def version() -> dict[str, object]"));
  m.def("version_text", [] { return to_string(version()); });
  set_warning_handler(&warn);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    set_warning_handler(nullptr);
    finish();
  }));
  if (nb::object os = nb::module_::import_("os"); nb::hasattr(os, "register_at_fork"))
    os.attr("register_at_fork")(nb::arg("after_in_child") = nb::cpp_function([] { note_fork(); }));
}

}  // namespace Tessera::Python
