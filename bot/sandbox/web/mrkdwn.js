// Slack's mrkdwn, read into a tree. Nothing here knows of the DOM; nodes.js turns the tree into nodes.
//
// A node is {t, …}: text, bold, italic, strike, code, pre, quote, emoji, link, user, channel, group, broadcast, date.

const styles = { '*': 'bold', _: 'italic', '~': 'strike' };

// unescape undoes the three entities Slack knows, once.
export const unescape = (text) => text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>' })[name]);

// parse reads a text of several lines.
export function parse(text) {
  const nodes = [];
  const fence = /```\n?([\s\S]+?)\n?```/g;
  let at = 0;
  for (const found of text.matchAll(fence)) {
    nodes.push(...lines(text.slice(at, found.index).replace(/\n$/, '')));
    nodes.push({ t: 'pre', c: tokens(found[1]) });
    at = found.index + found[0].length;
    if (text[at] === '\n') at++;
  }
  nodes.push(...lines(text.slice(at)));
  return nodes;
}

// lines gathers quoted lines into quotes.
function lines(text) {
  const nodes = [];
  let plain = [];
  let quoted = [];
  const flushPlain = () => {
    if (plain.length) nodes.push(...inline(plain.join('\n')));
    plain = [];
  };
  const flushQuote = () => {
    if (quoted.length) nodes.push({ t: 'quote', c: inline(quoted.join('\n')) });
    quoted = [];
  };
  if (text === '') return nodes;
  for (const line of text.split('\n')) {
    const quote = line.match(/^(?:&gt;|>) ?(.*)$/);
    if (quote) {
      flushPlain();
      quoted.push(quote[1]);
    } else {
      flushQuote();
      plain.push(line);
    }
  }
  flushQuote();
  flushPlain();
  return nodes;
}

// inline reads formatting within a line. A mark counts at the edge of a word, as Slack has it.
export function inline(text) {
  const nodes = [];
  let plain = '';
  const flush = () => {
    if (plain) nodes.push({ t: 'text', v: unescape(plain) });
    plain = '';
  };
  for (let i = 0; i < text.length;) {
    const rest = text.slice(i);
    const token = rest.match(/^<([^<>\n]+)>/);
    const code = rest.match(/^`([^`\n]+)`/);
    const emoji = rest.match(/^:([a-z0-9_+'-]+(?:::skin-tone-\d)?):/);
    const end = styles[text[i]] ? closing(text, i) : -1;
    if (token) {
      flush();
      nodes.push(entity(token[1]));
      i += token[0].length;
    } else if (code) {
      flush();
      nodes.push({ t: 'code', c: tokens(code[1]) });
      i += code[0].length;
    } else if (emoji) {
      flush();
      nodes.push({ t: 'emoji', name: emoji[1] });
      i += emoji[0].length;
    } else if (end > 0) {
      flush();
      nodes.push({ t: styles[text[i]], c: inline(text.slice(i + 1, end)) });
      i = end + 1;
    } else {
      plain += text[i++];
    }
  }
  flush();
  return nodes;
}

// tokens reads links and mentions only: the inside of code.
function tokens(text) {
  return text.split(/(<[^<>\n]+>)/).filter(Boolean).map((part) => {
    const token = part.match(/^<([^<>\n]+)>$/);
    return token ? entity(token[1]) : { t: 'text', v: unescape(part) };
  });
}

const edge = (c) => c === undefined || /[\s\p{P}\p{S}]/u.test(c);

// closing returns where the mark at i ends, or -1 when it opens nothing.
function closing(text, i) {
  const mark = text[i];
  if (!edge(text[i - 1]) || /\s/.test(text[i + 1] ?? ' ') || text[i + 1] === mark) return -1;
  for (let j = i + 1; j < text.length && text[j] !== '\n'; j++) {
    if (text[j] === mark && !/\s/.test(text[j - 1]) && edge(text[j + 1]) && text[j + 1] !== mark) return j;
    if (text[j] === '`') {
      const end = text.indexOf('`', j + 1);
      if (end > 0) j = end;
    } else if (text[j] === '<') {
      const end = text.indexOf('>', j + 1);
      if (end > 0) j = end;
    }
  }
  return -1;
}

// entity reads what stands between < and >.
function entity(raw) {
  const bar = raw.indexOf('|');
  const target = bar < 0 ? raw : raw.slice(0, bar);
  const label = bar < 0 ? null : unescape(raw.slice(bar + 1));
  if (target.startsWith('@')) return { t: 'user', id: target.slice(1), label };
  if (target.startsWith('#')) return { t: 'channel', id: target.slice(1), label };
  if (target.startsWith('!subteam^')) return { t: 'group', id: target.slice(9), label };
  if (target.startsWith('!date^')) return date(target.slice(6), label);
  if (target.startsWith('!')) return { t: 'broadcast', range: target.slice(1).split('^')[0], label };
  if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return { t: 'text', v: `<${unescape(raw)}>` };
  return { t: 'link', url: unescape(target), label: label ?? unescape(target).replace(/^mailto:/, '') };
}

function date(body, fallback) {
  const [seconds, format, url] = body.split('^');
  if (!/^-?\d+$/.test(seconds) || !format) return { t: 'text', v: fallback ?? body };
  return { t: 'date', seconds: Number(seconds), format: unescape(format), url: url ? unescape(url) : null, fallback };
}
