import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/earn/referrals');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const referrals = await import('./referrals.tsx');
const { default: decodeQR } = await import('qr/decode.js');

afterEach(cleanup);

const LINK = 'https://panel.example/auth/register?ref=k7mx2pqr';
const EMPTY = {
  code: 'k7mx2pqr',
  link: LINK,
  list: [],
  paging: { page: 1, per_page: 25, total: 0 },
  totals: { invited: 0, paid: 0, credits: 0 },
  month: { rewarded: 0, max: 20 },
  terms: { newcomer: 15, referrer: 35, min_age_hours: 24, afk_minutes: 30, verification: true },
  own: null,
};
const row = (id: string, state: string, reason: string | null = null) => ({
  id,
  username: `friend_${id}`,
  at: '2026-11-20T10:00:00.000Z',
  state,
  reason,
  credits: state === 'paid' ? 35 : 0,
});
const show = (page: object) =>
  showScreen(referrals, { url: '/earn/referrals', answers: { 'GET /api/earn/referrals': page } });

/** The picture as a camera reads it. */
function scanned(svg: Element): string {
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, width] of (svg.querySelector('path')?.getAttribute('d') ?? '').matchAll(
    /M(\d+) (\d+)h(\d+)v1h-\d+z/g,
  )) {
    dark[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  }
  const scale = 4;
  const side = size * scale;
  const data = new Uint8Array(side * side * 4).map((_, index) => {
    const pixel = Math.floor(index / 4);
    const on = dark[Math.floor(pixel / side / scale)]?.[Math.floor((pixel % side) / scale)];
    return index % 4 === 3 || !on ? 255 : 0;
  });
  return decodeQR({ width: side, height: side, data });
}

test('the link stands there to read, to copy and to scan', async () => {
  show(EMPTY);
  expect((await screen.findByLabelText<HTMLInputElement>('Your link')).value).toBe(LINK);
  expect(scanned(screen.getByRole('img', { name: 'QR code of your referral link' }))).toBe(LINK);
  expect(
    screen.getByText(
      'Your friend gets 15 credits and you get 35 credits once they meet the conditions. At most 20 rewards a month.',
    ),
  ).toBeTruthy();
  expect(screen.getByText('They’ve had a server, or 30 AFK minutes')).toBeTruthy();
  expect(screen.getByText('No one yet')).toBeTruthy();
});

test('each referral says where it stands', async () => {
  const list = [
    row('a', 'pending'),
    row('b', 'qualified', 'monthly_max'),
    row('c', 'paid'),
    row('d', 'held'),
    row('e', 'rejected', 'shared'),
    row('f', 'qualified'),
  ];
  show({
    ...EMPTY,
    list,
    paging: { page: 1, per_page: 25, total: 6 },
    totals: { invited: 6, paid: 1, credits: 35 },
    month: { rewarded: 2, max: 20 },
  });
  await screen.findByText('friend_a');
  for (const words of [
    'Not all conditions met yet.',
    'This month’s limit is reached. Paid next month.',
    'All conditions met.',
    'Being reviewed; nothing is lost.',
    'Paid within minutes.',
    '2 of 20',
  ]) {
    expect(screen.getByText(words)).toBeTruthy();
  }
  expect(screen.getByText(/Both accounts look like the same person/)).toBeTruthy();
});

test('without a code there is a button for one', async () => {
  let page: object = { ...EMPTY, code: null, link: null };
  const { calls } = showScreen(referrals, {
    url: '/earn/referrals',
    answers: {
      'GET /api/earn/referrals': () => page,
      'POST /api/earn/referrals/code': () => {
        page = EMPTY;
        return { code: 'k7mx2pqr' };
      },
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Create my link' }));
  await screen.findByLabelText('Your link');
  expect(calls('POST /api/earn/referrals/code')).toHaveLength(1);
});

test('an invited user sees what is still missing', async () => {
  const own = { state: 'pending', reason: null, credits: 15, checks: { verified: true, age: false, active: false } };
  show({ ...EMPTY, own });
  await screen.findByRole('heading', { name: 'You were invited' });
  const said = screen.getAllByRole('listitem').map((item) => item.textContent);
  expect(said).toContain('Your e-mail is confirmed (done)');
  expect(said).toContain('Your account is at least 1 d old (still missing)');
  cleanup();
  show({ ...EMPTY, own: { ...own, state: 'paid' } });
  expect(await screen.findByText('You met the conditions and got 15 credits.')).toBeTruthy();
});

test('a plain form works without scripts, and the picture has no style of its own', () => {
  const html = serverHtml(referrals, { url: '/earn/referrals' }, { ...EMPTY, code: null, link: null });
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(serverHtml(referrals, { url: '/earn/referrals' }, EMPTY)).not.toContain('style=');
});
