import { describe, expect, test } from 'bun:test';
import { codeOf } from '#tests/support/coins.ts';
import { createPasswords } from './passwords.ts';

const CHEAP = { memoryKib: 8, passes: 1, parallel: 1, waiting: 0 };

describe('passwords', () => {
  test('passwords are hashed with argon2id at the cost behaviour asks for, each with its own salt', async () => {
    const passwords = createPasswords();
    const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
    expect(one).toStartWith('$argon2id$v=19$m=19456,t=2,');
    expect(two).not.toBe(one);
    expect(await passwords.verify('correct horse', one)).toBe(true);
    expect(await passwords.verify('correct horsf', one)).toBe(false);
  });

  test('a thread of its own hashes and checks as well, and one that fails is replaced by another', async () => {
    let started = 0;
    const spawn = () => {
      started += 1;
      const name = started === 2 ? './no-such.worker.ts' : './hash.worker.ts';
      return new Worker(new URL(name, import.meta.url));
    };
    const passwords = createPasswords({ ...CHEAP, parallel: 2, waiting: 9 }, spawn);
    const stored = await passwords.hash('correct horse');
    expect(stored).toStartWith('$argon2id$v=19$m=8,t=1,');
    expect(await passwords.verify('correct horse', stored)).toBe(true);
    expect(await passwords.verify('correct horsf', stored)).toBe(false);
    expect(await passwords.verify('correct horse', null)).toBe(false);
    expect(started).toBe(1);
    const both = await Promise.allSettled([passwords.verify('a', stored), passwords.verify('b', stored)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await passwords.verify('x', 'not a hash').catch((error: unknown) => error)).toBeInstanceOf(Error);
    expect(await passwords.verify('correct horse', stored)).toBe(true);
    expect(started).toBe(3);
  });

  test('a user who does not exist costs the same work, and no password fits', async () => {
    const passwords = createPasswords(CHEAP);
    // With one place and nobody allowed to wait, the second call shows that the first holds the place.
    const unknown = passwords.verify('a password that nobody has', null);
    expect(await codeOf(passwords.verify('anything', null))).toBe('SERVER_UNAVAILABLE');
    expect(await unknown).toBe(false);
  });

  test('T52 only so many hashes run at once, so many wait, the rest are refused for now, and the line then empties in order', async () => {
    const passwords = createPasswords({ ...CHEAP, parallel: 2, waiting: 3 });
    const done: number[] = [];
    const codes = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        codeOf(
          (async () => {
            await passwords.hash(`password ${i}`);
            done.push(i);
          })(),
        ),
      ),
    );
    expect(codes).toEqual([
      null,
      null,
      null,
      null,
      null,
      'SERVER_UNAVAILABLE',
      'SERVER_UNAVAILABLE',
      'SERVER_UNAVAILABLE',
    ]);
    expect(done.toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect(await codeOf(passwords.hash('afterwards'))).toBeNull();
  });

  test('T52 a failing hash frees its slot', async () => {
    const passwords = createPasswords(CHEAP);
    for (let i = 0; i < 3; i += 1) await passwords.verify('x', 'not a hash').catch(() => undefined);
    expect(await passwords.verify('x', await passwords.hash('x'))).toBe(true);
  });
});
