import { createChallenge, randomInt, verifySolution, type Challenge, type Solution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import * as z from 'zod/mini';
import type { PuzzleFault, Puzzles } from '#server/modules/challenge/index.ts';

const ALGORITHM = 'PBKDF2/SHA-256';
/**
 * Tries a browser needs, from this to twice as many: with 5000 rounds each about a second on a desktop, three on a
 * phone.
 */
const TRIES = 250;
/** Longest answer that is decoded, in bytes of JSON (services, altcha: 4 KB). */
const ANSWER_MAX = 4 * 1024;

const hex = z.string().check(z.regex(/^(?:[0-9a-f]{2}){1,128}$/));
const answerShape = z.strictObject({
  challenge: z.strictObject({
    parameters: z.strictObject({
      algorithm: z.literal(ALGORITHM),
      cost: z.int(),
      data: z.strictObject({ action: z.string(), holder: z.string(), until: z.int() }),
      keyLength: z.int(),
      keyPrefix: hex,
      keySignature: hex,
      nonce: hex,
      salt: hex,
    }),
    signature: hex,
  }),
  solution: z.object({ counter: z.int(), derivedKey: hex }),
});

/**
 * ALTCHA's proof of work (services, altcha): the server picks how many tries it takes, so every visitor works about as
 * long, and checking is two hashes. What it guards, whose browser it was made for and when it ends are signed with it.
 * In: the two secrets, different from one another.
 */
export function createPuzzles(secrets: { readonly signature: string; readonly key: string }): Puzzles {
  return {
    async make({ action, holder, cost, expiresMs }) {
      const challenge = await createChallenge({
        algorithm: ALGORITHM,
        cost,
        deriveKey,
        counter: randomInt(TRIES * 2, TRIES),
        data: { action, holder, until: expiresMs },
        hmacSignatureSecret: secrets.signature,
        hmacKeySignatureSecret: secrets.key,
      });
      return JSON.stringify(challenge);
    },
    async check(answer, { action, holder, nowMs }) {
      const fault = (code: PuzzleFault) => ({ fault: code });
      const parsed = answerShape.safeParse(decoded(answer));
      if (!parsed.success) return fault('malformed');
      const { challenge, solution } = parsed.data;
      const checked = await verifySolution({
        challenge: challenge satisfies Challenge,
        solution: { ...solution, time: 0 } satisfies Solution,
        deriveKey,
        hmacSignatureSecret: secrets.signature,
        hmacKeySignatureSecret: secrets.key,
      });
      if (checked.invalidSignature) return fault('signature');
      const { data, nonce } = challenge.parameters;
      if (data.until <= nowMs) return fault('expired');
      if (data.action !== action || data.holder !== holder) return fault('bound');
      return checked.verified ? { id: nonce, expiresMs: data.until } : fault('solution');
    },
  };
}

/** The JSON in a base64 text; undefined for what is none. */
function decoded(text: string): unknown {
  if (text.length > (ANSWER_MAX / 3) * 4 + 4 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
