import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { openPages, type Pages } from '#tests/support/pages.ts';

let harness: Harness;
let pages: Pages;

beforeAll(async () => {
  harness = await openHarness();
  pages = await openPages(harness);
  await harness.person('mirela.v');
});
afterAll(() => harness.close());

const NEXT = 'plough lantern meadow seven';
const FORGOT = '/auth/forgot-password';
const html = async (response: Response | Promise<Response>) => (await response).text();
const letters = () =>
  harness.db.sql<{ text: string }>("SELECT text FROM mails WHERE template = 'passwordReset' ORDER BY id");

describe('a forgotten password without scripts', () => {
  test('a visitor goes from the log-in to the e-mail, to the new password, and back to the log-in', async () => {
    expect(await html(pages.get('/auth/login'))).toContain(`href="${FORGOT}"`);
    const form = await html(pages.get(FORGOT));
    expect(form).toContain('method="post"');
    expect(form).toContain('name="login"');
    const sent = await pages.post(FORGOT, { login: 'mirela.v' });
    expect(sent.status).toBe(200);
    expect(await sent.text()).toContain('Ask for your link');
    await harness.drainJobs();

    const path =
      /https:\/\/panel\.example\.com(\/auth\/reset-password\?token=[\w-]+)/.exec(
        (await letters())[0]?.text ?? '',
      )?.[1] ?? '';
    const token = path.slice(path.indexOf('=') + 1);
    const opened = await html(pages.get(path));
    expect(opened).toContain('Set a new password');
    expect(opened).toContain(`name="token" value="${token}"`);
    expect(await harness.db.sql('SELECT id FROM one_time_tokens WHERE used_ms IS NOT NULL')).toEqual([]);

    const refused = await html(pages.post(path, { token, password: 'short' }));
    expect(refused).toContain('aria-invalid="true"');
    expect(refused).not.toContain('value="short"');

    const done = await pages.post(path, { token, password: NEXT });
    expect([
      done.status,
      done.headers.get('location'),
      done.headers.getSetCookie().filter((line) => line.includes('spawnpoint=')),
    ]).toEqual([302, '/auth/login?reset=done', []]);
    expect(await html(pages.get('/auth/login?reset=done'))).toContain('Your new password is set.');
    const entered = await pages.post('/auth/login?reset=done', { login: 'mirela.v', password: NEXT });
    expect([entered.status, entered.headers.get('location')]).toEqual([302, '/dashboard']);
    expect(await html(pages.get(path))).toContain('This link no longer works');
  });

  test('T36 the page after the form is the same for a name that nobody has', async () => {
    const page = async (login: string) => {
      const text = await html(pages.post(FORGOT, { login }));
      return /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1]?.replaceAll(login, 'NAME');
    };
    const known = await page('mirela.v');
    expect(known).toContain('NAME');
    expect(await page('nobody.n')).toBe(known);
  });

  test('T54 what was typed never becomes markup', async () => {
    expect(await html(pages.post(FORGOT, { login: '<script>alert(1)</script>' }))).not.toContain('<script>alert(1)');
    expect(
      await html(pages.get('/auth/reset-password?token=%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E')),
    ).not.toContain('<script>alert(1)');
  });

  test('T37 a form from elsewhere is refused', async () => {
    for (const path of [FORGOT, '/auth/reset-password']) {
      expect(
        (await harness.http(path, { method: 'POST', headers: { Origin: 'https://elsewhere.example' } })).status,
      ).toBe(403);
    }
  });

  test.each([
    ['no token', ''],
    ['an empty one', '?token='],
    ['a guess', '?token=guess'],
    ['a long one', `?token=${'x'.repeat(500)}`],
  ])('a link with %s leads to a new e-mail', async (_, query) => {
    const response = await pages.get(`/auth/reset-password${query}`);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('This link no longer works');
    expect(text).toContain(`href="${FORGOT}"`);
    expect(text).not.toContain('name="password"');
  });
});

test('/auth/sso says that there is no other way to log in, and the log-in does not lead there', async () => {
  const response = await pages.get('/auth/sso');
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('No other way to log in');
  expect(text).toContain('href="/auth/login"');
  expect(await html(pages.get('/auth/login'))).not.toContain('href="/auth/sso"');
});
