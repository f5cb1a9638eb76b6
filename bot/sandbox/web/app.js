// The sandbox's page: puts its parts together.

import { h } from './dom.js';
import { ChannelView } from './channel.js';
import { Sidebar } from './sidebar.js';
import { Store } from './store.js';
import { ThreadView } from './thread.js';

const sentences = {
  account_inactive: 'This account is deactivated.',
  not_in_channel: 'You are not in this channel.',
  is_archived: 'This channel is archived.',
  channel_not_found: 'You cannot see this channel.',
  message_not_found: 'This message is gone.',
  action_not_found: 'This button is gone.',
  thread_not_found: 'This thread is gone.',
  msg_too_long: 'This message is too long.',
  offline: 'The sandbox does not answer. Is it still running?',
};

function toast(text) {
  const note = h('div', { class: 'toast' }, text);
  document.getElementById('toasts').append(note);
  setTimeout(() => note.remove(), 5000);
}

// permalink reads /archives/C…/p…, the address of a message.
function permalink() {
  const found = location.pathname.match(/^\/archives\/(\w+)\/p(\d+)(\d{6})$/);
  if (!found) return null;
  const thread = new URLSearchParams(location.search).get('thread_ts');
  return { channel: found[1], ts: `${found[2]}.${found[3]}`, thread };
}

async function start() {
  const store = new Store();
  const app = document.getElementById('app');
  const scrim = document.getElementById('scrim');
  const menu = (on) => {
    app.classList.toggle('with-menu', on);
    scrim.hidden = !on;
    if (on) document.getElementById('switch').focus();
  };
  new Sidebar(document.getElementById('sidebar'), store);
  const channel = new ChannelView(store, () => menu(true));
  const thread = new ThreadView(store);

  scrim.addEventListener('click', () => menu(false));
  store.addEventListener('channel', () => menu(false));
  store.addEventListener('error', (event) => toast(sentences[event.detail] ?? `Slack answers ${event.detail}.`));
  document.addEventListener('visibilitychange', () => store.read());
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return;
    if (app.classList.contains('with-menu')) menu(false);
    else if (thread.open) thread.close();
  });

  const asked = permalink();
  if (asked) store.channel = asked.channel;
  await store.become(sessionStorage.getItem('person') ?? '', { target: asked?.ts });
  if (asked) {
    history.replaceState(null, '', '/');
    if (asked.thread) await store.openThread(asked.thread);
  }
  channel.composer.focus();
}

start().catch((error) => {
  console.error(error);
  toast(sentences.offline);
});
