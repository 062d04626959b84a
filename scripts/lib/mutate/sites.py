# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sites of mutations: places in the sources, found in Clang's syntax tree.

Constants that the compiler needs (template arguments, constexpr variables, sizes of arrays, labels, conditions of
`if constexpr`, sizeof) are excluded: a mutant there cannot be switched on at run time. Offsets are in bytes.
"""

import dataclasses
import os
import re

from . import libclang

OTHER_OPERATORS = {
    "+": ["-"], "-": ["+"], "*": ["/", "+"], "/": ["*"], "%": ["/"], "<<": [">>"], ">>": ["<<"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-=", "="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "%=": ["/="], "|=": ["&="], "&=": ["|="],
    "^=": ["|="], "<<=": [">>="], ">>=": ["<<="],
}  # fmt: skip
SCOPES = {"Namespace", "StructDecl", "ClassDecl", "ClassTemplate", "ClassTemplatePartialSpecialization", "LinkageSpec"}
FUNCTIONS = {"FunctionDecl", "FunctionTemplate", "CXXMethod", "CXXConstructor", "CXXDestructor", "CXXConversion"}
UNEVALUATED = {"StaticAssert", "UnaryExpr", "SizeOfPackExpr", "RequiresExpr", "CXXTypeidExpr"}
REFERENCES = {"TypeRef", "TemplateRef", "NamespaceRef", "OverloadedDeclRef", "DeclRefExpr", "MemberRef"}
CASTS = {"CXXStaticCastExpr", "CXXFunctionalCastExpr", "CXXReinterpretCastExpr", "CXXConstCastExpr", "CStyleCastExpr"}
LOOPS = {"ForStmt", "WhileStmt", "DoStmt", "CXXForRangeStmt"}
ARITHMETIC = re.compile(
    r"(const )?(bool|float|double|long double|(un)?signed char|char|(unsigned )?(short|int|long|long long))$"
)
MASKED = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
SYMMETRIC = re.compile(rb"(std::|Kokkos::)?(max|min|swap|gcd)\b")
LONGEST = 400  # characters of an expression that is written twice


@dataclasses.dataclass(frozen=True, order=True)
class Site:
    """One mutation. Text from begin to end becomes `mutated` if the mutant is on. `mutated` is empty for a removed
    statement and a negated condition, which are not written twice."""

    file: str  # relative to the top of the sources
    begin: int
    end: int
    kind: str  # operator, literal, unary, condition, statement, return, arguments
    line: int
    original: str
    mutated: str


def mask(text):
    """Blanks comments and strings in a text: their brackets do not count."""
    return MASKED.sub(lambda found: re.sub(rb"[^\n]", b" ", found.group()), text)


def opening_bracket(text, end):
    """Returns the offset of the bracket that the last character before end closes, or None."""
    if end < 1 or text[end - 1 : end] not in (b")", b"}"):
        return None
    depth = 0
    for i in range(end - 1, -1, -1):
        if text[i] in b")}]":
            depth += 1
        elif text[i] in b"({[":
            depth -= 1
            if depth == 0:
                return i
    return None


class Finder:
    """Finds the sites of one translation unit in the files below a folder."""

    def __init__(self, top, folder):
        self._top, self._folder = str(top) + "/", str(folder) + "/"
        self._names, self._texts = {}, {}
        self.sites = set()

    def find(self, root):
        for node in root.children:
            file = self._real(node.file)
            if file.startswith(self._folder):
                self._use(file)
                self._declaration(node)

    def _real(self, file):
        if file not in self._names:
            self._names[file] = os.path.realpath(file) if file else ""
        return self._names[file]

    @property
    def files(self):
        """Returns the files below the folder that the unit reads."""
        return sorted(file[len(self._top) :] for file in self._texts)

    def _use(self, file):
        if file not in self._texts:
            with open(file, "rb") as stream:
                text = stream.read()
            self._texts[file] = (text, mask(text))
        self._file = file[len(self._top) :]
        self._text, self._masked = self._texts[file]

    def _add(self, kind, node, mutated, begin=None, end=None):
        begin, end = node.begin if begin is None else begin, node.end if end is None else end
        original = self._text[begin:end].decode("latin-1")
        again = kind not in ("statement", "condition")
        if not node.plain or (again and (len(original) > LONGEST or "[&" in original or "KOKKOS_" in original)):
            return
        if "\n#" not in original:
            self.sites.add(Site(self._file, begin, end, kind, node.line, original, mutated))

    def _between(self, begin, end):
        return self._masked[begin:end].decode("latin-1").strip()

    # Declarations.

    def _declaration(self, node):
        if node.kind in SCOPES:
            for child in node.children:
                self._declaration(child)
        elif node.kind in FUNCTIONS:
            self._function(node)

    def _function(self, node):
        children = node.children
        body = next((child for child in children if child.kind in ("CompoundStmt", "CXXTryStmt")), None)
        if body is None or not body.plain or "consteval" in self._between(node.begin, body.begin):
            return
        for before, child in zip(children, children[1:]):
            if before.kind == "MemberRef" and child is not body:  # an initialiser of a constructor
                self._expression(child)
        self._statement(body)

    def _variable(self, node):
        """Visits the initial value, unless the compiler may need it."""
        name = node.name_offset
        before = self._between(node.begin, name)
        after = self._masked[name + len(node.name.encode()) :].lstrip()
        if re.search(r"\b(constexpr|constinit|static|thread_local)\b", before) or after.startswith(b"["):
            return
        values = [child for child in node.children if child.begin > name and child.kind not in REFERENCES]
        values += [child for child in node.children if child.begin > name and child.kind == "DeclRefExpr"]
        if re.search(r"\bconst\b|&", f"{before} {node.type}") and not any(self._varies(child) for child in values):
            return
        for child in values:
            self._expression(child)

    def _varies(self, node):
        """Returns whether a value visibly depends on a variable."""
        if node.kind in ("CXXThisExpr", "LambdaExpr", "MemberRefExpr", "ArraySubscriptExpr"):
            return True
        if node.kind == "DeclRefExpr" and node.referenced_kind in ("ParmDecl", "VarDecl"):
            return True
        return any(self._varies(child) for child in node.children)

    # Statements.

    def _statement(self, node):
        kind = node.kind
        if kind == "CompoundStmt":
            for child in node.children:
                self._left_out(child)
                self._statement(child)
        elif kind == "IfStmt":
            self._if(node)
        elif kind in LOOPS:
            self._loop(node)
        elif kind in ("CaseStmt", "DefaultStmt"):
            children = node.children[1 if kind == "CaseStmt" else 0 :]
            for child in children:
                self._left_out(child)
                self._statement(child)
        elif kind == "DeclStmt":
            for child in node.children:
                if child.kind == "VarDecl":
                    self._variable(child)
                else:
                    self._declaration(child)
        elif kind == "ReturnStmt":
            self._return(node)
        elif kind in ("CXXTryStmt", "CXXCatchStmt", "SwitchStmt", "AttributedStmt", "UnexposedStmt"):
            for child in node.children:
                if child.kind != "VarDecl":
                    self._statement(child)
        else:
            self._expression(node)

    def _left_out(self, node):
        """Adds a site that removes a statement, if it only has effects."""
        end = self._masked.find(b";", node.end)
        if end < 0 or self._between(node.end, end):
            return
        core = node
        while core.kind == "UnexposedExpr" and len(core.children) == 1:
            core = core.children[0]
        effect = core.kind in ("CallExpr", "CompoundAssignOperator", "BreakStmt", "ContinueStmt", "CXXThrowExpr")
        if core.kind == "BinaryOperator":
            effect = self._operator(core) == "="
        elif core.kind == "UnaryOperator":
            effect = b"++" in self._text[core.begin : core.end] or b"--" in self._text[core.begin : core.end]
        if effect and not self._text[node.begin : node.end].startswith((b"KOKKOS_", b"TESSERA_")):
            self._add("statement", node, "", end=end + 1)

    def _if(self, node):
        children = node.children
        constant = re.match(rb"if\s+(constexpr|consteval)\b", self._masked[node.begin : node.begin + 40])
        declares = children[0].kind in ("DeclStmt", "VarDecl")
        if not constant and not declares:
            self._add("condition", children[0], "")
            self._expression(children[0])
        elif declares and not constant:
            self._statement(children[0])
        for child in children[1:]:
            if child.kind != "CompoundStmt":
                self._left_out(child)
            self._statement(child)

    def _loop(self, node):
        children = node.children
        if node.kind == "WhileStmt" and children[0].kind not in ("DeclStmt", "VarDecl"):
            self._add("condition", children[0], "")
        for child in children:
            if child.kind != "VarDecl":
                self._statement(child)
        body = children[-1]
        if node.kind != "DoStmt" and body.kind != "CompoundStmt":
            self._left_out(body)

    def _return(self, node):
        if len(node.children) != 1:
            return
        value = node.children[0]
        if ARITHMETIC.match(value.type):
            text = self._text[value.begin : value.end].decode("latin-1")
            self._add("return", value, f"!({text})" if "bool" in value.type else f"({text}) + 1")
        self._expression(value)

    # Expressions.

    def _expression(self, node):
        kind = node.kind
        if kind in UNEVALUATED or kind in REFERENCES:
            return
        if kind == "LambdaExpr":
            for child in node.children:
                if child.kind == "CompoundStmt":
                    self._statement(child)
        elif kind == "MemberRefExpr":  # later children are template arguments
            for child in node.children:
                if child.begin == node.begin:
                    self._expression(child)
        elif kind == "CallExpr" or kind in CASTS or kind == "CXXNewExpr":
            self._call(node)
        else:
            self._mutate(node)
            for child in node.children:
                self._expression(child)

    def _call(self, node):
        """Visits only the last brackets and the object before a member: the rest may be template arguments."""
        opening = opening_bracket(self._masked, node.end)
        arguments = [child for child in node.children if opening is not None and child.begin > opening]
        if not arguments and opening is None:
            arguments = [child for child in node.children if child.kind != "CallExpr" or child.begin != node.begin]
        for child in node.children:
            if child.begin == node.begin and child.kind in ("MemberRefExpr", "UnexposedExpr", "CallExpr", "LambdaExpr"):
                arguments.append(child)
        for child in {(child.begin, child.end, child.kind): child for child in arguments}.values():
            self._expression(child)
        self._swap(node, [child for child in arguments if opening is not None and child.begin > opening])

    def _swap(self, node, arguments):
        """Adds sites that swap two adjacent arguments of one type."""
        if SYMMETRIC.match(self._text[node.begin : node.end]):
            return
        for first, second in zip(arguments, arguments[1:]):
            texts = [self._text[argument.begin : argument.end] for argument in (first, second)]
            same = first.type == second.type and first.type not in ("", "<dependent type>")
            if (
                same
                and texts[0] != texts[1]
                and self._between(first.end, second.begin) == ","
                and first.plain
                and second.plain
            ):
                between = self._text[first.end : second.begin]
                swapped = texts[1] + between + texts[0]
                mutated = self._text[node.begin : first.begin] + swapped + self._text[second.end : node.end]
                if node.kind == "CallExpr":
                    self._add("arguments", node, mutated.decode("latin-1"))

    def _operator(self, node):
        children = node.children
        return self._between(children[0].end, children[1].begin) if len(children) == 2 else ""

    def _mutate(self, node):
        text = self._text[node.begin : node.end].decode("latin-1")
        if node.kind in ("BinaryOperator", "CompoundAssignOperator"):
            first, second = node.children[0], node.children[-1]
            operator = self._operator(node)
            for other in OTHER_OPERATORS.get(operator, ()):
                place = self._masked.find(operator.encode(), first.end, second.begin) - node.begin
                self._add("operator", node, text[:place] + other + text[place + len(operator) :])
        elif node.kind == "UnaryOperator":
            for operator, other in (("++", "--"), ("--", "++"), ("!", ""), ("-", "")):
                if text.startswith(operator):
                    self._add("unary", node, other + text[len(operator) :])
                    break
                if text.endswith(operator) and other:
                    self._add("unary", node, text[: -len(operator)] + other)
                    break
        elif node.kind == "IntegerLiteral" and re.match(r"(0[xX])?[0-9a-fA-F']+", text):
            self._add("literal", node, f"{text} + 1")
            if not re.fullmatch(r"0+[uUlLzZ]*", text):
                self._add("literal", node, f"{text} - 1")
        elif node.kind == "FloatingLiteral":
            self._add("literal", node, f"{text} + 1")
        elif node.kind == "ConditionalOperator":
            self._add("condition", node.children[0], "")


def find_sites(source, arguments, top, folder):
    """Returns (sites of a source and of its includes below the folder, these files)."""
    with libclang.Unit(source, arguments) as unit:
        finder = Finder(top, folder)
        finder.find(unit.root)
        return finder.sites, finder.files
