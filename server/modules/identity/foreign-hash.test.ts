import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createPasswords } from '#server/identity-providers/passwords.ts';
import { isForeignHash, isUsableForeignHash } from '#shared/foreign-hash.ts';
import { codeOf } from '#tests/support/coins.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';

let h: Harness;
beforeEach(async () => {
  h = await openHarness();
});
afterEach(() => h.close());

/** A bcrypt hash as PHP writes it. */
async function phpHash(password: string | Uint8Array): Promise<string> {
  const hash = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 });
  return hash.replace(/^\$2b\$/, '$2y$');
}
const storedHash = async (id: string) =>
  (await h.db.sql<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = ?', [id]))[0]?.password_hash;

describe('log-in with a hash of another dashboard', () => {
  test('the old password opens a session once, after which the account has a hash of our own, and still opens it', async () => {
    const ann = await h.person('ann');
    await h.db.sql('UPDATE users SET password_hash = ? WHERE id = ?', [await phpHash('kätzchen 7'), ann.id]);
    expect(await codeOf(h.guest.auth.login({ body: { login: 'ann', password: 'kätzchen 8' } }))).toBe('LOGIN_FAILED');
    expect(isForeignHash((await storedHash(ann.id)) ?? null)).toBe(true);
    await h.guest.auth.login({ body: { login: 'ann', password: 'kätzchen 7' } });
    expect(await storedHash(ann.id)).toStartWith('$argon2id$');
    await h.guest.auth.login({ body: { login: 'ann', password: 'kätzchen 7' } });
  });

  test('a password of more than 72 bytes is read as PHP and Node read it', async () => {
    const passwords = createPasswords();
    const long = 'ü'.repeat(50);
    const hash = await phpHash(new TextEncoder().encode(long).slice(0, 72));
    expect(await passwords.verify(long, hash)).toBe(true);
    expect(await passwords.verify('ü'.repeat(35), hash)).toBe(false);
  });

  test('a hash that would keep a log-in busy for hours, or is none, is not taken over', () => {
    const body = 'a'.repeat(53);
    expect(['$2y$10$', '$2a$04$', '$2b$14$'].every((head) => isUsableForeignHash(head + body))).toBe(true);
    for (const hash of [
      `$2y$31$${body}`,
      `$2y$15$${body}`,
      `$2y$03$${body}`,
      `$2x$10$${body}`,
      '$2y$10$short',
      '',
      'md5',
    ])
      expect(isUsableForeignHash(hash)).toBe(false);
  });
});
