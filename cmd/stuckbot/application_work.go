package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stuckbot/bot"
	"stuckbot/checks/kube"
	"stuckbot/checks/sweep"
	"stuckbot/commands"
	"stuckbot/storage"
)

// whisperTime bounds telling a person something alone.
const whisperTime = 10 * time.Second

// configured returns the clusters as their files are now.
func (a *application) configured() ([]*kube.Cluster, error) {
	clusters, err := a.set.Clusters()
	if err != nil && len(clusters) == 0 {
		return nil, err
	}
	if err != nil {
		a.log.Error().Err(err).Msg("the clusters' files changed and cannot be read: going on with what was read last")
	}
	return clusters, nil
}

// clusters returns the names and labels of the clusters.
func (a *application) clusters() ([]sweep.Cluster, error) {
	clusters, err := a.configured()
	if err != nil {
		return nil, err
	}
	var all []sweep.Cluster
	for _, c := range clusters {
		all = append(all, sweep.Cluster{Name: c.Name, Labels: c.Labels})
	}
	return all, nil
}

// sweep sweeps the named clusters and keeps the result.
func (a *application) sweep(ctx context.Context, names []string, progress func(sweep.Progress)) (*sweep.Result, error) {
	clusters, err := a.configured()
	if err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(slices.Clone(clusters), func(c *kube.Cluster) bool { return !slices.Contains(names, c.Name) })
	result := sweep.Run(ctx, targets(chosen), sweep.Options{Sources: a.sources, Thresholds: a.config.thresholds(), Progress: progress})
	if err := ctx.Err(); err != nil {
		return nil, err // everyone has left: half a result must not pass for a whole one
	}
	if err := a.db.Sweeps().Save(*result); err != nil {
		return nil, err
	}
	return result, nil
}

// unsent is told of a message that cannot be sent now or ever. Someone who asked where the bot may not post is told so
// alone, since silence would look like a bot that is broken.
func (a *application) unsent(o bot.Outgoing, err error, sorry bot.Message, transport bot.Transport) {
	a.log.Warn().Err(err).Str("message", o.Key).Msg("a message is not sent")
	key, answer := commands.AnsweredEvent(o.Key)
	if !answer || o.ID != "" || !errors.Is(err, bot.ErrGone) {
		return
	}
	e, known, err := a.db.Events().Event(key)
	if err != nil || !known {
		return // a page of a longer answer, or one whose event was forgotten
	}
	ctx, cancel := context.WithTimeout(context.Background(), whisperTime)
	defer cancel()
	if err := transport.Whisper(ctx, e, sorry); err != nil {
		a.log.Warn().Err(err).Str("event", key).Msg("who asked could not be told")
	}
}

// prune forgets what is old, a little at a time.
func (a *application) prune(ctx context.Context) error {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		now := time.Now()
		for _, part := range []struct {
			name  string
			keep  time.Duration
			prune func(time.Time, int) (int, error)
		}{
			{"events", a.config.Retention.Events, a.db.Events().Prune},
			{"messages", messagesFor, a.db.Messages().Prune},
			{"sweeps", a.config.Retention.Sweeps, a.db.Sweeps().Prune},
		} {
			for ctx.Err() == nil {
				const limit = 500
				n, err := part.prune(now.Add(-part.keep), limit)
				if err != nil {
					a.log.Error().Err(err).Str("what", part.name).Msg("forgetting what is old failed")
				}
				if err != nil || n < limit {
					break
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// threads keeps in the database what threads are about.
type threads struct {
	conversations *storage.Conversations
}

// Remember implements commands.Threads.
func (t threads) Remember(key, order, person string, at time.Time) error {
	return t.conversations.Save(storage.Conversation{Message: key, Order: order, By: person, Began: at})
}

// Recall implements commands.Threads.
func (t threads) Recall(thread bot.Place) (string, error) {
	c, _, err := t.conversations.InThread(thread)
	if err != nil {
		return "", fmt.Errorf("what the thread is about: %w", err)
	}
	return c.Order, nil
}
