import { describe, expect, test } from 'bun:test';
import { cardsOf } from './cards.ts';
import type { J4rClaim, J4rServer } from './ports.ts';

const server = (id: string, guildId: string | null): J4rServer => ({
  id,
  name: `Server ${id}`,
  description: 'Blocks',
  invite: `invite-${id}`,
  guildId,
  members: 12,
  lookup: 'found',
  credits: 45,
  paysMembers: true,
  minAccountDays: 0,
  enabled: true,
  sinceMs: 1000,
});
const claim = (guildId: string, fields: Partial<J4rClaim> = {}): J4rClaim => ({
  id: `claim-${guildId}`,
  guildId,
  subject: 'subject',
  serverId: 'server',
  userId: 'ann',
  name: `Claimed ${guildId}`,
  credits: 40,
  reference: `reference-${guildId}`,
  txId: 'tx',
  state: 'vesting',
  held: false,
  joinedMs: 1500,
  evidence: '',
  checkMs: null,
  claimedMs: 2000,
  vestsMs: 3000,
  endedMs: null,
  taken: 0,
  unlinkedMs: null,
  ...fields,
});
const NOTHING_KNOWN = { paid: new Set<string>(), held: new Map() };
const stateOf = (fields: Partial<J4rClaim>, review?: 'open' | 'rejected') =>
  cardsOf([server('1', 'g1')], [claim('g1', fields)], {
    paid: new Set(),
    held: new Map(review ? [['reference-g1', review]] : []),
  }).map(({ state }) => state);

describe('cards of join for rewards', () => {
  test('servers on offer stand in their order, and one that the user was paid for is one card with what was paid', () => {
    const cards = cardsOf([server('2', 'g2'), server('1', 'g1'), server('3', null)], [claim('g1')], NOTHING_KNOWN);
    expect(cards.map(({ id, state, credits, claimedMs }) => ({ id, state, credits, claimedMs }))).toEqual([
      { id: '2', state: 'open', credits: 45, claimedMs: null },
      { id: '1', state: 'vesting', credits: 40, claimedMs: 2000 },
      { id: '3', state: 'open', credits: 45, claimedMs: null },
    ]);
    const nothing = { vestsMs: null, endedMs: null, taken: 0, unlinked: false };
    expect(cards[0]).toMatchObject(nothing);
    expect(cards[1]).toMatchObject({ name: 'Server 1', invite: 'invite-1', members: 12, paysMembers: true });
  });

  test('a server that is gone keeps the card of its claim, after those on offer and without an invite', () => {
    expect(cardsOf([server('1', 'g1')], [claim('g9')], NOTHING_KNOWN)[1]).toEqual({
      id: 'claim-g9',
      name: 'Claimed g9',
      description: '',
      invite: null,
      members: null,
      paysMembers: false,
      sinceMs: null,
      credits: 40,
      claimedMs: 2000,
      vestsMs: 3000,
      endedMs: null,
      taken: 0,
      unlinked: false,
      state: 'vesting',
    });
  });

  test('a server that the linked Discord account was paid for on another account is used', () => {
    const known = { paid: new Set(['g1']), held: new Map() };
    const states = cardsOf([server('1', 'g1'), server('2', 'g2')], [], known).map(({ state }) => state);
    expect(states).toEqual(['used', 'open']);
  });

  test('review decides the state of a reward on hold, but not of one that was clawed back or never on hold', () => {
    expect(stateOf({ held: true }, 'open')).toEqual(['held']);
    expect(stateOf({ held: true }, 'rejected')).toEqual(['rejected']);
    expect(stateOf({ held: true })).toEqual(['vesting']);
    expect(stateOf({ held: false }, 'open')).toEqual(['vesting']);
    expect(stateOf({ held: true, state: 'left' }, 'open')).toEqual(['left']);
    expect(stateOf({ held: true, state: 'kept' })).toEqual(['kept']);
  });

  test('a claim says that its Discord account is not linked as long as it may be clawed back', () => {
    const unlinked = (fields: Partial<J4rClaim>) =>
      cardsOf([server('1', 'g1')], [claim('g1', fields)], NOTHING_KNOWN).map((card) => card.unlinked);
    expect(unlinked({ unlinkedMs: 2500 })).toEqual([true]);
    expect(unlinked({})).toEqual([false]);
    expect(unlinked({ unlinkedMs: 2500, state: 'kept' })).toEqual([false]);
  });
});
