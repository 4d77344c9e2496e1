import { expect, test } from 'bun:test';
import { challengeCheck } from './challenge.ts';

async function codeFor(challenge: string, siteKey = '', secret = ''): Promise<string> {
  const settings = { current: () => ({ challenge, turnstile_site_key: siteKey, turnstile_secret: secret }) };
  const found = await challengeCheck({ settings }).run(new AbortController().signal);
  return [found].flat()[0]?.code ?? '';
}

test('Turnstile’s keys for trying it out are a warning, as long as it is the challenge', async () => {
  const own = ['0x4AAAAAAA-own-site-key', '0x4AAAAAAA-own-secret-key-000000000'] as const;
  expect(await codeFor('turnstile', ...own)).toBe('ok');
  for (const secret of [1, 2, 3].map((first) => `${first}x0000000000000000000000000000000AA`))
    expect([secret, await codeFor('turnstile', own[0], secret)]).toEqual([secret, 'test']);
  for (const key of ['1x00000000000000000000AA', '2x00000000000000000000BB', '3x00000000000000000000FF'])
    expect([key, await codeFor('turnstile', key, own[1])]).toEqual([key, 'test']);
  expect(await codeFor('altcha', '1x00000000000000000000AA')).toBe('ok');
  expect(await codeFor('off', '1x00000000000000000000AA')).toBe('none');
});
