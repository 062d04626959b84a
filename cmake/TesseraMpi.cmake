# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tessera_add_mpi_test(NAME <name> COMMAND <target> [<argument>...] RANKS <n>... [PROPERTIES <property> <value>...])
#
# Adds tests <name>.ranks_<n> that run a program on n ranks, with the given properties. They work as root and on fewer
# processors than ranks; a test that hangs fails after two minutes. Without MPI, or with a Tpetra without it, only the test
# with one rank exists. Tests on more than two ranks have the label "thorough" (unit_tests/CMakeLists.txt).
include_guard(GLOBAL)

# The launcher of the ranks, with its options; empty without MPI.
set(launcher)
if(Tpetra_MPI_EXEC AND MPI_CXX_FOUND AND MPIEXEC_EXECUTABLE)
  set(launcher ${MPIEXEC_EXECUTABLE})
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
  if(version MATCHES "Open MPI|OpenRTE|PRRTE")
    # By default Open MPI starts at most one rank per core, and binds ranks of simultaneous tests to the same core.
    list(APPEND launcher --map-by :OVERSUBSCRIBE --bind-to none)
  endif()
else()
  message(STATUS "Tests on several ranks are left out: no MPI, or a Tpetra without it")
endif()
set(TESSERA_MPI_LAUNCHER "${launcher}" CACHE INTERNAL "Starts the ranks of a test")

function(tessera_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME" "COMMAND;RANKS;PROPERTIES")
  list(POP_FRONT test_COMMAND target)
  foreach(ranks IN LISTS test_RANKS)
    set(launch)
    if(TESSERA_MPI_LAUNCHER)
      set(launch ${TESSERA_MPI_LAUNCHER} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS})
    elseif(ranks GREATER 1)
      continue()
    endif()
    set(name ${test_NAME}.ranks_${ranks})
    add_test(NAME ${name} COMMAND ${launch} $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${test_COMMAND})
    set_tests_properties(${name} PROPERTIES PROCESSORS ${ranks} TIMEOUT 120 ${test_PROPERTIES})
    # Permits Open MPI to run as root, and makes waiting ranks yield instead of spinning.
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                                              OMPI_MCA_mpi_yield_when_idle=1)
    if(ranks GREATER 2)
      set_property(TEST ${name} PROPERTY LABELS thorough)
    endif()
    if(ranks GREATER 1)
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT OMP_NUM_THREADS=1 OMP_PROC_BIND=false)
    endif()
  endforeach()
endfunction()
