import { afterEach, describe, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { NOW, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const ME = {
  username: 'mirela.v',
  email: 'mirela@example.org',
  first_name: 'Mirela',
  last_name: 'Vasile',
  locale: 'en',
  verified: true,
  confirmation: 'confirmed',
  role: { name: 'Member', color: '#888888' },
  created_at: '2026-08-12T10:00:00.000Z',
  skin: null,
};
const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const token = (n: number, over: object = {}) => ({
  id: ID(n),
  name: `Bot ${n}`,
  tail: '8uPd',
  scopes: ['servers:write', 'admin.users:read'],
  addresses: [],
  created_at: NOW,
  expires_at: null,
  expired: false,
  used_at: null,
  used_address: null,
  ...over,
});
const GRANTABLE = ['account:read', 'servers:read', 'servers:write', 'admin.payments:read'];
const SECRET = `sp_live_${'x'.repeat(43)}`;
const answers = (tokens: object[], more: object = {}) => ({
  'GET /api/account': ME,
  'GET /api/account/tokens': { tokens, grantable: GRANTABLE },
  ...more,
});

describe('API tokens', () => {
  test('the list says what each may do, when it was used, and when it ends', async () => {
    const used = token(2, {
      used_at: NOW,
      used_address: '203.0.113.7',
      expires_at: '2027-01-05T10:00:00.000Z',
      addresses: ['203.0.113.0/24'],
    });
    const over = token(3, { expires_at: NOW, expired: true });
    showScreen(account, { url: '/account?tab=tokens', answers: answers([token(1), used, over]) });
    const rows = (await screen.findAllByRole('row')).slice(1).map((row) => row.textContent);
    expect(rows[0]).toContain('Bot 1…8uPd');
    expect(rows[0]).toContain('Your servers: change');
    // A right that its owner has no more.
    expect(rows[0]).toContain('Users: read · No longer works: you lost the permission.');
    expect(rows[0]).not.toContain('Your servers: change ·');
    expect(rows[0]).toContain('Never');
    expect(rows[1]).toContain('203.0.113.7');
    expect(rows[1]).toContain('Only from 203.0.113.0/24');
    expect(rows[2]).toContain('Expired');
  });

  test('T35 a new token is shown once, with a command to try it, and what cannot be granted cannot be ticked', async () => {
    const { calls } = showScreen(account, {
      url: '/account?tab=tokens&new=1',
      answers: answers([], { 'POST /api/account/tokens': { id: ID(1), token: SECRET } }),
    });
    type(await screen.findByLabelText('Name'), 'Discord bot');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Your servers: read' }));
    expect(screen.queryByRole('checkbox', { name: /^Users/ })).toBeNull();
    expect((screen.getByRole('checkbox', { name: 'Payments: change' }) as HTMLInputElement).disabled).toBe(true);
    fireEvent.change(screen.getByLabelText(/^Expires/), { target: { value: '' } });
    fireEvent.click(screen.getByRole('button', { name: 'Create token' }));
    expect(await screen.findByText('Discord bot is ready')).toBeTruthy();
    expect(screen.getByText(SECRET)).toBeTruthy();
    expect(document.body.textContent).toContain('/api/servers');
    expect(document.body.textContent).not.toContain('New token');
    expect(calls('POST /api/account/tokens')[0]?.body).toEqual({
      name: 'Discord bot',
      scopes: ['servers:read'],
      expires_in_days: null,
      addresses: '',
    });
  });

  test('a form without a name and a scope is refused at both, and what the server refuses stands at its field', async () => {
    const { calls } = showScreen(account, {
      url: '/account?tab=tokens&new=1',
      answers: answers([], { 'POST /api/account/tokens': refuse('VALIDATION_FAILED', { addresses: ['INVALID'] }) }),
    });
    fireEvent.click(await screen.findByRole('button', { name: 'Create token' }));
    await screen.findByText('Please fix 2 fields');
    expect(calls('POST /api/account/tokens')).toEqual([]);
    type(screen.getByLabelText('Name'), 'Bot');
    type(screen.getByLabelText(/^Only from these addresses/), 'here');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Account and statement: read' }));
    fireEvent.click(screen.getByRole('button', { name: 'Create token' }));
    await screen.findByText('Please fix 1 field');
    expect(screen.getByLabelText(/^Only from these addresses/).getAttribute('aria-invalid')).toBe('true');
  });

  test('revoking asks first, and says what became of it', async () => {
    const { calls } = showScreen(account, {
      url: '/account?tab=tokens',
      answers: answers([token(1), token(2)], {
        [`DELETE /api/account/tokens/${ID(1)}`]: {},
        'DELETE /api/account/tokens': { revoked: 2 },
      }),
    });
    fireEvent.click(await screen.findByRole('button', { name: 'Revoke Bot 1' }));
    const dialog = await screen.findByRole('alertdialog');
    expect(dialog.textContent).toContain('Revoke Bot 1?');
    fireEvent.click(within(dialog).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText('Token revoked.')).toBeTruthy();
    expect(calls(`DELETE /api/account/tokens/${ID(1)}`)).toHaveLength(1);
    fireEvent.click(screen.getByRole('button', { name: 'Revoke all' }));
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Revoke all' }));
    expect(await screen.findByText('2 tokens revoked.')).toBeTruthy();
  });

  test('the refusal of a revocation is said', async () => {
    showScreen(account, {
      url: '/account?tab=tokens',
      answers: answers([token(1)], { [`DELETE /api/account/tokens/${ID(1)}`]: refuse('NOT_FOUND') }),
    });
    fireEvent.click(await screen.findByRole('button', { name: 'Revoke Bot 1' }));
    fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Revoke' }));
    expect(await screen.findByText(errors.NOT_FOUND)).toBeTruthy();
  });

  test('without tokens the page says what they are for', () => {
    const data = { tab: 'tokens', account: {}, tokens: { tokens: [], grantable: GRANTABLE } };
    const html = serverHtml(account, { url: '/account?tab=tokens' }, data);
    expect(html).toContain('No tokens yet');
    expect(html).toContain('href="/account?tab=tokens&amp;new=1"');
  });
});
