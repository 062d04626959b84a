# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The few functions of libclang's C interface that sites.py needs, through ctypes, without a Python package."""

import ctypes
import functools
import pathlib
import subprocess

ERROR = 3  # CXDiagnostic_Error; greater is fatal
RECURSE_NOT = 1  # CXChildVisit_Continue


class _Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", ctypes.c_void_p * 3)]


class _Location(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("number", ctypes.c_uint)]


class _Range(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint)]


class _Type(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("data", ctypes.c_void_p * 2)]


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


_Visitor = ctypes.CFUNCTYPE(ctypes.c_int, _Cursor, _Cursor, ctypes.c_void_p)
_pointer, _uint = ctypes.c_void_p, ctypes.c_uint
_PLACE = [_Location] + [ctypes.POINTER(kind) for kind in (_pointer, _uint, _uint, _uint)]
# name: (type of the result, types of the arguments)
_FUNCTIONS = {
    "createIndex": (_pointer, [ctypes.c_int, ctypes.c_int]),
    "parseTranslationUnit": (
        _pointer,
        [_pointer, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, _pointer, _uint, _uint],
    ),
    "disposeTranslationUnit": (None, [_pointer]),
    "disposeIndex": (None, [_pointer]),
    "getTranslationUnitCursor": (_Cursor, [_pointer]),
    "visitChildren": (_uint, [_Cursor, _Visitor, _pointer]),
    "getCursorKindSpelling": (_String, [ctypes.c_int]),
    "getCursorSpelling": (_String, [_Cursor]),
    "getCursorExtent": (_Range, [_Cursor]),
    "getCursorLocation": (_Location, [_Cursor]),
    "getRangeStart": (_Location, [_Range]),
    "getRangeEnd": (_Location, [_Range]),
    "getSpellingLocation": (None, _PLACE),
    "getExpansionLocation": (None, _PLACE),
    "getFileLocation": (None, _PLACE),
    "getFileName": (_String, [_pointer]),
    "getCursorType": (_Type, [_Cursor]),
    "getCanonicalType": (_Type, [_Type]),
    "getTypeSpelling": (_String, [_Type]),
    "getCursorReferenced": (_Cursor, [_Cursor]),
    "getNumDiagnostics": (_uint, [_pointer]),
    "getDiagnostic": (_pointer, [_pointer, _uint]),
    "getDiagnosticSeverity": (ctypes.c_int, [_pointer]),
    "getDiagnosticSpelling": (_String, [_pointer]),
    "getDiagnosticLocation": (_Location, [_pointer]),
    "disposeDiagnostic": (None, [_pointer]),
    "getCString": (ctypes.c_char_p, [_String]),
    "disposeString": (None, [_String]),
}


@functools.cache
def _resource_folder():
    """Returns the folder of Clang's own headers, or None without Clang."""
    try:
        result = subprocess.run(["clang", "-print-resource-dir"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()


@functools.cache
def find_library():
    """Returns the libclang of the clang on the PATH, or None."""
    if not _resource_folder():
        return None
    folder = pathlib.Path(_resource_folder()).resolve().parents[1]
    found = [
        path
        for path in sorted(folder.glob("libclang*.so*"))
        if not path.name.startswith(("libclang-cpp", "libclang_rt"))
    ]
    return str(found[-1]) if found else None


@functools.cache
def _library():
    library = ctypes.CDLL(find_library())
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "clang_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def _call(name, *arguments):
    return getattr(_library(), "clang_" + name)(*arguments)


def _text(string):
    value = _call("getCString", string)
    _call("disposeString", string)
    return (value or b"").decode()


@functools.cache
def _kind_name(kind):
    return _text(_call("getCursorKindSpelling", kind))


def _place(location, which):
    """Returns (file handle, offset) of a location."""
    file, line, column, offset = _pointer(), _uint(), _uint(), _uint()
    _call(which, location, *(ctypes.byref(value) for value in (file, line, column, offset)))
    return file.value, offset.value, line.value


class Node:
    """A node of the syntax tree. begin and end are offsets in bytes; plain is False if a macro wrote a part of it."""

    def __init__(self, cursor):
        self._cursor = cursor
        self.kind = _kind_name(cursor.kind)
        extent = _call("getCursorExtent", cursor)
        places = []
        self.plain = True
        for edge in ("getRangeStart", "getRangeEnd"):
            location = _call(edge, extent)
            place = _place(location, "getFileLocation")
            places.append(place)
            if not place == _place(location, "getExpansionLocation") == _place(location, "getSpellingLocation"):
                self.plain = False
        (self._file, self.begin, self.line), (_, self.end, _) = places

    @property
    def file(self):
        return _text(_call("getFileName", self._file)) if self._file else ""

    @property
    def name_offset(self):
        return _place(_call("getCursorLocation", self._cursor), "getFileLocation")[1]

    @property
    def name(self):
        return _text(_call("getCursorSpelling", self._cursor))

    @property
    def type(self):
        """The canonical type, as text."""
        return _text(_call("getTypeSpelling", _call("getCanonicalType", _call("getCursorType", self._cursor))))

    @property
    def referenced_kind(self):
        return _kind_name(_call("getCursorReferenced", self._cursor).kind)

    @functools.cached_property
    def children(self):
        found = []

        def visit(cursor, _parent, _data):
            found.append(_Cursor.from_buffer_copy(cursor))
            return RECURSE_NOT

        _call("visitChildren", self._cursor, _Visitor(visit), None)
        return [Node(cursor) for cursor in found]


class Unit:
    """A parsed source; a context manager."""

    def __init__(self, source, arguments):
        arguments = [*arguments, "-w", "-resource-dir", _resource_folder()]
        array = (ctypes.c_char_p * len(arguments))(*(argument.encode() for argument in arguments))
        self._index = _call("createIndex", 0, 0)
        self._unit = _call("parseTranslationUnit", self._index, source.encode(), array, len(arguments), None, 0, 0)
        if not self._unit:
            raise RuntimeError(f"libclang cannot parse {source}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _call("disposeTranslationUnit", self._unit)
        _call("disposeIndex", self._index)

    @property
    def root(self):
        return Node(_call("getTranslationUnitCursor", self._unit))

    def errors(self):
        """[(file, line, message)]."""
        found = []
        for i in range(_call("getNumDiagnostics", self._unit)):
            diagnostic = _call("getDiagnostic", self._unit, i)
            if _call("getDiagnosticSeverity", diagnostic) >= ERROR:
                file, _, line = _place(_call("getDiagnosticLocation", diagnostic), "getFileLocation")
                name = _text(_call("getFileName", file)) if file else ""
                found.append((name, line, _text(_call("getDiagnosticSpelling", diagnostic))))
            _call("disposeDiagnostic", diagnostic)
        return found
