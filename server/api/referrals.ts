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
  readonly appUrl: string;
  readonly asksVerification: () => boolean;
}
interface Standing {
  readonly state: ReferralState;
  readonly reason: ReferralReason | null;
}

/** Where one side of a referral stands: its own reward decides, once there is one. */
function standingOf({ state, reason }: Standing, part: Part) {
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
      const found = await referrals.page(ctx, { offset: (page - 1) * perPage, limit: perPage });
      const values = settings.current();
      return {
        code: found.code,
        link: found.code === null ? null : `${appUrl}${href('auth.register')}?ref=${found.code}`,
        list: found.list.map((row) => ({
          id: row.newcomerId,
          username: row.username,
          at: iso(row.createdMs),
          ...standingOf(row, row.referrer),
        })),
        paging: { page, per_page: perPage, total: found.totals.invited },
        totals: found.totals,
        month: { rewarded: found.month, max: values.referral_monthly_max },
        terms: {
          newcomer: values.referral_newcomer_credits,
          referrer: values.referral_referrer_credits,
          min_age_hours: values.referral_min_age_hours,
          afk_minutes: values.referral_afk_minutes,
          verification: asksVerification(),
        },
        own: found.own && {
          ...standingOf(found.own.referral, found.own.referral.newcomer),
          ...(found.own.referral.state === 'pending' ? { credits: values.referral_newcomer_credits } : {}),
          checks: found.own.checks,
        },
      };
    },
    makeCode: (ctx) => referrals.makeCode(ctx),
  };
}
