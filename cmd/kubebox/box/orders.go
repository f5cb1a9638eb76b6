package box

import (
	"context"
	"fmt"
	"syscall"
)

// pause stops the API server's process without ending it: the kernel still accepts connections, and nobody answers.
func (c *cluster) pause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signal(syscall.SIGSTOP, true)
}

// resume ends a pause.
func (c *cluster) resume() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.signal(syscall.SIGCONT, false)
}

func (c *cluster) signal(s syscall.Signal, paused bool) error {
	api := c.processes[APIServer]
	if api == nil {
		return fmt.Errorf("%s: %w", c.name, ErrStopped)
	}
	if err := api.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: signal the API server: %w", c.name, err)
	}
	c.paused = paused
	return nil
}

// stopAPI kills the API server: connections to it are refused. Everything else of the cluster stays.
func (c *cluster) stopAPI() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	api := c.processes[APIServer]
	if api == nil {
		return fmt.Errorf("%s: %w", c.name, ErrStopped)
	}
	api.kill()
	delete(c.processes, APIServer)
	c.paused = false
	return nil
}

// startAPI starts a stopped API server at its old address and waits until it is ready.
func (c *cluster) startAPI(ctx context.Context) error {
	c.mu.Lock()
	var err error
	if c.processes[APIServer] != nil {
		err = fmt.Errorf("%s: %w", c.name, ErrRunning)
	} else {
		err = c.launchLocked(APIServer, c.apiServerFlags())
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.awaitAPI(ctx)
}

// answers reports why the API server cannot answer, or nil when it should be able to.
func (c *cluster) answers() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.processes[APIServer] == nil:
		return fmt.Errorf("%s: %w", c.name, ErrStopped)
	case c.paused:
		return fmt.Errorf("%s: %w", c.name, ErrPaused)
	default:
		return nil
	}
}

// reservePorts reserves the addresses of the API server and of the nodes.
func (c *cluster) reservePorts() error {
	var err error
	if c.apiPort, err = reservePort(); err != nil {
		return err
	}
	if c.kubeletPort, err = reservePort(); err != nil {
		c.apiPort.close()
		return err
	}
	return nil
}
