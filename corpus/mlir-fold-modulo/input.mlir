// The filters of a small camera: a blur, a histogram, and a picture that is cut into tiles.

#row = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>
#tile = affine_map<(d0)[s0] -> (d0 floordiv s0)>
#within = affine_map<(d0)[s0] -> (d0 mod s0)>
#clamped = affine_map<(d0)[s0] -> (d0, s0)>
#inside = affine_set<(d0, d1)[s0] : (d0 - 1 >= 0, s0 - d1 - 2 >= 0)>

module attributes {camera.version = 3 : i32} {
  memref.global "private" constant @weights : memref<3xf32> = dense<[0.25, 0.5, 0.25]>
  func.func private @log(i32, index)
  func.func private @fail() -> i1

  // The smallest and the largest value of a row.
  func.func @range(%row: memref<?xf32>, %from: index, %to: index) -> (f32, f32) {
    %step = arith.constant 1 : index
    %high = arith.constant 1.0 : f32
    %low = arith.constant 0.0 : f32
    %range:2 = scf.for %i = %from to %to step %step iter_args(%min = %high, %max = %low) -> (f32, f32) {
      %value = memref.load %row[%i] : memref<?xf32>
      %smaller = arith.cmpf olt, %value, %min : f32
      %larger = arith.cmpf ogt, %value, %max : f32
      %less = arith.select %smaller, %value, %min : f32
      %more = arith.select %larger, %value, %max : f32
      scf.yield %less, %more : f32, f32
    }
    func.return %range#0, %range#1 : f32, f32
  }

  func.func @blur(%in: memref<64x64xf32>, %out: memref<64x64xf32>) {
    %weights = memref.get_global @weights : memref<3xf32>
    affine.for %y = 0 to 64 {
      affine.for %x = 1 to 63 {
        %sum = arith.constant 0.0 : f32
        %blurred = affine.for %k = 0 to 3 iter_args(%so_far = %sum) -> (f32) {
          %pixel = affine.load %in[%y, %x + %k - 1] : memref<64x64xf32>
          %weight = affine.load %weights[%k] : memref<3xf32>
          %part = arith.mulf %pixel, %weight : f32
          %next = arith.addf %so_far, %part : f32
          affine.yield %next : f32
        }
        affine.store %blurred, %out[%y, %x] : memref<64x64xf32>
      }
    }
    func.return
  }

  func.func @histogram(%in: memref<64x64xf32>, %bins: memref<16xi32>) -> i32 {
    %one = arith.constant 1 : i32
    %scale = arith.constant 1.6e+1 : f32
    %last = arith.constant 15 : i32
    affine.for %y = 0 to 64 {
      affine.for %x = 0 to 64 {
        %pixel = affine.load %in[%y, %x] : memref<64x64xf32>
        %scaled = arith.mulf %pixel, %scale : f32
        %whole = arith.fptosi %scaled : f32 to i32
        %over = arith.cmpi sgt, %whole, %last : i32
        %bin = arith.select %over, %last, %whole : i32
        %at = arith.index_cast %bin : i32 to index
        %old = memref.load %bins[%at] : memref<16xi32>
        %new = arith.addi %old, %one : i32
        memref.store %new, %bins[%at] : memref<16xi32>
      }
    }
    %first = arith.constant 0 : index
    %darkest = memref.load %bins[%first] : memref<16xi32>
    func.return %darkest : i32
  }

  // The tile of a pixel, and its place in it; a camera without tiles has a size of zero.
  func.func @place(%pixel: index, %tiled: i1) -> (index, index) {
    %none = arith.constant 0 : index
    %size = arith.constant 8 : index
    cf.cond_br %tiled, ^tiles(%size : index), ^whole

  ^tiles(%width: index):
    %tile = affine.apply #tile(%pixel)[%width]
    %rest = affine.apply #within(%pixel)[%width]
    cf.br ^done(%tile, %rest : index, index)

  ^whole:
    %shift = affine.apply #within(%none)[%none]
    %only = affine.min #clamped(%pixel)[%size]
    cf.br ^done(%only, %shift : index, index)

  ^done(%which: index, %where: index):
    func.return %which, %where : index, index
  }

  func.func @transpose(%in: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %empty = tensor.empty() : tensor<64x64xf32>
    %out = linalg.generic {
      indexing_maps = [#transposed, #row],
      iterator_types = ["parallel", "parallel"]
    } ins(%in : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<64x64xf32>
    func.return %out : tensor<64x64xf32>
  }

  func.func @shoot(%frame: memref<64x64xf32>, %rows: memref<?xf32>, %tiled: i1) -> i32 {
    %copy = memref.alloc() : memref<64x64xf32>
    %bins = memref.alloca() : memref<16xi32>
    %from = arith.constant 0 : index
    %axis = arith.constant 0 : index
    %to = memref.dim %rows, %axis : memref<?xf32>
    func.call @blur(%frame, %copy) : (memref<64x64xf32>, memref<64x64xf32>) -> ()
    %darkest = func.call @histogram(%copy, %bins) : (memref<64x64xf32>, memref<16xi32>) -> i32
    %range:2 = func.call @range(%rows, %from, %to) : (memref<?xf32>, index, index) -> (f32, f32)
    %wide = arith.cmpf ult, %range#0, %range#1 : f32
    %code = scf.if %wide -> (i32) {
      %place:2 = func.call @place(%to, %tiled) : (index, i1) -> (index, index)
      func.call @log(%darkest, %place#1) : (i32, index) -> ()
      scf.yield %darkest : i32
    } else {
      %failed = func.call @fail() : () -> i1
      %bad = arith.extui %failed : i1 to i32
      scf.yield %bad : i32
    }
    memref.dealloc %copy : memref<64x64xf32>
    func.return %code : i32
  }
}
