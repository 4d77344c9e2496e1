import { DAY } from '#shared/time.ts';
import { createAccount } from './account.ts';
import { createConfirmation } from './confirmation.ts';
import { createOperatorCommands } from './operator.ts';
import { createSessionView } from './session-view.ts';
import { bannedError, createBans } from './bans.ts';
import { assertOwner } from './own-password.ts';
import type { Ctx, SignedIn } from '../kernel.ts';
import { deleteInSlices } from '../retention.ts';
import { touchSessions, type IdentityDeps } from './deps.ts';
import { createEmailChange } from './email-change.ts';
import { createLogin } from './login.ts';
import { createExternal } from './external.ts';
import { createMailBudget, type Requester } from './mail-budget.ts';
import { createNewAccounts } from './new-accounts.ts';
import { createSessionOpener } from './open-session.ts';
import { createPendingAccounts } from './pending.ts';
import { createRegister } from './register.ts';
import type { UserRow } from './ports.ts';
import { createReset } from './reset.ts';
import { createResetLinks } from './reset-links.ts';
import { createSessions } from './sessions.ts';
import { createStaffSessions } from './staff-sessions.ts';
import { createThrottle, networkOf } from './throttle.ts';
import { createTwoFactor } from './two-factor.ts';
import { createUsernameChange } from './username.ts';
import { createVerify } from './verify.ts';
import { createViewing } from './viewing.ts';

export type Identity = ReturnType<typeof createIdentity>;

/** Accounts and sessions (behaviour 3.1–3.5, 3.9). */
export function createIdentity(deps: IdentityDeps) {
  const { uow, clock } = deps;
  const throttle = createThrottle(deps);
  const viewing = createViewing(deps);
  const sessions = createSessions(deps, viewing);
  const budget = createMailBudget(deps);
  const pending = createPendingAccounts(deps, budget);
  const verify = createVerify(deps, pending);
  const accounts = createNewAccounts(deps, sessions, pending);
  const register = createRegister(deps, accounts);
  const openSessionFor = createSessionOpener(deps, sessions);
  const resetLinks = createResetLinks(deps, budget);
  const reset = createReset(deps, resetLinks);
  const twoFactor = createTwoFactor(deps, throttle);

  const toRequester = (ctx: Ctx, device: string): Requester => ({
    network: deps.ids.hash(networkOf(ctx.address)),
    device: device === '' ? '' : deps.ids.hash(device),
  });

  /** Deletes expired registrations, sessions, links and counted attempts. For the scheduler. */
  async function purge(): Promise<void> {
    const now = clock.now();
    await uow.run(async (tx) => {
      await tx.pending.purge(now);
      await tx.emailChanges.purge(now);
    });
    await deleteInSlices(uow, async (tx, limit) => {
      const ended = await tx.identity.purgeSessions(now, limit);
      touchSessions(tx, ended);
      return ended.length;
    });
    await deleteInSlices(uow, (tx, limit) => tx.identity.purgeTokens(now - DAY, limit));
    await deleteInSlices(uow, (tx, limit) => tx.identity.purgeAttempts(now - DAY, limit));
  }

  return {
    resolve: sessions.resolve,
    openSession: sessions.openForUser,
    logout: sessions.logout,
    listSessions: sessions.list,
    endSession: sessions.end,
    endOtherSessions: sessions.endOthers,
    login: createLogin(deps, openSessionFor, throttle).login,
    openSessionFor,
    bannedError: (user: UserRow) => bannedError(deps, user),
    getAuthOptions: async (links: { setup?: string | undefined; resetToken?: string | undefined }) => ({
      ...(await register.getOptions(links.setup)),
      resetValid: links.resetToken ? await reset.isLinkValid(links.resetToken) : false,
    }),
    register: register.register,
    createSetupToken: register.createSetupToken,
    verifyAddress: verify.verify,
    confirmAddressOf: verify.confirmForUser,
    confirmAddressIn: verify.confirmIn,
    resendVerification: verify.resend,
    /** Enqueues another verification e-mail for an address that somebody registered with. */
    requestVerificationLink: (ctx: Ctx, email: string, device: string) =>
      pending.enqueueLink(email, toRequester(ctx, device)),
    requestPasswordReset: (ctx: Ctx, login: string, device: string) =>
      reset.enqueueLink(login, toRequester(ctx, device)),
    resetPassword: reset.reset,
    jobs: { ...reset.jobs, ...pending.jobs },
    /** Throws VALIDATION_FAILED with PASSWORD_WRONG at `password` unless it is the caller's, and RATE_LIMITED. */
    assertOwner: (ctx: SignedIn, password: string | undefined) => assertOwner(deps, throttle, ctx, password),
    ...createAccount(deps, throttle),
    ...createUsernameChange(deps),
    ...createBans(deps),
    ...createStaffSessions(deps),
    operator: createOperatorCommands(deps),
    ...createExternal(deps, accounts, openSessionFor),
    emailChange: createEmailChange(deps, { throttle, budget, resetLinks, sendLink: verify.sendLink }),
    twoFactor,
    viewing,
    confirmation: createConfirmation(deps, throttle, twoFactor),
    findSessionView: createSessionView(deps),
    purge,
  };
}
