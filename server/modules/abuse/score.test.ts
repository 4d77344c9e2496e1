import { expect, test } from 'bun:test';
import type { ReasonCode } from '#shared/abuse.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { isDisposable } from './disposable.ts';
import { codeReason, computeScore, type ScoreFacts, type ScoreTerms } from './score.ts';

const CLEAN: ScoreFacts = {
  device: 0,
  deviceDay: 0,
  deviceSpread: 0,
  joined: 0,
  joinedShared: 0,
  joinedThrowaway: 0,
  joinedNow: 0,
  ageMs: 30 * DAY,
  address: 0,
  identity: 0,
  payment: 0,
  disposableMail: false,
  discordDays: null,
  vpn: 'clean',
};
const TERMS: ScoreTerms = { vpnWeight: 40, unknownHolds: false, altAllowed: false, vpnAllowed: false };

const cases: [string, Partial<ScoreFacts>, Partial<ScoreTerms>, number, ReasonCode[]][] = [
  ['nothing known', {}, {}, 0, []],
  ['a brother on the same computer', { device: 1, address: 1 }, {}, 25, ['deviceShared']],
  ['three accounts on one device', { device: 2, address: 2 }, {}, 45, ['deviceShared']],
  ['four accounts on one device', { device: 3 }, {}, 70, ['deviceShared']],
  ['a farm', { device: 49, address: 49 }, {}, 80, ['deviceShared', 'addressShared']],
  ['a school', { address: 50 }, {}, 10, ['addressShared']],
  ['a household', { address: 3 }, {}, 5, ['addressShared']],
  [
    'a computer of a school, used by many who came over months',
    { deviceSpread: 40, address: 50, joined: 3 },
    {},
    25,
    ['deviceSpread', 'addressShared'],
  ],
  [
    'a computer of a school on its first day, a class an hour',
    { deviceDay: 5, deviceSpread: 5, address: 50, joined: 100 },
    {},
    25,
    ['deviceSpread', 'addressShared'],
  ],
  ['a device that nine accounts came to in a day', { deviceDay: 8, deviceSpread: 8 }, {}, 70, ['deviceSpread']],
  [
    'a brother beside devices that several share',
    { device: 1, address: 20, joined: 30, joinedShared: 6 },
    {},
    65,
    ['deviceShared', 'addressShared', 'sharedAround'],
  ],
  ['a device of one’s own beside them', { address: 50, joined: 50, joinedShared: 50 }, {}, 10, ['addressShared']],
  [
    'throw-away mail among throw-away mail',
    { address: 20, joined: 20, joinedThrowaway: 10, disposableMail: true },
    {},
    70,
    ['addressShared', 'throwawayAround', 'disposableMail'],
  ],
  [
    'throw-away mail among a few of a school',
    { address: 50, joined: 199, joinedThrowaway: 10, disposableMail: true },
    {},
    35,
    ['addressShared', 'disposableMail'],
  ],
  [
    'mail of one’s own among throw-away mail',
    { address: 50, joined: 50, joinedThrowaway: 50 },
    {},
    10,
    ['addressShared'],
  ],
  ['an identity of somebody else', { identity: 1 }, {}, 70, ['identityShared']],
  ['one card in a family', { payment: 1 }, {}, 20, ['paymentShared']],
  ['one card for many', { payment: 2 }, {}, 50, ['paymentShared']],
  ['a throw-away address', { disposableMail: true }, {}, 25, ['disposableMail']],
  ['a Discord account of six days', { discordDays: 6.9 }, {}, 20, ['discordYoung']],
  ['of a week', { discordDays: 7 }, {}, 10, ['discordYoung']],
  ['of thirty days', { discordDays: 30 }, {}, 0, []],
  ['a VPN', { vpn: 'vpn' }, {}, 40, ['vpn']],
  ['a VPN where it counts for nothing', { vpn: 'vpn' }, { vpnWeight: 0 }, 0, []],
  ['no answer about an address', { vpn: 'unknown' }, {}, 0, ['vpnUnknown']],
  ['no answer where that holds', { vpn: 'unknown' }, { unknownHolds: true }, 40, ['vpnUnknown']],
  [
    'permission for other accounts',
    { device: 9, address: 50, identity: 2, payment: 4, vpn: 'vpn' },
    { altAllowed: true },
    40,
    ['vpn'],
  ],
  ['permission for a VPN', { vpn: 'vpn', disposableMail: true }, { vpnAllowed: true }, 25, ['disposableMail']],
  ['permission for a VPN, no answer', { vpn: 'unknown' }, { vpnAllowed: true, unknownHolds: true }, 0, []],
];

test.each(cases)('the score is that of %s', (_, facts, terms, score, codes) => {
  const found = computeScore({ ...CLEAN, ...facts }, { ...TERMS, ...terms });
  expect({ score: found.score, codes: found.reasons.map(({ code }) => code) }).toEqual({ score, codes });
  expect(found.reasons.reduce((sum, { weight }) => sum + weight, 0)).toBe(found.score);
});

test('T19 what somebody else can bring about without the victim’s own browser or accounts stays below the threshold', () => {
  // An attacker beside the victim: the whole address full of their accounts, and the address on a VPN list.
  expect(computeScore({ ...CLEAN, address: 50, vpn: 'vpn' }, TERMS).score).toBeLessThan(60);
});

test('E6 what may be the beginning of a burst waits, while the account is new', () => {
  const early = (facts: Partial<ScoreFacts>, terms: Partial<ScoreTerms> = {}) =>
    computeScore({ ...CLEAN, ageMs: MINUTE, ...facts }, { ...TERMS, ...terms }).early;
  expect(early({ device: 1, joinedNow: 5 })).toBe(true);
  expect(early({ device: 1, joinedNow: 5, ageMs: DAY })).toBe(false);
  expect(early({ device: 1, joinedNow: 5 }, { altAllowed: true })).toBe(false);
  // A family on its own computer, and a class with computers of their own.
  expect(early({ device: 2, joinedNow: 2 })).toBe(false);
  expect(early({ joinedNow: 50, joinedThrowaway: 50 })).toBe(false);
  expect(early({ disposableMail: true, joinedThrowaway: 1 })).toBe(true);
  expect(early({ disposableMail: true })).toBe(false);
});

test('E6 one redeem code in many hands weighs together with more, and never alone', () => {
  const of = (device: number, address: number, altAllowed = false) =>
    codeReason({ altAllowed }, { device, address })?.weight ?? 0;
  expect([of(0, 2), of(0, 3), of(0, 50), of(2, 2), of(3, 3), of(50, 50), of(50, 50, true)]).toEqual([
    0, 5, 10, 0, 20, 30, 0,
  ]);
});

test('throw-away addresses are known by their domain, also below one, and by the host’s list', () => {
  const own = ' Spam.Example \n@other.example\n';
  expect(
    ['a@mailinator.com', 'a@x.mailinator.com', 'a@spam.example', 'a@b.other.example'].map((email) =>
      isDisposable(email, own),
    ),
  ).toEqual([true, true, true, true]);
  expect(
    ['a@notmailinator.com', 'a@mailinator.com.example', 'a@example.com', 'mailinator.com@example.com'].map((email) =>
      isDisposable(email, own),
    ),
  ).toEqual([false, false, false, false]);
});
