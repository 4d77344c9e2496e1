import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account?tab=held');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);
const ME = {
  username: 'mirela.v',
  email: 'm@example.org',
  first_name: 'Mirela',
  last_name: 'V',
  locale: 'en',
  verified: true,
  has_password: true,
  role: { name: 'Member', color: '#888888' },
  created_at: '2026-01-01T00:00:00.000Z',
  skin: null,
};
const reward = {
  id: '01890000-0000-7000-8000-000000000001',
  source: 'redeem',
  amount: 40,
  subject: 'SPRING',
  state: 'open',
  release_at: null,
  held_at: '2026-11-21T18:00:00.000Z',
  decided_at: null,
  note: null,
};
const PATH = '/api/account/held-rewards';
const show = (rewards: object[], answers: object = {}) =>
  showScreen(account, {
    url: '/account?tab=held',
    answers: { 'GET /api/account': ME, [`GET ${PATH}`]: { rewards, waiting: 40 }, ...answers },
  });

test('the tab shows what waits and what became of the others', async () => {
  show([
    reward,
    { ...reward, id: 'b', state: 'released', source: 'afk', subject: null },
    { ...reward, id: 'c', state: 'rejected', source: 'link', note: 'please' },
  ]);
  expect(await screen.findAllByText('On hold')).toHaveLength(2);
  expect(screen.getByText('Paid')).toBeTruthy();
  expect(screen.getByText('Rejected')).toBeTruthy();
  expect(screen.getByText('please')).toBeTruthy();
  expect(screen.getAllByText('Add a note')).toHaveLength(1);
});

test('a note is sent with its reward; an empty one is a field error; a second one is refused', async () => {
  const { calls } = show([reward], { [`POST ${PATH}/${reward.id}/note`]: refuse('APPEAL_SENT') });
  fireEvent.click(await screen.findByText('Add a note'));
  const send = () => fireEvent.click(screen.getByRole('button', { name: 'Send note', hidden: true }));
  send();
  await waitFor(() => expect(screen.getByLabelText('Your note to the team').getAttribute('aria-invalid')).toBe('true'));
  expect(calls(`POST ${PATH}/${reward.id}/note`)).toEqual([]);
  type(screen.getByLabelText('Your note to the team'), ' We are four. ');
  send();
  expect(await screen.findByText(/You’ve already added a note to this reward/)).toBeTruthy();
  expect(calls(`POST ${PATH}/${reward.id}/note`).map(({ body }) => body)).toEqual([{ note: 'We are four.' }]);
});

test('the tab says when no reward was on hold', async () => {
  show([]);
  expect(await screen.findByText('No rewards on hold')).toBeTruthy();
});
