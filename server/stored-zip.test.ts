import { expect, test } from 'bun:test';
import { storedZip, storedZipBytes } from './stored-zip.ts';

const MANY = 500;
const files = (read: () => Promise<Blob | null>) =>
  Array.from({ length: MANY }, (_, at) => ({ name: `${at}.webp`, bytes: 10, read }));

test('an archive is as long as it said, also where files of it are gone', async () => {
  for (const blob of [new Blob(['0123456789']), null]) {
    const list = files(() => Promise.resolve(blob));
    let bytes = 0;
    for await (const part of storedZip(list)) bytes += part.length;
    expect(bytes).toBe(storedZipBytes(list));
  }
});

test('T52 others have their turn between any two files of an archive that are at hand at once', async () => {
  let turns = 0;
  const state = { running: true };
  const count = () => {
    turns += 1;
    if (state.running) setImmediate(count);
  };
  setImmediate(count);
  for await (const part of storedZip(files(() => Promise.resolve(null)))) void part;
  state.running = false;
  expect(turns).toBeGreaterThanOrEqual(MANY);
});
