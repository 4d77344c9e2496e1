import { totp } from '#server/identity-providers/totp.ts';
import type { IdentityDeps } from '#server/modules/identity/deps.ts';
import type { Passwords } from '#server/modules/identity/ports.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';
import type { Harness } from './harness.ts';
import { testSealer } from './sealing.ts';

/** Passwords whose hash is readable, so that a test of what happens around them waits for no hash. */
export const plainPasswords: Passwords = {
  hash: async (password) => `plain:${password}`,
  verify: async (password, hash) => hash === `plain:${password}`,
};

/**
 * A unit of work whose every statement begins a moment late: what a command forgets to wait for comes after the end of
 * its transaction, where it fails.
 */
export function lateUow(uow: UnitOfWork): UnitOfWork {
  return {
    run: (work) => uow.run((tx) => work(late(tx))),
    read: (work) => uow.read((tx) => work(late(tx))),
  };
}

function late(tx: Tx): Tx {
  return new Proxy(tx, {
    get(target, name: keyof Tx) {
      const part: unknown = target[name];
      if (typeof part !== 'object' || part === null) return part;
      return new Proxy(part, {
        get: (repo, method) => {
          const call: unknown = Reflect.get(repo, method);
          if (typeof call !== 'function') return call;
          return async (...given: unknown[]): Promise<unknown> => {
            await new Promise((resolve) => setImmediate(resolve));
            return Reflect.apply(call, repo, given) as unknown;
          };
        },
      });
    },
  });
}

/** What the parts of identity are made of in a harness: its services, with readable passwords and late statements. */
export function identityDeps(harness: Harness, over: Partial<IdentityDeps> = {}): IdentityDeps {
  return {
    ...harness.host.services,
    uow: lateUow(harness.db.uow),
    passwords: plainPasswords,
    totp,
    sealer: testSealer,
    ...over,
  };
}

/** Topics that are published while something is done, each once, in the order of the alphabet. */
export async function topicsDuring(harness: Harness, topics: readonly string[], work: () => Promise<unknown>) {
  const heard = new Set<string>();
  const stops = topics.map((topic) => harness.db.bus.subscribe(topic, () => void heard.add(topic)));
  await work();
  for (const stop of stops) stop();
  return [...heard].sort();
}
