import { expect, test } from 'bun:test';
import type { ImageStore } from '#server/modules/images/index.ts';
import { createKeptForms } from './kept-forms.ts';

/** A store that notes what it is asked for; every form has as many bytes as its key says. */
function notingStore() {
  const asked: string[] = [];
  const store: ImageStore = {
    write: () => Promise.resolve(),
    open(key, form) {
      asked.push(`${key} ${form}`);
      return Promise.resolve(key === 'gone' ? null : new Blob([new Uint8Array(Number(key.split('-')[0]))]));
    },
    remove: () => Promise.resolve(),
  };
  return { store, take: () => asked.splice(0) };
}

test('a form that was read is given again without asking the store, until nobody has asked for it longest', async () => {
  const { store, take } = notingStore();
  const kept = createKeptForms(100)(store, 60);
  const open = async (key: string) => (await kept.open(key, 'small'))?.size ?? null;
  expect([await open('40-a'), await open('40-b'), await open('40-a')]).toEqual([40, 40, 40]);
  expect(take()).toEqual(['40-a small', '40-b small']);
  // The third pushes out the one that nobody asked for longest.
  await open('40-c');
  await open('40-a');
  await open('40-b');
  expect(take()).toEqual(['40-c small', '40-b small']);
});

test('large forms, forms that are not there and forms that were removed are asked for each time', async () => {
  const { store, take } = notingStore();
  const kept = createKeptForms(100)(store, 60);
  for (let time = 0; time < 2; time += 1) {
    await kept.open('61-large', 'full');
    expect(await kept.open('gone', 'full')).toBeNull();
    await kept.open('10-removed', 'full');
    await kept.remove('10-removed');
  }
  expect(take()).toHaveLength(6);
});
