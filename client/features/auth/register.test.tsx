import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/register');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { GUEST, refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const register = await import('./register.tsx');

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const OPTIONS = {
  providers: [],
  registration: true,
  verification: false,
  setup_valid: false,
  empty: false,
  referral: 'none',
};
const url = '/auth/register';

function show(options: Partial<typeof OPTIONS>, more: { url?: string; answer?: object } = {}) {
  return showScreen(register, {
    url: more.url ?? url,
    session: GUEST,
    answers: {
      'GET /api/auth/options': { ...OPTIONS, ...options },
      'POST /api/auth/register': more.answer ?? { signed_in: true, referral: 'none' },
    },
  });
}

async function fillIn(): Promise<void> {
  type(await screen.findByLabelText('First name'), 'Mirela');
  type(screen.getByLabelText('Last name'), 'Vasile');
  type(screen.getByLabelText('Username'), 'mirela.v');
  type(screen.getByLabelText('E-mail'), 'mirela@example.org');
  type(screen.getByLabelText('Password'), 'four words only mine');
  fireEvent.click(screen.getByRole('checkbox'));
}
const send = (): void => void fireEvent.click(screen.getByRole('button', { name: /Create/ }));

test('the form makes the account and goes to the dashboard', async () => {
  const { calls } = show({});
  await fillIn();
  send();
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/dashboard');
  expect(calls('POST /api/auth/register')[0]?.body).toEqual({
    username: 'mirela.v',
    email: 'mirela@example.org',
    password: 'four words only mine',
    first_name: 'Mirela',
    last_name: 'Vasile',
    terms: true,
  });
});

test('whoever wanted a page before they had an account comes to it, once', async () => {
  localStorage.setItem('redirectAfterLogin', '/store?from=mail');
  show({});
  await fillIn();
  send();
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/store?from=mail');
  expect(localStorage.getItem('redirectAfterLogin')).toBeNull();
});

test('the page says where the e-mail went when there is no session', async () => {
  show({ verification: true }, { answer: { signed_in: false, referral: 'unknown' } });
  await fillIn();
  send();
  expect(await screen.findByRole('heading', { name: 'Check your inbox' })).toBeTruthy();
  expect(screen.getByText('mirela@example.org')).toBeTruthy();
  expect(screen.getByText(/The referral code you entered doesn’t exist/)).toBeTruthy();
});

test('terms must be agreed to, what was typed stays, and the password does not come back', async () => {
  const { calls } = show({});
  await fillIn();
  fireEvent.click(screen.getByRole('checkbox'));
  send();
  expect(await screen.findByText('Please fix 1 field')).toBeTruthy();
  expect((screen.getByLabelText('Username') as HTMLInputElement).value).toBe('mirela.v');
  expect(calls('POST /api/auth/register')).toEqual([]);
});

test('a referral code in the address fills its field and is sent, and an unknown one is reported but not blocking', async () => {
  const { calls } = show({ referral: 'known' }, { url: `${url}?ref=k7mx2pqr` });
  const field = await screen.findByLabelText<HTMLInputElement>(/Referral code/);
  expect(field.value).toBe('k7mx2pqr');
  expect(screen.getByText(/The code is valid. You get 15 credits/)).toBeTruthy();
  await fillIn();
  send();
  await screen.findByTestId('elsewhere');
  expect(calls('POST /api/auth/register')[0]?.body).toMatchObject({ referral: 'k7mx2pqr' });
  expect(calls('GET /api/auth/options')[0]?.path).toBe('/api/auth/options?ref=k7mx2pqr');
  cleanup();
  const other = show({ referral: 'unknown' }, { url: `${url}?ref=wrong` });
  expect(await screen.findByText(/This code doesn’t exist/)).toBeTruthy();
  await fillIn();
  send();
  await screen.findByTestId('elsewhere');
  expect(other.calls('POST /api/auth/register')[0]?.body).toMatchObject({ referral: 'wrong' });
  cleanup();
  show({ referral: 'off' });
  await screen.findByLabelText('Username');
  expect(screen.queryByLabelText(/Referral code/)).toBeNull();
});

test('a taken name stands at its field', async () => {
  show({}, { answer: refuse('VALIDATION_FAILED', { username: ['USERNAME_TAKEN'] }) });
  await fillIn();
  send();
  await screen.findByText('Please fix 1 field');
  expect(screen.getByLabelText('Username').getAttribute('aria-invalid')).toBe('true');
});

test('the counter of the password follows', async () => {
  show({});
  const field = await screen.findByLabelText('Password');
  type(field, 'seven!!');
  expect(screen.getByText('7 / 10').parentElement?.hasAttribute('data-enough')).toBe(false);
  type(field, 'ten chars!');
  expect(screen.getByText('10 / 10').parentElement?.hasAttribute('data-enough')).toBe(true);
});

test('the set-up link makes the owner and sends its token', async () => {
  const { calls } = show({ empty: true, setup_valid: true, registration: false }, { url: `${url}?setup=tok` });
  expect(await screen.findByRole('heading', { name: 'Set up this host' })).toBeTruthy();
  await fillIn();
  send();
  await screen.findByTestId('elsewhere');
  expect(calls('POST /api/auth/register')[0]?.body).toMatchObject({ setup: 'tok' });
  expect(calls('GET /api/auth/options')[0]?.path).toBe('/api/auth/options?setup=tok');
});

test('a used link offers an ordinary account, and an invalid one says where to find another', async () => {
  show({}, { url: `${url}?setup=old` });
  expect(await screen.findByRole('link', { name: 'Create a regular account' })).toBeTruthy();
  cleanup();
  show({ empty: true }, { url: `${url}?setup=cut` });
  expect(await screen.findByText(/incomplete/)).toBeTruthy();
  expect(screen.queryByLabelText('Username')).toBeNull();
});

test('nobody registers without the link before there is an owner', async () => {
  show({ empty: true });
  expect(await screen.findByRole('heading', { name: 'Waiting for the owner' })).toBeTruthy();
  expect(screen.queryByLabelText('Username')).toBeNull();
});

test('closed registration is said', async () => {
  show({ registration: false });
  expect(await screen.findByRole('heading', { name: 'Registration is closed' })).toBeTruthy();
});
