import type { SettingValues } from '#shared/settings.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { networkOf, type UserRow } from '../../identity/index.ts';
import type { Clock } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { checksOf, qualifies, type Checks } from './policy.ts';
import type { Referral, ReferralReason } from './ports.ts';

/** How far back two accounts are looked at for a shared address. */
const SEEN_WITHIN = 90 * DAY;
/** Referrals upwards that are looked through for a circle. */
const LONGEST_CHAIN = 50;

export interface EvaluationDeps {
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
  /** Whether addresses have to be confirmed (the setting, and mails leave the house). */
  readonly asksVerification: () => boolean;
  /** Users who have, or had, an account elsewhere in common with this one. */
  readonly sharedIdentities: (tx: Tx, userId: string) => Promise<readonly string[]>;
}
type Finding = { readonly qualified: true } | { readonly rejected: ReferralReason } | { readonly missing: Checks };

/** What stands in the way of a referral now: nothing, something that may still come, or something for good. */
export async function evaluateReferral(deps: EvaluationDeps, tx: Tx, row: Referral): Promise<Finding> {
  const newcomer = await tx.identity.findUser(row.newcomerId);
  const referrer = await tx.identity.findUser(row.referrerId);
  if (newcomer?.status !== 'active') return { rejected: 'newcomer_gone' };
  if (referrer?.status !== 'active') return { rejected: 'referrer_gone' };
  if (await isCircular(tx, row)) return { rejected: 'circular' };
  const checks = await currentChecks(deps, tx, newcomer);
  if (!qualifies(checks)) return { missing: checks };
  const shared = await findSharedSign(deps, tx, row);
  return shared ? { rejected: shared } : { qualified: true };
}

/** Which conditions a newcomer meets now. */
export async function currentChecks(
  deps: Pick<EvaluationDeps, 'clock' | 'settings' | 'asksVerification'>,
  tx: Tx,
  user: UserRow,
): Promise<Checks> {
  const { referral_min_age_hours: hours, referral_afk_minutes: minutes } = deps.settings.current();
  const terms = { minAgeMs: hours * HOUR, afkMinutes: minutes, verification: deps.asksVerification() };
  return checksOf(terms, {
    verified: user.verifiedMs !== null,
    ageMs: deps.clock.now() - user.createdMs,
    activity: await tx.referrals.activityOf(user.id),
  });
}

/** Whether the referrer came, over however many, by the newcomer. */
async function isCircular(tx: Tx, { newcomerId, referrerId }: Referral): Promise<boolean> {
  let above: string | null = referrerId;
  for (let step = 0; above !== null && step < LONGEST_CHAIN; step++) {
    if (above === newcomerId) return true;
    above = (await tx.referrals.of(above))?.referrerId ?? null;
  }
  return false;
}

/** What the two accounts have in common, so that they look like one person's; null where nothing. */
async function findSharedSign(deps: EvaluationDeps, tx: Tx, row: Referral): Promise<ReferralReason | null> {
  if (await tx.referrals.sharesDevice(row.newcomerId, row.referrerId)) return 'shared_device';
  if ((await deps.sharedIdentities(tx, row.newcomerId)).includes(row.referrerId)) return 'shared_identity';
  const since = deps.clock.now() - SEEN_WITHIN;
  const own = new Set((await tx.referrals.addresses(row.newcomerId, since)).map(networkOf));
  if (row.network !== null) own.add(row.network);
  const theirs = await tx.referrals.addresses(row.referrerId, since);
  return theirs.some((address) => own.has(networkOf(address))) ? 'shared_address' : null;
}
