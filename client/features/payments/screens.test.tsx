import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import type { OrderView } from '#shared/contract/payments.ts';
import { installDom } from '#tests/support/dom.ts';
import { toMinorText } from './action.ts';

await installDom('https://panel.example/store/add-credits');
const { act, cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { NOW, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const addCredits = await import('./add-credits.tsx');
const orderScreen = await import('./order.tsx');
const receiptScreen = await import('./receipt.tsx');

afterEach(cleanup);

const ID = '0190a000-0000-7000-8000-000000000001';
const OFFER = {
  packages: [
    {
      id: ID,
      name: 'Starter',
      amount: 500,
      currency: 'EUR',
      tax: 80,
      credits: 1000,
      bonus: 200,
      providers: ['stripe', 'paypal'],
    },
  ],
  free: { currency: 'EUR', min: 100, max: 50_000, rate: 100, providers: ['stripe'] },
  providers: ['stripe', 'paypal'],
  tax_rate: 1900,
  balance: 0,
  debt: 0,
};
const ORDER: OrderView = {
  id: ID,
  code: 'K7QX-2MNP',
  provider: 'stripe',
  state: 'pending',
  label: 'Starter',
  currency: 'EUR',
  amount: 500,
  tax: 80,
  tax_rate: 1900,
  credits: 1000,
  bonus: 200,
  refunded: 0,
  pay_url: 'https://checkout.stripe.test/c/1',
  instructions: null,
  account: null,
  receipt: null,
  created_at: NOW,
  paid_at: null,
  expires_at: null,
};
const offer = (answers: Record<string, object> = {}, data: object = OFFER) =>
  showScreen(addCredits, { url: '/store/add-credits', answers: { 'GET /api/payments/offer': data, ...answers } });
const order = (over: Partial<OrderView>, answers: Record<string, object> = {}) =>
  showScreen(orderScreen, {
    url: `/store/orders/${ID}`,
    path: '/store/orders/:id',
    answers: { [`GET /api/payments/orders/${ID}`]: { order: { ...ORDER, ...over }, balance: 0 }, ...answers },
  });

test('a disputed payment leads to where the host gives help, and others do not', async () => {
  const settings = { support_url: 'https://help.lantern.example/', support_email: 'help@lantern.example' };
  const shown = (state: OrderView['state']) =>
    showScreen(orderScreen, {
      url: `/store/orders/${ID}`,
      path: '/store/orders/:id',
      settings,
      answers: { [`GET /api/payments/orders/${ID}`]: { order: { ...ORDER, state, pay_url: null }, balance: 0 } },
    });
  shown('disputed');
  expect((await screen.findByRole<HTMLAnchorElement>('link', { name: 'Get help' })).href).toBe(settings.support_url);
  expect(screen.getByRole<HTMLAnchorElement>('link', { name: settings.support_email }).href).toStartWith('mailto:');
  cleanup();
  shown('paid');
  await screen.findByRole('heading', { name: 'Starter' });
  expect(screen.queryByRole('link', { name: 'Get help' })).toBeNull();
});

test('T11 what was shown goes with the order: price, currency, credits, and the way that was pressed', async () => {
  const { calls } = offer({ 'POST /api/payments/orders': refuse('PRICE_CHANGED') });
  fireEvent.click(await screen.findByRole('button', { name: /^Pay with PayPal.*Starter$/ }));
  expect(await screen.findByText(errors.PRICE_CHANGED)).toBeTruthy();
  const [call] = calls('POST /api/payments/orders');
  expect(call?.body).toEqual({ package_id: ID, provider: 'paypal', price_minor: 500, currency: 'EUR', credits: 1200 });
  expect(call?.key).toMatch(/^0190a000/);
});

test('a free amount says what it gives, and is sent in minor units with the rate that was shown', async () => {
  const { calls } = offer({ 'POST /api/payments/orders': refuse('VALIDATION_FAILED', { price_minor: ['TOO_SMALL'] }) });
  const field = await screen.findByLabelText('Amount in EUR');
  type(field, '12,34');
  expect(screen.getByText(/You get 1,234 credits\./)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /^Pay by card.*Custom amount$/ }));
  expect(await screen.findByText(errors.field.TOO_SMALL)).toBeTruthy();
  expect(calls('POST /api/payments/orders')[0]?.body).toEqual({
    provider: 'stripe',
    price_minor: 1234,
    currency: 'EUR',
    rate: 100,
  });
  expect((await screen.findByLabelText<HTMLInputElement>('Amount in EUR')).value).toBe('12,34');
});

test('T4 a typed amount becomes minor units only where it is a plain decimal', () => {
  expect(['5', '5.5', '5,50', ' 7 '].map((typed) => toMinorText(typed, 'EUR'))).toEqual(['500', '550', '550', '700']);
  for (const typed of ['1e3', '0x10', '-5', '5.001', '5 000', '']) expect(toMinorText(typed, 'EUR')).toBe(typed);
});

test('the page says when nothing is for sale, and shows a debt', async () => {
  offer({}, { ...OFFER, packages: [], free: null, debt: 600 });
  expect(await screen.findByText('Nothing for sale yet')).toBeTruthy();
  expect(screen.getByText(/You owe/).textContent).toContain('600');
});

test('T6 an order that waits leads to the gateway, and one that is paid to its receipt', async () => {
  order({});
  const link = await screen.findByRole('link', { name: 'Pay €5.00 now' });
  expect(link.getAttribute('href')).toBe('https://checkout.stripe.test/c/1');
  cleanup();
  order({ state: 'paid', pay_url: null, receipt: 'R-000001', paid_at: NOW });
  expect((await screen.findByRole('link', { name: 'Receipt' })).getAttribute('href')).toBe(
    `/store/orders/${ID}/receipt`,
  );
  expect(screen.queryByRole('button', { name: 'Cancel order' })).toBeNull();
});

test('an order is checked, and cancelled', async () => {
  const { calls } = order(
    {},
    { [`POST /api/payments/orders/${ID}/check`]: {}, [`POST /api/payments/orders/${ID}/cancel`]: refuse('CONFLICT') },
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Check payment' }));
  expect(await screen.findByText(/^Checking\./)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel order' }));
  expect(await screen.findByText(errors.CONFLICT)).toBeTruthy();
  expect([
    calls(`POST /api/payments/orders/${ID}/check`).length,
    calls(`POST /api/payments/orders/${ID}/cancel`).length,
  ]).toEqual([1, 1]);
});

test('a receipt is complete without scripts', async () => {
  const receipt = {
    number: 'R-000007',
    issued_at: NOW,
    order: ID,
    seller: { name: 'Lanternwood SRL', lines: ['Street 1'], vat: 'RO1' },
    customer: { name: 'Ann B', username: 'ann', email: 'ann@example.org' },
    provider: 'paypal',
    label: null,
    credits: 1000,
    bonus: 0,
    currency: 'JPY',
    net: 420,
    tax: 80,
    tax_rate: 1900,
    amount: 500,
    refunded: 100,
  };
  const html = serverHtml(
    receiptScreen,
    { url: `/store/orders/${ID}/receipt`, path: '/store/orders/:id/receipt' },
    { receipt },
  );
  for (const text of [
    'Receipt R-000007',
    'Lanternwood SRL',
    'Tax number RO1',
    'Custom amount: 1,000 credits',
    'JP¥500',
    'JP¥420',
    'Refunded',
  ])
    expect(html).toContain(text);
});

test('Screen 3 a manual payment lists amount, account and reference to copy, then the host’s instructions', async () => {
  order({
    provider: 'manual',
    pay_url: null,
    instructions: 'Say hello.\n\nCome before six.',
    account: 'DE02 1203 0000 0000 2020 51',
  });
  const steps = within(await screen.findByRole('region', { name: 'How to pay' }));
  expect(steps.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    expect.stringContaining('€5.00'),
    expect.stringContaining('DE02 1203'),
    expect.stringContaining('K7QX-2MNP'),
    'Say hello.',
    'Come before six.',
    expect.stringContaining('once the host has confirmed'),
  ]);
  const copied: string[] = [];
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
  for (const button of steps.getAllByRole('button')) await act(async () => void fireEvent.click(button));
  expect(copied).toEqual(['5.00', 'DE02 1203 0000 0000 2020 51', 'K7QX-2MNP']);
  expect(screen.getByText('Payment reference: K7QX-2MNP')).toBeTruthy();
  expect(screen.queryByText(ID)).toBeNull();
});

test('Screen 3 the first way to pay is the primary button, also where it is paying the host directly', async () => {
  offer(
    {},
    {
      ...OFFER,
      packages: OFFER.packages.map((each) => ({ ...each, providers: ['manual'] })),
      free: null,
      providers: ['manual'],
    },
  );
  expect((await screen.findByRole('button', { name: /^Pay the host directly/ })).dataset.variant).toBe('primary');
});
