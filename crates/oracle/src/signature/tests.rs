use super::*;

fn own(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn title(stderr: &str, names: &[&str]) -> String {
    Signature::of(b"", stderr.as_bytes(), &own(names)).map_or("nothing".to_owned(), |found| found.title())
}

/// Checks that two texts are the same failure.
#[track_caller]
fn assert_same(one: &str, other: &str, names: &[&str]) {
    let [one, other] = [one, other]
        .map(|text| Signature::of(b"", text.as_bytes(), &own(names)).expect("it has a form that is known"));
    assert_eq!(one.key(), other.key());
}

const GCC: &str = "tls.c: In function 'enter':
tls.c:2:35: error: unrecognizable insn:
    2 | int enter(void) { return ++depth; }
(call_insn/u 5 2 6 2 (parallel [
                    (symbol_ref:DI (\"depth\") [flags 0x10] <var_decl 0x7fc3b3811bd0 depth>)
    (nil))
during RTL pass: vregs
tls.c:2:35: internal compiler error: in extract_insn, at recog.cc:2791
0x7fc3b3b4f249 __libc_start_call_main
\t../sysdeps/nptl/libc_start_call_main.h:58
Please submit a full bug report, with preprocessed source (by using -freport-bug).
";

#[test]
fn an_internal_error_of_gcc_is_its_function_its_file_and_the_pass() {
    assert_eq!(title(GCC, &[]), "gcc ICE: in extract_insn, at recog.cc:2791 (pass vregs)");
    let moved = GCC.replace("2:35", "117:4").replace("0x7fc3b3b4f249", "0x55");
    assert_same(GCC, &moved, &[]);
    assert_ne!(
        title(&GCC.replace("2791", "2812"), &[]),
        title(GCC, &[]),
        "another check of the same function"
    );
    assert_ne!(title(&GCC.replace("extract_insn", "expand_insn"), &[]), title(GCC, &[]));
}

#[test]
fn a_crash_of_gcc_without_a_place_is_told_by_its_own_stack() {
    let text = "bug.cc:1:1: internal compiler error: Segmentation fault
0x7f1a2b crash_signal
\t../../src/gcc/toplev.cc:322
0xab12 tree_check(tree_node*, char const*, int)
\t../../src/gcc/tree.h:3570
0xab13 tsubst_copy
\t../../src/gcc/cp/pt.cc:17000
0xab13 tsubst_copy
\t../../src/gcc/cp/pt.cc:17042
0xab14 tsubst_expr(tree_node*)
\t../../src/gcc/cp/pt.cc:19000
";
    assert_eq!(
        title(text, &[]),
        "gcc ICE: Segmentation fault, in tree_check (tree.h), from tsubst_copy (pt.cc)"
    );
    let verify = "a.c:4:1: error: type mismatch in binary expression\nduring GIMPLE pass: vect2\na.c:4:1: internal compiler error: verify_gimple failed\n";
    assert_eq!(
        title(verify, &[]),
        "gcc ICE: verify_gimple failed (pass vect): type mismatch in binary expression"
    );
    let killed =
        "gcc: fatal error: Segmentation fault signal terminated program cc1\ncompilation terminated.\n";
    assert_eq!(title(killed, &[]), "cc1: Segmentation fault");
}

const CLANG: &str = "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace.
Stack dump:
0.\tProgram arguments: /usr/bin/clang-14 -c dbg.c -o /dev/null
1.\tdbg.c:2:2: current parser token 'pragma'
 #0 0x00007fb7728a5291 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/x86_64-linux-gnu/libLLVM-14.so.1+0xea5291)
 #1 0x00007fb7728a2fbe llvm::sys::RunSignalHandlers() (/lib/x86_64-linux-gnu/libLLVM-14.so.1+0xea2fbe)
 #3 0x00007fb7727cb83f (/lib/x86_64-linux-gnu/libLLVM-14.so.1+0xdcb83f)
 #6 0x00007fb778e1971f clang::Preprocessor::HandlePragmaDirective(clang::PragmaIntroducer) (/lib/x86_64-linux-gnu/libclang-cpp.so.14+0xa1971f)
 #7 0x00007fb778df682a clang::Preprocessor::HandleDirective(clang::Token&) (/lib/x86_64-linux-gnu/libclang-cpp.so.14+0x9f682a)
 #8 0x00007fb778dcc9c3 clang::Lexer::LexTokenInternal(clang::Token&, bool) (/lib/x86_64-linux-gnu/libclang-cpp.so.14+0x9cc9c3)
clang: error: clang frontend command failed with exit code 132 (use -v to see invocation)
clang: note: diagnostic msg: /tmp/dbg-db2485.c
";

#[test]
fn a_crash_of_clang_is_told_by_its_stack_and_an_assertion_by_itself() {
    let crash = "clang crash, in clang::Preprocessor::HandlePragmaDirective, from clang::Preprocessor::HandleDirective";
    assert_eq!(title(CLANG, &[]), crash);
    assert_same(CLANG, &CLANG.replace("0x00007fb", "0x00005ab").replace("dbg-db2485", "dbg-77aa01"), &[]);
    let assertion = format!(
        "clang: /build/llvm/lib/CodeGen/SelectionDAG/DAGCombiner.cpp:1234: llvm::SDValue (anonymous namespace)::DAGCombiner::visitADD(llvm::SDNode *): Assertion `N->getNumValues() == 1 && \"one\"' failed.\n{CLANG}"
    );
    assert_eq!(
        title(&assertion, &[]),
        "assertion `N->getNumValues() == 1 && \"one\"` failed, in DAGCombiner::visitADD (DAGCombiner.cpp:1234)"
    );
    let backend =
        "fatal error: error in backend: Cannot select: t5: i32 = bitcast t4\n  t4: f32 = fadd t2, t3\n";
    assert_eq!(title(backend, &[]), "LLVM ICE: Cannot select: N: i32 = bitcast N");
    assert_same(backend, &backend.replace("t5", "t17").replace("bitcast t4", "bitcast t9"), &[]);
}

#[test]
fn an_internal_error_of_rustc_is_its_message_its_file_and_the_query() {
    let text = "
thread 'rustc' (4711) panicked at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/compiler/rustc_middle/src/ty/mod.rs:12:5:
no entry found for key DefId(0:3 ~ bug[1234]::f)
query stack during panic:
#0 [typeck] type-checking `f`
#1 [analysis] running analysis passes on this crate
";
    assert_eq!(title(text, &[]), "rustc ICE: panic: no entry found for key N (query typeck), in mod.rs:12");
    let bug = "error: internal compiler error: compiler/rustc_borrowck/src/lib.rs:99:1: unexpected region DefId(0:3 ~ a[1]::f)\n";
    assert_eq!(title(bug, &[]), "rustc ICE: unexpected region N, in lib.rs:99");
}

#[test]
fn an_assertion_of_a_program_is_its_text_and_the_place_where_that_is_not_the_candidates() {
    let text = "as: as.c:3: main: Assertion `c == 2 && \"two args\"' failed.\n";
    assert_eq!(title(text, &[]), "assertion `c == 2 && \"two args\"` failed, in main (as.c:3)");
    assert_eq!(title(text, &["as.c"]), "assertion `c == 2 && \"two args\"` failed");
    let mac = "Assertion failed: (x > 0), function check, file src/a.c, line 12.\n";
    assert_eq!(title(mac, &[]), "assertion `x > 0` failed, in check (a.c:12)");
    assert_eq!(
        title("Assertion failed: x > 0 (a.c: check: 12)\n", &[]),
        "assertion `x > 0` failed, in check (a.c:12)"
    );
}

#[test]
fn what_the_c_library_says_is_a_failure_too() {
    assert_eq!(
        title("free(): double free detected in tcache 2\n", &[]),
        "free(): double free detected in tcache 2"
    );
    assert_eq!(title("*** stack smashing detected ***: terminated\n", &[]), "stack smashing detected");
    let thrown = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 0)\n";
    assert_eq!(
        title(thrown, &[]),
        "std::out_of_range: vector::_M_range_check: __n (which is N) >= this->size() (which is N)"
    );
}

const ASAN: &str = "=================================================================
==8461==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x604000000038 at pc 0x55d126e1c283 bp 0x7ffdfaa5ef80 sp 0x7ffdfaa5ef78
READ of size 4 at 0x604000000038 thread T0
    #0 0x7fbb95ab89cf in __interceptor_memcpy ../../../../src/libsanitizer/asan/asan.cpp:69
    #1 0x55d126e1c282 in get(int*, int) /home/me/lib/san.c:4
    #2 0x55d126e1c395 in parse /home/me/lib/san.c:5:12
    #3 0x7fbb95045249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

0x604000000038 is located 0 bytes to the right of 40-byte region [0x604000000010,0x604000000038)
allocated by thread T0 here:
    #0 0x7fbb95ab89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
SUMMARY: AddressSanitizer: heap-buffer-overflow /home/me/lib/san.c:4 in get
==8461==ABORTING
";

#[test]
fn a_sanitizers_report_is_its_kind_and_the_top_frames() {
    assert_eq!(
        title(ASAN, &[]),
        "AddressSanitizer: heap-buffer-overflow (READ), in get (san.c), from parse (san.c)"
    );
    let other =
        ASAN.replace("8461", "99").replace("0x55", "0x56").replace(":4", ":77").replace("size 4", "size 8");
    assert_same(ASAN, &other, &[]);
    assert_ne!(title(&ASAN.replace("READ", "WRITE"), &[]), title(ASAN, &[]));
    let own = ASAN.replace("/home/me/lib/", "/dev/shm/nubbin-lab-12-0123456789abcdef/work/");
    assert_eq!(title(&own, &["san.c"]), "AddressSanitizer: heap-buffer-overflow (READ)");
    let segv = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55 bp 0x7f sp 0x7f T0)\n==1==The signal is caused by a READ memory access.\n    #0 0x55d9 in f /src/a.c:5\n";
    assert_eq!(title(segv, &[]), "AddressSanitizer: SEGV (READ), in f (a.c)");
}

#[test]
fn the_other_sanitizers_are_known() {
    let thread = "WARNING: ThreadSanitizer: data race (pid=8697)\n  Write of size 4 at 0x5607ee9e7054 by thread T1:\n    #0 t /work/u.c:2 (u+0x11e8)\n\n  Previous read of size 4\n";
    assert_eq!(title(thread, &[]), "ThreadSanitizer: data race (WRITE), in t (u.c)");
    let leak = "==8707==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 10 byte(s) in 1 object(s) allocated from:\n    #0 0x7f21946b89cf in __interceptor_malloc ../asan.cpp:69\n    #1 0x565270473166 in mk /work/l.c:2\n";
    assert_eq!(title(leak, &[]), "LeakSanitizer: detected memory leaks, in mk (l.c)");
    let undefined = "san.c:5:75: runtime error: signed integer overflow: 2147483647 + 2 cannot be represented in type 'int'\n";
    let said =
        "UndefinedBehaviorSanitizer: signed integer overflow: N + N cannot be represented in type 'int'";
    assert_eq!(title(undefined, &["san.c"]), said);
    assert_eq!(title(undefined, &[]), format!("{said}, in san.c:5"));
    let memory =
        "==3==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x4a in f /work/m.c:2:9\n";
    assert_eq!(title(memory, &[]), "MemorySanitizer: use-of-uninitialized-value, in f (m.c)");
}

#[test]
fn panics_are_their_message_and_where_they_come_from() {
    let new = "\nthread 'main' (8609) panicked at r.rs:1:38:\nindex out of bounds: the len is 1 but the index is 7\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n";
    assert_eq!(title(new, &[]), "panic: index out of bounds: the len is N but the index is N, in r.rs:1");
    let old = "thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 4', src/r.rs:1:3\nnote: run with `RUST_BACKTRACE=1`\n";
    assert_same(new, old, &[]);
    let go = "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nruntime.gopanic()\n\t/usr/lib/go/panic.go:12 +0x1d\nparser.(*Lexer).next(0xc000012345)\n\t/home/me/lexer.go:42 +0x1d\nmain.main()\n\t/home/me/main.go:9 +0x25\nexit status 2\n";
    assert_eq!(
        title(go, &[]),
        "panic: runtime error: index out of range [N] with length N, in parser.(*Lexer).next (lexer.go:42)"
    );
}

const TRACEBACK: &str = "Traceback (most recent call last):
  File \"/work/t.py\", line 4, in f
    return json.loads(x)
json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File \"/tmp/nubbin-lab-12-0123456789abcdef/work/t.py\", line 7, in <module>
    f(\"{\")
  File \"/usr/lib/python3.11/pkg/reader.py\", line 6, in read
    raise RuntimeError(1)
  File \"/usr/lib/python3.11/pkg/reader.py\", line 9, in check
RuntimeError: bad '{' at 0x7fd25895a230 in /tmp/nubbin-lab-12-0123456789abcdef/work/t.py line 3
";

#[test]
fn a_traceback_is_the_last_exception_and_the_frames_that_are_not_the_candidates() {
    let expected = "RuntimeError: bad '…' at 0x in … line N, in check (reader.py:9)";
    assert_eq!(title(TRACEBACK, &["t.py"]), expected);
    let other =
        TRACEBACK.replace("-12-0123456789abcdef", "-4711-fedcba9876543210").replace("line 7", "line 2");
    assert_same(TRACEBACK, &other.replace("<module>", "main"), &["t.py"]);
    let inside = "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nNameError: name 'x' is not defined\n";
    let found = Signature::of(b"", inside.as_bytes(), &own(&["t.py"])).expect("an exception");
    assert_eq!((found.title().as_str(), found.is_inside()), ("NameError: name 'x' is not defined", true));
    let syntax = "  File \"/work/s.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n";
    assert_eq!(title(syntax, &[]), "SyntaxError: invalid syntax");
}

#[test]
fn exceptions_with_a_stack_are_known_in_two_forms() {
    let node = "/work/thr.js:1\nfunction f(x){ return x.foo.bar; }\n                            ^\n\nTypeError: Cannot read properties of undefined (reading 'bar')\n    at f (/opt/lib/thr.js:1:29)\n    at new Visitor (file:///opt/lib/walk.mjs:2:1)\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n\nNode.js v20.20.2\n";
    assert_eq!(
        title(node, &[]),
        "TypeError: Cannot read properties of undefined (reading '…'), in f (thr.js:1:29)"
    );
    let jvm = "Exception in thread \"main\" java.lang.IllegalStateException: wrapped java.lang.Object@954b04f\n\tat J.main(J.java:1)\nCaused by: java.lang.NullPointerException: Cannot invoke \"String.length()\"\n\tat J.f(J.java:1)\n\tat J.main(J.java:1)\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)\n";
    assert_eq!(
        title(jvm, &[]),
        "java.lang.IllegalStateException: wrapped java.lang.Object@, caused by java.lang.NullPointerException: Cannot invoke \"…\", in J.f (J.java:1)"
    );
    assert!(!title(jvm, &["J.java"]).contains("J.f"));
    let died = "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb) at pc=0x00007f2a, pid=12, tid=13\n#\n# Problematic frame:\n# V  [libjvm.so+0x5c]  PhaseIdealLoop::build(Node*)+0x1a\n#\n";
    assert_eq!(title(died, &[]), "virtual machine: SIGSEGV, in PhaseIdealLoop::build");
}

const PYTEST: &str = "============================= test session starts ==============================
test_p.py .F.FF                                                          [100%]

=================================== FAILURES ===================================
_______________________________ TestB.test_b[1] ________________________________

self = <test_p.TestB object at 0x7f40e2dc9890>, n = 1

>       assert got == 3, \"totals\"
E       AssertionError: totals
E       assert 2 == 3

test_p.py:10: AssertionError
____________________________________ test_c ____________________________________
>       total(None)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
E       TypeError: 'NoneType' object is not iterable
=========================== short test summary info ============================
FAILED test_p.py::TestB::test_b[1] - AssertionError: totals
FAILED test_p.py::test_c - TypeError: 'NoneType' object is not iterable
========================= 2 failed, 2 passed in 0.05s ==========================
";

#[test]
fn a_failing_test_is_its_name_and_what_it_asserted() {
    let found = Signature::all(PYTEST.as_bytes(), b"", &own(&["test_p.py"]));
    let titles: Vec<String> = found.iter().map(Signature::title).collect();
    assert_eq!(
        titles,
        [
            "test TestB.test_b[1]: AssertionError: totals: assert … == …",
            "test test_c: TypeError: 'NoneType' object is not iterable"
        ]
    );
    let summary = PYTEST.lines().rev().take(3).collect::<Vec<_>>().join("\n");
    assert_eq!(title(&summary, &[]), "test test_c: TypeError: 'NoneType' object is not iterable");
    let case = "F\n======\nFAIL: test_a (__main__.T.test_a)\n------\nTraceback (most recent call last):\n  File \"x.py\", line 3, in test_a\nAssertionError: 1 != 2 : msg\n\nFAILED (failures=1)\n";
    assert_eq!(title(case, &["x.py"]), "test test_a: AssertionError: … != … : msg");
}

#[test]
fn a_browser_tells_its_console_and_its_checks() {
    let console = "[1234:5678:0102/030405.678901:INFO:CONSOLE(12)] \"Uncaught TypeError: x is null\", source: file:///work/page.html (12)\n";
    assert_eq!(title(console, &[]), "console: Uncaught TypeError: x is null");
    assert_same(console, &console.replace("1234:5678", "9:8").replace("(12)", "(3)"), &[]);
    let log = "[1:1:0102/030405.678:INFO:CONSOLE(1)] \"loaded\", source: file:///work/page.html (1)\n";
    assert_eq!(title(log, &[]), "nothing");
    let check = "[12:34:0102/030405.678:FATAL:layout_box.cc(123)] Check failed: index < size (7 vs. 3)\n";
    assert_eq!(title(check, &[]), "Check failed: index < size, in layout_box.cc:123");
}

#[test]
fn what_is_another_one_in_each_run_is_left_out() {
    for (text, cleaned) in [
        ("bug.c:12:3: error: x", "bug.c: error: x"),
        ("/usr/lib/gcc/cc1: out of memory allocating 65536 bytes", "cc1: out of memory allocating SIZE"),
        ("cannot open /tmp/ccAbC123.o: gone", "cannot open TMP: gone"),
        ("at 0x7ffd12 in pid 4711 after 1.25 s", "at 0x in pid N after TIME"),
        ("2026-01-02T03:04:05.6Z failed at line 7, column 9", "TIME failed at line N, column N"),
        ("/dev/shm/nubbin-lab-7-00ff00ff00ff00ff/work/a.c: bad", "a.c: bad"),
        ("expected 3 == 4", "expected 3 == 4"),
        ("either and/or both", "either and/or both"),
    ] {
        assert_eq!(clean::clean(text), cleaned);
    }
    assert_eq!(title("\x1b[1m\x1b[31mfree(): invalid pointer\x1b[0m\n", &[]), "free(): invalid pointer");
}

#[test]
fn an_ordinary_error_has_no_form_that_is_known_but_a_last_line() {
    let text =
        b"ce.c:1:21: error: use of undeclared identifier 'x'\nint f(void){ return x; }\n1 error generated.\n";
    assert_eq!(Signature::of(b"", text, &[]), None);
    let line = Signature::last_line(b"", text).expect("a line");
    assert_eq!((line.kind(), line.title().as_str()), (SignatureKind::Line, "1 error generated."));
    assert_eq!(Signature::last_line(b"fine\n", b"\n"), None);
}

#[test]
fn what_two_runs_have_in_common_covers_both_and_nothing_else() {
    let of = |text: &str| Signature::of(b"", text.as_bytes(), &[]).expect("an assertion");
    let [one, other, third] = ["7 is even", "9 is even", "9 is odd"]
        .map(|said| of(&format!("p: /a/p.c:3: check: Assertion `number {said}' failed.\n")));
    let common = one.common(&other).expect("they are alike");
    assert_eq!(common.title(), "assertion `number … is even` failed, in check (p.c:3)");
    assert!(common.covers(&one) && common.covers(&other) && !common.covers(&third) && !one.covers(&other));
    assert_eq!(one.common(&of("p: /a/p.c:3: check: Assertion `x' failed.\n")), None);
    assert_eq!(one.common(&Signature::of(b"", ASAN.as_bytes(), &[]).expect("a report")), None);
    let deeper = Signature { frames: vec!["check (p.c)".into(), "walk (p.c)".into()], ..one.clone() };
    let common = one.common(&deeper).expect("the first frame");
    assert!(common.covers(&deeper) && common == one);
}

#[test]
fn a_failure_is_found_among_others() {
    let signature = Signature::all(PYTEST.as_bytes(), b"", &[]).pop().expect("two failures");
    let wanted = Wanted::new(signature, Reader::default());
    assert_eq!(wanted.look(PYTEST.as_bytes(), b""), Seen::Same);
    assert_eq!(wanted.look(PYTEST.replace("not iterable", "not callable").as_bytes(), b""), Seen::Other);
    assert_eq!(wanted.look(b"\xff\xfe", b"\0"), Seen::Nothing);
    let syntax = b"  File \"x\", line 1\nSyntaxError: invalid syntax\n";
    assert_eq!(wanted.look(b"", syntax), Seen::Nothing, "the candidate is to blame");
    let signature = Signature::last_line(b"", b"tool: cannot go on at 12:34:56\n").expect("a line");
    let wanted = Wanted::new(signature, Reader::default());
    assert_eq!(wanted.look(b"", b"tool: cannot go on at 01:02:03\n"), Seen::Same);
    assert_eq!(wanted.look(b"", b"tool: cannot begin\n"), Seen::Nothing);
}

#[test]
fn a_crash_is_told_by_what_was_hit_and_not_by_the_handler_of_the_signal() {
    let handler = "Received signal 11 SEGV_MAPERR 000000000010\n#0 0x55d0 in print_stack dump.cc:4\n#1 0x55d1 in handler(int) dump.cc:9\n#2 0x7f14 in ??? ./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n#3 0x55d2 in parse_item parser.cc:12\n#4 0x55d3 in parse_list parser.cc:20\n";
    assert_eq!(
        title(handler, &[]),
        "signal SEGV_MAPERR, in parse_item (parser.cc), from parse_list (parser.cc)"
    );
    let debugger = "Program received signal SIGABRT, Aborted.\n#0  __pthread_kill_implementation (threadid=1) at ./nptl/pthread_kill.c:44\n#1  0x00007f in __GI_raise (sig=6) at ../sysdeps/posix/raise.c:26\n#2  <signal handler called>\n#3  0x0000555 in check (x=0x0) at shop.c:3\n#4  0x0000556 in main () at shop.c:9\n";
    assert_eq!(title(debugger, &[]), "signal SIGABRT, in check (shop.c)");
    let compiler = "a.cc:2:61: internal compiler error: Segmentation fault\n0x7f14cb43d04f ???\n\t./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n0xab12 tsubst(tree_node*)\n\t../../src/gcc/cp/pt.cc:17000\n0x7f14cb428249 __libc_start_call_main\n\t../sysdeps/nptl/libc_start_call_main.h:58\n";
    assert_eq!(title(compiler, &[]), "gcc ICE: Segmentation fault, in tsubst (pt.cc)");
}

#[test]
fn an_ordinary_error_is_the_same_under_other_names_and_in_other_places() {
    let of = |text: &str| Signature::diagnostics(b"", text.as_bytes()).remove(0);
    let one = of("shop.cc:9:3: error: cannot convert 'Item' to 'int' in return\n");
    let other = of("shop.cc:1:1: error: cannot convert 'a' to 'int' in return\n");
    assert!(one.covers(&other) && one.key() == other.key() && one != other);
    assert!(!one.covers(&of("shop.cc:1:1: error: cannot convert 'a' to 'char' in return\n")));
    let wanted = Wanted { is_exact: true, ..Wanted::new(one, Reader::default()) };
    assert_eq!(wanted.look(b"", b"x.cc:1:1: error: cannot convert 'a' to 'int' in return\n"), Seen::Nothing);
    assert_eq!(wanted.look(b"", b"x.cc:1:1: error: cannot convert 'Item' to 'int' in return\n"), Seen::Same);
    let wanted = Wanted { is_exact: false, ..wanted };
    assert_eq!(wanted.look(b"", GCC.as_bytes()), Seen::Other, "a crash is another failure than an error");
    assert_eq!(wanted.look(b"", b"x.cc:1:1: error: expected ';'\n"), Seen::Nothing);
}

#[test]
fn a_complaint_about_syntax_is_known() {
    let of = |text: &str| Signature::diagnostics(b"", text.as_bytes()).remove(0).is_about_syntax();
    assert!(of("a.c:1:2: error: expected ';' before '}' token\n"));
    assert!(of("error: cannot format x.py: Cannot parse: 1:0: x\n"));
    assert!(of("x.py:1:1: E999 SyntaxError: invalid syntax\n"));
    assert!(!of("a.c:1:2: error: incompatible types\n"));
    assert!(!of(
        "t.py:3: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\n"
    ));
}
