; The controller of a small pump: is there a step that leaves the tank above its limit?
(set-info :status unknown)
(set-option :produce-models true)
(set-logic ALL)

(define-sort Half () (_ FloatingPoint 5 11))
(define-sort Tiny () (_ FloatingPoint 3 5))
(define-sort Word () (_ BitVec 8))
(define-sort Log () (Array Int Word))

(declare-datatypes ((Mode 0) (Event 0))
  (((idle) (filling (since Int)) (draining (rate Tiny) (until Int)))
   ((tick) (alarm (code Word)) (change (from Mode) (to Mode)))))

(declare-const now Int)
(declare-const level0 Tiny)
(declare-const level1 Tiny)
(declare-const level2 Tiny)
(declare-const inflow Tiny)
(declare-const area Tiny)
(declare-const mode0 Mode)
(declare-const mode1 Mode)
(declare-const mode2 Mode)
(declare-const event Event)
(declare-const log0 Log)
(declare-const log1 Log)
(declare-const flags Word)
(declare-const name String)
(declare-const rounding RoundingMode)
(declare-fun cost (Mode Int) Real)
(declare-fun neighbour (Int) Int)

(define-const limit Tiny ((_ to_fp 3 5) RNE 2.5))
(define-const nothing Tiny (_ +zero 3 5))
(define-fun is-finite ((x Tiny)) Bool (not (or (fp.isNaN x) (fp.isInfinite x))))
(define-fun is-level ((x Tiny)) Bool (and (is-finite x) (fp.leq nothing x) (not (fp.isSubnormal x))))

(define-fun rises ((level Tiny) (rate Tiny) (mode Mode)) Tiny
  (match mode
    ((idle level)
     ((filling s) (ite (fp.isZero rate) level (fp.add RNE level rate)))
     ((draining r u) (fp.sub RTZ level r)))))

(define-fun-rec steps ((n Int)) Int (ite (<= n 0) 0 (+ 1 (steps (- n 2)))))

; What holds in the beginning.
(assert (! (is-level level0) :named start))
(assert (! (and (is-finite inflow) (fp.lt inflow limit)) :named slow))
(assert (fp.gt area ((_ to_fp 3 5) RNE 0.25)))
(assert (or (= mode0 idle) ((_ is filling) mode0)))
(assert (=> ((_ is filling) mode0) (<= 0 (since mode0) now)))
(assert (distinct mode0 mode1 mode2))
(assert (not (= rounding RTP)))

; The log has the flags of each step.
(assert (= log1 (store log0 now (bvor flags #x01))))
(assert (= ((_ extract 3 0) (select log1 now)) #b0101))
(assert (bvult (bvand flags #xf0) (concat #x8 ((_ extract 7 4) flags))))
(assert (let ((old (select log0 (- now 1))) (new (select log1 (- now 1))))
  (and (= old new) (not (= (bvshl old #x01) #xfe)))))

; One step, and another one.
(assert (= level1 (rises level0 inflow mode0)))
(assert (= event (change mode0 mode1)))
(assert (=> ((_ is draining) mode1)
  (let ((left (fp.fma rounding (rate mode1) area level1)))
    (and (fp.leq left level1) (is-level left)))))
(assert (= level2 (ite (= mode1 idle) level1 (rises level1 (fp.neg inflow) mode1))))
(assert (=> (= (to event) mode2) (fp.eq level2 level1)))
(assert (> (cost mode1 now) (+ (cost mode0 (- now 1)) (/ 1.0 3.0))))

; Neighbours are mutual, and one is near.
(assert (forall ((i Int)) (! (= (neighbour (neighbour i)) i) :pattern ((neighbour i)))))
(assert (exists ((i Int)) (and (< 0 i 5) (= (neighbour i) (mod (* 3 i) 5)))))
(assert (<= (steps now) 12))
(assert (and (str.prefixof "pump" name) (str.in_re name (re.++ (str.to_re "pump") (re.+ (re.range "0" "9"))))))
(assert (< (str.len name) 8))

(push 1)
(assert (fp.gt level2 limit))
(check-sat)
(pop 1)
(push 1)
(assert (and (fp.isNaN level2) (= (str.to_int (str.substr name 4 2)) now)))
(check-sat)
(get-info :reason-unknown)
(pop 1)
(exit)
