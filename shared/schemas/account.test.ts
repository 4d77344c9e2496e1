import { expect, test } from 'bun:test';
import { email } from './account.ts';

/** Domain of so many letters in all, in labels that a name server takes. */
const domain = (letters: number) => `${'a'.repeat(50)}.${'b'.repeat(50)}.${'c'.repeat(letters - 102)}`;

// What a panel answered 422 to (measured).
test.each([
  'a..b@x.example',
  '.a@x.example',
  'a.@x.example',
  'a@-x.example',
  'a@x-.example',
  'a@x_y.example',
  'a@.x.example',
  'a@x..example',
  `a@${domain(190)}`,
  `${'a'.repeat(65)}@x.example`,
  'a@b',
  'a b@x.example',
  'a@x.e',
])('P4 the name %s, which panels refuse, is refused at registration', (text) => {
  expect(email.safeParse(text).success).toBe(false);
});

test.each([
  'a@x.example',
  'a.b-c_d+e@x-y.example',
  'ü@münchen.de',
  "o'neil@x.example",
  'a@x.xn--p1ai',
  `${'a'.repeat(64)}@x.example`,
  `a@${domain(189)}`,
  ' a@x.example ',
])('P4 the name %s, which panels take, is taken', (text) => {
  expect(email.safeParse(text).success).toBe(true);
});
