import { expect, test } from 'bun:test';
import { textStream } from './text-stream.ts';

/** Texts without end, which note how many were made and whether they were given up. */
function endless() {
  const state = { made: 0, given: false };
  async function* texts() {
    try {
      for (;;) {
        state.made += 1;
        yield 'line\n'.repeat(1000);
        await Bun.sleep(1);
      }
    } finally {
      state.given = true;
    }
  }
  return { state, texts };
}

test('texts arrive in order with what goes in front, and nothing but that where there is none', async () => {
  async function* some() {
    yield 'a';
    yield 'ü';
  }
  async function* none() {}
  expect(await new Response(textStream(some(), '>')).text()).toBe('>aü');
  expect(await new Response(textStream(none(), '>')).text()).toBe('>');
});

test('T66 over HTTP no more is made than is taken, and when the visitor leaves the rest is given up', async () => {
  const { state, texts } = endless();
  const server = Bun.serve({ port: 0, fetch: () => new Response(textStream(texts())) });
  const leaving = new AbortController();
  const response = await fetch(server.url, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  while (!state.given) await Bun.sleep(5);
  const { made } = state;
  await Bun.sleep(50);
  expect(state.made).toBe(made);
  await server.stop(true);
}, 300_000);

test('a text that cannot be made breaks the answer off', async () => {
  async function* broken() {
    yield 'a';
    throw new Error('the disk is gone');
  }
  expect(await new Response(textStream(broken())).text().catch((error: unknown) => String(error))).toContain(
    'the disk is gone',
  );
});
