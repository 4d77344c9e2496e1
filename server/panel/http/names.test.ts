import { describe, expect, test } from 'bun:test';
import { namesOf } from './names.ts';

const ID = '0192f3a1-5c6d-7abc-8def-0123456789ab';
const user = (username: string, change: object = {}) => ({
  externalId: ID,
  username,
  email: 'a@example.test',
  firstName: 'Ada',
  lastName: 'Builder',
  ...change,
});
/** The panel's rule (panel contract, section 3). */
const VALID = /^[a-z0-9][a-z0-9_.-]{1,189}[a-z0-9]$/;

describe('names for the panel', () => {
  test.each([
    ['Alex_01', 'alex_01'],
    ['.dots.', 'dots'],
    ['--a-b--', 'a-b'],
    ['Éric', 'eric'],
    ['Jo', 'jo_6789ab'],
    ['..', 'user_6789ab'],
    ['игрок', 'user_6789ab'],
    ['玩家', 'user_6789ab'],
    ['ß', 'user_6789ab'],
    ['a'.repeat(300), 'a'.repeat(60)],
    [`${'b'.repeat(59)}-x`, 'b'.repeat(59)],
    ['mail@example.test', 'mailexample.test'],
  ])('the name %s becomes %s', (ours, theirs) => {
    expect(namesOf(user(ours)).usernames[0]).toBe(theirs);
  });

  test('every name of every list is one the panel takes, and the later ones distinguish two alike', () => {
    for (const name of ['Alex_01', 'Jo', '玩家', '._-', 'a'.repeat(300)]) {
      const mine = namesOf(user(name)).usernames;
      const other = namesOf({ ...user(name), externalId: '0192f3a1-5c6d-7abc-8def-ba9876543210' }).usernames;
      for (const each of mine) expect(each).toMatch(VALID);
      expect(mine.slice(1).filter((each) => other.includes(each))).toEqual([]);
      expect(new Set(mine).size).toBe(mine.length);
    }
  });

  test('a user without a second name gets a filler, one without any the username', () => {
    expect(namesOf(user('alex', { lastName: '  ' }))).toMatchObject({ firstName: 'Ada', lastName: '-' });
    expect(namesOf(user('alex', { firstName: '', lastName: '' }))).toMatchObject({ firstName: 'alex', lastName: '-' });
    expect(namesOf(user('alex', { firstName: `A\u0000\n\u202Eb${'c'.repeat(300)}` })).firstName).toBe(
      `A b${'c'.repeat(188)}`,
    );
  });
});
