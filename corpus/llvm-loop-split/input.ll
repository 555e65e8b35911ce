; The program of a small shop, written for this case in C
source_filename = "shop.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.shop = type { [16 x %struct.shelf], i32, [24 x i8] }
%struct.shelf = type { [8 x i32], [8 x i32], i32 }

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @stock(%struct.shop* noundef %0, i32 noundef %1) #0 {
  br label %3

3:                                                ; preds = %2, %30
  %.028 = phi i32 [ 0, %2 ], [ %31, %30 ]
  %.037 = phi i32 [ 0, %2 ], [ %.2, %30 ]
  %4 = getelementptr inbounds %struct.shop, %struct.shop* %0, i32 0, i32 0
  %5 = sext i32 %.028 to i64
  %6 = getelementptr inbounds [16 x %struct.shelf], [16 x %struct.shelf]* %4, i64 0, i64 %5
  %7 = getelementptr inbounds %struct.shelf, %struct.shelf* %6, i32 0, i32 2
  %8 = load i32, i32* %7, align 4
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %11, label %10

10:                                               ; preds = %3
  br label %30

11:                                               ; preds = %3
  br label %12

12:                                               ; preds = %11, %23
  %.016 = phi i32 [ 0, %11 ], [ %24, %23 ]
  %.15 = phi i32 [ %.037, %11 ], [ %22, %23 ]
  %13 = getelementptr inbounds %struct.shelf, %struct.shelf* %6, i32 0, i32 0
  %14 = sext i32 %.016 to i64
  %15 = getelementptr inbounds [8 x i32], [8 x i32]* %13, i64 0, i64 %14
  %16 = load i32, i32* %15, align 4
  %17 = getelementptr inbounds %struct.shelf, %struct.shelf* %6, i32 0, i32 1
  %18 = sext i32 %.016 to i64
  %19 = getelementptr inbounds [8 x i32], [8 x i32]* %17, i64 0, i64 %18
  %20 = load i32, i32* %19, align 4
  %21 = mul nsw i32 %16, %20
  %22 = add nsw i32 %.15, %21
  br label %23

23:                                               ; preds = %12
  %24 = add nsw i32 %.016, 1
  %25 = icmp slt i32 %24, 8
  br i1 %25, label %12, label %26, !llvm.loop !6

26:                                               ; preds = %23
  %.1.lcssa = phi i32 [ %22, %23 ]
  %27 = icmp sgt i32 %.1.lcssa, %1
  br i1 %27, label %28, label %29

28:                                               ; preds = %26
  br label %34

29:                                               ; preds = %26
  br label %30

30:                                               ; preds = %29, %10
  %.2 = phi i32 [ %.1.lcssa, %29 ], [ %.037, %10 ]
  %31 = add nsw i32 %.028, 1
  %32 = icmp slt i32 %31, 16
  br i1 %32, label %3, label %33, !llvm.loop !8

33:                                               ; preds = %30
  %.03.lcssa = phi i32 [ %.2, %30 ]
  br label %34

34:                                               ; preds = %33, %28
  %.0 = phi i32 [ %1, %28 ], [ %.03.lcssa, %33 ]
  ret i32 %.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @label(%struct.shop* noundef %0, i32 noundef %1, i32 noundef %2, i32 noundef %3) #0 {
  %5 = icmp slt i32 %1, %2
  br i1 %5, label %.lr.ph, label %36

.lr.ph:                                           ; preds = %4
  br label %6

6:                                                ; preds = %.lr.ph, %33
  %.024 = phi i32 [ %1, %.lr.ph ], [ %34, %33 ]
  br label %7

7:                                                ; preds = %6, %29
  %.013 = phi i32 [ 0, %6 ], [ %30, %29 ]
  %8 = getelementptr inbounds %struct.shop, %struct.shop* %0, i32 0, i32 0
  %9 = sext i32 %.024 to i64
  %10 = getelementptr inbounds [16 x %struct.shelf], [16 x %struct.shelf]* %8, i64 0, i64 %9
  %11 = getelementptr inbounds %struct.shelf, %struct.shelf* %10, i32 0, i32 1
  %12 = sext i32 %.013 to i64
  %13 = getelementptr inbounds [8 x i32], [8 x i32]* %11, i64 0, i64 %12
  %14 = load i32, i32* %13, align 4
  %15 = icmp ne i32 %.024, %3
  br i1 %15, label %16, label %18

16:                                               ; preds = %7
  %17 = add nsw i32 %14, 3
  br label %22

18:                                               ; preds = %7
  %19 = getelementptr inbounds %struct.shop, %struct.shop* %0, i32 0, i32 1
  %20 = load i32, i32* %19, align 4
  %21 = add nsw i32 %20, %14
  store i32 %21, i32* %19, align 4
  br label %22

22:                                               ; preds = %18, %16
  %.0 = phi i32 [ %17, %16 ], [ %14, %18 ]
  %23 = getelementptr inbounds %struct.shop, %struct.shop* %0, i32 0, i32 0
  %24 = sext i32 %.024 to i64
  %25 = getelementptr inbounds [16 x %struct.shelf], [16 x %struct.shelf]* %23, i64 0, i64 %24
  %26 = getelementptr inbounds %struct.shelf, %struct.shelf* %25, i32 0, i32 1
  %27 = sext i32 %.013 to i64
  %28 = getelementptr inbounds [8 x i32], [8 x i32]* %26, i64 0, i64 %27
  store i32 %.0, i32* %28, align 4
  br label %29

29:                                               ; preds = %22
  %30 = add nsw i32 %.013, 1
  %31 = icmp slt i32 %30, 8
  br i1 %31, label %7, label %32, !llvm.loop !9

32:                                               ; preds = %29
  br label %33

33:                                               ; preds = %32
  %34 = add nsw i32 %.024, 1
  %35 = icmp slt i32 %34, %2
  br i1 %35, label %6, label %._crit_edge, !llvm.loop !10

._crit_edge:                                      ; preds = %33
  br label %36

36:                                               ; preds = %._crit_edge, %4
  ret void
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @letters(i8* noundef %0) #0 {
  %2 = load i8, i8* %0, align 1
  %3 = icmp ne i8 %2, 0
  br i1 %3, label %.lr.ph, label %19

.lr.ph:                                           ; preds = %1
  br label %4

4:                                                ; preds = %.lr.ph, %16
  %.03 = phi i8* [ %0, %.lr.ph ], [ %5, %16 ]
  %.012 = phi i32 [ 0, %.lr.ph ], [ %.1, %16 ]
  %5 = getelementptr inbounds i8, i8* %.03, i32 1
  %6 = load i8, i8* %.03, align 1
  %7 = sext i8 %6 to i32
  switch i32 %7, label %14 [
    i32 97, label %8
    i32 101, label %10
    i32 105, label %12
  ]

8:                                                ; preds = %4
  %9 = add nsw i32 %.012, 1
  br label %16

10:                                               ; preds = %4
  %11 = add nsw i32 %.012, 2
  br label %16

12:                                               ; preds = %4
  %13 = add nsw i32 %.012, 3
  br label %16

14:                                               ; preds = %4
  %15 = add nsw i32 %.012, 5
  br label %16

16:                                               ; preds = %14, %12, %10, %8
  %.1 = phi i32 [ %15, %14 ], [ %13, %12 ], [ %11, %10 ], [ %9, %8 ]
  %17 = load i8, i8* %5, align 1
  %18 = icmp ne i8 %17, 0
  br i1 %18, label %4, label %._crit_edge, !llvm.loop !11

._crit_edge:                                      ; preds = %16
  %split = phi i32 [ %.1, %16 ]
  br label %19

19:                                               ; preds = %._crit_edge, %1
  %.01.lcssa = phi i32 [ %split, %._crit_edge ], [ 0, %1 ]
  ret i32 %.01.lcssa
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @day(%struct.shop* noundef %0, i8* noundef %1) #0 {
  %3 = call i32 @letters(i8* noundef %1)
  %4 = and i32 %3, 7
  call void @label(%struct.shop* noundef %0, i32 noundef 1, i32 noundef 9, i32 noundef %4)
  br label %5

5:                                                ; preds = %2, %25
  %.03 = phi i32 [ 0, %2 ], [ %26, %25 ]
  %.012 = phi i32 [ %3, %2 ], [ %.1, %25 ]
  %6 = getelementptr inbounds %struct.shop, %struct.shop* %0, i32 0, i32 0
  %7 = sext i32 %.03 to i64
  %8 = getelementptr inbounds [16 x %struct.shelf], [16 x %struct.shelf]* %6, i64 0, i64 %7
  %9 = getelementptr inbounds %struct.shelf, %struct.shelf* %8, i32 0, i32 2
  %10 = load i32, i32* %9, align 4
  %11 = icmp ne i32 %10, 0
  br i1 %11, label %12, label %24

12:                                               ; preds = %5
  %13 = icmp sgt i32 %.012, 0
  br i1 %13, label %14, label %24

14:                                               ; preds = %12
  %15 = getelementptr inbounds %struct.shop, %struct.shop* %0, i32 0, i32 0
  %16 = sext i32 %.03 to i64
  %17 = getelementptr inbounds [16 x %struct.shelf], [16 x %struct.shelf]* %15, i64 0, i64 %16
  %18 = getelementptr inbounds %struct.shelf, %struct.shelf* %17, i32 0, i32 0
  %19 = and i32 %.012, 7
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds [8 x i32], [8 x i32]* %18, i64 0, i64 %20
  %22 = load i32, i32* %21, align 4
  %23 = sub nsw i32 %.012, %22
  br label %24

24:                                               ; preds = %14, %12, %5
  %.1 = phi i32 [ %23, %14 ], [ %.012, %12 ], [ %.012, %5 ]
  br label %25

25:                                               ; preds = %24
  %26 = add nsw i32 %.03, 1
  %27 = icmp slt i32 %26, 16
  br i1 %27, label %5, label %28, !llvm.loop !12

28:                                               ; preds = %25
  %.01.lcssa = phi i32 [ %.1, %25 ]
  %29 = call i32 @stock(%struct.shop* noundef %0, i32 noundef 1000)
  %30 = sub nsw i32 %29, %.01.lcssa
  ret i32 %30
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 14.0.6"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
!8 = distinct !{!8, !7}
!9 = distinct !{!9, !7}
!10 = distinct !{!10, !7}
!11 = distinct !{!11, !7}
!12 = distinct !{!12, !7}
