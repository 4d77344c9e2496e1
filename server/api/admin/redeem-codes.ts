import type { CrudHooks } from '#server/modules/crud/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import { assertAmount } from '#server/modules/permit.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import type { RedeemCodeInput } from '#shared/resources/redeem-codes.ts';
import type { SettingValues } from '#shared/settings.ts';
import { readableCode } from '#shared/readable-code.ts';

interface Deps {
  readonly ids: Ids;
  readonly settings: { current(): SettingValues };
}
/** A code nobody can guess: 12 signs of 5 random bits each, `XXXX-XXXX-XXXX`. In: a random token in base64url. */
function codeFrom(token: string): string {
  const signs = readableCode(token);
  return `${signs.slice(0, 4)}-${signs.slice(4, 8)}-${signs.slice(8, 12)}`;
}

/**
 * What redeem codes add to the generic handlers: the key they are compared by, who made and who changed them, a code
 * where none was typed, and a bound on what all their uses give together (APPROVAL_REQUIRED).
 */
export function redeemCodeHooks({ ids, settings }: Deps): CrudHooks<RedeemCodeInput, RedeemCodeInput> {
  return {
    async beforeCreate(_, input, ctx) {
      assertAmount(ctx, settings.current(), input.credits * input.uses_total);
      const code = input.code === '' ? codeFrom(ids.token()) : input.code;
      return { code, code_key: normaliseCode(code), creator_id: ctx.actor.userId, uses_count: 0 };
    },
    async beforeUpdate(_, input, before, ctx) {
      assertAmount(ctx, settings.current(), input.credits * input.uses_total);
      const code = input.code === '' ? String(before.code) : input.code;
      return { code, code_key: normaliseCode(code), changer_id: ctx.actor.userId };
    },
  };
}
