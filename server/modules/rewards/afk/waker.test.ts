import { expect, test } from 'bun:test';
import { createWaker } from './waker.ts';

test('reasons gathered while nobody waits are reported once, the time first', async () => {
  const waker = createWaker(new AbortController().signal);
  waker.change();
  waker.due();
  waker.change();
  expect(await waker.next()).toBe('due');
  waker.change();
  expect(await waker.next()).toBe('change');
});

test('a reason resumes the caller who waits', async () => {
  const waker = createWaker(new AbortController().signal);
  const waiting = waker.next();
  waker.due();
  expect(await waiting).toBe('due');
});

test('a caller who goes away ends the waiting, now and later', async () => {
  const caller = new AbortController();
  const waker = createWaker(caller.signal);
  const waiting = waker.next();
  caller.abort();
  waker.due();
  expect(await waiting).toBe('closed');
  expect(await waker.next()).toBe('closed');
  expect(await createWaker(AbortSignal.abort()).next()).toBe('closed');
});
