package box

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Reasons why an order to a cluster is refused.
var (
	// ErrStopped: the cluster's API server does not run.
	ErrStopped = errors.New("its API server is stopped")
	// ErrRunning: the cluster's API server already runs.
	ErrRunning = errors.New("its API server is running")
	// ErrPaused: the cluster's API server is paused.
	ErrPaused = errors.New("its API server is paused")

	errRemoved = errors.New("the cluster was removed")
)

// cluster is one control plane and its simulated nodes.
type cluster struct {
	name     string
	dir      string
	storeURL string
	family   *family
	say      func(format string, args ...any)

	apiPort     *port
	kubeletPort *port
	admin       access
	client      kubernetes.Interface
	dynamic     dynamic.Interface
	logs        *podLogs

	// ctx ends when one of the cluster's processes dies, with that as its cause, or when the cluster is removed.
	ctx    context.Context
	cancel context.CancelCauseFunc

	// mu guards what follows: the processes, and whether the API server is paused.
	mu        sync.Mutex
	processes map[string]*process
	paused    bool
}

// start brings the cluster up and returns when it can be used: the API server answers, the controllers work, the nodes
// are ready and their pods' logs can be read. On an error the caller calls close.
func (c *cluster) start(timeout time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(c.ctx, timeout, fmt.Errorf("not ready after %s", timeout))
	defer cancel()
	err := c.bringUp(ctx, time.Now())
	if err != nil && c.ctx.Err() != nil {
		// What failed is only a consequence.
		return context.Cause(c.ctx)
	}
	return err
}

func (c *cluster) bringUp(ctx context.Context, began time.Time) error {
	if err := c.prepare(began); err != nil {
		return err
	}
	if err := c.connect(); err != nil {
		return err
	}
	if err := c.launch(APIServer, c.apiServerFlags()); err != nil {
		return err
	}
	if err := c.awaitAPI(ctx); err != nil {
		return err
	}
	c.say("%s: API server ready in %.1fs", c.name, time.Since(began).Seconds())
	if err := c.populate(ctx); err != nil {
		return err
	}
	c.say("%s: controllers and nodes ready in %.1fs", c.name, time.Since(began).Seconds())
	return nil
}

// connect makes the cluster's clients. They are not throttled: kubebox asks little, and waiting is what it is for.
func (c *cluster) connect() error {
	config := &rest.Config{
		Host:            c.admin.server,
		BearerToken:     c.admin.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.admin.ca},
		QPS:             -1,
		UserAgent:       program,
	}
	var err error
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("make the client: %w", err)
	}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return fmt.Errorf("make the client: %w", err)
	}
	c.logs = newPodLogs(c)
	return nil
}

// launch starts one component. Its death without an order ends the cluster's context.
func (c *cluster) launch(component string, flags []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.launchLocked(component, flags)
}

func (c *cluster) launchLocked(component string, flags []string) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	p, err := c.family.run(c.name, component, c.dir, flags, func(p *process) { c.cancel(p.failure()) })
	if err != nil {
		return err
	}
	c.processes[component] = p
	return nil
}

func (c *cluster) awaitAPI(ctx context.Context) error {
	return c.await(ctx, APIServer, "the API server", func(ctx context.Context) error {
		return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// close ends the cluster's processes and frees its ports. It can be called more than once.
func (c *cluster) close() {
	c.cancel(errRemoved)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.processes {
		p.kill()
	}
	c.apiPort.close()
	c.kubeletPort.close()
}

// await looks again and again until look succeeds or ctx ends; then the error says what was last seen, and quotes the
// log of the component that was waited for when it is late.
func (c *cluster) await(ctx context.Context, component, what string, look func(context.Context) error) error {
	last := poll(ctx, look)
	if last == nil {
		return nil
	}
	return fmt.Errorf("waiting for %s of %s: %w; last: %w. The end of the log of %s:\n%s",
		what, c.name, context.Cause(ctx), last, component, tail(c.file(component+".log"), logTailLines))
}

// pollInterval is how often a condition is looked at for which there is no event.
const pollInterval = 50 * time.Millisecond

// poll calls look until it succeeds or ctx ends, and returns its last error.
func poll(ctx context.Context, look func(context.Context) error) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	last := context.Cause(ctx)
	for ctx.Err() == nil {
		err := look(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return last
}
