import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { FormFailure } from '#client/lib/form-action.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/login');
const { cleanup, fireEvent, render, screen, waitFor } = await import('@testing-library/react');
const { ApiProvider } = await import('#client/lib/use-api.ts');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { I18nProvider, createTranslator } = await import('#client/lib/i18n.tsx');
const { createApi } = await import('#shared/contract/index.ts');
const { Challenge } = await import('./challenge.tsx');
const texts = {
  challenge: (await import('#locales/en/challenge.json')).default,
  ui: (await import('#locales/en/ui.json')).default,
};

type Reply = { answer: string | null } | 'broken';
let reply: Reply;
let puzzles: string[];
let ended: number;
/** When the worker answers: at once, or when a test lets it. */
let answering: Promise<void>;
/** A worker that says what the test wants. */
class FakeWorker extends EventTarget {
  postMessage(puzzle: string): void {
    puzzles.push(puzzle);
    void answering.then(() =>
      this.dispatchEvent(reply === 'broken' ? new Event('error') : new MessageEvent('message', { data: reply })),
    );
  }
  terminate(): void {
    ended += 1;
  }
}
const RealWorker = globalThis.Worker;
beforeEach(() => {
  [reply, puzzles, ended, answering] = [{ answer: 'solved' }, [], 0, Promise.resolve()];
  Object.assign(globalThis, { Worker: FakeWorker });
});
afterEach(() => {
  cleanup();
  Object.assign(globalThis, { Worker: RealWorker });
});

const failure = (code: ErrorCode): FormFailure => ({
  ok: false,
  code,
  fields: {},
  values: {},
  requestId: null,
  retryAfterS: null,
});
const translator = createTranslator(createI18n('en', { en: texts }), 'en');

function show(offer: object) {
  const sent: string[] = [];
  const api = createApi(
    () =>
      Promise.resolve(
        Response.json({ success: true, error_code: null, puzzle: '', site_key: '', script: '', ...offer }),
      ),
    () => 'key',
  );
  const page = (answer: FormFailure) => (
    <I18nProvider translator={translator} timeZone="UTC">
      <ApiProvider value={api}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            sent.push(String(new FormData(event.currentTarget).get('challenge')));
          }}
        >
          <Challenge action="login" answer={answer} />
        </form>
      </ApiProvider>
    </I18nProvider>
  );
  const { rerender } = render(page(failure('CHALLENGE_REQUIRED')));
  return { sent, refuse: (code: ErrorCode) => rerender(page(failure(code))) };
}

test('the challenge solves the puzzle in a worker, puts the answer into the form and sends it', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  answering = promise;
  const { sent } = show({ kind: 'altcha', puzzle: 'the puzzle' });
  expect((await screen.findByRole('status')).textContent).toContain('Checking');
  answer();
  await waitFor(() => expect(sent).toEqual(['solved']));
  expect([puzzles, ended]).toEqual([['the puzzle'], 1]);
  expect(screen.getByRole('status').textContent).toContain('Sending');
});

test('where nothing is asked any more the form is sent as it is', async () => {
  const { sent } = show({ kind: 'off' });
  await waitFor(() => expect(sent).toEqual(['']));
});

test.each([
  ['finds nothing', { answer: null }],
  ['cannot be loaded', 'broken'],
] as const)('a worker that %s makes the form say so and offer another try', async (_, fault) => {
  reply = fault;
  const { sent } = show({ kind: 'altcha', puzzle: 'p' });
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect([sent, screen.getByRole('status').textContent?.includes('couldn’t be completed')]).toEqual([[], true]);
  reply = { answer: 'solved' };
  fireEvent.click(again);
  await waitFor(() => expect(sent).toEqual(['solved']));
});

test('answers that are refused again and again are not sent for ever', async () => {
  const { sent, refuse } = show({ kind: 'altcha', puzzle: 'p' });
  await waitFor(() => expect(sent).toHaveLength(1));
  refuse('CHALLENGE_FAILED');
  await waitFor(() => expect(sent).toHaveLength(2));
  refuse('CHALLENGE_FAILED');
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(sent).toHaveLength(3));
});
