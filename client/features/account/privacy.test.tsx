import { afterEach, describe, expect, test } from 'bun:test';
import { DEFAULT_PRIVACY } from '#shared/profile.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { NO_PASSKEYS, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const ROLE = { name: 'Member', color: '#888888' };
const NO_DELETION = { due_at: null, servers: [], credits: 0, last_owner: false };

describe('what one shows of oneself', () => {
  const data = {
    tab: 'privacy',
    account: {},
    sessions: null,
    statement: null,
    privacy: { ...DEFAULT_PRIVACY, fields: ['afk'], background: 'dusk', role: ROLE, supporter: false },
  };
  test('the form holds what was chosen', () => {
    const html = serverHtml(account, { url: '/account?tab=privacy' }, data);
    expect(html).toMatch(
      /<input[^>]*name="fields"[^>]*checked=""[^>]*value="afk"|<input[^>]*checked=""[^>]*name="fields"[^>]*value="afk"|<input[^>]*name="fields"[^>]*value="afk"[^>]*checked=""/,
    );
    expect(html.match(/name="fields"/g)).toHaveLength(9);
    expect(html).toContain('name="_intent" value="privacy"');
    expect(html).toContain('href="/profile/u1"');
  });

  test('the badge of early supporters is a choice of those who have it, and stays chosen for the others', () => {
    const html = (supporter: boolean, fields: string[]) =>
      serverHtml(
        account,
        { url: '/account?tab=privacy' },
        { ...data, privacy: { ...DEFAULT_PRIVACY, fields, role: ROLE, supporter } },
      );
    expect(html(true, [])).toContain('Early supporter badge');
    expect(html(false, ['supporter'])).not.toContain('Early supporter badge');
    expect(html(false, ['supporter'])).toMatch(/<input[^>]*type="hidden"[^>]*name="fields"[^>]*value="supporter"/);
    expect(html(false, [])).not.toContain('value="supporter"');
  });

  test('a player chooses among the badges that are theirs', () => {
    const html = (supporter: boolean) =>
      serverHtml(
        account,
        { url: '/account?tab=privacy' },
        { ...data, privacy: { ...DEFAULT_PRIVACY, badge: 'role', role: ROLE, supporter } },
      );
    const radios = (page: string) => page.match(/<input[^>]*name="badge"[^>]*>/g) ?? [];
    expect(radios(html(false))).toHaveLength(2);
    expect(radios(html(true))).toHaveLength(3);
    expect(radios(html(true)).map((radio) => radio.includes('checked'))).toEqual([false, true, false]);
    expect(html(true)).toContain(ROLE.name);
  });

  test('the form sends all of it', async () => {
    const me = {
      username: 'm',
      email: 'm@x.y',
      first_name: 'M',
      last_name: 'V',
      locale: 'en',
      verified: true,
      has_password: true,
      role: { name: 'Member', color: '#888888' },
      created_at: '2026-08-12T10:00:00.000Z',
      skin: null,
    };
    const { calls } = showScreen(account, {
      url: '/account?tab=privacy',
      answers: {
        'GET /api/account': me,
        'GET /api/account/privacy': { ...DEFAULT_PRIVACY, role: ROLE, supporter: false },
        'GET /api/account/deletion': NO_DELETION,
        'GET /api/account/passkeys': NO_PASSKEYS,
        'GET /api/account/export': { export: null },
        'PUT /api/account/privacy': {},
      },
    });
    fireEvent.click(await screen.findByRole('switch', { name: /^Show me on the leaderboard/ }));
    fireEvent.click(screen.getByRole('checkbox', { name: 'Credits' }));
    fireEvent.click(screen.getByRole('radio', { name: 'Ember' }));
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Saved.')).toBeTruthy();
    expect(calls('PUT /api/account/privacy')[0]?.body).toEqual({
      leaderboard: false,
      profile: true,
      fields: ['role', 'since', 'skin', 'credits', 'afk', 'servers', 'supporter'],
      avatar: 'letters',
      background: 'ember',
      badge: 'none',
    });
  });
});
