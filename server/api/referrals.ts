import type { Handlers } from '#server/http/implement.types.ts';
import { publicReason, type Referrals } from '#server/modules/rewards/referrals/index.ts';
import type { Part, ReferralReason, ReferralState } from '#server/modules/rewards/referrals/ports.ts';
import type { referrals as contract } from '#shared/contract/referrals.ts';
import { href } from '#shared/routes/href.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import type { SettingValues } from '#shared/settings.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly referrals: Referrals;
  readonly settings: { current(): SettingValues };
  readonly appUrl: () => string;
  readonly asksVerification: () => boolean;
}
interface Outcome {
  readonly state: ReferralState;
  readonly reason: ReferralReason | null;
}

/** The outcome of a referral for one side: that of its own reward, once there is one. */
function toOutcome({ state, reason }: Outcome, part: Part) {
  if (part.state === 'paid' || part.state === 'held')
    return { state: part.state, reason: null, credits: part.credits } as const;
  const refused = state === 'rejected' || part.state === 'refused';
  const shown = refused ? 'rejected' : state === 'pending' ? 'pending' : part.state === 'none' ? 'paid' : 'qualified';
  return { state: shown, reason: shown === 'pending' ? null : publicReason(reason), credits: part.credits } as const;
}

/** Referrals: the endpoints of behaviour 4.4. */
export function referralsHandlers({
  referrals,
  settings,
  appUrl,
  asksVerification,
}: Services): Handlers<typeof contract> {
  return {
    page: async (ctx, { query }) => {
      const { page, perPage } = pageOf(query);
      const result = await referrals.page(ctx, { offset: (page - 1) * perPage, limit: perPage });
      const values = settings.current();
      return {
        code: result.code,
        link: result.code === null ? null : `${appUrl()}${href('auth.register')}?ref=${result.code}`,
        list: result.list.map((row) => ({
          id: row.newcomerId,
          username: row.username,
          at: iso(row.createdMs),
          ...toOutcome(row, row.referrer),
        })),
        paging: { page, per_page: perPage, total: result.totals.invited },
        totals: result.totals,
        month: { rewarded: result.month, max: values.referral_monthly_max },
        terms: {
          newcomer: values.referral_newcomer_credits,
          referrer: values.referral_referrer_credits,
          min_age_hours: values.referral_min_age_hours,
          afk_minutes: values.referral_afk_minutes,
          verification: asksVerification(),
        },
        own: result.own && {
          ...toOutcome(result.own.referral, result.own.referral.newcomer),
          ...(result.own.referral.state === 'pending' ? { credits: values.referral_newcomer_credits } : {}),
          checks: result.own.checks,
        },
      };
    },
    makeCode: (ctx) => referrals.makeCode(ctx),
  };
}
