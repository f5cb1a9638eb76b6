package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"stuckbot/bot"
)

// memory is an EventStore and a MessageStore that keeps what it is given, as JSON, like a real one.
type memory struct {
	mu       sync.Mutex
	order    []string // of events
	events   map[string]bot.Event
	attempts map[string]int
	done     map[string]bool
	queue    []string // of messages
	messages map[string][]byte

	// fail makes a method fail once, by its name.
	fail map[string]error
	// slowOpen runs while Open has read and has not returned yet.
	slowOpen func()
}

func newMemory() *memory {
	return &memory{
		events: map[string]bot.Event{}, attempts: map[string]int{}, done: map[string]bool{}, messages: map[string][]byte{},
		fail: map[string]error{},
	}
}

var errDisk = errors.New("disk full")

func (m *memory) failing(method string) error {
	err := m.fail[method]
	delete(m.fail, method)
	return err
}

func (m *memory) Receive(e bot.Event) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Receive"); err != nil {
		return false, err
	}
	if _, known := m.events[e.Key]; known {
		return false, nil
	}
	m.order = append(m.order, e.Key)
	m.events[e.Key] = e
	return true, nil
}

func (m *memory) Open() ([]bot.Event, error) {
	open, err := m.open()
	if m.slowOpen != nil {
		m.slowOpen()
	}
	return open, err
}

func (m *memory) open() ([]bot.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Open"); err != nil {
		return nil, err
	}
	var open []bot.Event
	for _, key := range m.order {
		if !m.done[key] {
			open = append(open, m.events[key])
		}
	}
	return open, nil
}

func (m *memory) Begin(key string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Begin"); err != nil {
		return 0, err
	}
	m.attempts[key]++
	return m.attempts[key], nil
}

func (m *memory) Done(key string, at time.Time, out []bot.Outgoing) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Done"); err != nil {
		return err
	}
	m.done[key] = true
	for _, o := range out {
		if o.Created.IsZero() {
			o.Created = at
		}
		m.put(o)
	}
	return nil
}

func (m *memory) Queue(o bot.Outgoing) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Queue"); err != nil {
		return err
	}
	m.put(o)
	return nil
}

// put stores a new message, or new content. The caller holds the lock.
func (m *memory) put(o bot.Outgoing) {
	if known, found := m.get(o.Key); found {
		if known.Dead != "" {
			return
		}
		known.Message = o.Message
		o = known
	} else {
		m.queue = append(m.queue, o.Key)
	}
	o.Version++
	m.set(o)
}

func (m *memory) set(o bot.Outgoing) {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	m.messages[o.Key] = raw
}

func (m *memory) get(key string) (o bot.Outgoing, found bool) {
	raw, found := m.messages[key]
	if found {
		if err := json.Unmarshal(raw, &o); err != nil {
			panic(err)
		}
	}
	return o, found
}

func (m *memory) Unsent() ([]bot.Outgoing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Unsent"); err != nil {
		return nil, err
	}
	var unsent []bot.Outgoing
	for _, key := range m.queue {
		if o, _ := m.get(key); o.Dead == "" && o.Sent != o.Version {
			unsent = append(unsent, o)
		}
	}
	return unsent, nil
}

func (m *memory) Message(key string) (bot.Outgoing, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Message"); err != nil {
		return bot.Outgoing{}, false, err
	}
	o, found := m.get(key)
	return o, found, nil
}

func (m *memory) Settle(key, id string, sent int, dead string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failing("Settle"); err != nil {
		return err
	}
	o, found := m.get(key)
	if !found {
		return fmt.Errorf("no message %s", key)
	}
	o.ID, o.Sent, o.Dead = id, sent, dead
	m.set(o)
	return nil
}

// chat is a Transport that keeps what it shows.
type chat struct {
	mu    sync.Mutex
	posts []post
	calls []string
	// next is what the next calls of a method return, before anything is done; after is the same, once it was done.
	next, after map[string][]error
	blind       bool // Find sees nothing
}

type post struct {
	at    time.Time
	place bot.Place
	id    string
	key   string
	text  string
}

func newChat() *chat { return &chat{next: map[string][]error{}, after: map[string][]error{}} }

func (c *chat) take(from map[string][]error, method string) error {
	if errs := from[method]; len(errs) > 0 {
		from[method] = errs[1:]
		return errs[0]
	}
	return nil
}

func (c *chat) Post(_ context.Context, to bot.Place, key string, m bot.Message) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, "post "+key)
	if err := c.take(c.next, "post"); err != nil {
		return "", err
	}
	p := post{time.Now(), to, fmt.Sprintf("m%d", len(c.posts)+1), key, m.Summary}
	c.posts = append(c.posts, p)
	if err := c.take(c.after, "post"); err != nil {
		return "", err
	}
	return p.id, nil
}

func (c *chat) Update(_ context.Context, _ bot.Place, id, key string, m bot.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, "update "+key)
	if err := c.take(c.next, "update"); err != nil {
		return err
	}
	i := slices.IndexFunc(c.posts, func(p post) bool { return p.id == id })
	if i < 0 {
		return bot.ErrGone
	}
	c.posts[i].text = m.Summary
	return c.take(c.after, "update")
}

func (c *chat) Find(_ context.Context, in bot.Place, key string, since time.Time) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, "find "+key)
	if err := c.take(c.next, "find"); err != nil {
		return "", err
	}
	for _, p := range c.posts {
		if !c.blind && p.key == key && p.place == in && !p.at.Before(since) {
			return p.id, nil
		}
	}
	return "", nil
}

func (c *chat) Whisper(context.Context, bot.Event, bot.Message) error { return nil }

func (c *chat) shown() []post {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.posts)
}

func (c *chat) texts() []string {
	var out []string
	for _, p := range c.shown() {
		out = append(out, p.text)
	}
	return out
}

func (c *chat) called() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}
