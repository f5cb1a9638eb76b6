// What the composer offers while one types: commands, people, groups and channels.

import { avatar, h, icon } from './dom.js';

const most = 9;

// complete returns the choices for the text up to the caret. A choice's value replaces the text from `from` to the caret.
export function complete(before, store, inThread) {
  if (before.startsWith('/') && !inThread) return command(before, store);
  const word = before.match(/(^|[\s(])([@#])([\w.-]*)$/);
  if (!word) return [];
  const from = before.length - word[3].length - 1;
  return word[2] === '@' ? people(word[3].toLowerCase(), from, store) : channels(word[3].toLowerCase(), from, store);
}

function command(before, store) {
  const space = before.indexOf(' ');
  if (space < 0) {
    return store.commands.filter((c) => c.command.startsWith(before)).map((c) => choice(0, `${c.command} `,
      what(c.command), h('span', { class: 'hint-text code' }, c.usage_hint), description(c.description)));
  }
  const known = store.commands.find((c) => c.command === before.slice(0, space));
  const typed = before.slice(space + 1);
  return (known?.completions ?? []).filter((c) => c.text.startsWith(typed) && c.text !== typed.trim()).slice(0, most)
    .map((c) => choice(space + 1, `${c.text} `, what(c.text), description(c.description)));
}

function people(typed, from, store) {
  const fits = (...names) => names.some((n) => n.toLowerCase().split(/\s+/).some((w) => w.startsWith(typed)));
  const users = [...store.users.values()].filter((u) => !u.deleted && fits(u.name, u.real_name))
    .map((u) => choice(from, `@${u.name} `, avatar(u, true), what(u.real_name), hint(u.name), u.is_bot && h('span', { class: 'tag' }, 'App')));
  const groups = store.groups.filter((g) => fits(g.handle, g.name))
    .map((g) => choice(from, `@${g.handle} `, icon('people'), what(`@${g.handle}`), hint(g.name)));
  const all = ['here', 'channel'].filter((n) => fits(n))
    .map((n) => choice(from, `@${n} `, icon('people'), what(`@${n}`), hint('Notify everyone here')));
  return [...users, ...groups, ...all].slice(0, most);
}

function channels(typed, from, store) {
  return store.channels.filter((c) => c.name.startsWith(typed)).slice(0, most)
    .map((c) => choice(from, `#${c.name} `, icon(c.is_private ? 'lock' : 'hash'), what(c.name), description(c.topic)));
}

const what = (text) => h('span', { class: 'what' }, text);
const hint = (text) => h('span', { class: 'hint-text' }, text);
const description = (text) => h('span', { class: 'description' }, text);

const choice = (from, text, ...node) => ({ value: { from, text }, node: node.filter(Boolean) });
