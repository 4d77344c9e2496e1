import { expect, test } from 'bun:test';
import { DiskUse } from './disk-use.ts';

test('files that were never counted may have grown, and afterwards only where the disk gets fuller', async () => {
  let free = 10_000_000;
  const disk = new DiskUse({ usedBytes: () => Promise.resolve(4096), freeBytes: () => free, mostMb: () => 1 });
  expect(disk.mayHaveGrown()).toBe(true);
  await disk.count();
  expect(disk.bytes).toBe(4096);
  expect(disk.mayHaveGrown()).toBe(false);
  free -= 1_000_000;
  expect(disk.mayHaveGrown()).toBe(true);
});
