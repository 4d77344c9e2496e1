import { describe, expect, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import type { AfkState } from '#shared/contract/earn.ts';
import { RETRY_MS, SILENCE_MS, createAfkClient } from './afk-client.ts';
import { idle, createAfkWorld, running, drainPromises } from './testing.ts';

async function startedWorld() {
  const world = createAfkWorld();
  const client = createAfkClient(idle, world.deps);
  client.open();
  await client.start();
  world.last().on.event('challenge', { challenge: 'c1' });
  await drainPromises();
  return { world, client };
}

describe('the AFK engine', () => {
  test('the engine does nothing before it is opened', () => {
    const world = createAfkWorld();
    const client = createAfkClient(running('a'), world.deps);
    world.remembered = 'a';
    client.loaded(running('a'));
    expect(client.snapshot()).toMatchObject({ phase: 'checking', ready: false });
    expect(world.streams).toHaveLength(0);
  });

  test('the engine says at once what needs no asking: nothing runs, the day is full', () => {
    const phase = (state: AfkState) => createAfkClient(state, createAfkWorld().deps).snapshot().phase;
    expect(phase(idle)).toBe('off');
    expect(phase({ ...idle, earned_today: 480 })).toBe('full');
    expect(phase({ ...idle, budget: 10, budget_used: 10 })).toBe('budget');
  });

  test('the engine starts, opens the stream, answers each challenge, and runs once a beat was accepted', async () => {
    const { world, client } = await startedWorld();
    expect(client.snapshot().phase).toBe('running');
    expect(world.remembered).toBe('a');
    expect(world.screenOn).toBe(true);
    world.last().on.event('challenge', { challenge: 'c2' });
    await drainPromises();
    expect(world.beats).toEqual(['c1', 'c2']);
    expect(client.snapshot().progress).toMatchObject({ countedMs: 5_000, nextPayoutMs: 55_000, earnedToday: 12 });
  });

  test('T13 time away from a challenge is never answered: without a stream there is no beat', async () => {
    const { world, client } = await startedWorld();
    client.close();
    await world.advance(3_600_000);
    expect(world.beats).toEqual(['c1']);
    expect(world.streams.every((stream) => stream.closed)).toBe(true);
    expect(world.screenOn).toBe(false);
  });

  test('a payment moves what was earned in this session and today, once', async () => {
    const { world, client } = await startedWorld();
    world.last().on.event('paid', { earned: 1, balance: 101 });
    expect(client.snapshot().progress).toMatchObject({ earned: 1, earnedToday: 13 });
    world.last().on.event('paid', { earned: 1, balance: 101 });
    expect(client.snapshot().progress.earnedToday).toBe(13);
  });

  test('after a reload the same session goes on; another tab’s does not', async () => {
    const world = createAfkWorld();
    world.remembered = 'a';
    const client = createAfkClient(running('a'), world.deps);
    client.open();
    expect(client.snapshot().phase).toBe('connecting');
    expect(world.last().id).toBe('a');
    expect(world.requests).toEqual([]);

    const other = createAfkWorld();
    other.remembered = 'old';
    const elsewhere = createAfkClient(running('a'), other.deps);
    elsewhere.open();
    expect(elsewhere.snapshot()).toMatchObject({ phase: 'elsewhere', device: 'Firefox · Android' });
    expect(other.streams).toHaveLength(0);
    expect(other.remembered).toBeNull();
  });

  test('after a dropped connection the engine asks at once and counts attempts until a beat is accepted', async () => {
    const { world, client } = await startedWorld();
    world.answers.state = running('a');
    world.last().on.lost();
    expect(client.snapshot()).toMatchObject({ phase: 'reconnecting', attempt: 1 });
    await world.advance(0);
    expect(client.snapshot()).toMatchObject({ phase: 'connecting', attempt: 1 });
    expect(world.streams).toHaveLength(2);
    expect(world.streams[0]?.closed).toBe(true);
    world.last().on.event('challenge', { challenge: 'c2' });
    await drainPromises();
    expect(client.snapshot()).toMatchObject({ phase: 'running', attempt: 0 });
  });

  test('while the server is away it asks in growing pauses', async () => {
    const { world, client } = await startedWorld();
    world.answers.state = new TypeError('network');
    world.last().on.lost();
    let expected = 0;
    for (const pause of [...RETRY_MS, RETRY_MS.at(-1) ?? 0]) {
      if (pause > 0) await world.advance(pause - 1);
      expect(world.requests.filter((call) => call === 'state')).toHaveLength(expected);
      await world.advance(pause > 0 ? 1 : 0);
      expected += 1;
      expect(world.requests.filter((call) => call === 'state')).toHaveLength(expected);
    }
    expect(client.snapshot().phase).toBe('reconnecting');
    world.answers.state = running('a');
    client.tryNow();
    await drainPromises();
    expect(client.snapshot().phase).toBe('connecting');
  });

  test('a session that ended while disconnected is stopped, and the engine says that the clock stopped', async () => {
    const { world, client } = await startedWorld();
    world.answers.state = idle;
    world.last().on.lost();
    await world.advance(0);
    expect(client.snapshot()).toMatchObject({ phase: 'off', note: 'idle' });
    expect(world.remembered).toBeNull();
    expect(world.screenOn).toBe(false);
  });

  test('a silent stream is taken for dead, and any sign of life puts that off', async () => {
    const { world, client } = await startedWorld();
    await world.advance(SILENCE_MS - 1);
    world.last().on.event('challenge', { challenge: 'c2' });
    await world.advance(SILENCE_MS - 1);
    expect(client.snapshot().phase).toBe('running');
    world.answers.state = new TypeError('network');
    await world.advance(1);
    expect(client.snapshot().phase).toBe('reconnecting');
  });

  test('a refused beat of a wrong challenge waits for the next, and any other asks the server', async () => {
    const { world, client } = await startedWorld();
    world.answers.beat = new ApiError('AFK_CHALLENGE_WRONG', 409);
    world.last().on.event('challenge', { challenge: 'late' });
    await drainPromises();
    expect(client.snapshot().phase).toBe('running');
    world.answers.beat = new ApiError('AFK_TAKEN_OVER', 409);
    world.answers.state = running('b');
    world.last().on.event('challenge', { challenge: 'c3' });
    await world.advance(0);
    expect(client.snapshot()).toMatchObject({ phase: 'elsewhere', device: 'Firefox · Android' });
    expect(world.remembered).toBeNull();
  });

  test('the stream says that it was taken over: no further beat, and starting again takes it back', async () => {
    const { world, client } = await startedWorld();
    const first = world.last();
    first.on.event('ended', { reason: 'taken_over', device: 'Chrome · Windows' });
    expect(client.snapshot()).toMatchObject({ phase: 'elsewhere', device: 'Chrome · Windows' });
    expect(first.closed).toBe(true);
    first.on.event('challenge', { challenge: 'late' });
    expect(world.beats).toEqual(['c1']);
    world.answers.start = { session_id: 'c', took_over: 'Chrome · Windows', state: running('c') };
    await client.start();
    expect(client.snapshot()).toMatchObject({ phase: 'connecting', id: 'c', tookOver: 'Chrome · Windows' });
  });

  test('a copy of this tab that goes on with the same session is a place elsewhere, not the end', async () => {
    const { world, client } = await startedWorld();
    world.last().on.event('ended', { reason: 'taken_over', device: null });
    expect(client.snapshot()).toMatchObject({ phase: 'elsewhere', device: null });
    client.loaded(running('a'));
    expect(client.snapshot().phase).toBe('elsewhere');
    expect(world.streams).toHaveLength(1);
  });

  test('stop ends the session on the server, and an older response that still names it is ignored', async () => {
    const { world, client } = await startedWorld();
    await client.stop();
    expect(world.requests).toEqual(['start', 'stop']);
    expect(client.snapshot().phase).toBe('off');
    client.loaded(running('a'));
    expect(client.snapshot().phase).toBe('off');
    expect(client.snapshot().progress.countedMs).toBe(0);
  });

  test('a refused start says why', async () => {
    const world = createAfkWorld();
    const client = createAfkClient(idle, world.deps);
    client.open();
    world.answers.start = new ApiError('ACCOUNT_UNVERIFIED', 403);
    await client.start();
    expect(client.snapshot().phase).toBe('unverified');
    world.answers.start = new TypeError('network');
    await client.start();
    expect(client.snapshot()).toMatchObject({ phase: 'off', code: 'SERVER_UNAVAILABLE' });
  });

  test('nonsense on the stream changes nothing', async () => {
    const { world, client } = await startedWorld();
    const before = client.snapshot();
    world.last().on.event('challenge', null);
    world.last().on.event('challenge', { challenge: 7 });
    world.last().on.event('paid', { earned: -1, balance: 'x' });
    expect(client.snapshot()).toBe(before);
    expect(world.beats).toEqual(['c1']);
  });

  test('listeners hear of changes, and the snapshot is one object until then', async () => {
    const world = createAfkWorld();
    const client = createAfkClient(idle, world.deps);
    let heard = 0;
    const stop = client.subscribe(() => (heard += 1));
    const first = client.snapshot();
    expect(client.snapshot()).toBe(first);
    client.open();
    expect(client.snapshot()).not.toBe(first);
    expect(heard).toBeGreaterThan(0);
    const before = heard;
    stop();
    await client.start();
    expect(heard).toBe(before);
  });
});
