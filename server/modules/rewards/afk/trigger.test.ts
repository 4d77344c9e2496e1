import { expect, test } from 'bun:test';
import { createStreamTrigger } from './trigger.ts';

test('reasons gathered while nobody waits are reported once, the time first', async () => {
  const trigger = createStreamTrigger(new AbortController().signal);
  trigger.change();
  trigger.due();
  trigger.change();
  expect(await trigger.next()).toBe('due');
  trigger.change();
  expect(await trigger.next()).toBe('change');
});

test('a reason resumes the caller who waits', async () => {
  const trigger = createStreamTrigger(new AbortController().signal);
  const waiting = trigger.next();
  trigger.due();
  expect(await waiting).toBe('due');
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
