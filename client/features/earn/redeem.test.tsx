import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import type { ErrorCode } from '#shared/errors.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/earn/redeem');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const redeem = await import('./redeem.tsx');

afterEach(cleanup);

const EMPTY = { history: [], tries_left: 9, earned_today: 0, cap: 0, budget_spent: false };
const USED = { id: 'h1', code: 'AUTUMN-LEAVES', credits: 150, at: '2026-11-16T10:00:00.000Z' };
const show = (post: object, page: object = EMPTY) =>
  showScreen(redeem, { url: '/earn/redeem', answers: { 'GET /api/earn/redeem': page, 'POST /api/earn/redeem': post } });

async function send(code: string): Promise<HTMLInputElement> {
  const field = await screen.findByLabelText<HTMLInputElement>('Code');
  type(field, code);
  fireEvent.click(screen.getByRole('button', { name: 'Redeem' }));
  return field;
}

test('a code that works shows credits and new balance, and the field is free for the next', async () => {
  let page: object = EMPTY;
  const { calls } = showScreen(redeem, {
    url: '/earn/redeem',
    answers: {
      'GET /api/earn/redeem': () => page,
      'POST /api/earn/redeem': () => {
        page = { ...EMPTY, history: [USED] };
        return { credits: 150, balance: 1434 };
      },
    },
  });
  const field = await send('autumn leaves');
  const said = await screen.findByText('from', { exact: false, selector: 'b' });
  expect(said.closest('[role="status"]')?.textContent).toContain('1,434 credits');
  await waitFor(() => expect(field.value).toBe(''));
  expect(screen.getByText('AUTUMN-LEAVES')).toBeTruthy();
  const [call] = calls('POST /api/earn/redeem');
  expect(call?.body).toEqual({ code: 'autumn leaves' });
  expect(call?.key).toMatch(/^0190a000/);
});

const REFUSALS: readonly ErrorCode[] = [
  'CODE_UNKNOWN',
  'CODE_DISABLED',
  'CODE_NOT_STARTED',
  'CODE_EXPIRED',
  'CODE_EXHAUSTED',
  'CODE_ALREADY_USED',
  'CODE_OWN',
  'ACCOUNT_TOO_YOUNG',
  'DAILY_CAP_REACHED',
  'BUDGET_SPENT',
  'ACCOUNT_UNVERIFIED',
];
test.each(REFUSALS.map((code) => [code]))('%s stands at the field, which keeps what was typed', async (code) => {
  show(refuse(code));
  const field = await send('SKYBRIDGE-24');
  const words = errors[code as keyof typeof errors];
  const error = await screen.findByText(String(words));
  expect(field.getAttribute('aria-describedby')).toContain(error.id);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(field.value).toBe('SKYBRIDGE-24');
});

test('too many tries show when the next one is possible', async () => {
  show(refuse('RATE_LIMITED', {}, 1440), { ...EMPTY, tries_left: 0 });
  await send('X');
  expect(await screen.findByText('Too many wrong codes. Try again in 24 min.')).toBeTruthy();
  expect(screen.getByText('No attempts left this hour')).toBeTruthy();
});

test('an empty field is refused without asking', async () => {
  const { calls } = show({ credits: 1, balance: 1 });
  await send('  ');
  expect(await screen.findByText('This field is required.')).toBeTruthy();
  expect(calls('POST /api/earn/redeem')).toEqual([]);
});

test('tries left, cap, spent budget and an empty list are shown', async () => {
  show({}, { ...EMPTY, cap: 500, earned_today: 150, budget_spent: true });
  expect(await screen.findByText('9 attempts left this hour')).toBeTruthy();
  expect(screen.getByText('From codes today')).toBeTruthy();
  expect(screen.getByText('Today’s budget for codes is used up.', { exact: false })).toBeTruthy();
  expect(screen.getByText('No codes yet')).toBeTruthy();
});

test('a plain form works without scripts, and the answer stands in the page', () => {
  const failed = {
    ok: false,
    code: 'CODE_EXPIRED',
    fields: {},
    values: { code: 'OLD' },
    requestId: null,
    retryAfterS: null,
  };
  const html = serverHtml(redeem, { url: '/earn/redeem' }, EMPTY, failed);
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toMatch(/name="_key" value="0190a000/);
  expect(html).toContain('This code has expired.');
  expect(html).toMatch(/name="code"[^>]*value="OLD"|value="OLD"[^>]*name="code"/);
  expect(html).not.toContain('style=');
});
