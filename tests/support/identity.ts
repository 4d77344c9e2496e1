import { totp } from '#server/identity-providers/totp.ts';
import type { IdentityDeps } from '#server/modules/identity/deps.ts';
import type { Passwords } from '#server/modules/identity/ports.ts';
import { createThrottle, type Throttle } from '#server/modules/identity/throttle.ts';
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

/** The brake on guessing in a harness. A try is refunded a moment late: who does not wait for it finds it counted. */
export function lateThrottle({ db, clock }: Harness): Throttle {
  const throttle = createThrottle({ uow: lateUow(db.uow), clock });
  return {
    ...throttle,
    async refund(...given) {
      await Bun.sleep(1);
      await throttle.refund(...given);
    },
  };
}

/** An e-mail that a command ordered: to a user, or (null) to an address. */
export interface Sent {
  readonly userId: string | null;
  readonly address: string | null;
  readonly template: string;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly uniqueKey: string | null;
}

/** A way for e-mails that notes them a moment late, inside the transaction that orders them. */
export function sentMail(sent: Sent[], isConfigured = true): IdentityDeps['mailing'] {
  const note = async (tx: Tx, mail: Sent): Promise<true> => {
    await Bun.sleep(1);
    tx.touch('mail');
    sent.push(mail);
    return true;
  };
  return {
    isConfigured: () => isConfigured,
    send: (tx, { userId, address, template, vars }) => note(tx, { userId, address, template, vars, uniqueKey: null }),
    sendTo: (tx, userId, template, vars, uniqueKey) =>
      note(tx, { userId, address: null, template, vars, uniqueKey: uniqueKey ?? null }),
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
