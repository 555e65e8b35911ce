#!/bin/sh
# glslang 12: exit 0 iff it compiles the candidate to SPIR-V for Vulkan, and spirv-val reports that Vulkan does not allow rectangles.
f=${1:?usage: interesting.sh CANDIDATE.frag}
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
timeout 10 glslangValidator -V --target-env vulkan1.2 -o "$d/x.spv" "$f" >/dev/null 2>&1 || exit 1
timeout 10 spirv-val --target-env vulkan1.2 "$d/x.spv" 2>&1 | grep -q 'Capability ImageRect is not allowed by Vulkan'
