{
  description = "Nubbin reduces a failing input to the smallest one that still fails";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = builtins.fromTOML (builtins.readFile ./Cargo.toml);
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "nubbin";
          version = manifest.workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [
            "--package"
            "nubbin"
          ];
          buildFeatures = [ "all-languages" ];
          # The tests start compilers, browsers and sandboxes, which a Nix build does not provide.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installShellCompletion --cmd nubbin \
              --bash <($out/bin/nubbin completions bash) \
              --fish <($out/bin/nubbin completions fish) \
              --zsh <($out/bin/nubbin completions zsh)
            $out/bin/nubbin manual -o manual
            installManPage manual/*.1
          '';
          meta = {
            description = manifest.package.description;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "nubbin";
            platforms = systems;
          };
        };
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.clippy
            pkgs.gcc
            pkgs.python3
            pkgs.rustc
            pkgs.rustfmt
          ];
        };
      });
    };
}
