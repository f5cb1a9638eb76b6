// Package bot is the vocabulary of the chat, the same for every platform, and the two mechanisms that make it reliable:
// Dispatcher (an event is stored as received, acknowledged, then worked, once) and Outbox (a message is stored before it is
// sent, and sent once). Pages cuts what is too long for a platform, so that nothing is left out.
//
// It imports nothing of ours. A platform's transport turns the platform's events into Events and Messages into what the
// platform shows.
package bot
