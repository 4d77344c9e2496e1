import { expect, test } from 'bun:test';
import { HOUR } from '#shared/time.ts';
import type { J4rDeps } from './deps.ts';
import { createVesting } from './vesting.ts';

test('claims that are taken for a check are due again after an hour, should the worker die over them', async () => {
  const NOW = 10 * HOUR;
  const asked: unknown[][] = [];
  const takeDue = async (...args: unknown[]) => (asked.push(args), []);
  const deps = {
    uow: { run: (work: (tx: unknown) => unknown) => work({ j4r: { takeDue } }) },
    clock: { now: () => NOW },
  } as unknown as J4rDeps;
  const { checkDue } = createVesting(deps, () => Promise.reject(new Error('not asked without claims')));
  expect([await checkDue(), asked]).toEqual([0, [[NOW, NOW + HOUR, 200]]]);
});
