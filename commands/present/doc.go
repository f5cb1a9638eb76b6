// Package present turns what was found into text for people and into the JSON that other programs read. It is the only
// package with sentences: all of them come from a catalogue, by id, so that they can be proofread and translated in one
// place.
//
// Names and messages from clusters are untrusted. Every argument of a sentence and every cell of a table is cleaned: what
// could move the cursor, reverse the text, hide in it or be a token does not reach a terminal. JSON keeps names as they are.
package present
