import { DomainError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { MINUTE } from '#shared/time.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { ChallengeAction, ChallengeKind, Holder, Puzzles, Turnstile } from './ports.ts';

/** A puzzle is good for so long; Turnstile's tokens live five minutes and are remembered for ten (services). */
const GOOD_MS = 10 * MINUTE;
const TOKEN_MAX = 2048;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'hash'>;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly puzzles: Puzzles;
  readonly turnstile: Turnstile;
  /** Our public address: Turnstile's tokens of other sites are refused. */
  readonly appUrl: () => string;
}
/** What a browser has to do before a command. */
type Offer =
  | { readonly kind: 'off' }
  | { readonly kind: 'altcha'; readonly puzzle: string }
  | { readonly kind: 'turnstile'; readonly siteKey: string; readonly script: string };
export type Challenge = ReturnType<typeof createChallenge>;

/**
 * The challenge before registration, before a log-in after failures, before link claims (behaviour 4.6) and before
 * reports of images: proof of work that this server makes and checks, or Turnstile, or nothing (but before reports), by
 * the setting `challenge`.
 */
export function createChallenge(deps: Deps) {
  const { uow, clock, ids, settings } = deps;

  const kind = (action?: ChallengeAction): ChallengeKind => {
    const { challenge } = settings.current();
    if (challenge === 'altcha' || challenge === 'turnstile') return challenge;
    // Whoever reports something needs no account: there is always some work to it (behaviour 5.5).
    return action === 'report' ? 'altcha' : 'off';
  };
  const holderOf = ({ ctx, device }: Holder): string =>
    ids.hash(ctx.actor ? `session:${ctx.actor.sessionId}` : `device:${device ?? ''}`);

  /** What to solve for an action. */
  async function offer(action: ChallengeAction, holder: Holder): Promise<Offer> {
    const { altcha_cost: cost, turnstile_site_key: siteKey, turnstile_url: base } = settings.current();
    switch (kind(action)) {
      case 'altcha':
        return {
          kind: 'altcha',
          puzzle: await deps.puzzles.make({ action, holder: holderOf(holder), cost, expiresMs: clock.now() + GOOD_MS }),
        };
      case 'turnstile':
        return { kind: 'turnstile', siteKey, script: `${base}/api.js?render=explicit` };
      default:
        return { kind: 'off' };
    }
  }

  /**
   * Lets an action pass whose challenge was answered. An answer is spent by this call, whatever becomes of the action:
   * one answer, one try. Throws CHALLENGE_REQUIRED without an answer, CHALLENGE_FAILED for a wrong, old, foreign or
   * spent one, CHALLENGE_UNAVAILABLE where Turnstile says nothing that can be relied on. With the setting off nothing
   * is asked but before a report.
   */
  async function verify(action: ChallengeAction, holder: Holder, answer: string | undefined): Promise<void> {
    const which = kind(action);
    if (which === 'off') return;
    if (!answer) throw new DomainError('CHALLENGE_REQUIRED');
    const { id, untilMs } =
      which === 'altcha' ? await solved(action, holder, answer) : await checkTurnstile(action, holder, answer);
    if (!(await uow.run((tx) => tx.challenge.use(id, untilMs)))) throw new DomainError('CHALLENGE_FAILED');
  }

  async function solved(action: ChallengeAction, holder: Holder, answer: string) {
    const checked = await deps.puzzles.check(answer, { action, holder: holderOf(holder), nowMs: clock.now() });
    if ('fault' in checked) throw new DomainError('CHALLENGE_FAILED');
    return { id: `altcha:${checked.id}`, untilMs: checked.expiresMs };
  }

  async function checkTurnstile(action: ChallengeAction, { ctx }: Holder, token: string) {
    const { turnstile_secret: secret, turnstile_url: base } = settings.current();
    if (token.length > TOKEN_MAX) throw new DomainError('CHALLENGE_FAILED');
    if (secret === '') throw new DomainError('CHALLENGE_UNAVAILABLE');
    const said = await deps.turnstile.verify({ secret, token, address: ctx.address, base });
    if (said.kind === 'unknown') throw new DomainError('CHALLENGE_UNAVAILABLE');
    if (said.kind === 'no') {
      // Our own secret is wrong: nobody gets in until the host mends it.
      if (said.codes.some((code) => code.endsWith('-input-secret')))
        deps.log.error('turnstile.secret_refused', { codes: said.codes });
      throw new DomainError('CHALLENGE_FAILED');
    }
    if (said.action !== action || !hostnames().includes(said.hostname.toLowerCase()))
      throw new DomainError('CHALLENGE_FAILED');
    return { id: `turnstile:${ids.hash(token)}`, untilMs: clock.now() + GOOD_MS };
  }

  /** Names under which our pages are seen. */
  function hostnames(): string[] {
    const listed = settings
      .current()
      .turnstile_hostnames.split(/[\s,]+/)
      .filter(Boolean)
      .map((name) => name.toLowerCase());
    return listed.length > 0 ? listed : [URL.parse(deps.appUrl())?.hostname ?? ''].filter(Boolean);
  }

  return { kind, offer, verify };
}
