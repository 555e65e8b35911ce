# A template: `.ci/dist` replaces the version, the checksum and the address.
class Nubbin < Formula
  desc "Reduce a failing input to the smallest one that still fails"
  homepage "@ADDRESS@"
  url "@ADDRESS@/releases/download/v@VERSION@/nubbin-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args, "--features", "all-languages"
    generate_completions_from_executable(bin/"nubbin", "completions")
    system bin/"nubbin", "manual", "-o", man1
  end

  test do
    (testpath/"input.txt").write "one\ntwo\nthree\n"
    system bin/"nubbin", "--no-config", "-o", "result.txt", "grep -q two", "input.txt"
    assert_equal "two", (testpath/"result.txt").read.strip
  end
end
