import { DAY } from '#shared/time.ts';
import { createAccount } from './account.ts';
import { createAnswer } from './answer.ts';
import { createBans } from './bans.ts';
import type { Ctx } from '../kernel.ts';
import { touchSessions, type IdentityDeps } from './deps.ts';
import { createLogin } from './login.ts';
import { createMailBudget, type Asker } from './mail-budget.ts';
import { createPending } from './pending.ts';
import { createRegister } from './register.ts';
import { createReset } from './reset.ts';
import { createSessions } from './sessions.ts';
import { createThrottle, networkOf } from './throttle.ts';
import { createTwoFactor } from './two-factor.ts';
import { createVerify } from './verify.ts';

export type Identity = ReturnType<typeof createIdentity>;

/** Accounts and sessions (behaviour 3.1–3.5, 3.9). */
export function createIdentity(deps: IdentityDeps) {
  const { uow, clock } = deps;
  const throttle = createThrottle(deps);
  const sessions = createSessions(deps);
  const budget = createMailBudget(deps);
  const pending = createPending(deps, budget);
  const verify = createVerify(deps, pending);
  const register = createRegister(deps, sessions, pending);
  const reset = createReset(deps, budget);

  const askerOf = (ctx: Ctx, device: string): Asker => ({
    network: deps.ids.hash(networkOf(ctx.address)),
    device: device === '' ? '' : deps.ids.hash(device),
  });

  /** Removes expired sessions, old links and old counts. For the scheduler. */
  function purge(): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      await tx.pending.purge(now);
      touchSessions(tx, await tx.identity.purge(now, { tokensMs: now - DAY, attemptsMs: now - DAY }));
    });
  }

  return {
    resolve: sessions.resolve,
    openSession: sessions.openFor,
    logout: sessions.logout,
    sessions: sessions.list,
    endSession: sessions.end,
    endOtherSessions: sessions.endOthers,
    login: createLogin(deps, sessions, throttle).login,
    options: async (links: { setup?: string | undefined; reset_token?: string | undefined }) => ({
      ...(await register.options(links.setup)),
      reset_valid: links.reset_token ? await reset.isLinkValid(links.reset_token) : false,
    }),
    register: register.register,
    createSetupToken: register.createSetupToken,
    verify: verify.verify,
    resend: verify.resend,
    /** Another e-mail with a link for an address that was registered with. */
    requestVerification: (ctx: Ctx, email: string, device: string) => pending.resend(email, askerOf(ctx, device)),
    forgot: (ctx: Ctx, login: string, device: string) => reset.forgot(login, askerOf(ctx, device)),
    resetPassword: reset.reset,
    jobs: { ...reset.jobs, ...pending.jobs },
    ...createAccount(deps, throttle),
    ...createBans(deps),
    twoFactor: createTwoFactor(deps, throttle),
    sessionAnswer: createAnswer(deps),
    purge,
  };
}
