import { expect, test } from 'bun:test';
import type { ReasonCode } from '#shared/abuse.ts';
import { isDisposable } from './disposable.ts';
import { scoreOf, type Facts, type Terms } from './score.ts';

const CLEAN: Facts = { device: 0, address: 0, identity: 0, payment: 0, disposableMail: false, discordDays: null, vpn: 'clean' };
const TERMS: Terms = { vpnWeight: 40, unknownHolds: false, altAllowed: false, vpnAllowed: false };

const cases: [string, Partial<Facts>, Partial<Terms>, number, ReasonCode[]][] = [
  ['nothing known', {}, {}, 0, []],
  ['a brother on the same computer', { device: 1, address: 1 }, {}, 25, ['deviceShared']],
  ['three accounts on one device', { device: 2, address: 2 }, {}, 45, ['deviceShared']],
  ['four accounts on one device', { device: 3 }, {}, 70, ['deviceShared']],
  ['a farm', { device: 49, address: 49 }, {}, 80, ['deviceShared', 'addressShared']],
  ['a school', { address: 50 }, {}, 10, ['addressShared']],
  ['a household', { address: 3 }, {}, 5, ['addressShared']],
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
  ['permission for other accounts', { device: 9, address: 50, identity: 2, payment: 4, vpn: 'vpn' }, { altAllowed: true }, 40, ['vpn']],
  ['permission for a VPN', { vpn: 'vpn', disposableMail: true }, { vpnAllowed: true }, 25, ['disposableMail']],
  ['permission for a VPN, no answer', { vpn: 'unknown' }, { vpnAllowed: true, unknownHolds: true }, 0, []],
];

test.each(cases)('the score of %s', (_, facts, terms, score, codes) => {
  const found = scoreOf({ ...CLEAN, ...facts }, { ...TERMS, ...terms });
  expect({ score: found.score, codes: found.reasons.map(({ code }) => code) }).toEqual({ score, codes });
  expect(found.reasons.reduce((sum, { weight }) => sum + weight, 0)).toBe(found.score);
});

test('T19 what somebody else can bring about without the victim’s own browser or accounts stays below the threshold', () => {
  // An attacker beside the victim: the whole address full of their accounts, and the address on a VPN list.
  expect(scoreOf({ ...CLEAN, address: 50, vpn: 'vpn' }, TERMS).score).toBeLessThan(60);
});

test('throw-away addresses are known by their domain, also below one, and by the host’s list', () => {
  const own = ' Spam.Example \n@other.example\n';
  expect(['a@mailinator.com', 'a@x.mailinator.com', 'a@spam.example', 'a@b.other.example'].map((email) => isDisposable(email, own))).toEqual([true, true, true, true]);
  expect(['a@notmailinator.com', 'a@mailinator.com.example', 'a@example.com', 'mailinator.com@example.com'].map((email) => isDisposable(email, own))).toEqual([false, false, false, false]);
});
