import { expect, spyOn, test } from 'bun:test';
import { createStreamTrigger } from './trigger.ts';

test('reasons gathered while nobody waits are reported once, the time first', async () => {
  const trigger = createStreamTrigger(new AbortController().signal);
  trigger.change();
  trigger.due();
  trigger.change();
  expect(await trigger.next()).toBe('due');
  trigger.change();
  expect(await trigger.next()).toBe('change');
  // All that was gathered has been reported.
  const waiting = trigger.next();
  trigger.due();
  expect(await waiting).toBe('due');
});

test.each(['due', 'change'] as const)('the reason %s resumes the caller who waits', async (reason) => {
  const trigger = createStreamTrigger(new AbortController().signal);
  const waiting = trigger.next();
  trigger[reason]();
  expect(await waiting).toBe(reason);
});

test('a caller who goes away ends the waiting, now and later', async () => {
  const caller = new AbortController();
  const trigger = createStreamTrigger(caller.signal);
  const waiting = trigger.next();
  caller.abort();
  trigger.due();
  expect(await waiting).toBe('closed');
  expect(await trigger.next()).toBe('closed');
  expect(await createStreamTrigger(AbortSignal.abort()).next()).toBe('closed');
});

test('closing ends the waiting by itself, and the signal of the caller keeps nothing of the stream', async () => {
  const { signal } = new AbortController();
  const [added, removed] = [spyOn(signal, 'addEventListener'), spyOn(signal, 'removeEventListener')];
  const trigger = createStreamTrigger(signal);
  const waiting = trigger.next();
  trigger.close();
  expect(await waiting).toBe('closed');
  expect(removed.mock.calls.map((call) => call.slice(0, 2))).toEqual(added.mock.calls.map((call) => call.slice(0, 2)));
  expect(added).toHaveBeenCalledTimes(1);
});
