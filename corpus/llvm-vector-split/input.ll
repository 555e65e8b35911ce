; ModuleID = 'mixer'
source_filename = "mixer.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

%struct.channel = type { i32, float, [16 x float], %struct.filter* }
%struct.filter = type { float, float, i32 }

@gain = internal global float 1.000000e+00, align 4
@table = private unnamed_addr constant [4 x i32] [i32 1, i32 3, i32 9, i32 27], align 16
@channels = global [2 x %struct.channel] zeroinitializer, align 16
@.str = private unnamed_addr constant [12 x i8] c"level %d %f\00", align 1

declare i32 @printf(i8* nocapture readonly, ...) #2
declare float @llvm.fabs.f32(float) #3
declare void @llvm.memset.p0i8.i64(i8* nocapture writeonly, i8, i64, i1 immarg) #4
declare <8 x i32> @llvm.x86.avx2.permd(<8 x i32>, <8 x i32>) #3

define dso_local i32 @lookup(i32 %index) local_unnamed_addr #0 {
entry:
  %masked = and i32 %index, 3
  %wide = zext i32 %masked to i64
  %slot = getelementptr inbounds [4 x i32], [4 x i32]* @table, i64 0, i64 %wide
  %value = load i32, i32* %slot, align 4
  ret i32 %value
}

define dso_local void @reset(%struct.channel* nocapture %channel, i32 %id) local_unnamed_addr #0 {
entry:
  %id.addr = getelementptr inbounds %struct.channel, %struct.channel* %channel, i64 0, i32 0
  store i32 %id, i32* %id.addr, align 8
  %level = getelementptr inbounds %struct.channel, %struct.channel* %channel, i64 0, i32 1
  store float 0.000000e+00, float* %level, align 4
  %samples = getelementptr inbounds %struct.channel, %struct.channel* %channel, i64 0, i32 2
  %raw = bitcast [16 x float]* %samples to i8*
  call void @llvm.memset.p0i8.i64(i8* align 8 %raw, i8 0, i64 64, i1 false)
  ret void
}

define dso_local float @peak(float* nocapture readonly %samples, i32 %count) local_unnamed_addr #1 {
entry:
  %some = icmp sgt i32 %count, 0
  br i1 %some, label %loop, label %done

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %best = phi float [ 0.000000e+00, %entry ], [ %larger, %loop ]
  %at = getelementptr inbounds float, float* %samples, i64 %i
  %sample = load float, float* %at, align 4
  %size = call float @llvm.fabs.f32(float %sample)
  %above = fcmp ogt float %size, %best
  %larger = select i1 %above, float %size, float %best
  %next = add nuw nsw i64 %i, 1
  %narrow = trunc i64 %next to i32
  %more = icmp slt i32 %narrow, %count
  br i1 %more, label %loop, label %done

done:
  %result = phi float [ 0.000000e+00, %entry ], [ %larger, %loop ]
  %factor = load float, float* @gain, align 4
  %scaled = fmul float %result, %factor
  ret float %scaled
}

define dso_local i32 @shuffle(<8 x i32>* nocapture %lanes, i32 %turn) local_unnamed_addr #0 {
entry:
  %old = load <8 x i32>, <8 x i32>* %lanes, align 32
  %first = insertelement <8 x i32> undef, i32 %turn, i32 0
  %all = shufflevector <8 x i32> %first, <8 x i32> undef, <8 x i32> zeroinitializer
  %order = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %odd = and i32 %turn, 1
  %is.odd = icmp eq i32 %odd, 0
  br i1 %is.odd, label %plain, label %permute

permute:
  %new = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %old, <8 x i32> %order)
  store <8 x i32> %new, <8 x i32>* %lanes, align 32
  br label %end

plain:
  %sum = add <8 x i32> %old, %order
  store <8 x i32> %sum, <8 x i32>* %lanes, align 32
  br label %end

end:
  %kept = phi <8 x i32> [ %new, %permute ], [ %sum, %plain ]
  %lowest = extractelement <8 x i32> %kept, i32 0
  %tripled = call i32 @lookup(i32 %lowest)
  ret i32 %tripled
}

define dso_local i32 @main() local_unnamed_addr #0 {
entry:
  %lanes = alloca <8 x i32>, align 32
  store <8 x i32> <i32 5, i32 4, i32 3, i32 2, i32 1, i32 0, i32 7, i32 6>, <8 x i32>* %lanes, align 32
  %first = getelementptr inbounds [2 x %struct.channel], [2 x %struct.channel]* @channels, i64 0, i64 0
  call void @reset(%struct.channel* %first, i32 1)
  %samples = getelementptr inbounds %struct.channel, %struct.channel* %first, i64 0, i32 2, i64 0
  %loudest = call float @peak(float* %samples, i32 16)
  %turned = call i32 @shuffle(<8 x i32>* %lanes, i32 3)
  %double = fpext float %loudest to double
  %format = getelementptr inbounds [12 x i8], [12 x i8]* @.str, i64 0, i64 0
  %printed = call i32 (i8*, ...) @printf(i8* %format, i32 %turned, double %double)
  ret i32 0
}

attributes #0 = { nounwind uwtable "frame-pointer"="none" "target-cpu"="x86-64" }
attributes #1 = { nofree norecurse nounwind readonly uwtable "frame-pointer"="none" "target-cpu"="x86-64" }
attributes #2 = { nofree nounwind }
attributes #3 = { nounwind readnone }
attributes #4 = { argmemonly nofree nounwind willreturn writeonly }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"uwtable", i32 1}
!2 = !{!"a compiler"}
