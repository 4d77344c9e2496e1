import type { Handlers } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import type { Referrals } from '#server/modules/rewards/referrals/index.ts';
import type { Sso } from '#server/modules/sso/index.ts';
import type { adminSsoTest as testContract, sso as contract } from '#shared/contract/sso.ts';
import { browserOf, readDevice, setSessionCookies } from './session-cookies.ts';

interface Services {
  readonly sso: Sso;
  readonly identity: Pick<Identity, 'resolve'>;
  readonly ids: Pick<Ids, 'token'>;
  readonly referrals: Pick<Referrals, 'checkCode'>;
}

/** The test of a provider, for staff. */
export function ssoTestHandlers({ sso }: Pick<Services, 'sso'>): Handlers<typeof testContract> {
  return { test: async (ctx, { params }) => ({ fault: await sso.test(ctx, params.id) }) };
}

/** Signing in with a provider (behaviour 3.6). */
export function ssoHandlers({ sso, identity, ids, referrals }: Services): Handlers<typeof contract> {
  return {
    start: (ctx, { body }) => sso.startSignIn(body.provider, browserOf(ctx, ids)),
    async finish(ctx, { body }) {
      const opened = await sso.signIn(ctx, body, browserOf(ctx, ids));
      if (!opened) return { next: 'register' };
      setSessionCookies(ctx.cookies, opened.secret);
      return { next: (await identity.resolve(opened.secret))?.actor.waiting === true ? 'second-factor' : 'signed-in' };
    },
    async registration(ctx) {
      const form = await sso.findForm(readDevice(ctx.cookies));
      if (!form) return { registration: null };
      const { provider, username, email, firstName, lastName, hasAccount } = form;
      const names = { first_name: firstName, last_name: lastName };
      return { registration: { provider, username, email, ...names, has_account: hasAccount } };
    },
    async register(ctx, { body }) {
      const opened = await sso.register(ctx, body, browserOf(ctx, ids));
      if (opened) setSessionCookies(ctx.cookies, opened.secret);
      return { signed_in: opened !== null, referral: await referrals.checkCode(body.referral ?? '') };
    },
  };
}
