package village.library

import scala.annotation.tailrec
import scala.collection.immutable.{SortedMap, TreeMap => Tree, _}
import scala.util.{Failure, Success, Try}

/** The books of a small library: what is lent, to whom, and what it costs to be late. */
sealed trait Medium extends Product with Serializable {
  def title: String
  protected[library] val days: Int = 14

  override def toString: String = s"$title (${days} days)"
}

final case class Book(title: String, pages: Int = 100)(implicit val shelf: Shelf) extends Medium {
  require(pages > 0, "a book has pages")
  override protected[library] val days = if (pages > 500) 28 else 14
}

case class Disc(title: String, tracks: List[(String, Double)]) extends Medium

case object Newspaper extends Medium {
  val title = "The Brook"
}

class Shelf(val name: String, private var room: Int) {
  self =>

  def this(name: String) = this(name, 40)

  def take(n: Int)(refuse: => Unit): Boolean = {
    if (n > room) {
      refuse
      false
    } else {
      room -= n
      true
    }
  }

  class Label private[Shelf] (text: String) {
    def print(): Unit = println(s"""${self.name}: "$text" """)
  }
}

object Shelf {
  implicit val default: Shelf = new Shelf("main")
  implicit class Sized(private val shelf: Shelf) extends AnyVal {
    def +(other: Shelf): Shelf = new Shelf(shelf.name + "/" + other.name)
  }

  def apply(names: String*): Seq[Shelf] = names.map(new Shelf(_, 1 << 4))
  def unapply(shelf: Shelf): Option[String] = Some(shelf.name).filter(_.nonEmpty)
}

trait Catalogue[+M <: Medium, -K] {
  type Key >: Null
  def find(key: K): Option[M]
  def count[N >: M](test: N => Boolean): Int
}

abstract class Desk[M <: Medium: Ordering](limit: Int) extends Catalogue[M, String] {
  type Key = String
  @volatile private[this] var lent: SortedMap[String, M] = SortedMap.empty
  lazy val first: Option[M] = lent.values.toList.sorted.headOption

  def find(key: String): Option[M] = lent get key

  def count[N >: M](test: N => Boolean): Int = lent.valuesIterator.count(test)

  /** Takes back what somebody brings; other desks may know it. */
  def back(names: List[String], others: Seq[Catalogue[? <: Medium, String]]): Either[String, Int] = {
    @tailrec
    def loop(rest: List[String], sum: Int): Either[String, Int] = rest match {
      case Nil => Right(sum)
      case name :: tail if lent.contains(name) =>
        lent -= name
        loop(tail, sum + 1)
      case name :: _ if others.exists(_.find(name).isDefined) => Left(s"$name belongs elsewhere")
      case (name @ ("" | "?")) :: tail => loop(tail, sum - name.length)
      case _ => Left("nobody knows it")
    }
    loop(names, 0)
  }

  def lend(medium: M, to: String): Try[M] = Try {
    if (lent.size >= limit) throw new IllegalStateException("too many")
    lent += (to -> medium)
    medium
  } recoverWith {
    case e: IllegalStateException => Failure(new Exception(e.getMessage, e))
    case _: NullPointerException | _: ClassCastException => Success(medium)
  }
}

object Main extends App {
  private val Late = "(\\d+) days?".r
  val fees = Map('a' -> 0.5, 'b' -> 1e-1, '\n' -> 0x10.toDouble)
  val media: Vector[Medium] = Vector(Book("Solaris"), Disc("Tides", List("Ebb" -> 3.5, "Flow" -> 4.25)), Newspaper)

  implicit def byTitle[M <: Medium]: Ordering[M] = Ordering.by(_.title)

  val desk = new Desk[Medium](3) {
    override def count[N >: Medium](test: N => Boolean) = super.count(test) max 0
  }

  def fee(text: String): Double = text match {
    case Late(days) => days.toInt * fees.getOrElse('a', 0.0)
    case other if other.isEmpty => 0d
    case _ => Double.NaN
  }

  val lines = for {
    (medium, index) <- media.zipWithIndex
    if index % 2 == 0 || medium.title.startsWith("T")
    who = ('A' + index).toChar.toString
    line <- desk.lend(medium, who).toOption
  } yield f"$index%2d ${line.title}%-10s ${fee(s"$index days")}%.2f"

  lines foreach println
  var tries = 0
  do tries += 1 while (tries < 3)
  while (desk.first.isEmpty && tries > 0) { tries -= 1 }
  try println(desk.back("A" :: "?" :: Nil, Seq(desk)))
  catch { case e: Exception => e.printStackTrace() }
  finally Shelf("north", "south").reduce(_ + _).take(2)(sys.exit(1))
  println(media.collect { case b: Book => b.pages; case Disc(_, (_, length) +: _) => length.toInt }.sum)
}
