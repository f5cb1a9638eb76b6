package box

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Reasons why an order to the box is refused.
var (
	// ErrExists: there already is a cluster of that name.
	ErrExists = errors.New("already exists")
	// ErrUnknown: there is no cluster of that name that can be used.
	ErrUnknown = errors.New("no such cluster")
)

// dropTimeout bounds the deletion of a cluster's keys.
const dropTimeout = 10 * time.Second

// box is a running kubebox: the shared etcd and the clusters.
type box struct {
	home       *home
	kubeconfig string
	timeout    time.Duration
	family     *family
	store      *store
	say        func(format string, args ...any)

	// ctx ends, with the reason as its cause, when the whole box has to stop.
	ctx    context.Context
	cancel context.CancelCauseFunc

	// mu guards clusters: every cluster from its registration until nothing of it is left.
	mu       sync.Mutex
	clusters map[string]*member
	// files serializes changes of the kubeconfig.
	files sync.Mutex
}

// member is a cluster with its place in the box.
type member struct {
	*cluster
	// settled is closed once the cluster can be used, or never will be; gone once nothing of it is left.
	settled, gone chan struct{}
	settle        func()
	// usable, guarded by box.mu, is true from when the cluster is published until it is removed.
	usable bool
}

// launch starts etcd and then the clusters, all at the same time, and publishes the kubeconfig when all are ready.
func (b *box) launch(names []string) error {
	b.say("starting etcd")
	if err := b.home.own(etcdName); err != nil {
		return err
	}
	var err error
	if b.store, err = startStore(b.ctx, filepath.Join(b.home.dir, etcdName), b.cancel); err != nil {
		return err
	}
	members := make([]*member, len(names))
	var g errgroup.Group
	for i, name := range names {
		g.Go(func() (err error) {
			members[i], err = b.start(b.ctx, name)
			b.cancelOn(err)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return b.publish(members...)
}

// cancelOn ends the box, and with it the start of the other clusters, when one could not be started.
func (b *box) cancelOn(err error) {
	if err != nil {
		b.cancel(err)
	}
}

// add starts one more cluster and gives it a context in the kubeconfig. When ctx ends first, nothing of it stays.
func (b *box) add(ctx context.Context, name string) error {
	m, err := b.start(ctx, name)
	if err != nil {
		return err
	}
	if err := b.publish(m); err != nil {
		b.drop(m)
		return err
	}
	return nil
}

// ensure is add, except that a cluster which exists, or is being started or removed, is waited for.
func (b *box) ensure(ctx context.Context, name string) error {
	for {
		err := b.add(ctx, name)
		if !errors.Is(err, ErrExists) {
			return err
		}
		b.mu.Lock()
		m := b.clusters[name]
		b.mu.Unlock()
		if m == nil {
			continue
		}
		if err := wait(ctx, m.settled); err != nil {
			return err
		}
		if _, err := b.find(name); err == nil {
			return nil
		}
		if err := wait(ctx, m.gone); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// remove ends a cluster and takes everything of it away.
func (b *box) remove(name string) error {
	b.mu.Lock()
	m := b.clusters[name]
	usable := m != nil && m.usable
	if usable {
		m.usable = false
	}
	b.mu.Unlock()
	if !usable {
		return fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	err := b.withdraw(name)
	b.drop(m)
	b.say("%s: removed", name)
	return err
}

// find returns a cluster that can be used.
func (b *box) find(name string) (*cluster, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.clusters[name]
	if m == nil || !m.usable {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return m.cluster, nil
}

// start registers a cluster and brings it up. What it left is deleted when it does not come up.
func (b *box) start(ctx context.Context, name string) (*member, error) {
	m, err := b.register(name)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { m.cancel(context.Cause(ctx)) })
	defer stop()
	if err := m.start(b.timeout); err != nil {
		b.drop(m)
		return nil, err
	}
	// From here on the death of one of its processes ends the box: nobody who uses it could tell what is missing.
	context.AfterFunc(m.ctx, func() {
		if cause := context.Cause(m.ctx); !errors.Is(cause, errRemoved) {
			b.cancel(cause)
		}
	})
	return m, nil
}

// register reserves a name, its folder and its ports.
func (b *box) register(name string) (*member, error) {
	if err := validName(name); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.clusters[name] != nil {
		return nil, fmt.Errorf("cluster %s %w", name, ErrExists)
	}
	if err := b.home.own(name); err != nil {
		return nil, err
	}
	c := &cluster{
		name: name, dir: filepath.Join(b.home.dir, name), storeURL: b.store.url(), family: b.family, say: b.say,
		processes: map[string]*process{},
	}
	if err := c.reservePorts(); err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancelCause(b.ctx)
	m := &member{cluster: c, settled: make(chan struct{}), gone: make(chan struct{})}
	m.settle = sync.OnceFunc(func() { close(m.settled) })
	b.clusters[name] = m
	return m, nil
}

// drop ends a cluster and deletes what it left: processes, files and its keys in etcd. Its name is free afterwards.
func (b *box) drop(m *member) {
	m.close()
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := errors.Join(b.store.forget(ctx, m.name), b.home.discard(m.name)); err != nil {
		b.say("%s: %v", m.name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.clusters, m.name)
	m.settle()
	close(m.gone)
}

// publish writes the contexts of clusters into the kubeconfig and makes them usable.
func (b *box) publish(members ...*member) error {
	entries := make(map[string]access, len(members))
	first := ""
	for _, m := range members {
		entries[m.name] = m.admin
		if first == "" {
			first = m.name
		}
	}
	if err := b.rewrite(entries, first); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range members {
		m.usable = true
		m.settle()
	}
	return nil
}

// withdraw takes a cluster's context out of the kubeconfig.
func (b *box) withdraw(name string) error { return b.rewrite(nil, "", name) }

func (b *box) rewrite(entries map[string]access, first string, gone ...string) error {
	b.files.Lock()
	defer b.files.Unlock()
	return writeKubeconfig(b.kubeconfig, b.home.dir, entries, first, gone...)
}

// close ends everything and deletes what was made. It is called once, after the control server has stopped.
func (b *box) close() error {
	b.cancel(errStopped)
	b.mu.Lock()
	defer b.mu.Unlock()
	var g errgroup.Group
	for _, m := range b.clusters {
		g.Go(func() error {
			m.close()
			return nil
		})
	}
	_ = g.Wait()
	if b.store != nil {
		b.store.close()
	}
	return b.home.release()
}
