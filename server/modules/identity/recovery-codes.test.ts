import { expect, test } from 'bun:test';
import { generateRecoveryCodes, normalizeCode } from './recovery-codes.ts';

test('T32 a set is ten codes of twice five signs, a sign for each of ten bytes of chance', () => {
  let made = 0;
  const token = () => {
    made += 1;
    return Buffer.from(Array.from({ length: 32 }, (_, at) => at + made - 1)).toString('base64url');
  };
  const codes = generateRecoveryCodes({ token });
  expect(codes).toHaveLength(10);
  expect(codes.slice(0, 2)).toEqual(['ABCDE-FGHJK', 'BCDEF-GHJKL']);
  expect(new Set(codes).size).toBe(10);
  // Bytes are spread evenly over 32 signs, none of which looks like another.
  const [last] = generateRecoveryCodes({ token: () => Buffer.alloc(32, 255).toString('base64url') });
  expect(last).toBe('99999-99999');
});

test('a typed code is read without spaces and dashes, in either case', () => {
  expect(normalizeCode(' k7q2m - 9xw4d ')).toBe('K7Q2M9XW4D');
});
