import { expect, test } from 'bun:test';
import type { ReasonCode } from '#shared/abuse.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
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
  ['a VPN where it counts for next to nothing', { vpn: 'vpn' }, { vpnWeight: 1 }, 1, ['vpn']],
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

// Each signal by its count, with what must be there for it to count, and the points that this alone would have.
const weighed: [string, (count: number) => Partial<ScoreFacts>, number, [count: number, points: number][]][] = [
  [
    'a device',
    (device) => ({ device }),
    0,
    [
      [0, 0],
      [1, 25],
      [2, 45],
      [3, 70],
      [4, 70],
    ],
  ],
  [
    'a device over months',
    (deviceSpread) => ({ deviceSpread }),
    0,
    [
      [0, 0],
      [1, 10],
      [3, 10],
      [4, 15],
      [5, 15],
    ],
  ],
  ['a device over months beside two others', (deviceSpread) => ({ device: 2, deviceSpread }), 45, [[4, 15]]],
  ['a device over months beside three others', (deviceSpread) => ({ device: 3, deviceSpread }), 70, [[4, 0]]],
  [
    'a device within a day',
    (deviceDay) => ({ deviceDay }),
    0,
    [
      [5, 0],
      [6, 45],
      [7, 45],
      [8, 70],
      [9, 70],
    ],
  ],
  [
    'an address',
    (address) => ({ address }),
    0,
    [
      [2, 0],
      [3, 5],
      [19, 5],
      [20, 10],
      [21, 10],
    ],
  ],
  [
    'an identity',
    (identity) => ({ identity }),
    0,
    [
      [0, 0],
      [1, 70],
      [2, 70],
    ],
  ],
  [
    'a means of payment',
    (payment) => ({ payment }),
    0,
    [
      [0, 0],
      [1, 20],
      [2, 50],
      [3, 50],
    ],
  ],
  [
    'shared devices around',
    (joinedShared) => ({ device: 1, joinedShared }),
    25,
    [
      [5, 0],
      [6, 30],
      [7, 30],
    ],
  ],
  [
    'throw-away mail around',
    (joinedThrowaway) => ({ disposableMail: true, joinedThrowaway }),
    25,
    [
      [2, 0],
      [3, 25],
      [9, 25],
      [10, 35],
      [11, 35],
    ],
  ],
  [
    'a quarter with throw-away mail',
    (joined) => ({ disposableMail: true, joinedThrowaway: 3, joined }),
    25,
    [
      [12, 25],
      [13, 0],
    ],
  ],
  [
    'a young Discord account',
    (discordDays) => ({ discordDays }),
    0,
    [
      [0, 20],
      [6.9, 20],
      [7, 10],
      [29.9, 10],
      [30, 0],
    ],
  ],
];
test.each(weighed)('the points of %s follow their count', (_, factsOf, base, points) => {
  const weights = points.map(([count]) => [count, computeScore({ ...CLEAN, ...factsOf(count) }, TERMS).score - base]);
  expect(weights).toEqual(points);
});

test('every reason says what it counted, or that there is nothing to count', () => {
  const facts = {
    device: 2,
    deviceSpread: 5,
    deviceDay: 1,
    joined: 11,
    joinedThrowaway: 4,
    joinedShared: 7,
    address: 8,
    identity: 9,
    payment: 3,
    disposableMail: true,
    discordDays: 6.9,
    vpn: 'vpn',
  } as const;
  const { reasons } = computeScore({ ...CLEAN, ...facts }, TERMS);
  expect(reasons.map(({ code, count }) => [code, count])).toEqual([
    ['deviceShared', 2],
    ['deviceSpread', 5],
    ['addressShared', 8],
    ['sharedAround', 7],
    ['throwawayAround', 4],
    ['identityShared', 9],
    ['paymentShared', 3],
    ['disposableMail', null],
    ['discordYoung', 6],
    ['vpn', null],
  ]);
  expect(codeReason(TERMS, { device: 4, address: 12 })).toEqual({ code: 'codeShared', weight: 20, count: 4 });
  expect(codeReason(TERMS, { device: 1, address: 12 })).toEqual({ code: 'codeShared', weight: 10, count: 12 });
  expect(codeReason(TERMS, { device: 2, address: 2 })).toBeNull();
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
  // A crowd is five, and an account is new for an hour.
  expect(early({ device: 1, joinedNow: 4 })).toBe(false);
  expect(early({ device: 1, joinedNow: 5, ageMs: HOUR - 1 })).toBe(true);
  expect(early({ device: 1, joinedNow: 5, ageMs: HOUR })).toBe(false);
  const young = (ageMs: number) => computeScore({ ...CLEAN, ageMs }, TERMS).young;
  expect([young(0), young(HOUR - 1), young(HOUR)]).toEqual([true, true, false]);
});

test('E6 one redeem code in many hands weighs together with more, and never alone', () => {
  const of = (device: number, address: number, altAllowed = false) =>
    codeReason({ altAllowed }, { device, address })?.weight ?? 0;
  expect([of(0, 2), of(0, 3), of(0, 50), of(2, 2), of(3, 3), of(50, 50), of(50, 50, true)]).toEqual([
    0, 5, 10, 0, 20, 30, 0,
  ]);
  expect([of(4, 4), of(5, 5), of(0, 4), of(0, 9), of(0, 10)]).toEqual([20, 30, 5, 5, 10]);
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
  // Empty lines of the list stand for no domain.
  expect(isDisposable('a@example.com.', '\n \n')).toBe(false);
});
