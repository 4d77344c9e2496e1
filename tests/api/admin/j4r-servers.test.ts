import { describe, expect, test } from 'bun:test';
import { j4rServers } from '#shared/resources/j4r-servers.ts';
import { inviteCode } from '#shared/schemas/j4r.ts';
import { ENGINES, type TestDb } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

let claims = 0;
function addClaim(db: TestDb, serverId: string, state: 'vesting' | 'kept') {
  claims += 1;
  return db.sql(
    `INSERT INTO j4r_claims (id, guild_id, subject, server_id, user_id, name, credits, reference, tx_id, state, held, joined_ms, evidence, claimed_ms, vests_ms, taken)
     VALUES (?, ?, '1', ?, ?, 'A', 45, ?, 'tx', ?, 0, 0, '{}', 0, 0, 0) RETURNING id`,
    [`claim-${claims}`, `guild-${claims}`, serverId, `user-${claims}`, `reference-${claims}`, state],
  );
}

describe.each(ENGINES)('J4R servers (%s)', (engine) => {
  crudSuite(
    j4rServers,
    {
      input: (n) => ({
        name: `Server ${String(n).padStart(2, '0')}`,
        description: `No. ${n}`,
        invite: `invite-${n}`,
        credits: 10 + n,
        min_account_days: n % 3,
        pays_members: n % 3 === 0,
        position: (n * 5) % 7,
        enabled: n % 2 === 0,
      }),
      change: { credits: 99, description: 'Changed', position: 99, enabled: false },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ invite: '' }, 'invite', 'REQUIRED'],
        [{ invite: 'https://elsewhere.example/abc' }, 'invite', 'INVALID_INVITE'],
        [{ invite: 'discord.gg/' }, 'invite', 'REQUIRED'],
        [{ invite: 'a b' }, 'invite', 'INVALID_INVITE'],
        [{ invite: '../users/@me' }, 'invite', 'INVALID_INVITE'],
        [{ credits: 0 }, 'credits', 'TOO_SMALL'],
        [{ credits: 1_000_001 }, 'credits', 'TOO_LARGE'],
        [{ min_account_days: 3651 }, 'min_account_days', 'TOO_LARGE'],
      ],
      unique: { field: 'invite', code: 'INVITE_TAKEN' },
      depend: {
        vesting: (world, id) => addClaim(world.db, id, 'vesting'),
        claims: (world, id) => addClaim(world.db, id, 'kept'),
      },
      text: 'description',
    },
    engine,
  );
});

test('an invite is its code, however it was pasted', () => {
  for (const text of [
    'moldova-craft',
    ' https://discord.gg/moldova-craft ',
    'http://discord.com/invite/moldova-craft?x=1',
    'www.discordapp.com/invite/moldova-craft/',
    'discord.gg/moldova-craft#a',
  ]) {
    expect(inviteCode(text)).toBe('moldova-craft');
  }
});
