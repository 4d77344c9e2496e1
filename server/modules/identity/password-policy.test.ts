import { describe, expect, test } from 'bun:test';
import { COMMON_PASSWORDS } from './common-passwords.ts';
import { isCommonPassword } from './password-policy.ts';

describe('common passwords', () => {
  test('the list holds a thousand, each long enough to be a password at all', () => {
    expect(COMMON_PASSWORDS.size).toBe(1000);
    for (const entry of COMMON_PASSWORDS) expect(entry.length).toBeGreaterThanOrEqual(10);
  });

  test.each([
    'qwertyuiop',
    'Manchester',
    'manchester1!',
    'P@ssw0rd2024',
    'password2024!!',
    '1234567890',
    '9876543210',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'abcdefghijkl',
    'asdfghjkl123',
    'Minecraft2026',
    'spawnpoint99',
    'dragon123456',
    '1111111112',
    'letmein!!!!!',
  ])('the password %s is refused', (password) => {
    expect(isCommonPassword(password, [])).toBe(true);
  });

  test.each(['mirela.v2024', '2024Mirela.V', 'mirela.vmirela.v'])(
    '%s is little more than the user name',
    (password) => {
      expect(isCommonPassword(password, ['mirela.v', 'mirela@mail.example'])).toBe(true);
    },
  );

  test.each([
    'correct horse battery',
    'tr0ub4dor&3-lamp',
    'mirela.v likes blue pens',
    'x7!kPq_mZ2w',
    'ßäöü-grün-42-Zug',
    '8f3k2j5h9d',
  ])('the password %s is taken', (password) => {
    expect(isCommonPassword(password, ['mirela.v'])).toBe(false);
  });
});
