<?php

declare(strict_types=1);

namespace Museum;

use ArrayIterator;
use Countable;
use DateTimeImmutable;
use InvalidArgumentException;
use IteratorAggregate;
use Traversable;

use function array_filter, count, sprintf, usort;

const OPEN = 10;
const CLOSED = 18;

/** How an exhibit is kept. */
enum Care: string
{
    case Dark = 'dark';
    case Dry = 'dry';
    case Plain = 'plain';

    public static function of(?string $word): self
    {
        return self::tryFrom($word ?? '') ?? self::Plain;
    }

    public function lux(): int
    {
        return match ($this) {
            self::Dark => 50,
            self::Dry, self::Plain => 300,
        };
    }
}

#[\Attribute(\Attribute::TARGET_CLASS)]
final class Room
{
    public function __construct(public readonly int $floor, public readonly string $name = '')
    {
    }
}

interface Shown
{
    public function label(string $language, bool $short = false): string;

    public function lentTo(?Borrower $by, int ...$days): static;
}

interface Priced
{
    public const FREE = 0;

    public function price(int $age): ?float;
}

trait Labels
{
    /** @var array<string, string> */
    private array $labels = ['en' => 'unknown'];
    private static int $printed = 0;

    abstract protected function fallback(): string;

    public function label(string $language, bool $short = false): string
    {
        $text = $this->labels[$language] ?? $this->fallback();
        self::$printed++;
        if ($short && strlen($text) > 12) {
            $text = substr($text, 0, 11) . '…';
        }
        return "{$text} ({$language})";
    }

    public function called(string $language, string $text): static
    {
        $this->labels[$language] = trim($text);
        return $this;
    }
}

class Borrower
{
    protected array $loans = [];

    public function __construct(private string $name, private ?DateTimeImmutable $since = null)
    {
        $this->since ??= new DateTimeImmutable('2020-01-01');
    }

    public function __get(string $key): mixed
    {
        return isset($this->loans[$key]) ? $this->loans[$key] : null;
    }

    public function borrow(Shown $what, int $days): int
    {
        $this->loans[] = [$what, $days];
        return count($this->loans) <=> $days;
    }
}

abstract class Exhibit implements Shown, Priced
{
    use Labels;

    protected int $lent = 0;

    public function __construct(protected string $number, protected Care $care = Care::Plain)
    {
        if ($number === '') {
            throw new InvalidArgumentException('an exhibit has a number');
        }
    }

    protected function fallback(): string
    {
        return sprintf('no. %s', $this->number);
    }

    public function price(int $age): ?float
    {
        return $age < 16 ? self::FREE : 2.5 * ($this->care === Care::Dark ? 2 : 1);
    }
}

#[Room(1, 'north')]
final class Painting extends Exhibit
{
    private array $size = [0, 0];

    public function lentTo(?Borrower $by, int ...$days): static
    {
        foreach ($days as $number => $length) {
            $this->lent += $by?->borrow($this, $length) ?? $number;
        }
        return $this;
    }
}

#[Room(2)]
class Coin extends Exhibit
{
    public float $grams = 0.0;

    public function lentTo(Borrower $by, int ...$days): static
    {
        [$first, , $last] = $days + [0, 0, 0];
        do {
            $by->borrow($this, $first++);
        } while ($first < $last);
        return $this;
    }
}

final class Hall implements Countable, IteratorAggregate
{
    /** @var list<Exhibit> */
    private array $exhibits = [];

    public function __construct(private int $lux, Exhibit ...$exhibits)
    {
        foreach ($exhibits as $exhibit) {
            $this->exhibits[] = clone $exhibit;
        }
        usort($this->exhibits, static fn (Exhibit $a, Exhibit $b): int => $a->price(30) <=> $b->price(30));
    }

    public function getIterator(): Traversable
    {
        return new ArrayIterator($this->exhibits);
    }

    public function count(): int
    {
        return count(array_filter($this->exhibits, fn ($one) => $one->price(10) !== null));
    }

    public function guide(string $language = 'en'): \Generator
    {
        $hour = OPEN;
        foreach ($this as $number => $exhibit) {
            if ($hour >= CLOSED) {
                break;
            }
            yield $hour++ => $number . ': ' . $exhibit->label($language, short: true);
        }
        echo <<<TEXT
            {$this->count()} exhibits at {$this->lux} lux,
            until {$hour} o'clock.
            TEXT;
    }
}

$hall = new Hall(Care::of('dark')->lux(), (new Painting('P1', Care::Dark))->called('en', 'A quiet harbour'), new Coin('C7'));
foreach ($hall->guide() as $hour => $line) {
    print("{$hour}h {$line}\n");
}
