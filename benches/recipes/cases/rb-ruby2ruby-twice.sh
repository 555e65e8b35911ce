#!/bin/sh
# ruby2ruby 2.4.4: exit 0 iff Ruby 3.1 can parse its output for the candidate, and a second run changes that output.
tools=$(dirname "$(readlink -f "$0")")/../.tools/debian
exec timeout 20 ruby -W0 -e '
$:.unshift(*Dir["#{ARGV[0]}/ruby-*/usr/lib/ruby/vendor_ruby"])
require "ruby_parser"
require "ruby2ruby"
make = ->(text) { Ruby2Ruby.new.process(RubyParser::V27.new.parse(text)) }
begin
  once = make[File.read(ARGV[1])]
  RubyVM::InstructionSequence.compile(once)
  exit(make[once] == once ? 1 : 0)
rescue SystemExit then raise
rescue Exception then exit 1
end' "$tools" "${1:?usage: interesting.sh CANDIDATE.rb}" 2>/dev/null
