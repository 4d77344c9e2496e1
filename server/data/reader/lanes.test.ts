import { expect, test } from 'bun:test';
import { createLanes } from './lanes.ts';

test('the copy of the log does not wait for a job, and goes before everybody who waits', async () => {
  const lanes = createLanes(2);
  const order: string[] = [];
  const enter = async (of: 'job' | 'visitor' | 'checkpoint', name: string) => {
    const leave = await lanes.enter({ for: of });
    order.push(name);
    return leave;
  };
  const leaveJob = await enter('job', 'job');
  const leaveCopy = await enter('checkpoint', 'copy');
  // Both places are taken.
  const waiting = [
    enter('visitor', 'second visitor'),
    enter('job', 'second job'),
    enter('checkpoint', 'second copy'),
  ] as const;
  expect(order).toEqual(['job', 'copy']);
  leaveCopy();
  (await waiting[2])();
  leaveJob();
  for (const leave of await Promise.all(waiting)) leave();
  expect(order).toEqual(['job', 'copy', 'second copy', 'second visitor', 'second job']);
});

test('one place is never a job’s: a second one waits beside it, and a visitor does not', async () => {
  const lanes = createLanes(2);
  const order: string[] = [];
  const enter = (of: 'job' | 'visitor') => lanes.enter({ for: of }).then((leave) => (order.push(of), leave));
  const leave = await enter('job');
  const waiting = [enter('job'), enter('visitor')];
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['job', 'visitor']);
  leave();
  for (const leaveToo of await Promise.all(waiting)) leaveToo();
});
