import { expect, test } from 'bun:test';
import { createToasts } from './toasts.ts';

test('messages come in order and go one by one', () => {
  const toasts = createToasts();
  const first = toasts.show({ title: 'one' });
  toasts.show({ title: 'two' });
  expect(toasts.current().map((toast) => toast.title)).toEqual(['one', 'two']);
  first();
  first();
  expect(toasts.current().map((toast) => toast.title)).toEqual(['two']);
});

test('refusals stay until dismissed, the others go by themselves', () => {
  const toasts = createToasts();
  toasts.show({ title: 'saved', tone: 'positive' });
  toasts.show({ title: 'refused', tone: 'danger' });
  toasts.show({ title: 'soon', tone: 'danger', displayMs: 50 });
  const stays = toasts.current().map((toast) => toast.displayMs);
  expect(stays[0]).toBeGreaterThan(0);
  expect(stays.slice(1)).toEqual([0, 50]);
});

test('at most four are on screen; the oldest goes', () => {
  const toasts = createToasts();
  for (const title of ['1', '2', '3', '4', '5']) toasts.show({ title });
  expect(toasts.current().map((toast) => toast.title)).toEqual(['2', '3', '4', '5']);
});

test('listeners are given a new list with each change', () => {
  const toasts = createToasts();
  const seen: (readonly unknown[])[] = [];
  const leave = toasts.subscribe(() => seen.push(toasts.current()));
  const close = toasts.show({ title: 'one' });
  close();
  leave();
  toasts.show({ title: 'two' });
  expect(seen).toHaveLength(2);
  expect(seen[0]).not.toBe(seen[1]);
});
