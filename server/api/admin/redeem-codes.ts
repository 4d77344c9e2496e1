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
/** A code that nobody can guess: 12 characters of 5 random bits, as `XXXX-XXXX-XXXX`. In: a random token in base64url. */
function formatCode(token: string): string {
  const characters = readableCode(token);
  return `${characters.slice(0, 4)}-${characters.slice(4, 8)}-${characters.slice(8, 12)}`;
}

/**
 * What redeem codes add to the generic handlers: the normalized key that they are compared by, who created and changed
 * them, a random code where none was typed, and a limit on the credits of all uses together (APPROVAL_REQUIRED).
 */
export function redeemCodeHooks({ ids, settings }: Deps): CrudHooks<RedeemCodeInput, RedeemCodeInput> {
  return {
    async beforeCreate(_, input, ctx) {
      assertAmount(ctx, settings.current(), input.credits * input.uses_total);
      const code = input.code === '' ? formatCode(ids.token()) : input.code;
      return { code, code_key: normaliseCode(code), creator_id: ctx.actor.userId, uses_count: 0 };
    },
    async beforeUpdate(_, input, before, ctx) {
      assertAmount(ctx, settings.current(), input.credits * input.uses_total);
      const code = input.code === '' ? String(before.code) : input.code;
      return { code, code_key: normaliseCode(code), changer_id: ctx.actor.userId };
    },
  };
}
