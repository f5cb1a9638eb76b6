// Inline content as DOM nodes: a mrkdwn tree, and the same things from rich text.

import { h, link } from './dom.js';
import { emojiOf } from './emoji.js';
import { formatDate } from './dates.js';
import { parse } from './mrkdwn.js';

// mrkdwn shows text with Slack's marks.
export const mrkdwn = (text, store) => h('div', { class: 'text' }, toNodes(parse(text), store));

// plain shows plain_text: emoji when they are asked for, and nothing else.
export function plain(object) {
  if (object.emoji === false) return object.text;
  return object.text.split(/(:[a-z0-9_+-]+:)/).map((part) => {
    const name = part.match(/^:([a-z0-9_+-]+):$/);
    return name && emojiOf(name[1]) ? emoji(name[1]) : part;
  });
}

// textObject shows a text object of either kind.
export function textObject(object, store) {
  return object.type === 'mrkdwn' ? mrkdwn(object.text, store) : h('div', { class: 'text' }, plain(object));
}

const tags = { bold: 'strong', italic: 'em', strike: 's', code: 'code', pre: 'pre', quote: 'blockquote' };

function toNodes(tree, store) {
  return tree.map((node) => {
    switch (node.t) {
      case 'text': return node.v;
      case 'emoji': return emoji(node.name);
      case 'link': return link(node.url, {}, node.label);
      case 'user': return userMention(node.id, store, node.label);
      case 'channel': return channelMention(node.id, store, node.label);
      case 'group': return groupMention(node.id, store, node.label);
      case 'broadcast': return broadcast(node.range);
      case 'date': return dateText(node, store);
      default: return h(tags[node.t], {}, toNodes(node.c, store));
    }
  });
}

export function emoji(name) {
  const char = emojiOf(name);
  return char ? h('span', { class: 'emoji', role: 'img', 'aria-label': name.replaceAll('_', ' '), title: `:${name}:` }, char) : `:${name}:`;
}

const mention = (me, ...text) => h('span', { class: me ? 'mention me' : 'mention' }, ...text);

export function userMention(id, store, label) {
  const user = store.users.get(id);
  return mention(id === store.me.id, '@', user ? user.real_name || user.name : label ?? id);
}

export function channelMention(id, store, label) {
  const channel = store.channels.find((c) => c.id === id);
  if (!channel) return mention(false, '#', label ?? 'private');
  return h('button', { class: 'mention', type: 'button', onclick: () => store.openChannel(id) }, '#', channel.name);
}

export function groupMention(id, store, label) {
  const group = store.groups.find((g) => g.id === id);
  return mention(group?.users.includes(store.me.id), group ? `@${group.handle}` : label ?? id);
}

export const broadcast = (range) => mention(true, '@', range);

export function dateText({ seconds, format, url, fallback }, store) {
  const shown = formatDate(seconds, format, store.reader()) ?? fallback ?? '';
  const props = { title: formatDate(seconds, '{date_long} {time_secs}', store.reader()) };
  return url ? link(url, props, shown) : h('time', { ...props, datetime: isoDate(seconds) }, shown);
}

function isoDate(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
