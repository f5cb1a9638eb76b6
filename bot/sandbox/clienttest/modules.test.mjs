// The modules of the page that know nothing of the DOM: how mrkdwn and dates are read.

import assert from 'node:assert/strict';
import test from 'node:test';
import { ago, formatDate } from '../web/dates.js';
import { emojiOf } from '../web/emoji.js';
import { parse } from '../web/mrkdwn.js';

// short writes a tree in one line.
const short = (nodes) => nodes.map((n) => {
  switch (n.t) {
    case 'text': return n.v;
    case 'emoji': return `:${n.name}:`;
    case 'link': return `[${n.label}](${n.url})`;
    case 'date': return `date(${n.seconds},${n.format},${n.fallback})`;
    case 'broadcast': return `!${n.range}`;
    case 'user': case 'channel': case 'group': return `${n.t}(${n.id})`;
    default: return `${n.t}{${short(n.c)}}`;
  }
}).join('');

for (const [given, want] of [
  ['plain', 'plain'],
  ['', ''],
  ['*bold* _italic_ ~strike~ `code`', 'bold{bold} italic{italic} strike{strike} code{code}'],
  ['*_both_*', 'bold{italic{both}}'],
  ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
  ['* not a list *', '* not a list *'],
  ['**', '**'],
  ['*no\nend*', '*no\nend*'],
  ['(*bold*), then', '(bold{bold}), then'],
  ['`*not bold* &amp; <@U1>`', 'code{*not bold* & user(U1)}'],
  ['```a *b* &lt;c&gt;```', 'pre{a *b* <c>}'],
  ['before\n```\nline 1\nline 2\n```\nafter', 'beforepre{line 1\nline 2}after'],
  ['&gt; quoted *bold*\n&gt; more\nnot', 'quote{quoted bold{bold}\nmore}not'],
  ['> raw', 'quote{raw}'],
  ['a &gt; b', 'a > b'],
  ['&amp;lt; once', '&lt; once'],
  ['<https://a.example|the &lt;runbook&gt;>', '[the <runbook>](https://a.example)'],
  ['<https://a.example?x=1&amp;y=2>', '[https://a.example?x=1&y=2](https://a.example?x=1&y=2)'],
  ['<mailto:a@b.example>', '[a@b.example](mailto:a@b.example)'],
  ['<javascript:alert(1)|x>', '[x](javascript:alert(1))'], // nodes.js makes no link of it
  ['<@U1|bob> <#C1|x> <!subteam^S1|@sre> <!here> <!channel|x>', 'user(U1) channel(C1) group(S1) !here !channel'],
  ['<!date^1392734382^{date_num} {time}^https://a.example|once>', 'date(1392734382,{date_num} {time},once)'],
  ['<!date^soon^{time}|once>', 'once'],
  [':tada: and :x::tada:', ':tada: and :x::tada:'],
  ['12:30:45', '12:30:45'],
  ['*<https://a.example|x*y>*', 'bold{[x*y](https://a.example)}'],
  ['<not closed', '<not closed'],
  ['<b>markup</b>', '<b>markup</b>'],
]) {
  test(`mrkdwn ${JSON.stringify(given)}`, () => assert.equal(short(parse(given)), want));
}

test('mrkdwn ends, whatever it is given', () => {
  const marks = ['*', '_', '~', '`', '```', '<', '>', '|', '!', '@', ':', '&', '\n', ' ', 'a', '&gt;', '^'];
  let seed = 7;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  for (let i = 0; i < 3000; i++) {
    let text = '';
    for (let n = next() % 40; n > 0; n--) text += marks[next() % marks.length];
    parse(text);
  }
  const began = Date.now();
  parse('*a_b~'.repeat(4000));
  parse('<'.repeat(20000));
  assert.ok(Date.now() - began < 5000, 'long texts take no age');
});

test('dates in the reader\'s own zone and language', () => {
  const now = new Date('2026-11-30T20:00:00Z');
  const at = Date.parse('2026-11-30T18:30:05Z') / 1000;
  const berlin = { tz: 'Europe/Berlin', locale: 'en-GB', now };
  for (const [format, want] of [
    ['{date_num} {time}', '2026-11-30 19:30'],
    ['{date_short_pretty} at {time_secs}', 'today at 19:30:05'],
    ['{date_long}', 'Monday 30 November 2026'],
    ['{date_slash}', '30/11/2026'],
    ['{ago}', '1 hour ago'],
    ['{day_divider_pretty}', 'Today'],
    ['{unheard_of}', '{unheard_of}'],
  ]) assert.equal(formatDate(at, format, berlin).replace(',', ''), want);
  assert.equal(formatDate(at, '{date_short_pretty} {time}', { tz: 'Asia/Shanghai', locale: 'en-GB', now: new Date('2026-12-01T20:00:00Z') }), 'yesterday 02:30');
  assert.equal(formatDate(Number.NaN, '{time}', berlin), null);
  assert.equal(ago(now, now), 'now');
});

test('emoji', () => {
  assert.equal(emojiOf('white_check_mark'), '✅');
  assert.equal(emojiOf('+1::skin-tone-3'), '👍');
  assert.equal(emojiOf('constructor'), null);
});
