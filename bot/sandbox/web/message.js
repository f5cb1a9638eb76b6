// One message as a row.

import { avatar, h, icon } from './dom.js';
import { clock, formatDate, fullDate, secondsOf } from './dates.js';
import { blocks } from './blocks.js';
import { emoji, mrkdwn } from './nodes.js';

const quick = ['+1', 'eyes', 'white_check_mark'];

// row shows a message. Options: compact leaves out who wrote it; inThread leaves out the way into the thread.
export function row(message, store, { compact, inThread }) {
  const author = authorOf(message, store);
  const at = { store, message };
  const classes = ['message', compact && 'compact', message.is_ephemeral && 'quiet', isSystem(message) && 'system'];
  return h('article', {
    class: classes.filter(Boolean).join(' '), 'data-ts': message.ts, tabindex: -1, 'aria-label': `${author.real_name}, ${clock(message.ts, store.reader())}`,
  },
  message.is_ephemeral && h('div', { class: 'only-you' }, icon('eye'), 'Only visible to you'),
  h('div', { class: 'gutter' }, compact ? time(message, store) : avatar(author)),
  h('div', { class: 'body' },
    !compact && h('div', { class: 'by' },
      h('span', { class: 'name' }, author.real_name), author.is_bot && h('span', { class: 'tag' }, 'App'),
      author.is_stranger && h('span', { class: 'tag' }, 'External'), time(message, store)),
    content(message, at),
    reactions(message, store),
    store.notices.has(message.ts) && h('div', { class: 'notice', role: 'alert' }, icon('warn'), store.notices.get(message.ts)),
    !inThread && threadLink(message, store)),
  !message.is_ephemeral && !isSystem(message) && tools(message, store, inThread));
}

export const isSystem = (message) => /^(channel|group)_(join|leave)$/.test(message.subtype ?? '');

export function authorOf(message, store) {
  return store.users.get(message.user) ?? { id: message.user ?? 'USLACKBOT', real_name: store.team.name };
}

const time = (message, store) => h('time', {
  datetime: new Date(secondsOf(message.ts) * 1000).toISOString(), title: fullDate(message.ts, store.reader()),
}, clock(message.ts, store.reader()));

function content(message, at) {
  const edited = message.edited && h('span', { class: 'edited', title: fullDate(message.edited.ts, at.store.reader()) }, ' (edited)');
  const parts = [];
  if (message.blocks?.length) parts.push(blocks(message.blocks, at));
  else if (message.text) parts.push(mrkdwn(message.text, at.store));
  if (edited) {
    const text = parts.at(-1)?.classList.contains('text') ? parts.at(-1) : null;
    if (text) text.append(edited);
    else parts.push(edited);
  }
  for (const a of message.attachments ?? []) {
    const inside = a.blocks ? blocks(a.blocks, at) : mrkdwn([a.pretext, a.title && `*${a.title}*`, a.text ?? a.fallback].filter(Boolean).join('\n'), at.store);
    parts.push(h('div', { class: 'attachment' }, inside));
  }
  return parts;
}

function reactions(message, store) {
  if (!message.reactions?.length) return null;
  return h('div', { class: 'reactions' }, message.reactions.map((r) => {
    const mine = r.users.includes(store.me.id);
    const names = r.users.map((id) => store.users.get(id)?.real_name ?? id).join(', ');
    return h('button', {
      class: mine ? 'reaction mine' : 'reaction', type: 'button', 'aria-pressed': String(mine), 'data-key': `r/${r.name}`,
      title: `${names} reacted with :${r.name}:`, 'aria-label': `${r.name.replaceAll('_', ' ')}, ${r.count}`,
      onclick: () => store.react(message, r.name),
    }, emoji(r.name), h('span', { class: 'n' }, r.count));
  }));
}

function threadLink(message, store) {
  if (!message.reply_count) return null;
  const faces = (message.reply_users ?? []).slice(0, 4).map((id) => store.users.get(id)).filter(Boolean);
  const last = formatDate(secondsOf(message.latest_reply), '{date_short_pretty} at {time}', store.reader());
  return h('button', { class: 'thread-link', type: 'button', 'data-key': 'thread', onclick: () => store.openThread(message.ts) },
    h('span', { class: 'faces' }, faces.map((u) => avatar(u, true))),
    h('strong', {}, message.reply_count === 1 ? '1 reply' : `${message.reply_count} replies`),
    h('span', { class: 'when' }, `Last reply ${last}`));
}

function tools(message, store, inThread) {
  return h('div', { class: 'tools', role: 'group', 'aria-label': 'Message actions' },
    quick.map((name) => h('button', {
      type: 'button', tabindex: -1, 'data-key': `t/${name}`, 'aria-label': `React with ${name.replaceAll('_', ' ')}`, title: `:${name}:`,
      onclick: () => store.react(message, name),
    }, emoji(name))),
    !inThread && h('button', {
      type: 'button', tabindex: -1, 'data-key': 't/reply', 'aria-label': 'Reply in thread', title: 'Reply in thread',
      onclick: () => store.openThread(message.thread_ts || message.ts),
    }, icon('reply')));
}
