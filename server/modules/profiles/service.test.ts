import { afterEach, describe, expect, test } from 'bun:test';
import type { BadgeKind } from '#shared/profile.ts';
import { nth } from '#tests/support/coins.ts';
import { communityWorld, type CommunityWorld } from '#tests/support/community.ts';
import { ENGINES } from '#tests/support/db.ts';

// Shows behaviour 7.2.

let world: CommunityWorld;
afterEach(() => world.close());

describe.each([...ENGINES])('badges on %s', (engine) => {
  test('the badges of many users are read together, and who shows none is left out', async () => {
    world = await communityWorld(engine);
    const people = await Promise.all([world.person(), world.person(), world.person()]);
    const ids = people.map(({ actor }) => actor.userId);
    expect(await world.profiles.badges([])).toEqual(new Map());
    await world.shows(nth(people, 0), { badge: 'role' });
    await world.shows(nth(people, 2), { badge: 'role' });
    await world.shows(nth(people, 2), { badge: 'none' });
    const badges = await world.profiles.badges(ids);
    expect([...badges.keys()]).toEqual([nth(ids, 0)]);
    expect(badges.get(nth(ids, 0))).toMatchObject({ kind: 'role', role: { name: expect.any(String) } });
  });

  test('the database takes no badge that it does not know', async () => {
    world = await communityWorld(engine);
    const ann = await world.person();
    await expect(world.shows(ann, { badge: 'crown' as BadgeKind })).rejects.toThrow();
  });
});
