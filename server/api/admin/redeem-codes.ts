import type * as z from 'zod/mini';
import type { CrudHooks } from '#server/modules/crud/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import type { redeemCodeInput } from '#shared/schemas/redeem-code.ts';

type Input = z.output<typeof redeemCodeInput>;

/** 32 letters and digits that are not mistaken for each other when read aloud (Crockford's base 32). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Random signs, 5 bits each, one for each of a random token in base64url: 42, as the last sign of 32 bytes has 4 bits only. */
export function signsFrom(token: string): string {
  return Array.from(token.slice(0, 42), (sign) => ALPHABET[BASE64URL.indexOf(sign) % 32] ?? '0').join('');
}

/** A code nobody can guess: 12 signs of 5 random bits each, `XXXX-XXXX-XXXX`. In: a random token in base64url. */
function codeFrom(token: string): string {
  const signs = signsFrom(token);
  return `${signs.slice(0, 4)}-${signs.slice(4, 8)}-${signs.slice(8, 12)}`;
}

/** What redeem codes add to the generic handlers: the key they are compared by, who made them, and a code where none was typed. */
export function redeemCodeHooks(ids: Ids): CrudHooks<Input, Input> {
  return {
    async beforeCreate(_, input, ctx) {
      const code = input.code === '' ? codeFrom(ids.token()) : input.code;
      return { code, code_key: normaliseCode(code), creator_id: ctx.actor.userId, uses_count: 0 };
    },
    async beforeUpdate(_, input, before) {
      const code = input.code === '' ? String(before.code) : input.code;
      return { code, code_key: normaliseCode(code) };
    },
  };
}
