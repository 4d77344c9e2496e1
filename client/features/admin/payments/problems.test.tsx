import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/payments');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { NOW, refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const LISTED = { rows: [], paging: { page: 1, per_page: 25, total: 0 }, elsewhere: [] };
const PROBLEMS = {
  problems: [
    {
      kind: 'event',
      id: ID(1),
      provider: 'paypal',
      order: null,
      label: null,
      type: 'CUSTOMER.DISPUTE.CREATED',
      reason: 'NOT_CARRIED_OUT',
      at: NOW,
    },
    {
      kind: 'order',
      id: ID(2),
      provider: 'stripe',
      order: ID(2),
      label: 'Starter',
      type: null,
      reason: 'AMOUNT',
      at: NOW,
    },
  ],
};
const url = '/mc-admin/payments';
const answers = { 'GET /api/admin/payments': LISTED, 'GET /api/admin/payments/problems': PROBLEMS };
const staff = { session: { permissions: ['admin.payments.list', 'admin.payments.view', 'admin.payments.edit'] } };

test('a problem says what is wrong, links to its order, and can be retried', async () => {
  const { calls } = showScreen(list, {
    url,
    answers: {
      ...answers,
      [`POST /api/admin/payment-events/${ID(1)}/retry`]: {},
      [`POST /api/admin/payments/${ID(2)}/check`]: () => refuse('CONFLICT'),
    },
    ...staff,
  });
  expect((await screen.findByRole('link', { name: 'Starter' })).getAttribute('href')).toBe(
    `/mc-admin/payments/${ID(2)}`,
  );
  expect(screen.getByText(/The provider’s event couldn’t be processed for two days/)).toBeTruthy();
  expect(screen.getByText(/The amount differs/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try again: Unknown order' }));
  expect(await screen.findByText('Trying again.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try again: Starter' }));
  expect((await screen.findByRole('alert')).textContent).toBe(errors.CONFLICT);
  expect([
    calls(`POST /api/admin/payment-events/${ID(1)}/retry`).length,
    calls(`POST /api/admin/payments/${ID(2)}/check`).length,
  ]).toEqual([1, 1]);
});

test('nothing is tried without the right to change users, and without problems there is no card', async () => {
  showScreen(list, { url, answers, session: { permissions: ['admin.payments.list'] } });
  expect(await screen.findByText('Needs attention')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Try again/ })).toBeNull();
  cleanup();
  showScreen(list, { url, answers: { ...answers, 'GET /api/admin/payments/problems': { problems: [] } }, ...staff });
  expect(await screen.findByText('No payments yet')).toBeTruthy();
  expect(screen.queryByText('Needs attention')).toBeNull();
});

test('each problem is a form of its own, which works without scripts', () => {
  const html = serverHtml(list, { url, answers, ...staff }, { ...LISTED, ...PROBLEMS });
  expect(html).toContain('name="_intent" value="event"');
  expect(html).toContain(`name="id" value="${ID(2)}"`);
});

test('E1 a payment of an unknown order says so, and links staff who may credit it to its page', async () => {
  const unknown = {
    problems: [
      {
        kind: 'event',
        id: ID(3),
        provider: 'stripe',
        order: null,
        label: null,
        type: 'checkout.session.completed',
        reason: 'UNKNOWN_ORDER',
        at: NOW,
      },
    ],
  };
  showScreen(list, { url, answers: { ...answers, 'GET /api/admin/payments/problems': unknown }, ...staff });
  expect((await screen.findByRole('link', { name: 'Review: Unknown order' })).getAttribute('href')).toBe(
    `/mc-admin/payments/unknown/${ID(3)}`,
  );
  expect(screen.getByText(/Someone paid, but their order isn’t known here/)).toBeTruthy();
  expect(screen.queryByText(/UNKNOWN_ORDER/)).toBeNull();
  cleanup();
  showScreen(list, {
    url,
    answers: { ...answers, 'GET /api/admin/payments/problems': unknown },
    session: { permissions: ['admin.payments.list'] },
  });
  expect(await screen.findByText('Unknown order')).toBeTruthy();
  expect(screen.queryByRole('link', { name: /Review/ })).toBeNull();
});
