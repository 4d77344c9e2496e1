import type { Handlers } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Passkeys } from '#server/modules/passkeys/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { href } from '#shared/routes/href.ts';
import { readDevice, setSessionCookies } from './session-cookies.ts';

/** The second factor (behaviour 3.5). */
export function twoFactorHandlers({
  identity: { twoFactor },
  passkeys,
}: {
  identity: { readonly twoFactor: Omit<Identity['twoFactor'], 'rehashOldCodes'> };
  passkeys: Pick<Passkeys, 'domain' | 'hasAny'>;
}): Handlers<typeof CONTRACT.twoFactor> {
  return {
    async get(ctx) {
      const { enabled, hasPassword, recoveryLeft, pending, confirmed } = await twoFactor.getState(ctx);
      const passkey_domain = (await passkeys.hasAny(ctx.actor.userId)) ? passkeys.domain() : null;
      return { enabled, has_password: hasPassword, recovery_left: recoveryLeft, pending, confirmed, passkey_domain };
    },
    async waiting({ actor }) {
      const waiting = actor?.waiting === true;
      return { waiting, passkey_domain: waiting && (await passkeys.hasAny(actor.userId)) ? passkeys.domain() : null };
    },
    async verify(ctx, { body }) {
      if (!ctx.actor) throw new DomainError('UNAUTHENTICATED');
      setSessionCookies(
        ctx.cookies,
        await twoFactor.verify({ ...ctx, actor: ctx.actor }, body.code, readDevice(ctx.cookies)),
      );
    },
    startSetup: (ctx, { body }) => twoFactor.begin(ctx, body.password),
    confirm: async (ctx, { body }) => ({
      recovery_codes: await twoFactor.confirm(ctx, body.code, readDevice(ctx.cookies)),
    }),
    async cancelSetup(ctx) {
      const on = await twoFactor.cancel(ctx);
      // A factor that is on stays on; its page asks for password and code to disable it.
      return { to: on ? href('auth.factorSetup') : `${href('account')}?tab=security` };
    },
    disable: (ctx, { body }) => twoFactor.disable(ctx, body, readDevice(ctx.cookies)),
    renewCodes: async (ctx, { body }) => ({
      recovery_codes: await twoFactor.renewCodes(ctx, body, readDevice(ctx.cookies)),
    }),
  };
}
