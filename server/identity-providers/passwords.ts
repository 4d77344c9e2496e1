import { isForeignHash } from '#shared/foreign-hash.ts';
import type { Passwords } from '#server/modules/identity/ports.ts';
import { DomainError } from '#shared/errors.ts';
import { createHashThreads, type HashQuestion, type SpawnHashing } from './hash-threads.ts';

interface Cost {
  /** KiB of memory and number of passes of argon2id. */
  readonly memoryKib: number;
  readonly passes: number;
  /** Hashes computed at once, and callers that may wait beyond them. */
  readonly parallel: number;
  readonly waiting: number;
}
/** Hashes at once: as many as there are cores beside the one that answers everybody, four at most. */
const PARALLEL = Math.max(1, Math.min(4, navigator.hardwareConcurrency - 1));
/**
 * OWASP's recommendation for argon2id (19 MiB, two passes); few at once and sixty-four waiting bound memory and delay
 * (attacks T52).
 */
const DEFAULT_COST: Cost = { memoryKib: 19_456, passes: 2, parallel: PARALLEL, waiting: 64 };

/**
 * Hashes and checks passwords with argon2id: on threads of their own where `spawn` starts them, otherwise on those that
 * the program has anyway. Throws SERVER_UNAVAILABLE where too many wait already.
 */
export function createPasswords(cost: Cost = DEFAULT_COST, spawn?: SpawnHashing): Passwords {
  const limited = createConcurrencyLimit(cost.parallel, cost.waiting);
  const ask = spawn ? createHashThreads(spawn) : askHere;
  const how = { algorithm: 'argon2id', memoryCost: cost.memoryKib, timeCost: cost.passes } as const;
  const hash = async (password: string) => String(await ask({ password, how }));
  let dummy: Promise<string> | null = null;
  /** The first to check a password makes it, whoever they are: nobody learns from the time whether a user exists. */
  function getDummy(): Promise<string> {
    dummy ??= hash('a password that nobody has').catch((error: unknown) => {
      dummy = null;
      throw error;
    });
    return dummy;
  }
  return {
    hash: (password) => limited(() => hash(password)),
    verify: (password, stored) =>
      limited(async () => {
        const nobodys = await getDummy();
        // '' is the hash of nobody's password: that of who signs in elsewhere.
        const right = await ask({
          password: isForeignHash(stored) ? cutForBcrypt(password) : password,
          stored: stored || nobodys,
        });
        return right === true && stored !== null && stored !== '';
      }),
  };
}

/** How many bytes of a password bcrypt reads. */
const BCRYPT_BYTES = 72;

/**
 * What bcrypt reads of a password. PHP and Node, which made the hashes that we bring along, leave out the rest; Bun
 * would hash a longer one first, and it would not match.
 */
const cutForBcrypt = (password: string): Uint8Array => new TextEncoder().encode(password).slice(0, BCRYPT_BYTES);

const askHere = (question: HashQuestion): Promise<string | boolean> =>
  'stored' in question
    ? Bun.password.verify(question.password, question.stored)
    : Bun.password.hash(question.password, question.how);

/** Lets `parallel` pieces of work run at once, first come first served, and refuses those beyond `waiting`. */
function createConcurrencyLimit(parallel: number, waiting: number) {
  const queue: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= parallel) {
      if (queue.length >= waiting) throw new DomainError('SERVER_UNAVAILABLE');
      await new Promise<void>((resolve) => void queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line; only an empty line frees it.
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
