#!/usr/bin/env python3
"""Creates failing inputs for real tools.

usage: make.py OUT [NAME...]

For each case the script writes `OUT/<name>/input.<ext>` and an executable `OUT/<name>/interesting.sh`, which takes the
candidate's path and exits with 0 if the failure reproduces. The tools that the oracles run are installed in `OUT/.tools`.

All versions are fixed: packages of Debian 12 (`benches/README.md` lists them), the pip and npm packages below, CPython 3.11
as `python3`, Node 20, and the seeds of csmith. A case whose tools or sources are missing is named and skipped.
The recipes in `languages.py` fetch crates, pip and npm packages, and files of Debian packages, which are not installed.
"""
import csv
import io
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import languages  # noqa: F401  (registers its recipes)
from recipe import CASES, Missing, case, file, library, output, program

HERE = Path(__file__).resolve().parent
PIP = ["astor==0.8.1", "html5lib==1.1", "lxml==6.1.3", "pyflakes==3.0.1"]
NPM = ["csso@3.0.0", "bootstrap@4.6.0", "js-beautify@1.10.0", "d3-geo@3.0.1", "html-minifier@4.0.0", "recast@0.10.43",
       "terser@3.8.1", "typescript@5.9.3"]
# The types that TypeScript requires, so that it reads no library.
GLOBALS = """\
interface Array<T> { length: number; [n: number]: T; push(...items: T[]): number; forEach(f: (item: T) => void): void }
interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
declare var require: (name: string) => any; declare var exports: any;
"""
# csmith's minimal header requires two platform headers; these use an ordinary C library.
STUBS = {
    "custom_stdint_x86.h": "#include <stdint.h>\n#include <limits.h>\n",
    "custom_limits.h": "#include <limits.h>\n#include <float.h>\nfloat fabsf(float);\ndouble fabs(double);\n",
}


def csmith(tools: Path, seed: int, *options: str, minimal: bool = True, change=lambda text: text) -> bytes:
    """Returns a preprocessed csmith program, with the C library's headers or with csmith's minimal header."""
    folder = tools / "csmith"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in STUBS.items():
        (folder / name).write_text(text)
    text = change(output("csmith", "--seed", str(seed), *options, cwd=folder).decode())
    small = ["-DCSMITH_MINIMAL", f"-I{folder}"] if minimal else []
    return output("gcc", "-E", "-P", "-w", *small, "-I/usr/include/csmith", "-x", "c", "-", input=text.encode())


def cxx(compiler: str, standard: str, text: str) -> bytes:
    """Returns a preprocessed C++ program."""
    return output(compiler, f"-std={standard}", "-E", "-P", "-x", "c++", "-", input=text.encode())


def cxx_for_both(standard: str, text: str) -> bytes:
    """Returns a preprocessed C++ program that both g++ and clang read.

    clang preprocesses it; the one builtin in its headers that g++ 12 lacks is replaced by what nothing here instantiates.
    """
    plain = cxx("clang++-14", standard, text)
    return re.sub(rb"__make_integer_seq<(\w+), (\w+), _Num>", rb"\1<\2>", plain)


# Replaces the builtin of clang that creates a sequence of integers, so that g++ can read the text.
MADE_SEQUENCE = """\
namespace std {
template <template <class T, T...> class S, decltype(sizeof 0) N, class T, T... I>
struct __made_seq : __made_seq<S, N - 1, T, N - 1, I...> {};
template <template <class T, T...> class S, class T, T... I>
struct __made_seq<S, 0, T, I...> { typedef S<T, I...> type; };
}
"""


def cxx_for_both_to_use(standard: str, text: str) -> bytes:
    """Like `cxx_for_both`, for programs that instantiate templates for which clang has builtins."""
    plain = cxx("clang++-14", standard, text).decode()
    plain = re.sub(r"__make_integer_seq<(\w+), (\w+), _Num>", r"typename __made_seq<\1, _Num, \2>::type", plain)
    return (MADE_SEQUENCE + re.sub(r"__builtin_operator_(new|delete)", r"::operator \1", plain)).encode()


def mark_branches(text: str) -> str:
    """Inserts a call of `dead<N>()` at the start of every branch and loop; N counts from 1."""
    head, body = text.split("/* --- FORWARD DECLARATIONS --- */", 1)
    count = 0

    def mark(match):
        nonlocal count
        count += 1
        return f"{match.group(0)} dead{count}();"

    body = re.sub(r"(?:if \(.*\)|else|for \(.*\))\n\s*\{", mark, body)
    return head + "".join(f"void dead{i}(void);\n" for i in range(1, count + 1)) + body


def miscompiled(tools: Path, seed: int, definitions: str, calls: str) -> bytes:
    """Returns a csmith program with functions that gcc 12.2 compiles wrongly; `main` adds their results to the checksum."""
    options = "--max-funcs 4 --max-block-depth 3 --no-bitfields".split()
    text = csmith(tools, seed, *options, change=lambda text: with_trigger(text, definitions, calls))
    # The formats of the minimal header do not match its arguments on this platform.
    return text.replace(b"%s %d\\n\", vname, val", b"%s %lu\\n\", vname, val").replace(b"checksum = %llx", b"checksum = %lx")


def with_trigger(text: str, definitions: str, calls: str) -> str:
    mark = "/* --- FORWARD DECLARATIONS --- */"
    head, body = text.split(mark, 1)
    return head + definitions + mark + body.replace("    func_1();\n", f"    func_1();\n{calls}", 1)


@case("c-dead-call", "c", "csmith, seed 35, a call in each branch")
def _(tools):
    return csmith(tools, 35, "--max-funcs", "4", "--max-block-size", "3", "--max-block-depth", "4", change=mark_branches)


@case("c-wrong-clamp", "c", "csmith, seed 1, and a clamp that gcc -O1 gets wrong (PR 111331)")
def _(tools):
    return miscompiled(tools, 1, """\
int32_t g_902, g_903;
int32_t  func_90(int32_t p_91, int32_t p_92, int32_t p_93)
{
    if (p_91 < p_92)
        return p_92;
    if (p_91 > p_93)
        return p_93;
    return p_91;
}
void  func_94(void)
{
    int32_t l_95 = -1;
    g_902 = func_90(g_903 + 30, 29, l_95 + 29);
}
""", """\
    func_94();
    transparent_crc(g_902, "g_902", print_hash_value);
""")


@case("c-wrong-square", "c", "csmith, seed 3, and a loop that gcc -O3 gets wrong (PR 111764)")
def _(tools):
    return miscompiled(tools, 3, """\
static int16_t g_902 = 2;
static void  func_90(void)
{
    int32_t l_91;
    for (l_91 = 1; l_91 <= 9; l_91 = l_91 + 1)
    {
        g_902 = (int16_t)(g_902 * g_902);
    }
}
""", """\
    func_90();
    transparent_crc(g_902, "g_902", print_hash_value);
""")


@case("c-wrong-fields", "c", "csmith, seed 6, and stores to fields that gcc -O2 gets wrong (PR 108498)")
def _(tools):
    return miscompiled(tools, 6, """\
struct S90 { char f0[16]; };
struct S91 {
   unsigned f0 : 3;
   unsigned f1 : 8;
   unsigned f2 : 21;
   struct S90 f3;
   uint32_t f4;
   struct S90 f5;
};
static struct S91 g_902 = {5, 1, 1, {{0}}, 0, {{0}}};
void  func_90(struct S91 *p_91)
{
    p_91->f1 = 231;
    p_91->f2 = 42;
    p_91->f3 = (struct S90){"abcdefghijklmno"};
    p_91->f4 = 0xDEADBEEFUL;
    p_91->f5 = (struct S90){"ABCDEFGHIJKLMNO"};
}
""", """\
    func_90(&g_902);
    transparent_crc(g_902.f0, "g_902.f0", print_hash_value);
    transparent_crc(g_902.f1, "g_902.f1", print_hash_value);
    transparent_crc(g_902.f4, "g_902.f4", print_hash_value);
""")


@case("c-sparse-modifiers", "c", "csmith, seed 2, with the C library's headers")
def _(tools):
    return csmith(tools, 2, "--max-funcs", "8", minimal=False)


@case("c-tcc-pragma", "c", "csmith, seed 4")
def _(tools):
    return csmith(tools, 4, "--max-funcs", "8")


@case("c-vorbis-header", "c", "stb_vorbis, as it is written")
def _(tools):
    return b"#define STB_VORBIS_NO_STDIO\n" + file("/usr/include/stb/stb_vorbis.h", "libstb-dev")


@case("cxx-doctest-shift", "cc", "doctest with its implementation and a test, as it is written; clang warns of what it has itself")
def _(tools):
    text = file("/usr/include/doctest/doctest.h", "doctest-dev").replace(b"diagnostic ignored", b"diagnostic warning")
    test = b'TEST_CASE("a") { CHECK(1 + 1 == 2); }\n'
    return b"#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n" + text + test


@case("cxx-optional-emplace", "cc", "<optional>, preprocessed, and a program of six lines")
def _(tools):
    return cxx_for_both("c++20", """\
#include <optional>
struct range { int first, last; };
std::optional<range> parse(const char *s) {
    std::optional<range> r;
    if (*s) r.emplace(s[0] - '0', s[1] - '0');
    return r;
}
int main() { return parse("12")->last; }
""")


@case("cxx-map-less", "cc", "<map>, preprocessed, and a program of twelve lines")
def _(tools):
    return cxx("g++", "c++14", """\
#include <map>
struct point { int x, y; };
typedef std::map<point, int> heights;
int highest(const heights &h) {
    int best = 0;
    for (const auto &e : h) if (e.second > best) best = e.second;
    return best;
}
int main() {
    heights h;
    h[point{1, 2}] = 3;
    h.insert({point{2, 3}, 4});
    h.erase(point{1, 2});
    return highest(h);
}
""")


@case("cxx-function-uninitialized", "cc", "<functional>, preprocessed, and a variant by hand")
def _(tools):
    return cxx_for_both("c++14", """\
#include <functional>
typedef std::function<bool(char)> matcher;
struct state {
    int kind;
    union { int next; char raw[sizeof(matcher)]; };
    state(int k) : kind(k), next(0) {}
    state(matcher f) : kind(1) { new (raw) matcher(std::move(f)); }
    state(state &&o) : kind(o.kind) {
        if (kind == 1) new (raw) matcher(std::move(*reinterpret_cast<matcher *>(o.raw)));
        else next = o.next;
    }
    ~state() { if (kind == 1) reinterpret_cast<matcher *>(raw)->~function(); }
};
static state sink[2] = { state(0), state(2) };
void insert(state s) { state t(std::move(s)); new (&sink[1]) state(std::move(t)); }
int main(int argc, char **) {
    state s(3);
    if (argc > 1) insert(std::move(s));
    insert(state([argc](char c) { return c == argc; }));
}
""")


@case("cxx-all-alias", "cc", "<bits/stdc++.h>, preprocessed, and a program of 26 lines")
def _(tools):
    return cxx("g++", "c++20", """\
#include <bits/stdc++.h>
namespace app {
template <class T> struct holder { std::vector<T> items; std::map<std::string, T> names; };
template <class K, class V> using callback = decltype([](const K &, const V &) -> void {});
template <class K, class V, class F = callback<K, V>>
struct table {
    std::unordered_map<K, V> data;
    std::optional<V> find(const K &key) const { auto at = data.find(key); if (at == data.end()) return std::nullopt; return at->second; }
    void each(F f = {}) const { for (auto &[k, v] : data) f(k, v); }
};
template <class T, class F = callback<T, int>> void visit(const holder<T> &h) {
    int i = 0;
    for (auto &item : h.items) F{}(item, i++);
}
}
int main() {
    app::holder<std::string> h{{"a", "b"}, {}};
    app::table<std::string, int> t;
    t.data["x"] = 1;
    app::visit<std::string>(h);
    std::ostringstream out;
    for (auto x : h.items | std::views::transform([](auto &s) { return s.size(); })) out << x;
    std::cout << out.str() << t.find("x").value_or(3) << std::endl;
    return 0;
}
""")


@case("cxx-boost-alias", "cc", "Boost's containers, variants and strings and <regex>, preprocessed, and a program of 37 lines")
def _(tools):
    file("/usr/include/boost/multi_index_container.hpp", "libboost1.74-dev")
    return cxx("g++", "c++20", """\
#include <boost/multi_index_container.hpp>
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/algorithm/string.hpp>
#include <boost/variant.hpp>
#include <iostream>
#include <regex>
namespace shop {
struct article { int number; std::string name; double price; };
template <class T> using priced = decltype([](const T &t) -> bool { return t.price > 0; });
template <class T, class Wanted = priced<T>> struct shelf {
    std::vector<T> all;
    Wanted wanted;
    void add(T t) { if (wanted(t)) all.push_back(std::move(t)); }
};
template <class T> struct store { shelf<T> shown; std::regex names{"[a-z]+"}; };
typedef boost::multi_index_container<article, boost::multi_index::indexed_by<
    boost::multi_index::hashed_unique<boost::multi_index::member<article, int, &article::number>>,
    boost::multi_index::ordered_non_unique<boost::multi_index::member<article, std::string, &article::name>>>> articles;
}
int main(int argc, char **argv) {
    shop::articles all;
    shop::store<shop::article> store;
    for (int i = 1; i < argc; i++) {
        std::vector<std::string> parts;
        boost::split(parts, argv[i], boost::is_any_of(":"));
        if (!std::regex_match(parts[1], store.names)) continue;
        all.insert({std::stoi(parts[0]), parts[1], std::stod(parts[2])});
    }
    for (const auto &article : all.get<1>()) store.shown.add(article);
    boost::variant<int, std::string> last = std::string("none");
    for (const auto &article : store.shown.all) last = article.number;
    std::cout << store.shown.all.size() << ' ' << last << '\\n';
}
""")


@case("cxx-ranges-filter", "cc", "<bits/stdc++.h>, preprocessed, and a program of 16 lines")
def _(tools):
    return cxx_for_both_to_use("c++20", """\
#include <bits/stdc++.h>
struct reading { std::string place; double value; };
std::map<std::string, double> highest(const std::vector<reading> &all, double least) {
    std::map<std::string, double> best;
    auto wanted = all | std::views::filter([least](const reading &r) { return r.value >= least; });
    for (const reading &r : wanted) {
        auto [at, is_new] = best.try_emplace(r.place, r.value);
        if (!is_new && at->second < r.value) at->second = r.value;
    }
    return best;
}
int main() {
    std::vector<reading> all{{"a", 1.5}, {"b", 2.5}, {"a", 3}};
    for (auto &[place, value] : highest(all, 1)) std::cout << place << ' ' << value << '\\n';
}
""")


@case("py-argparse-percent", "py", "CPython's argparse.py and a script")
def _(tools):
    return library("argparse.py") + b'''

parser = ArgumentParser(prog="backup", description="Copies a folder.")
parser.add_argument("source", help="the folder to copy")
parser.add_argument("--exclude", metavar="GLOB", help="what to leave out")
parser.add_argument("--limit", type=int, default=80, help="stop when the disk is 80%, not later")
parser.print_help()
'''


@case("py-astor-match", "py", "CPython's dataclasses.py")
def _(tools):
    return library("dataclasses.py")


@case("py-lib2to3-with", "py", "CPython's test_tarfile.py")
def _(tools):
    return library("test/test_tarfile.py")


@case("py-pyflakes-convert", "py", "CPython's ssl.py")
def _(tools):
    return library("ssl.py")


@case("html-html5lib-serialize", "html", "qemu-img.html of Debian's qemu-utils")
def _(tools):
    return file("/usr/share/doc/qemu-utils/qemu-img.html", "qemu-utils")


@case("html-underscore-heading", "html", "index.html of Debian's libjs-underscore")
def _(tools):
    return file("/usr/share/doc/libjs-underscore/index.html", "libjs-underscore")


@case("html-minifier-twice", "html", "argparse.html of Debian's python3-doc")
def _(tools):
    return file("/usr/share/doc/python3.11/html/library/argparse.html", "python3-doc")


@case("js-beautify-twice", "js", "d3-geo 3.0.1")
def _(tools):
    return file(tools / "node_modules/d3-geo/dist/d3-geo.js", "d3-geo")


@case("js-terser-twice", "js", "recast 0.10.43")
def _(tools):
    return file(tools / "node_modules/recast/lib/printer.js", "recast")


@case("js-tsc-redeclared", "js", "recast 0.10.43")
def _(tools):
    (tools / "globals.d.ts").write_text(GLOBALS)
    return file(tools / "node_modules/recast/lib/printer.js", "recast")


@case("css-csso-twice", "css", "Bootstrap 4.6.0")
def _(tools):
    return file(tools / "node_modules/bootstrap/dist/css/bootstrap.css", "bootstrap")


@case("perl-deparse", "pm", "CPAN/Distribution.pm of Debian's perl-modules-5.36")
def _(tools):
    return file("/usr/share/perl/5.36/CPAN/Distribution.pm", "perl-modules-5.36")


def install(tools: Path) -> None:
    """Installs the pinned packages in `tools` if they are missing."""
    tools.mkdir(parents=True, exist_ok=True)
    if not (tools / "venv").exists():
        subprocess.run([sys.executable, "-m", "venv", tools / "venv"], check=True)
        subprocess.run([tools / "venv/bin/pip", "install", "-q", "--disable-pip-version-check", *PIP], check=True)
    if not (tools / "node_modules").exists():
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", tools, *NPM], check=True)


def formula(variables: int, clauses: int, seed: int) -> bytes:
    """Returns a random problem in DIMACS format with three literals per clause."""
    choice = random.Random(seed)
    lines = [f"c random 3-SAT, seed {seed}", f"p cnf {variables} {clauses}"]
    for _ in range(clauses):
        literals = sorted(choice.sample(range(1, variables + 1), 3))
        lines.append(" ".join(str(literal if choice.random() < .5 else -literal) for literal in literals) + " 0")
    return ("\n".join(lines) + "\n").encode()


@case("cnf-minisat-conflicts", "cnf", "random 3-SAT, seed 1, for a solver that ignores the header")
def _(tools):
    program("minisat")
    return formula(100, 500, 1)


@case("cnf-cadical-conflicts", "cnf", "random 3-SAT, seed 2, for a solver that is strict about the header")
def _(tools):
    program("cadical")
    return formula(80, 400, 2)


@case("csv-two-currencies", "csv", "a table of 400 orders, made up")
def _(tools):
    program("sqlite3")
    choice, text = random.Random(4), io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["order", "customer", "item", "quantity", "price", "currency", "shipped", "note"])
    names = ["Ada", "Barbara", "Edsger", "Grace", "Donald", "Tony", "Frances", "Niklaus"]
    items = ["bolt", "nut", "washer", "screw", "rivet", "anchor"]
    for order in range(400):
        rows.writerow([
            f"2024.{1000 + order}", choice.choice(names), choice.choice(items), choice.randint(1, 40),
            f"{choice.randint(1, 9999) / 100:.2f}", choice.choice(["EUR", "USD", "CHF"]),
            f"{choice.randint(1, 28):02}.{choice.randint(1, 12):02}.2024",
            choice.choice(["", "fragile", "gift", 'say "hello", please', "second try"]) or "none"])
    return text.getvalue().encode()


@case("make-python-flags", "mk", "CPython 3.11's Makefile")
def _(tools):
    program("make")
    return file(sysconfig.get_makefile_filename(), "CPython 3.11")


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    out, names = Path(sys.argv[1]).resolve(), sys.argv[2:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"unknown case: {', '.join(unknown)}; known cases: {', '.join(CASES)}")
    install(out / ".tools")
    failed = False
    for name in names:
        ext, source, make = CASES[name]
        try:
            text = make(out / ".tools")
        except Missing as why:
            print(f"{name}: skipped: {why}")
            continue
        folder = out / name
        folder.mkdir(exist_ok=True)
        (folder / f"input.{ext}").write_bytes(text)
        shutil.copy(HERE / "cases" / f"{name}.sh", folder / "interesting.sh")
        (folder / "interesting.sh").chmod(0o755)
        # Some scripts write to their current directory.
        with tempfile.TemporaryDirectory() as place:
            command = [folder / "interesting.sh", folder / f"input.{ext}"]
            code = subprocess.run(command, stdin=subprocess.DEVNULL, cwd=place).returncode
        failed |= code != 0
        print(f"{name}: {len(text)} bytes, {source}{'' if code == 0 else f': NOT INTERESTING (exit {code})'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
