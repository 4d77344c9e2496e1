import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SECOND } from '#shared/time.ts';
import { call, listen, type Line } from '#tests/support/call.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 4.1.

let harness: Harness;
let ann: Person;
const lines: Line[] = [];
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann');
});
afterEach(async () => {
  for (const line of lines.splice(0)) await line.leave();
  await harness.close();
});

async function stream(id: string, person = ann): Promise<Line> {
  const line = await listen(harness, person, `/api/earn/afk/${id}/stream`);
  lines.push(line);
  return line;
}
const beat = (id: string, challenge: unknown, person = ann) =>
  call(harness, person, 'POST', `/api/earn/afk/${id}/beat`, { challenge });

/** Opens a stream and answers its first challenge. */
async function present(id: string): Promise<{ line: Line; answer: Awaited<ReturnType<typeof call>> }> {
  const line = await stream(id);
  const first = await line.readLine();
  if (first?.event !== 'challenge') throw new Error('a stream begins with a challenge');
  return { line, answer: await beat(id, (first.data as { challenge: string }).challenge) };
}

test('a minute of start, stream and beats is paid and shown', async () => {
  const started = await ann.api.afk.start();
  expect(started).toMatchObject({
    took_over: null,
    state: {
      earned_today: 0,
      cap: 480,
      per_minute: 1,
      budget: 0,
      session: { id: started.session_id, device: 'Test', earned: 0 },
    },
  });
  const opened = await stream(started.session_id);
  expect({ status: opened.status, type: opened.type }).toEqual({
    status: 200,
    type: 'text/event-stream; charset=utf-8',
  });
  expect(await opened.readLine()).toMatchObject({ event: 'challenge', data: { challenge: expect.any(String) } });
  const beats: unknown[] = [];
  let line: Line | undefined;
  for (let index = 0; index < 4; index++) {
    const now = await present(started.session_id);
    line = now.line;
    beats.push(now.answer.json.counted_ms, now.answer.json.earned);
    harness.clock.advance(20 * SECOND);
  }
  expect(beats).toEqual([0, 0, 20_000, 0, 40_000, 0, 60_000, 1]);
  expect(await line?.readLine()).toEqual({ event: 'paid', data: { earned: 1, balance: 1 } });
  expect(await ann.api.afk.state()).toMatchObject({
    earned_today: 1,
    budget_used: 1,
    resets_at: '2026-03-11T00:00:00.000Z',
    now: '2026-03-10T12:01:20.000Z',
    session: { earned: 1, counted_ms: 60_000, next_payout_ms: 60_000, started_at: '2026-03-10T12:00:00.000Z' },
  });
  expect((await ann.api.afk.state()).week.at(-1)).toEqual({ day: '2026-03-10', credits: 1 });
});

test('a second start takes over, and the first stream hears of it', async () => {
  const first = await ann.api.afk.start();
  const line = await stream(first.session_id);
  await line.readLine();
  expect((await ann.api.afk.start()).took_over).toBe('Test');
  expect(await line.readLine()).toEqual({ event: 'ended', data: { reason: 'taken_over', device: 'Test' } });
  expect(await line.readLine()).toBeNull();
  expect(await beat(first.session_id, 'x')).toMatchObject({ status: 409, json: { error_code: 'AFK_TAKEN_OVER' } });
});

test('stop ends the session, and a stream of an ended session is refused before it begins', async () => {
  const { session_id: id } = await ann.api.afk.start();
  const line = await stream(id);
  await line.readLine();
  await ann.api.afk.stop();
  expect(await line.readLine()).toEqual({ event: 'ended', data: { reason: 'stopped', device: null } });
  expect((await stream(id)).status).toBe(409);
  expect(await beat(id, 'x')).toMatchObject({ status: 409, json: { error_code: 'AFK_SESSION_ENDED' } });
  expect((await ann.api.afk.state()).session).toBeNull();
});

test('T13 beats without a stream, at any pace, earn nothing', async () => {
  const { session_id: id } = await ann.api.afk.start();
  for (let minute = 0; minute < 5; minute++) {
    expect(await beat(id, 'guess')).toMatchObject({ status: 409, json: { error_code: 'AFK_CHALLENGE_WRONG' } });
    harness.clock.advance(61 * SECOND);
  }
  expect(await harness.balance(ann.id)).toBe(0);
});

test('T4 a beat that is no challenge is refused', async () => {
  const { session_id: id } = await ann.api.afk.start();
  for (const value of [1, null, true, ['x'], { a: 1 }, '', 'x'.repeat(101)])
    expect((await beat(id, value)).status).toBe(422);
});

test('T24 the session of another counts as none', async () => {
  const { session_id: id } = await ann.api.afk.start();
  const eve = await harness.person('eve');
  expect((await stream(id, eve)).status).toBe(404);
  expect(await beat(id, 'x', eve)).toMatchObject({ status: 404, json: { error_code: 'NOT_FOUND' } });
});

test('T34 a logout ends the stream at once', async () => {
  const { session_id: id } = await ann.api.afk.start();
  const line = await stream(id);
  await line.readLine();
  expect((await call(harness, ann, 'POST', '/api/auth/logout')).status).toBe(200);
  expect(await line.readLine()).toEqual({ event: 'ended', data: { reason: 'stopped', device: null } });
});

test('a switch that is off ends the stream and refuses the rest', async () => {
  const { session_id: id } = await ann.api.afk.start();
  const line = await stream(id);
  await line.readLine();
  await harness.set({ afk_enabled: false });
  expect(await line.readLine()).toEqual({ event: 'ended', data: { reason: 'disabled', device: null } });
  expect(await beat(id, 'x')).toMatchObject({ status: 404, json: { error_code: 'FEATURE_DISABLED' } });
  expect(await call(harness, ann, 'POST', '/api/earn/afk/start')).toMatchObject({ status: 404 });
});

test('the cap refuses a start', async () => {
  await harness.set({ afk_daily_cap: 1, afk_per_minute: 2 });
  expect(await call(harness, ann, 'POST', '/api/earn/afk/start')).toMatchObject({
    status: 409,
    json: { error_code: 'DAILY_CAP_REACHED' },
  });
});

test('T13 eight tabs at once earn what one earns with their streams and scripts', async () => {
  const started = await Promise.all(Array.from({ length: 8 }, () => ann.api.afk.start()));
  const lines = await Promise.all(started.map(({ session_id: id }) => stream(id)));
  expect(lines.filter(({ status }) => status === 200)).toHaveLength(1);
  const [id] = started.filter((_, index) => lines[index]?.status === 200).map(({ session_id }) => session_id);
  for (let beats = 0; beats < 4; beats++) {
    await Promise.all(
      started.map(({ session_id }) => (session_id === id ? present(session_id) : beat(session_id, 'guess'))),
    );
    harness.clock.advance(20 * SECOND);
  }
  expect(await harness.balance(ann.id)).toBe(1);
});
