import type { HandlerCtx, Handlers } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Ids, SignedIn } from '#server/modules/kernel.ts';
import type { Passkeys } from '#server/modules/passkeys/index.ts';
import type { passkeys as contract } from '#shared/contract/passkeys.ts';
import { DomainError } from '#shared/errors.ts';
import { iso } from '#shared/time.ts';
import { readDevice, ensureDevice, setSessionCookies } from './session-cookies.ts';

interface Services {
  readonly passkeys: Passkeys;
  readonly identity: Pick<Identity, 'confirmation'>;
  readonly ids: Pick<Ids, 'token'>;
}

/** Passkeys (behaviour 3.5). */
export function passkeyHandlers({ passkeys, identity, ids }: Services): Handlers<typeof contract> {
  return {
    async list(ctx) {
      const page = await passkeys.list(ctx);
      return {
        domain: page.domain,
        confirmed: page.confirmed,
        needs_password: page.needsPassword,
        needs_code: page.needsCode,
        passkeys: page.passkeys.map(({ id, name, createdMs, usedMs, backedUp, copiedMs }) => ({
          id,
          name,
          created_at: iso(createdMs),
          used_at: iso(usedMs),
          synced: backedUp,
          copied: copiedMs !== null,
        })),
      };
    },
    startAdd: async (ctx) => ({ options: await passkeys.begin(ctx) }),
    add: async (ctx, { body }) => ({ id: await passkeys.add(ctx, body) }),
    rename: (ctx, { params, body }) => passkeys.rename(ctx, params.id, body.name),
    remove: (ctx, { params }) => passkeys.remove(ctx, params.id),
    startLogin: async (ctx) => ({ options: await passkeys.beginLogin(ensureDevice(ctx.cookies, () => ids.token())) }),
    async login(ctx, { body }) {
      const browser = { secret: ctx.secret, device: ensureDevice(ctx.cookies, () => ids.token()) };
      setSessionCookies(ctx.cookies, await passkeys.login(ctx, body, browser));
    },
    startFactor: async (ctx) => ({ options: await passkeys.beginOwn(requireSession(ctx), 'factor') }),
    async passFactor(ctx, { body }) {
      const secret = await passkeys.passFactor(requireSession(ctx), body, readDevice(ctx.cookies));
      setSessionCookies(ctx.cookies, secret);
    },
    confirm: (ctx, { body }) =>
      identity.confirmation.confirm(
        ctx,
        body,
        ensureDevice(ctx.cookies, () => ids.token()),
      ),
    startConfirm: async (ctx) => ({ options: await passkeys.beginOwn(ctx, 'confirm') }),
    confirmByPasskey: (ctx, { body }) =>
      passkeys.confirm(
        ctx,
        body,
        ensureDevice(ctx.cookies, () => ids.token()),
      ),
  };
}

/** Requires the session that waits for its factor. Throws PASSKEY_UNKNOWN for a guest, who has none. */
function requireSession(ctx: HandlerCtx): SignedIn {
  if (!ctx.actor) throw new DomainError('PASSKEY_UNKNOWN');
  return { ...ctx, actor: ctx.actor };
}
