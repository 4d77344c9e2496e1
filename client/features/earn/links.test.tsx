import { afterAll, afterEach, expect, spyOn, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/earn/links');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const links = await import('./links.tsx');
const back = await import('./links-return.tsx');

const left: string[] = [];
const assign = spyOn(globalThis.location, 'assign').mockImplementation((url) => void left.push(String(url)));
afterAll(() => assign.mockRestore());
afterEach(() => {
  cleanup();
  left.length = 0;
});

const OFFER = {
  id: 'linkvertise',
  name: 'Linkvertise',
  credits: 100,
  used: 1,
  daily: 5,
  min_seconds: 60,
  max_minutes: 60,
  proves: true,
  open: null,
  wait: null,
};
const PAGE = {
  providers: [OFFER],
  history: [],
  earned_today: 0,
  cap: 0,
  budget_spent: false,
  resets_at: '2026-11-22T00:00:00.000Z',
};
const show = (page: object, start: object = { url: 'https://link-to.net/1/2/dynamic?r=x' }) =>
  showScreen(links, {
    url: '/earn/links',
    answers: { 'GET /api/earn/links': page, 'POST /api/earn/links/start': start },
  });

test('starting asks the server and goes to the sponsor', async () => {
  const { calls } = show(PAGE);
  fireEvent.click(await screen.findByRole('button', { name: 'Start with Linkvertise' }));
  await waitFor(() => expect(left).toEqual(['https://link-to.net/1/2/dynamic?r=x']));
  expect(screen.getByRole('link', { name: 'open it here' }).getAttribute('href')).toBe(
    'https://link-to.net/1/2/dynamic?r=x',
  );
  const [call] = calls('POST /api/earn/links/start');
  expect(call?.body).toEqual({ provider: 'linkvertise' });
  expect(call?.key).toMatch(/^0190a000/);
});

test('T45 what is no address of the web is not gone to', async () => {
  show(PAGE, { url: 'javascript:alert(1)' });
  fireEvent.click(await screen.findByRole('button', { name: 'Start with Linkvertise' }));
  await screen.findByText('Your link is ready.');
  expect(left).toEqual([]);
});

test('a refusal stands at its sponsor', async () => {
  show(
    { ...PAGE, providers: [OFFER, { ...OFFER, id: 'shareus', name: 'ShareUs', proves: false }] },
    refuse('LINK_PROVIDER_FAILED'),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Start with ShareUs' }));
  const said = await screen.findByText(errors.LINK_PROVIDER_FAILED);
  expect(said.closest('.sp-sponsor')?.textContent).toContain('ShareUs');
  expect(
    screen.getByText('This sponsor doesn’t confirm visits, so we review the reward before paying it.'),
  ).toBeTruthy();
});

test('a sponsor is open, waiting or used up', async () => {
  const open = {
    ...OFFER,
    open: { url: 'https://x.example', ready_at: '2026-11-21T18:31:00.000Z', expires_at: '2026-11-21T19:11:12.000Z' },
  };
  const waits = [
    { ...OFFER, id: 'shareus', name: 'ShareUs', wait: { reason: 'cooldown', until: '2026-11-21T18:53:00.000Z' } },
    {
      ...OFFER,
      id: 'linkpays',
      name: 'LinkPays',
      used: 5,
      wait: { reason: 'daily', until: '2026-11-22T00:00:00.000Z' },
    },
  ];
  show({ ...PAGE, providers: [open, ...waits], budget_spent: true, cap: 500 });
  expect(await screen.findByRole('button', { name: 'Continue with Linkvertise' })).toBeTruthy();
  expect(screen.getByText('Available again at 18:53.')).toBeTruthy();
  expect(screen.getByText('No more today. Available again at 00:00.')).toBeTruthy();
  expect(screen.getAllByRole<HTMLButtonElement>('button').map(({ disabled }) => disabled)).toEqual([false, true, true]);
  expect(screen.getByText('Today’s budget for links is used up.')).toBeTruthy();
  expect(screen.getByText('From links today')).toBeTruthy();
});

test('the page shows what came of earlier links', async () => {
  const history = (['open', 'paid', 'held', 'expired', 'rejected'] as const).map((state) => ({
    id: state,
    name: 'LinkPays',
    credits: 100,
    at: '2026-11-20T10:00:00.000Z',
    state,
  }));
  show({ ...PAGE, providers: [], history });
  expect(await screen.findByText('No sponsors right now')).toBeTruthy();
  for (const words of ['Open', 'Paid', 'On hold', 'Expired', 'Rejected']) expect(screen.getByText(words)).toBeTruthy();
});

const comeBack = (answer: object, query = '?claim=tok123&hash=abc') =>
  showScreen(back, { url: `/earn/links/return${query}`, answers: { 'POST /api/earn/links/finish': answer } });

test('coming back sends what the sponsor gave, once, by itself', async () => {
  const { calls } = comeBack({ provider: 'linkvertise', credits: 100, state: 'paid', balance: 1384 });
  await screen.findByText('earned.', { exact: false, selector: 'b' });
  expect(screen.getByRole('status').textContent).toContain('1,384 credits');
  expect(calls('POST /api/earn/links/finish').map(({ body }) => body)).toEqual([{ claim: 'tok123', proof: 'abc' }]);
});

test('a reward on hold is shown as on hold', async () => {
  comeBack({ provider: 'shareus', credits: 100, state: 'held', balance: 0 }, '?claim=tok123');
  expect(await screen.findByText('are on hold for review.', { exact: false, selector: 'b' })).toBeTruthy();
});

test('a visitor who comes too early reads how long to wait, and has a button for then', async () => {
  const { calls } = comeBack(refuse('LINK_TOO_SOON', {}, 42), '?claim=tok123&token=t0ken-abc');
  expect(await screen.findByText('That was quick.')).toBeTruthy();
  expect(screen.getByText(/42 s/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(calls('POST /api/earn/links/finish')).toHaveLength(2));
  expect(calls('POST /api/earn/links/finish')[1]?.body).toEqual({ claim: 'tok123', proof: 't0ken-abc' });
});

test.each([
  ['LINK_CLAIM_USED'],
  ['LINK_CLAIM_OVER'],
  ['LINK_CLAIM_UNKNOWN'],
  ['LINK_NOT_CONFIRMED'],
  ['LINK_UNSURE'],
  ['BUDGET_SPENT'],
] as const)('%s is shown in words', async (code) => {
  comeBack(refuse(code));
  expect(await screen.findByText(errors[code])).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Back to sponsors' })).toBeTruthy();
});

test('without a claim nothing is sent', async () => {
  const { calls } = comeBack({}, '');
  expect(await screen.findByRole('heading', { name: 'Nothing to confirm' })).toBeTruthy();
  expect(calls('POST /api/earn/links/finish')).toEqual([]);
});

test('plain forms carry all they need without scripts', () => {
  const html = serverHtml(back, { url: '/earn/links/return?claim=tok&hash=abc' }, { claim: 'tok', proof: 'abc' });
  expect(html).toMatch(/<form[^>]*method="post"/);
  for (const part of ['name="claim" value="tok"', 'name="proof" value="abc"', 'name="_key" value="0190a000'])
    expect(html).toContain(part);
  const started = serverHtml(links, { url: '/earn/links' }, PAGE, {
    ok: true,
    result: { url: 'https://link-to.net/1', provider: 'linkvertise' },
    at: 'k',
  });
  expect(started).toContain('href="https://link-to.net/1"');
  expect(html + started).not.toContain('style=');
});
