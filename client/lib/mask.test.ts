import { describe, expect, test } from 'bun:test';
import { createFetch } from './fetch.ts';
import { createJournal } from './journal.ts';
import { isSecretName, MASK, maskBody, maskLine, maskText, maskUrl, maskValue } from '#shared/mask.ts';
import { recordPageEvents } from './watch.ts';

const SECRET = 'plough lantern meadow seven';

describe('names', () => {
  const secret = [
    'password',
    'new_password',
    'currentPassword',
    'PASSWORD',
    'passphrase',
    'code',
    'recovery_codes',
    'totp',
    'otp',
    'token',
    'session_token',
    'user_token',
    'api_key',
    'apiKey',
    'key',
    '_key',
    'client_secret',
    'Authorization',
    'Set-Cookie',
    'csrf',
    'setup',
    'pin',
    'licence-key',
    'stripe.secret',
  ];
  const open = [
    'error_code',
    'status_code',
    'zipcode',
    'country_code',
    'keyboard',
    'name',
    'username',
    'passenger',
    'email',
    'credits',
    'author',
    'hashtag',
    'egg',
    'monkey',
    'decode',
    'pinned',
  ];
  test.each(secret.map((name) => [name]))('the name %s is secret', (name) => expect(isSecretName(name)).toBe(true));
  test.each(open.map((name) => [name]))('the name %s is not secret', (name) => expect(isSecretName(name)).toBe(false));
});

describe('values', () => {
  test('types stay, secrets go, at any depth', () => {
    expect(
      maskValue({
        login: 'mirela',
        password: SECRET,
        totp: 123456,
        nested: [{ recovery_codes: ['a', 'b'], password_set: true, none: null }],
        key: { id: 7, text: 'x' },
      }),
    ).toEqual({
      login: 'mirela',
      password: MASK,
      totp: 0,
      nested: [{ recovery_codes: [MASK, MASK], password_set: true, none: null }],
      key: { id: 0, text: MASK },
    });
  });

  test('a masked cycle ends', () => {
    const round: Record<string, unknown> = { name: 'a' };
    round.self = round;
    expect(JSON.stringify(maskValue(round))).toContain('…');
  });

  test('bodies of JSON, forms, and JSON that was cut off are masked', () => {
    expect(maskBody('{"login":"mirela","password":"x y"}')).toBe(`{"login":"mirela","password":"${MASK}"}`);
    expect(maskBody('login=mirela&password=x+y&remember=1', 'application/x-www-form-urlencoded')).toBe(
      `login=mirela&password=${MASK}&remember=1`,
    );
    const broken = maskBody(`{"login":"mirela","password":"${SECRET}","recovery_codes":["one two","three`);
    expect(broken).toContain('"login":"mirela"');
    for (const word of [...SECRET.split(' '), 'one', 'three']) expect(broken).not.toContain(word);
  });

  test('a long body is cut', () => expect(maskBody('word '.repeat(10_000)).length).toBeLessThan(20_100));

  test('loose text is masked: cookies, headers, code, queries, opaque words', () => {
    expect(maskText('user_token=1; locale=EN')).toBe(`user_token=${MASK}; locale=EN`);
    expect(maskText('Authorization: Bearer abc.def')).toBe(`Authorization: ${MASK}`);
    expect(maskText(`const password = "${SECRET}"`)).toBe(`const password = "${MASK}"`);
    expect(maskText('failed at https://host/x?token=abc&page=2')).toBe(`failed at https://host/x?token=${MASK}&page=2`);
    expect(maskText('got q8Xn3rT0aa1bC5dE7fG9hJ2kL4mN6pR8')).toBe(`got ${MASK}`);
    expect(maskText('server 0193c7e4-88d1-7000-8000-00000000000a')).toBe('server 0193c7e4-88d1-7000-8000-00000000000a');
    expect(maskText('an internationalisationsausschuss-sitzung')).toBe('an internationalisationsausschuss-sitzung');
    expect(maskText('error_code=LOGIN_FAILED')).toBe('error_code=LOGIN_FAILED');
  });

  test('addresses are masked: query, fragment, path, user', () => {
    expect(maskUrl('/auth/register?setup=abc&page=2#token=def')).toBe(
      `/auth/register?setup=${MASK}&page=2#token=${MASK}`,
    );
    expect(maskUrl('/auth/verify/q8Xn3rT0aa1bC5dE7fG9hJ2kL4mN6pR8')).toBe(`/auth/verify/${MASK}`);
    expect(maskUrl('https://me:pw@host/api/servers/0193c7e4-88d1-7000-8000-00000000000a')).toBe(
      `https://${MASK}@host/api/servers/0193c7e4-88d1-7000-8000-00000000000a`,
    );
    expect(maskUrl('/api/x?%74oken=abc')).toBe(`/api/x?%74oken=${MASK}`);
  });

  test('lines of the console are masked', () =>
    expect(maskLine(['saved', { password: SECRET, n: 1 }, 3])).toBe(`saved {"password":"${MASK}","n":1} 3`));
});

test('T50 secrets never get into the journal by requests, responses, errors or the console', async () => {
  const journal = createJournal(() => 0);
  const secrets = [SECRET, '849-201', 'q8Xn3rT0aa1bC5dE7fG9hJ2kL4mN6pR8', 'sk_live_51Hx', 'ABCD-EFGH'];
  const [password, code, token, key, recovery] = secrets;
  const all = {
    password,
    code,
    reset_token: token,
    api_key: key,
    recovery_codes: [recovery],
    mail: { smtp_password: password },
  };
  const answered = () => Response.json(all, { headers: { 'X-Request-Id': 'r-1' } });
  const send = createFetch(
    () => Promise.resolve(answered()),
    journal,
    () => 0,
  );
  const form = new FormData();
  for (const [name, value] of [
    ['password', password],
    ['token', token],
  ] as const)
    form.set(name, value ?? '');

  await send(`/api/x?token=${token}&code=${code}`, {
    method: 'POST',
    body: JSON.stringify(all),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
  });
  await send(`/auth/verify/${token}#key=${key}`, { method: 'POST', body: form });
  await send('/api/y', { method: 'POST', body: new URLSearchParams({ password: password ?? '', key: key ?? '' }) });
  const refused = createFetch(
    () => Promise.reject(new Error(`password=${key} token: ${token}`)),
    journal,
    () => 0,
  );
  await expect(refused('/api/z')).rejects.toThrow();

  const page = new EventTarget() as EventTarget & { console: Pick<Console, 'log' | 'info' | 'warn' | 'error'> };
  const silent = () => undefined;
  page.console = { log: silent, info: silent, warn: silent, error: silent };
  recordPageEvents(page, journal);
  page.console.log('trying', all, `code=${code}`, new Error(`"password":"${password}"`));
  page.dispatchEvent(Object.assign(new Event('error'), { error: new Error(`bad token ${token}`), message: '' }));
  page.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: all }));

  // The bodies of answers are read from copies, a moment later.
  while (journal.requests().filter(({ responseBody }) => responseBody !== '').length < 3) await Promise.resolve();
  const kept = JSON.stringify([journal.requests(), journal.errors(), journal.lines()]);
  for (const secret of secrets) expect(kept).not.toContain(String(secret));
  expect(journal.requests()).toHaveLength(4);
  expect(journal.errors()).toHaveLength(2);
  expect(journal.requests().at(-1)?.requestBody).toContain(`"password":"${MASK}"`);
});
