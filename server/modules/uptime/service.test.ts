import { afterEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { fakeClock, testIds, type FakeClock } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type Engine, type TestDb } from '#tests/support/db.ts';
import { testEvents } from '#tests/support/events.ts';
import { subscriber } from '../events/index.ts';
import { backSince, createUptime, type Downtime } from './index.ts';

const appSettings = () => ({
  app_name: 'Spawnpoint',
  app_timezone: 'UTC',
  support_url: '',
  support_email: '',
  ticket_mail_enabled: false,
});

let db: TestDb;
let clock: FakeClock;
afterEach(() => db.close());
async function open(engine: Engine) {
  db = await openTestDb(engine);
  clock = fakeClock();
}
const downtimes = () => db.uow.read((tx) => tx.uptime.downtimes());
const process = (seen: Downtime[] = []) => {
  const events = testEvents({ uow: db.uow, clock, ids: testIds(), settings: { current: appSettings } });
  events.subscribe([subscriber('installation.resumed', async (_tx, downtime) => void seen.push(downtime))]);
  return createUptime({ uow: db.uow, clock, events });
};

describe.each([...ENGINES])('knowing of a downtime on %s', (engine) => {
  test('E5 a process that was killed is missed from its last beat on, once, whoever comes first afterwards', async () => {
    await open(engine);
    const first = process();
    const start = clock.now();
    for (let minute = 0; minute < 90; minute += 1) {
      await first.beat();
      clock.advance(MINUTE);
    }
    expect(await downtimes()).toEqual([]);
    clock.set(start + 16 * DAY);
    const seen: Downtime[] = [];
    const [second, third] = [process(seen), process(seen)];
    await Promise.all([second.beat(), third.beat(), second.beat(), third.beat()]);
    const downtime = { fromMs: start + 89 * MINUTE, untilMs: start + 16 * DAY };
    expect(await downtimes()).toEqual([downtime]);
    expect(seen).toEqual([downtime]);
  });

  test('E5 while another process runs there is no downtime, however long one was away', async () => {
    await open(engine);
    const [one, other] = [process(), process()];
    await one.beat();
    for (let hour = 0; hour < 72; hour += 1) {
      clock.advance(30 * MINUTE);
      await other.beat();
    }
    await one.beat();
    expect(await downtimes()).toEqual([]);
  });

  test('E5 a restart is no downtime, and a clock that jumped ahead and back leaves none behind', async () => {
    await open(engine);
    await process().beat();
    clock.advance(10 * MINUTE);
    await process().beat();
    expect(await downtimes()).toEqual([]);
    const now = clock.now();
    clock.set(now + 30 * DAY);
    await process().beat();
    expect(await downtimes()).toHaveLength(1);
    clock.set(now + MINUTE);
    await process().beat();
    expect(await downtimes()).toEqual([]);
    clock.advance(HOUR);
    await process().beat();
    expect(await downtimes()).toEqual([{ fromMs: now + MINUTE, untilMs: now + MINUTE + HOUR }]);
  });
});

test('E5 a machine that is off every night does not put things off for more than a week', async () => {
  await open('sqlite');
  const due = 1000 * DAY;
  const nights = Array.from({ length: 30 }, (_, night) => ({
    fromMs: due + (night - 5) * DAY - 8 * HOUR,
    untilMs: due + (night - 5) * DAY,
  }));
  expect(backSince(nights, due)).toBe(due + 7 * DAY);
  expect(backSince([{ fromMs: due - DAY, untilMs: due + 20 * DAY }], due)).toBe(due + 20 * DAY);
  expect(backSince([], due)).toBe(0);
});
