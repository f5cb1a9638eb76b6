// Package storage keeps what the bot must not forget, in repositories over the small interface of storage/kv.
//
// # Schema
//
// All keys are text in one ordered space. A key's first part names what it holds:
//
//	schema                     the schema version: a decimal number, now 1
//	sweep/<time>/<suffix>      one sweep.Result: JSON, form 1 (storedSweep)
//	event/<key>                one chat event and what became of it: JSON, form 1 (storedEvent)
//	event-open/<time>/<key>    the events that are not done, by the time of their receipt; no value
//	event-done/<time>/<key>    those that are, by the time they were done; no value
//	message/<key>              one message of the bot: JSON, form 1 (storedMessage)
//	message-unsent/<time>/<key>  the messages whose newest content is not sent, by the time they were queued first; no value
//	message-at/<time>/<key>    all messages, by that time; no value
//	message-id/<place>/<id>    the key of the message that the platform knows by this id
//	conversation/<key>         what the message with this key is about: JSON, form 1 (storedConversation)
//	mark/sandbox               the chat server that is not the platform's own which the database has seen
//
// <time> is a UTC time of fixed width with nanoseconds, for example 2026-01-31T09:05:00.000000000Z, so that keys sort by
// time. <suffix> is random, so that two of one instant are kept apart. A <key> that comes from outside and is long is replaced
// by its hash.
//
// Every JSON value has the number of its form in the field v; a kind of value that gains or loses a field gets a new form,
// and the older ones stay readable. The schema version changes when a program of before would misread the database, and then
// there is a migration (schema.go).
//
// # Rules
//
// A repository decides nothing and has no clock: times come in as arguments. It never drops what it cannot read: a damaged
// value is a *ValueError, which names the key. Nothing in the database is secret (promise 8), because nothing secret gets
// into the values that are stored.
package storage
