// Package railway plans the trains of a small line: what stands where, and what may go next.
package railway

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
)

// Kind is what a piece of track is.
type Kind uint8

const (
	Plain Kind = iota
	Switch
	Platform
	_
	Buffer
)

const (
	maxSpeed         = 120
	lengthOf float64 = 25.5
)

var errTaken = errors.New("railway: the track is taken")

var names = map[Kind]string{
	Plain:    "plain",
	Switch:   "switch",
	Platform: "platform",
}

func (k Kind) String() string {
	if name, ok := names[k]; ok {
		return name
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// A Signal stands beside a track and knows the track that it guards.
type Signal struct {
	Red    bool
	Height int
	guards *Track
}

// Place is a point on the line.
type Place struct {
	Signal
	kilometre float64
	sides     [2]Side
}

// A Side of a place, left or right of the track.
type Side struct {
	name string
	shed Shed
}

// Shed has room for waggons.
type Shed struct {
	doors   int
	waggons []Waggon
	entry   struct {
		width float32
		at    Place
	}
}

// Track is a piece of the line.
type Track struct {
	Kind
	id    int
	next  []*Track
	taken *Train
	mu    sync.Mutex
}

type Waggon interface {
	Seats() int
	fmt.Stringer
}

type coach struct{ first, second int }

func (c coach) Seats() int      { return c.first + c.second }
func (c *coach) upgrade(n int)  { c.first, c.second = c.first+n, c.second-n }
func (c coach) String() string  { return fmt.Sprint(c.first, "/", c.second) }

// Train is a list of waggons with a timetable.
type Train struct {
	number  string
	waggons []Waggon
	stops   map[string]int
	done    chan<- struct{}
}

type byNumber []*Train

func (b byNumber) Len() int           { return len(b) }
func (b byNumber) Less(i, j int) bool { return b[i].number < b[j].number }
func (b byNumber) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Line is all tracks and trains.
type Line struct {
	sync.RWMutex
	tracks map[int]*Track
	trains []*Train
	log    io.Writer
	where  func(*Train) (*Track, error)
}

// New makes a line with n tracks in a row.
func New(n int, log io.Writer) *Line {
	line := &Line{tracks: make(map[int]*Track, n), log: log}
	var last *Track
	for i := 0; i < n; i++ {
		track := &Track{id: i, Kind: Kind(i % 3)}
		if last != nil {
			last.next = append(last.next, track)
		}
		line.tracks[i], last = track, track
	}
	line.where = func(train *Train) (*Track, error) {
		for _, track := range line.tracks {
			if track.taken == train {
				return track, nil
			}
		}
		return nil, fmt.Errorf("railway: %s is nowhere", train.number)
	}
	return line
}

// Enter puts a train on a track.
func (l *Line) Enter(train *Train, id int) (err error) {
	l.Lock()
	defer l.Unlock()
	defer func() {
		if err != nil && l.log != nil {
			fmt.Fprintln(l.log, err)
		}
	}()
	track, ok := l.tracks[id]
	switch {
	case !ok:
		return fmt.Errorf("railway: no track %d", id)
	case track.taken != nil && track.taken != train:
		return errTaken
	default:
		track.mu.Lock()
		track.taken = train
		track.mu.Unlock()
	}
	l.trains = append(l.trains, train)
	sort.Sort(byNumber(l.trains))
	return nil
}

// Step moves each train by one track and tells how many moved.
func (l *Line) Step() (moved int) {
search:
	for _, train := range l.trains {
		track, err := l.where(train)
		if err != nil {
			continue
		}
		for _, next := range track.next {
			if next.taken == nil && next.Kind != Buffer {
				next.taken, track.taken = train, nil
				moved++
				continue search
			}
		}
		select {
		case train.done <- struct{}{}:
		default:
		}
	}
	return
}

// Seats counts the seats of all trains whose number begins with a prefix.
func (l *Line) Seats(prefix string) int {
	sum := 0
	for _, train := range l.trains {
		if !strings.HasPrefix(train.number, prefix) {
			continue
		}
		for _, waggon := range train.waggons {
			if c, ok := waggon.(*coach); ok && c.first > 0 {
				c.upgrade(-1)
			}
			sum += waggon.Seats()
		}
	}
	return sum
}

// Near is the place that is nearest to a kilometre.
func Near(places []Place, kilometre float64) *Place {
	at := sort.Search(len(places), func(i int) bool { return places[i].kilometre >= kilometre })
	if at == len(places) {
		return nil
	}
	return &places[at]
}
