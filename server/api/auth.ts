import type { Handlers } from '#server/http/implement.types.ts';
import type { Ids } from '#server/modules/kernel.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Passkeys } from '#server/modules/passkeys/index.ts';
import type { Referrals } from '#server/modules/rewards/referrals/index.ts';
import type { Sso } from '#server/modules/sso/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import type { SettingValues } from '#shared/settings.ts';
import { browserOf, clearSessionCookies, readDevice, setSessionCookies } from './session-cookies.ts';

interface Services {
  readonly identity: Pick<
    Identity,
    | 'getAuthOptions'
    | 'register'
    | 'login'
    | 'logout'
    | 'verifyAddress'
    | 'resendVerification'
    | 'requestVerificationLink'
    | 'resolve'
    | 'requestPasswordReset'
    | 'resetPassword'
  >;
  readonly ids: Pick<Ids, 'token'>;
  readonly referrals: Pick<Referrals, 'checkCode'>;
  readonly settings: { current(): SettingValues };
  readonly passkeys: Pick<Passkeys, 'domain'>;
  readonly sso: Pick<Sso, 'listProviders'>;
}

type Options = Awaited<ReturnType<Identity['getAuthOptions']>>;
const presentOptions = ({ sendsMail, setupValid, resetValid, ...options }: Options) => ({
  ...options,
  sends_mail: sendsMail,
  setup_valid: setupValid,
  reset_valid: resetValid,
});

/** Registration, log-in, log-out, confirming an address, a forgotten password. */
export function authHandlers({
  identity,
  ids,
  referrals,
  settings,
  sso,
  passkeys,
}: Services): Handlers<typeof CONTRACT.auth> {
  return {
    options: async (_ctx, { query }) => ({
      ...presentOptions(await identity.getAuthOptions({ setup: query.setup, resetToken: query.reset_token })),
      passkey_domain: passkeys.domain(),
      referral: settings.current().referrals_enabled ? await referrals.checkCode(query.ref ?? '') : 'off',
      providers: await sso.listProviders(),
    }),
    async register(ctx, { body }) {
      const opened = await identity.register(ctx, body, browserOf(ctx, ids));
      if (opened) setSessionCookies(ctx.cookies, opened.secret);
      // Depends on the code alone, so that it does not reveal whether the address is registered.
      return { signed_in: opened !== null, referral: await referrals.checkCode(body.referral ?? '') };
    },
    async login(ctx, { body }) {
      const opened = await identity.login(ctx, body, browserOf(ctx, ids));
      setSessionCookies(ctx.cookies, opened.secret);
      return { second_factor: (await identity.resolve(opened.secret))?.actor.waiting === true };
    },
    async logout(ctx) {
      if (ctx.secret) await identity.logout(ctx, ctx.secret);
      clearSessionCookies(ctx.cookies);
    },
    verify: (ctx, { body }) => identity.verifyAddress(ctx, body.token),
    resend: (ctx) => identity.resendVerification(ctx),
    requestVerification: (ctx, { body }) => identity.requestVerificationLink(ctx, body.email, readDevice(ctx.cookies)),
    forgot: (ctx, { body }) => identity.requestPasswordReset(ctx, body.login, readDevice(ctx.cookies)),
    reset: (ctx, { body }) => identity.resetPassword(ctx, body),
  };
}
