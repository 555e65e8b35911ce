# The static program, built and tried by `.ci/static`: `docker build -t nubbin .`
#
# Copy it into an image that has the failing tool: `COPY --from=nubbin /usr/local/bin/nubbin /usr/local/bin/`
FROM rust:1.95-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends musl-tools \
    && rm -rf /var/lib/apt/lists/* \
    && rustup target add x86_64-unknown-linux-musl
WORKDIR /source
COPY . .
RUN .ci/static

FROM debian:bookworm-slim
COPY --from=build /source/target/x86_64-unknown-linux-musl/release/nubbin /usr/local/bin/nubbin
WORKDIR /work
ENTRYPOINT ["nubbin"]
