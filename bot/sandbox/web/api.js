// Talking to the sandbox: the page's own API and its stream of changes.

const token = () => document.querySelector('meta[name="sandbox-token"]').content;

// Refusal carries Slack's error code.
export class Refusal extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

async function request(path, options) {
  const response = await fetch(path, { ...options, headers: { ...options?.headers, 'X-Sandbox-Token': token() } });
  if (response.status === 403) location.reload(); // the sandbox was started anew and has another token
  const body = await response.json();
  if (!body.ok) throw new Refusal(body.error);
  return body;
}

export const get = (what, query) => request(`/page/${what}?${new URLSearchParams(query)}`);

// A browser may send a request again by itself when the connection breaks; the nonce lets the sandbox do it once.
export const post = (what, body) => request(`/page/${what}`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ...body, nonce: crypto.randomUUID() }),
});

// follow calls onChange with every change after seq, for as long as it is not stopped. When the stream breaks it comes
// back and asks for what it missed; onState says whether it is there.
export function follow(user, seq, onChange, onState) {
  const stop = new AbortController();
  let after = seq;
  let wait = 300;
  const take = (data) => {
    const change = JSON.parse(data);
    after = change.seq;
    onChange(change);
  };
  (async () => {
    while (!stop.signal.aborted) {
      try {
        const response = await fetch(`/page/events?${new URLSearchParams({ user, after })}`, {
          headers: { 'X-Sandbox-Token': token() }, signal: stop.signal,
        });
        if (response.status === 403) location.reload();
        if (!response.ok) throw new Error(response.statusText);
        onState(true);
        wait = 300;
        await readEvents(response.body, take);
      } catch {
        if (stop.signal.aborted) return;
      }
      if (stop.signal.aborted) return;
      onState(false);
      await new Promise((done) => setTimeout(done, wait));
      wait = Math.min(wait * 2, 5000);
    }
  })();
  return () => stop.abort();
}

// readEvents reads server-sent events until the stream ends.
async function readEvents(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)).join('\n');
      if (data) take(data);
    }
  }
}
