import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import type { J4rCard } from '#shared/contract/discord.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/earn/j4r');
const { cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const j4r = await import('./screen.tsx');

afterEach(cleanup);

const ID = '0190a000-0000-7000-8000-000000000001';
const OPEN: J4rCard = {
  id: ID,
  name: 'Moldova Craft',
  description: 'Weekly build.',
  invite_url: 'https://discord.gg/moldova',
  members: 860,
  credits: 45,
  pays_members: false,
  since: '2026-11-01T10:00:00.000Z',
  state: 'open',
  claimed_at: null,
  vests_at: null,
  ended_at: null,
  taken: 0,
  unlinked: false,
};
const PAGE = {
  available: true,
  linked: { name: 'vlad', relink: false },
  earned_today: 0,
  cap: 0,
  budget_spent: false,
  vesting_days: 7,
  servers: [OPEN],
};
const show = (page: object, claim: object = {}) =>
  showScreen(j4r, {
    url: '/earn/j4r',
    answers: { 'GET /api/earn/j4r': page, [`POST /api/earn/j4r/${ID}/claim`]: claim },
  });
const press = async () =>
  fireEvent.click(await screen.findByRole('button', { name: /^I’ve joined ?: ?Moldova Craft$/ }));

test('joining leads to Discord in a new tab; the claim is one question, with a key', async () => {
  const { calls } = show(PAGE, { state: 'paid', credits: 45, balance: 145 });
  const join = await screen.findByRole('link', { name: /^Join on Discord ?: ?Moldova Craft$/ });
  expect([join.getAttribute('href'), join.getAttribute('target'), join.getAttribute('rel')]).toEqual([
    'https://discord.gg/moldova',
    '_blank',
    'noopener noreferrer',
  ]);
  expect(screen.getByText('860 members')).toBeTruthy();
  expect(screen.getByText('Pays those who join after', { exact: false })).toBeTruthy();
  await press();
  const said = await screen.findByText('for joining Moldova Craft', { exact: false });
  expect(said.closest('[role="status"]')?.textContent).toContain('45 credits');
  expect(calls(`POST /api/earn/j4r/${ID}/claim`)[0]?.key).toMatch(/^0190a000/);
});

test('a reward on hold is shown as such', async () => {
  show(PAGE, { state: 'held', credits: 45, balance: 100 });
  await press();
  expect(await screen.findByText('are on hold for review', { exact: false })).toBeTruthy();
});

const REFUSALS: readonly ErrorCode[] = [
  'J4R_NOT_MEMBER',
  'J4R_PENDING',
  'J4R_MEMBER_BEFORE',
  'J4R_ALREADY_PAID',
  'DISCORD_TOO_YOUNG',
  'PROVIDER_UNAVAILABLE',
  'DAILY_CAP_REACHED',
  'BUDGET_SPENT',
  'ACCOUNT_UNVERIFIED',
];
test.each(REFUSALS.map((code) => [code]))('%s stands on the card it belongs to', async (code) => {
  const other = { ...OPEN, id: '0190a000-0000-7000-8000-000000000002', name: 'Other' };
  show({ ...PAGE, servers: [other, OPEN] }, refuse(code));
  await press();
  const words = await screen.findByText(String(errors[code as keyof typeof errors]), { exact: false });
  expect(words.closest('.sp-good')?.textContent).toContain('Moldova Craft');
});

test.each([
  ['vesting', { claimed_at: '2026-11-18T18:30:00.000Z', vests_at: '2026-11-25T18:30:00.000Z' }, 'Yours to keep on'],
  [
    'vesting',
    { claimed_at: '2026-11-18T18:30:00.000Z', vests_at: '2026-11-25T18:30:00.000Z', unlinked: true },
    'Link Discord again',
  ],
  ['held', {}, 'We review this reward before it’s paid. It’s not lost.'],
  ['rejected', {}, 'This reward didn’t pass the review.'],
  ['kept', { claimed_at: '2026-10-18T18:30:00.000Z' }, 'Paid on'],
  ['left', { taken: 15 }, 'so we removed 15 credits'],
  ['used', {}, 'on another account here'],
] as const)('%s %o says how it stands, and offers nothing', async (state, facts, words) => {
  show({ ...PAGE, servers: [{ ...OPEN, ...facts, state }] });
  const card = within(await screen.findByRole('region', { name: 'Moldova Craft' }));
  expect(card.getByText(words, { exact: false })).toBeTruthy();
  expect(card.queryByRole('button')).toBeNull();
  expect(card.queryByRole('link')).toBeNull();
});

test('without a link one can join, but not claim; with a worn one the page says so', async () => {
  show({ ...PAGE, linked: null });
  expect((await screen.findByRole('link', { name: 'Link Discord' })).getAttribute('href')).toBe('/account?tab=linked');
  expect(screen.getByRole('link', { name: /^Join on Discord/ })).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
  cleanup();
  show({ ...PAGE, linked: { name: 'vlad', relink: true } });
  expect(await screen.findByRole('link', { name: 'Link again' })).toBeTruthy();
});

test('the page says when there are no servers, no application, a spent budget or a reached cap', async () => {
  show({ ...PAGE, servers: [], budget_spent: true });
  expect(await screen.findByText('No Discord servers yet')).toBeTruthy();
  expect(screen.getByText('budget for all players is used up', { exact: false })).toBeTruthy();
  cleanup();
  show({ ...PAGE, available: false });
  expect(await screen.findByText('No Discord servers yet')).toBeTruthy();
  cleanup();
  show({ ...PAGE, cap: 100, earned_today: 45 });
  expect(await screen.findByText('From joining today')).toBeTruthy();
});

test('T41 names and descriptions are texts', () => {
  const html = serverHtml(
    j4r,
    { url: '/earn/j4r' },
    { ...PAGE, servers: [{ ...OPEN, name: '<img src=x>', description: '<b>x</b>' }] },
  );
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<b>x</b>');
});

test('a plain form works without scripts, and the answer stands in the page', () => {
  const failed = {
    ok: false,
    code: 'J4R_NOT_MEMBER',
    fields: {},
    values: { id: ID },
    requestId: null,
    retryAfterS: null,
  };
  const html = serverHtml(j4r, { url: '/earn/j4r' }, PAGE, failed);
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toMatch(/name="_key" value="0190a000/);
  expect(html).toContain('Discord says you aren’t a member yet. Join first, then try again.');
  expect(html).not.toContain('style=');
});
