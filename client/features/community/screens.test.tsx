import { afterEach, describe, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import type { ErrorCode } from '#shared/errors.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/leaderboard');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const leaderboard = await import('./leaderboard.tsx');
const lookup = await import('./lookup.tsx');
const profile = await import('./profile.tsx');
const gift = await import('./gift.tsx');

afterEach(cleanup);

const ID = '01890000-0000-7000-8000-000000000001';
const place = (rank: number, username: string, score: number, linked = true) => ({
  rank,
  id: `${ID.slice(0, -2)}${String(rank).padStart(2, '0')}`,
  username,
  score,
  linked,
  badge: null,
});
const BOARD = {
  board: 'credits',
  players: 8412,
  places: [
    place(1, 'tobi_k', 64_120),
    place(2, 'mihai.k', 57_310, false),
    place(3, 'stefania', 49_875),
    place(4, 'luca.builds', 41_200),
    place(5, 'nika_08', 38_945),
  ],
  own: { score: 1284, rank: 214, to_next: 31, hidden: false },
};
const board = (change: object = {}) => serverHtml(leaderboard, { url: '/leaderboard' }, { ...BOARD, ...change });

describe('the leaderboard', () => {
  test('the page shows podium, places and where one stands', () => {
    const html = board();
    expect(html).toContain('aria-label="Top three"');
    for (const text of [
      'tobi_k',
      'mihai.k',
      'luca.builds',
      '64,120',
      'You are number 214',
      '31 more to the next rank.',
      'Ranked among 8,412 players',
    ])
      expect(html).toContain(text);
    expect(html).toContain('aria-current="page"');
    expect(html).not.toContain('style="');
  });

  test('a name is a link only where the profile may be opened', () => {
    const html = board();
    expect(html).toContain(`href="/profile/${place(1, '', 0).id}"`);
    expect(html).not.toContain(`href="/profile/${place(2, '', 0).id}"`);
    expect(
      serverHtml(leaderboard, { url: '/leaderboard', flags: { allow_public_profiles: false } }, BOARD),
    ).not.toContain('href="/profile/');
  });

  test('a user who is hidden, first, or has nothing to count reads so', () => {
    expect(board({ own: { score: 5, rank: null, to_next: null, hidden: true } })).toContain(
      'You’re hidden, so you’re not on this board.',
    );
    expect(board({ own: { score: 5, rank: 1, to_next: null, hidden: false } })).toContain('No one is ahead of you.');
    expect(board({ own: { score: 0, rank: null, to_next: null, hidden: false } })).toContain(
      'You have nothing to rank here yet.',
    );
    expect(board({ places: [], players: 0 })).toContain('No one is here yet');
  });

  test('the other boards have units of their own', () => {
    expect(board({ board: 'afk', places: [place(1, 'a', 1), place(2, 'b', 1200)] })).toContain('1,200 minutes');
    expect(board({ board: 'servers', places: [place(1, 'a', 1)] })).toContain('1 server<');
  });

  test('the address says which board is shown, and what is none falls back', async () => {
    const { calls } = showScreen(leaderboard, {
      url: '/leaderboard?board=afk',
      answers: { 'GET /api/leaderboard': { ...BOARD, board: 'afk' } },
    });
    await screen.findByText('tobi_k');
    expect(calls('GET /api/leaderboard')[0]?.path).toBe('/api/leaderboard?board=afk');
    cleanup();
    const { calls: other } = showScreen(leaderboard, {
      url: '/leaderboard?board=passwords',
      answers: { 'GET /api/leaderboard': BOARD },
    });
    await screen.findByText('tobi_k');
    expect(other('GET /api/leaderboard')[0]?.path).toBe('/api/leaderboard');
  });
});

describe('finding players', () => {
  const people = [{ id: ID, username: 'bob_w', badge: null }];
  test('the search asks only from two characters on, and shows whom it found', async () => {
    const { calls } = showScreen(lookup, { url: '/lookup?q=b', answers: {} });
    await screen.findByRole('searchbox');
    expect(calls('GET /api/lookup')).toHaveLength(0);
    cleanup();
    showScreen(lookup, { url: '/lookup?q=bo', answers: { 'GET /api/lookup': { people, more: false } } });
    expect((await screen.findByRole('link', { name: 'bob_w' })).getAttribute('href')).toBe(`/profile/${ID}`);
    expect(screen.getByRole('link', { name: 'Send credits to bob_w' }).getAttribute('href')).toBe(
      `/profile/${ID}/gift-coins`,
    );
    expect(screen.getByText('1 player')).toBeTruthy();
  });

  test('Screen 8 a look-up that finds more than it shows says that these are the first ones', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => ({
      id: `${ID.slice(0, -1)}${n}`,
      username: `bob_${n}`,
      badge: null,
    }));
    showScreen(lookup, { url: '/lookup?q=bo', answers: { 'GET /api/lookup': { people: ten, more: true } } });
    expect(await screen.findByText('First 10 players')).toBeTruthy();
    expect(screen.getByText(/^There are more\./)).toBeTruthy();
    expect(screen.queryByText('10 players')).toBeNull();
  });

  test('the search is a plain form whose state is the address', () => {
    const html = serverHtml(lookup, { url: '/lookup?q=bo' }, { q: 'bo', people: [], more: false, tooFast: false });
    const [form = ''] = /<form[^>]*>/.exec(html) ?? [];
    expect(form).toContain('method="get"');
    expect(form).toContain('action="/lookup"');
    expect(html).toContain('value="bo"');
    expect(html).toContain('No players found');
  });

  test('too many questions are shown as refused, not thrown', async () => {
    showScreen(lookup, { url: '/lookup?q=bo', answers: { 'GET /api/lookup': refuse('RATE_LIMITED', {}, 20) } });
    expect(await screen.findByText(errors.RATE_LIMITED)).toBeTruthy();
  });
});

const PROFILE = {
  id: ID,
  username: 'luca.builds',
  own: false,
  public: true,
  avatar: 'letters',
  background: 'lagoon',
  fields: ['role', 'since', 'afk', 'credits', 'rank'],
  role: { name: 'VIP', color: '#888888' },
  supporter: null,
  since: '2026-03-04T10:00:00.000Z',
  skin: null,
  rank: 4,
  credits: 41_200,
  month: null,
  afk: 9480,
  servers: null,
  referrals: null,
  giftable: true,
  badge: null,
};
const seen = (change: object = {}) =>
  serverHtml(profile, { url: `/profile/${ID}`, path: '/profile/:id' }, { ...PROFILE, ...change });

describe('a profile', () => {
  test('the profile shows what its owner chose and nothing else', () => {
    const html = seen();
    for (const text of [
      'luca.builds',
      'VIP',
      'Member since',
      '41,200',
      'AFK minutes',
      '9,480',
      'Send a gift',
      'data-motif="lagoon"',
    ])
      expect(html).toContain(text);
    for (const text of ['Servers', 'Referrals', 'Earned this month', 'as a block figure'])
      expect(html).not.toContain(text);
  });

  test('the badge of early supporters stands beside the role, for those who have it', () => {
    expect(seen({ supporter: true })).toContain('Early supporter');
    for (const supporter of [false, null]) expect(seen({ supporter })).not.toContain('Early supporter');
  });

  test('the chosen badge stands beside the name once, whatever parts of the profile are shown', () => {
    const count = (html: string, text: string) => html.split(text).length - 1;
    const badge = { kind: 'supporter', role: null };
    for (const supporter of [true, null]) expect(count(seen({ badge, supporter }), '>Early supporter<')).toBe(1);
    const role = { name: 'Builder', color: '#aa5500' };
    const html = seen({ badge: { kind: 'role', role }, role });
    expect(count(html, 'Builder')).toBe(1);
    expect(html).toContain('fill="#aa5500"');
  });

  test('the skin is shown as figure and as picture, where it is visible', () => {
    const html = seen({
      fields: ['skin'],
      avatar: 'head',
      skin: '/api/users/x/skin.png?v=1',
      credits: null,
      afk: null,
      rank: null,
    });
    expect(html).toContain('luca.builds as a block figure');
    expect(html).toContain('class="sp-head"');
    expect(html).not.toContain('<dl');
  });

  test('one’s own profile says who sees it', () => {
    expect(seen({ own: true, giftable: false })).toContain('This is what others see.');
    const hidden = seen({ own: true, public: false, giftable: false });
    expect(hidden).toContain('Your profile is hidden. Only you can open this page.');
    expect(hidden).not.toContain('Send a gift');
  });
});

const FORM = {
  recipient: { id: ID, username: 'luca.builds', badge: null },
  balance: 1284,
  min: 1,
  max: 1000,
  fee_percent: 10,
  left_today: 2000,
  opens_at: '2026-11-01T10:00:00.000Z',
  open: true,
};
const giftAt = { url: `/profile/${ID}/gift-coins`, path: '/profile/:id/gift-coins' };
const sent = { amount: 125, fee: 13, total: 138, balance: 1146, username: 'luca.builds' };

describe('a gift', () => {
  test('fee and total follow the amount, and the total that was shown is sent along', async () => {
    const { calls } = showScreen(gift, {
      ...giftAt,
      answers: { [`GET /api/gifts/${ID}`]: FORM, 'POST /api/gifts': sent },
    });
    type(await screen.findByLabelText('Amount'), '125');
    type(screen.getByLabelText(/^Message optional/), 'For the old bridge :)');
    const lines = [...document.querySelectorAll('.sp-price dd .sp-sr')].map(
      (line) => /[\d,]+/.exec(line.textContent)?.[0],
    );
    expect(lines).toEqual(['125', '13', '138', '1,284', '1,146']);
    expect(document.querySelectorAll('.sp-price dt')[1]?.textContent).toMatch(/^Fee, 10\s*%.? rounded up$/);
    fireEvent.click(screen.getByRole('button', { name: 'Send for 138 credits' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Send gift' }));
    await waitFor(() => expect(calls('POST /api/gifts')).toHaveLength(1));
    const [call] = calls('POST /api/gifts');
    expect(call?.body).toEqual({ recipient: ID, amount: 125, total: 138, note: 'For the old bridge :)' });
    expect(call?.key).toMatch(/^0190a000/);
    expect(
      (await screen.findByText('luca.builds', { selector: '[role="status"] b' })).closest('[role="status"]')
        ?.textContent,
    ).toContain('1,146 credits');
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Amount').value).toBe(''));
  });

  test('Screen 17 a gift asks first, with amount, fee and resulting balance, and cancelling sends nothing', async () => {
    const { calls } = showScreen(gift, {
      ...giftAt,
      answers: { [`GET /api/gifts/${ID}`]: FORM, 'POST /api/gifts': sent },
    });
    type(await screen.findByLabelText('Amount'), '125');
    fireEvent.click(screen.getByRole('button', { name: 'Send for 138 credits' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Send 125 credits to luca.builds?' });
    const amounts = [...dialog.querySelectorAll('dd .sp-sr')].map((line) => /[\d,]+/.exec(line.textContent)?.[0]);
    expect(amounts).toEqual(['125', '13', '138', '1,284', '1,146']);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(calls('POST /api/gifts')).toEqual([]);
    expect(screen.getByLabelText<HTMLInputElement>('Amount').value).toBe('125');
  });

  test('without scripts the first press shows the total, the second sends it', () => {
    const first = serverHtml(gift, giftAt, FORM);
    expect(first).toContain('Preview');
    expect(first).not.toContain('name="total"');
    expect(first).toMatch(/<form[^>]*method="post"/);
    const second = serverHtml(gift, giftAt, FORM, { ok: true, at: '', result: { asked: { amount: 125, note: 'Hi' } } });
    expect(second).toMatch(/name="total" value="138"/);
    expect(second).toContain('value="125"');
    expect(second).toContain('value="Hi"');
    expect(second).toContain('Send for 138 credits');
  });

  test('a total that is missing is asked for, not paid', async () => {
    const { action } = gift;
    const form = new FormData();
    form.set('amount', '125');
    const request = new Request(`https://panel.example${giftAt.url}`, { method: 'POST', body: form });
    expect(await action({ request, params: { id: ID }, context: {} } as never)).toMatchObject({
      ok: true,
      result: { asked: { amount: 125, note: '' } },
    });
  });

  const REFUSALS: readonly ErrorCode[] = [
    'RECIPIENT_UNAVAILABLE',
    'GIFT_CAP_REACHED',
    'RECIPIENT_CAP_REACHED',
    'SENDER_TOO_YOUNG',
    'PRICE_CHANGED',
    'INSUFFICIENT_CREDITS',
    'SPENDING_BLOCKED',
    'ACCOUNT_UNVERIFIED',
  ];
  test.each(REFUSALS.map((code) => [code]))('%s is shown over the form, which keeps what was typed', async (code) => {
    showScreen(gift, { ...giftAt, answers: { [`GET /api/gifts/${ID}`]: FORM, 'POST /api/gifts': refuse(code) } });
    type(await screen.findByLabelText('Amount'), '40');
    fireEvent.click(screen.getByRole('button', { name: 'Send for 44 credits' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Send gift' }));
    expect(await screen.findByText(errors[code as 'PRICE_CHANGED'], { exact: false })).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Amount').value).toBe('40');
  });

  test('a gift above one’s balance is refused before it is sent', async () => {
    showScreen(gift, { ...giftAt, answers: { [`GET /api/gifts/${ID}`]: { ...FORM, balance: 100 } } });
    type(await screen.findByLabelText('Amount'), '100');
    expect(await screen.findByText('Including the fee, you’re 10 credits short.')).toBeTruthy();
  });

  test('an account that is too new sees when it may give', () => {
    const html = serverHtml(gift, giftAt, { ...FORM, open: false, opens_at: '2026-11-24T18:30:00.000Z' });
    expect(html).toContain('Your account is too new to send gifts. You can from');
    expect(html).not.toContain('<form');
  });
});
