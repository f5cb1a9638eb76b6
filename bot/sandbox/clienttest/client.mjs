// Uses the sandbox through Slack's official clients: a slash command, a post, a click, an update and a read of history.
// The Go test acts as the person; it says what to do on standard input, one line each.

import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { SocketModeClient, LogLevel } from '@slack/socket-mode';
import { WebClient } from '@slack/web-api';

const { SANDBOX_URL, APP_TOKEN, BOT_TOKEN, CHANNEL } = process.env;
const slackApiUrl = `${SANDBOX_URL}/api/`;
const web = new WebClient(BOT_TOKEN, { slackApiUrl });
const socket = new SocketModeClient({ appToken: APP_TOKEN, clientOptions: { slackApiUrl }, logLevel: LogLevel.WARN });

const say = (what) => console.log(what);
let posted;

socket.on('slash_commands', async ({ body, ack }) => {
  assert.equal(body.command, '/stuck');
  assert.equal(body.text, 'sweep');
  await ack({ text: 'On it.' });
  posted = await web.chat.postMessage({
    channel: CHANNEL,
    text: 'One cluster is stuck',
    metadata: { event_type: 'stuckbot_card', event_payload: { key: 'p1/card' } },
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'One cluster is stuck' } },
      { type: 'actions', block_id: 'votes', elements: [{ type: 'button', action_id: 'approve', value: 'p1', style: 'primary', text: { type: 'plain_text', text: 'Approve' } }] },
    ],
  });
  assert.equal(posted.ok, true);
  say(`posted ${posted.ts}`);
});

socket.on('interactive', async ({ body, ack }) => {
  await ack();
  assert.equal(body.type, 'block_actions');
  assert.equal(body.actions[0].action_id, 'approve');
  assert.equal(body.actions[0].value, 'p1');
  assert.equal(body.container.message_ts, posted.ts);
  const response = await fetch(body.response_url, {
    method: 'POST', headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: JSON.stringify({ text: 'Counted.', response_type: 'ephemeral' }),
  });
  assert.equal(response.status, 200);
  await web.chat.update({ channel: CHANNEL, ts: posted.ts, text: `Approved by <@${body.user.id}>` });
  const history = await web.conversations.history({ channel: CHANNEL, include_all_metadata: true });
  const mine = history.messages.find((m) => m.ts === posted.ts);
  assert.equal(mine.text, `Approved by <@${body.user.id}>`);
  assert.equal(mine.metadata.event_payload.key, 'p1/card');
  say('updated');
});

socket.on('app_mention', async ({ event, ack }) => {
  await ack();
  assert.ok(event.text.includes('hello'));
  say('mentioned');
});

const refused = async (code, call) => {
  await assert.rejects(call, (error) => error.data?.error === code, code);
};

for await (const line of createInterface({ input: process.stdin })) {
  switch (line) {
    case 'connect': {
      const who = await web.auth.test();
      assert.equal(who.bot_id, 'B0STUCKBOT');
      assert.ok(who.response_metadata.scopes.includes('chat:write'));
      await socket.start();
      say('connected');
      break;
    }
    case 'refusals': {
      await refused('channel_not_found', () => web.chat.postMessage({ channel: 'C0NOWHERE', text: 'x' }));
      await refused('invalid_blocks', () => web.chat.postMessage({ channel: CHANNEL, text: 'x', blocks: [{ type: 'hologram' }] }));
      await refused('message_not_found', () => web.chat.update({ channel: CHANNEL, ts: '1.000001', text: 'x' }));
      const names = [];
      for await (const page of web.paginate('conversations.list', { limit: 2 })) names.push(...page.channels.map((c) => c.name));
      assert.deepEqual(names, ['releases', 'incidents', 'partners', 'random', 'old']);
      say('refused');
      break;
    }
    case 'quit':
      await socket.disconnect();
      process.exit(0);
  }
}
