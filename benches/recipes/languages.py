"""Recipes for languages that had no directory of rules when the recipes were written. `make.py` runs them."""


import tempfile
import zipfile
from pathlib import Path

from recipe import case, crate, debian, debian_source, file, installed, npm, output, pip, program

GO = "/usr/share/go-1.19/src/"
PICORV32 = "pythondata-cpu-picorv32==1.0.post218"
IBEX = "pythondata-cpu-ibex==0.0.post2937"



@case("rust-borrowed-first", "rs", "smallvec 1.16.6, and a function by hand that the borrow checker rejects")
def _(tools):
    return (crate(tools, "smallvec", "1.16.6") / "src/lib.rs").read_bytes() + b'''
/// Drops the items after the first that is larger than all before it.
pub fn peak<A: Array>(items: &mut SmallVec<A>) -> usize
where
    A::Item: PartialOrd,
{
    let mut largest = &items[0];
    let mut count = 1;
    while count < items.len() && items[count] <= *largest {
        count += 1;
    }
    if count < items.len() {
        items.truncate(count + 1);
        largest = largest.max_of(&items[count]);
    }
    assert!(*largest >= items[0]);
    count
}

trait Larger {
    fn max_of<'a>(&'a self, other: &'a Self) -> &'a Self;
}

impl<T: PartialOrd> Larger for T {
    fn max_of<'a>(&'a self, other: &'a T) -> &'a T {
        if other > self { other } else { self }
    }
}
'''


@case("rust-borrowed-drop", "rs", "data-encoding 2.11.1, and a method by hand that hands out what a destructor still needs")
def _(tools):
    return (crate(tools, "data-encoding", "2.11.1") / "src/lib.rs").read_bytes() + b'''
#[cfg(feature = "alloc")]
impl<'a> Encoder<'a> {
    /// Returns the output.
    pub fn into_output(self) -> &'a String {
        self.output
    }
}
'''


@case("rust-slab-send", "rs", "slab 0.4.12, and a program by hand that takes a drain of it to another thread")
def _(tools):
    folder = crate(tools, "slab", "0.4.12") / "src"
    builder = b"mod builder {\n" + (folder / "builder.rs").read_bytes() + b"}\n"
    return (folder / "lib.rs").read_bytes().replace(b"mod builder;\n", builder) + b'''
fn count(entry: VacantEntry<'_, std::rc::Rc<str>>, name: &str) -> usize {
    let key = entry.key();
    entry.insert(name.into());
    key
}

fn main() {
    let mut names: Slab<std::rc::Rc<str>> = Slab::with_capacity(4);
    let first = count(names.vacant_entry(), "first");
    let worker = std::thread::spawn(move || {
        for name in names.drain() {
            std::println!("{}", name);
        }
        first
    });
    std::println!("{:?}", worker.join());
}
'''


@case("rust-ice-dead-code", "rs", "smallvec 1.16.6, and a trait that is implemented for its own trait object, under another name")
def _(tools):
    return (crate(tools, "smallvec", "1.16.6") / "src/lib.rs").read_bytes() + b'''
/// What the items are written to.
pub trait Sink {
    /// Writes what is still kept back.
    fn flush(&self) {}
}

/// A place that has a sink of its own.
pub trait Place {
    /// The sink of the place.
    type Sink: ?Sized;
}

/// The terminal.
pub struct Terminal;

impl Place for Terminal {
    type Sink = dyn Sink + Send;
}

impl Sink for <Terminal as Place>::Sink {}
'''


@case("ts-prettier-twice", "ts", "provider-jsonrpc.ts of ethers 6.13.0")
def _(tools):
    npm(tools, "prettier@2.4.1")
    return (npm(tools, "ethers@6.13.0") / "src.ts/providers/provider-jsonrpc.ts").read_bytes()


@case("ts-sucrase-arrow", "ts", "core-effect.ts of effect 3.12.0")
def _(tools):
    npm(tools, "sucrase@3.20.0")
    npm(tools, "typescript@5.9.3")
    return (npm(tools, "effect@3.12.0") / "src/internal/core-effect.ts").read_bytes()


@case("ts-constraint", "ts", "types.ts of zod 3.25.76")
def _(tools):
    npm(tools, "typescript@5.9.3")
    return (npm(tools, "zod@3.25.76") / "src/v3/types.ts").read_bytes()


@case("go-gccgo-pointer", "go", "atomic_test.go of Go 1.19")
def _(tools):
    return file(GO + "sync/atomic/atomic_test.go", "golang-1.19-src")


@case("go-initialization-cycle", "go", "url.go of Go 1.19, and a default by hand that is parsed by what asks for it")
def _(tools):
    text = file(GO + "net/url/url.go", "golang-1.19-src")
    before = b"func parseHost(host string) (string, error) {\n"
    assert before in text
    return text.replace(before, before + b'''\tif host == "" {
\t\thost = fallback.Hostname()
\t}
''') + b'''
// Where a URL without a host leads.
var fallback = mustParse("http://localhost/")

func mustParse(text string) *URL {
\turl, err := Parse(text)
\tif err != nil {
\t\tpanic(err)
\t}
\treturn url
}
'''


def ir(header: str, define: str, *options: str) -> bytes:
    """Returns the LLVM IR of a header of stb with its implementation."""
    text = f'#define {define}\n#include "{header}"\n'.encode()
    file(f"/usr/include/stb/{header}", "libstb-dev")
    return output("clang-14", "-S", "-emit-llvm", "-w", *options, "-I/usr/include/stb", "-x", "c", "-", "-o", "-", input=text)


@case("ll-outliner-phi", "ll", "stb_image_write by clang 14 -O1")
def _(tools):
    return ir("stb_image_write.h", "STB_IMAGE_WRITE_IMPLEMENTATION", "-O1")


@case("ll-split-crash", "ll", "stb_connected_components by clang 14 -O1")
def _(tools):
    sizes = ["-DSTBCC_GRID_COUNT_X_LOG2=6", "-DSTBCC_GRID_COUNT_Y_LOG2=6"]
    return ir("stb_connected_components.h", "STB_CONNECTED_COMPONENTS_IMPLEMENTATION", "-O1", *sizes)


@case("ll-hexagon-extract", "ll", "stb_dxt by clang 14 -O1")
def _(tools):
    return ir("stb_dxt.h", "STB_DXT_IMPLEMENTATION", "-O1")


def picorv32(tools: Path, query: str) -> bytes:
    """Returns Yosys's model of one step of picorv32, followed by a query."""
    source = pip(tools, PICORV32) / "pythondata_cpu_picorv32/verilog"
    with tempfile.TemporaryDirectory() as place:
        model = Path(place, "model.smt2")
        steps = f"read_verilog picorv32.v; hierarchy -top picorv32; proc; flatten; opt; memory; opt; dffunmap; write_smt2 -wires {model}"
        # The model must not contain the file's path.
        output("yosys", "-q", "-p", steps, cwd=source)
        return model.read_bytes() + query.encode()


@case("smt-one-hot", "smt2", "picorv32 by Yosys 0.23, and that its state stays one-hot")
def _(tools):
    pip(tools, "z3-solver==4.8.10.0")
    return picorv32(tools, """\
(declare-fun s () |picorv32_s|)
(declare-fun t () |picorv32_s|)
(assert (|picorv32_t| s t))
(assert (= (|picorv32_n cpu_state| s) #x40))
(assert (|picorv32_n resetn| s))
(assert (not (= (bvand (|picorv32_n cpu_state| t) (bvsub (|picorv32_n cpu_state| t) #x01)) #x00)))
(check-sat)
""")


@case("smt-pysmt-quotes", "smt2", "picorv32 by Yosys 0.23, and whether it can trap in its first step")
def _(tools):
    pip(tools, "pysmt==0.9.6", "z3-solver==4.8.10.0")
    return picorv32(tools, """\
(declare-fun s () |picorv32_s|)
(declare-fun t () |picorv32_s|)
(assert (|picorv32_t| s t))
(assert (|picorv32_i| s))
(assert (|picorv32_n trap| t))
(check-sat)
""")


@case("sql-sqlglot-cast", "sql", "information_schema.sql of PostgreSQL 15")
def _(tools):
    pip(tools, "sqlglot==10.0.0", "pglast==8.8")
    return (debian(tools, "postgresql-15") / "usr/share/postgresql/15/information_schema.sql").read_bytes()


@case("sql-sqlparse-twice", "sql", "the tables of Icinga 2 for MySQL")
def _(tools):
    pip(tools, "sqlparse==0.4.3")
    return (debian(tools, "icinga2-ido-mysql") / "usr/share/icinga2-ido-mysql/schema/mysql.sql").read_bytes()


def ibex(tools: Path, *names: str) -> bytes:
    folder = pip(tools, IBEX) / "pythondata_cpu_ibex/system_verilog"
    return b"".join((folder / name).read_bytes() for name in names)


@case("sv-iverilog-assertion", "sv", "prim_cipher_pkg.sv of Ibex")
def _(tools):
    return ibex(tools, "vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv")


@case("sv-iverilog-parameter", "sv", "Ibex's package and its arithmetic unit")
def _(tools):
    return ibex(tools, "rtl/ibex_pkg.sv", "rtl/ibex_alu.sv")


@case("sv-netlist-circular", "v", "picorv32 and its bus as Yosys 0.23 writes them as one module")
def _(tools):
    source = pip(tools, PICORV32) / "pythondata_cpu_picorv32/verilog"
    with tempfile.TemporaryDirectory() as place:
        netlist = Path(place, "netlist.v")
        steps = f"read_verilog picorv32.v; prep -flatten -top picorv32_axi; opt_clean; write_verilog -noattr {netlist}"
        output("yosys", "-q", "-p", steps, cwd=source)
        return netlist.read_bytes()


def openjdk(tools: Path, name: str) -> str:
    """Returns a file of OpenJDK 17's base module."""
    with zipfile.ZipFile(debian(tools, "openjdk-17-source") / "usr/lib/jvm/openjdk-17/lib/src.zip") as source:
        return source.read(f"java.base/{name}").decode()


@case("java-javalang-reference", "java", "Collectors.java of OpenJDK 17")
def _(tools):
    pip(tools, "javalang==0.13.0")
    return openjdk(tools, "java/util/stream/Collectors.java").encode()


@case("java-inconvertible", "java", "TreeMap.java of OpenJDK 17, in another package")
def _(tools):
    return openjdk(tools, "java/util/TreeMap.java").replace("package java.util;", "package other;\n\nimport java.util.*;").encode()


@case("sh-shfmt-twice", "sh", "libtoolize of Debian's libtool")
def _(tools):
    return (debian(tools, "libtool") / "usr/bin/libtoolize").read_bytes()


@case("svg-svgo-twice", "svg", "speed.svg of blake3 1.8.7")
def _(tools):
    npm(tools, "svgo@1.3.2")
    return (crate(tools, "blake3", "1.8.7") / "media/speed.svg").read_bytes()


@case("toml-dumps-escape", "toml", "regression.toml of regex 1.13.1")
def _(tools):
    pip(tools, "toml==0.10.2")
    return (crate(tools, "regex", "1.13.1") / "testdata/regression.toml").read_bytes()


@case("yaml-ruamel-changed", "yaml", "ci.yml of blake3 1.8.7")
def _(tools):
    pip(tools, "ruamel.yaml==0.17.21", "pyyaml==6.0.1")
    return (crate(tools, "blake3", "1.8.7") / ".github/workflows/ci.yml").read_bytes()


@case("rb-ruby2ruby-twice", "rb", "imap.rb of Ruby 3.1's net-imap")
def _(tools):
    for package in ("ruby-ruby2ruby", "ruby-ruby-parser", "ruby-sexp-processor"):
        debian(tools, package)
    return file("/usr/lib/ruby/gems/3.1.0/gems/net-imap-0.2.3/lib/net/imap.rb", "libruby3.1")


@case("rb-optparse-number", "rb", "optparse.rb of Ruby 3.1, and a command line by hand")
def _(tools):
    program("ruby")
    return file("/usr/lib/ruby/3.1.0/optparse.rb", "libruby3.1") + b'''
parser = OptionParser.new do |o|
  o.banner = 'usage: tool'
  o.on('-n', '--number N', Integer, 'a number') { |n| p n }
  o.on('-v', '--verbose', 'talk') { |v| p v }
end
parser.parse(['-v', '--number', '12x'])
'''


@case("php-parser-assignment", "php", "rcube_tnef_decoder.php of Debian's Roundcube")
def _(tools):
    npm(tools, "php-parser@2.2.0")
    return (debian(tools, "roundcube-core") / "usr/share/roundcube/program/lib/Roundcube/rcube_tnef_decoder.php").read_bytes()


@case("sol-parser-versions", "sol", "three collections of OpenZeppelin 4.9.6")
def _(tools):
    npm(tools, "@solidity-parser/parser@0.12.0")
    npm(tools, "@solidity-parser/parser@0.18.0")
    folder = npm(tools, "@openzeppelin/contracts@4.9.6") / "utils/structs"
    return b"".join((folder / f"{name}.sol").read_bytes() for name in ("EnumerableMap", "EnumerableSet", "DoubleEndedQueue"))


@case("zig-two-lists", "zig", "fmt.zig of Zig 0.11.0's library")
def _(tools):
    pip(tools, "ziglang==0.10.1.post1")
    return (pip(tools, "ziglang==0.11.0") / "ziglang/lib/std/fmt.zig").read_bytes()


@case("lua-luacheck-hint", "lua", "lsp/util.lua of Debian's Neovim")
def _(tools):
    return (debian(tools, "neovim-runtime") / "usr/share/nvim/runtime/lua/vim/lsp/util.lua").read_bytes()


@case("lua-argparse-number", "lua", "argparse.lua of Debian's lua-argparse, and a command line by hand")
def _(tools):
    program("lua5.4")
    text = (debian(tools, "lua-argparse") / "usr/share/lua/5.2/argparse.lua").read_bytes()
    end = b"return argparse\n"
    assert text.endswith(end)
    return text.removesuffix(end) + b'''local argparse = argparse
local parser = argparse("tool", "a tool")
parser:argument("input", "an input file")
parser:option("-o --output", "an output file", "a.out")
parser:option("-n --number", "a number"):convert(tonumber):count("*")
parser:flag("-v --verbose")
parser:parse({"-n", "12x", "file"})
'''


@case("glsl-rectangle", "frag", "spv.float16Fetch.frag of glslang 12.0.0's tests")
def _(tools):
    program("glslangValidator")
    program("spirv-val")
    return (debian_source(tools, "glslang") / "Test/spv.float16Fetch.frag").read_bytes()


@case("scala-wildcard-bound", "scala", "SeqLike.scala of Scala 2.11.12, and a method by hand with a wildcard of Scala 3")
def _(tools):
    npm(tools, "scalameta-parsers@4.4.17")
    npm(tools, "scalameta-parsers@4.8.7")
    text = (debian_source(tools, "scala") / "src/library/scala/collection/SeqLike.scala").read_bytes()
    before = b"  def segmentLength("
    assert before in text
    return text.replace(before, b'''  def longest(parts: Seq[List[? <: A]]): List[A] = parts.maxBy(_.length)

''' + before)


@case("haskell-escaped-type", "hs", "Data.List.Split of split 0.2.3.5, and functions by hand that ghc rejects")
def _(tools):
    program("ghc")
    text = (debian_source(tools, "haskell-split") / "src/Data/List/Split/Internals.hs").read_bytes()
    return b"{-# LANGUAGE ExistentialQuantification #-}\n" + text + b'''
-- | Lists of any kind that are to be split.
data Job = forall a. Eq a => Job (Splitter a) [a]

-- | The number of pieces of each job.
pieces :: [Job] -> [Int]
pieces = map (\\(Job s xs) -> length (split s xs))

-- | The pieces of the first job.
start :: [Job] -> Int
start jobs = length (zip [1 :: Int ..] (first jobs))
  where
    first (Job s xs : _) = split s xs
'''


@case("mlir-imported-types", "mlir", "stb_sprintf by clang 14 -Os, imported by MLIR 16")
def _(tools):
    program("mlir-opt-16")
    text = ir("stb_sprintf.h", "STB_SPRINTF_IMPLEMENTATION", "-Os")
    return output("mlir-translate-16", "--import-llvm", input=text)


@case("kt-pygments-companion", "kt", "ReactModalHostView.kt of React Native 0.79.0")
def _(tools):
    pip(tools, "pygments==2.7.0")
    pip(tools, "pygments==2.19.2")
    folder = npm(tools, "react-native@0.79.0") / "ReactAndroid/src/main/java/com/facebook/react"
    return (folder / "views/modal/ReactModalHostView.kt").read_bytes()


@case("swift-pygments-path", "swift", "AppContext.swift and three more files of expo-modules-core 58.1.0")
def _(tools):
    pip(tools, "pygments==2.19.2")
    folder = npm(tools, "expo-modules-core@58.1.0") / "ios"
    names = ("AppContext", "ViewDefinition", "SwiftUIViewDefinition", "DynamicEitherType")
    return b"\n".join(next(folder.rglob(f"{name}.swift")).read_bytes() for name in names)


@case("wgsl-reflect-condition", "wgsl", "flatten.wgsl of vello_shaders 0.4.1, its imports in place")
def _(tools):
    installed(tools, "naga-cli", "23.0.0")
    npm(tools, "wgsl_reflect@1.6.0")
    folder = crate(tools, "vello_shaders", "0.4.1") / "shader"
    seen = set()

    def lines(path):
        """Returns the lines of a shader that are active if no macro is defined, without directives."""
        is_on = [True]
        for line in path.read_text().splitlines(keepends=True):
            word, name = (line.split() + ["", ""])[:2]
            if word in ("#ifdef", "#ifndef"):
                is_on.append(is_on[-1] and word == "#ifndef")
            elif word == "#else":
                is_on[-1] = is_on[-2] and not is_on[-1]
            elif word == "#endif":
                is_on.pop()
            elif word == "#import" and is_on[-1] and name not in seen:
                seen.add(name)
                yield from lines(folder / "shared" / f"{name}.wgsl")
            elif word != "#import" and is_on[-1]:
                yield line

    return "".join(lines(folder / "flatten.wgsl")).encode()
