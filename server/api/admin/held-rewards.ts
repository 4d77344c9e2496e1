import { toHeldRewardView } from '#server/api/abuse.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Abuse, HeldRewardQuery, ListedHeldReward } from '#server/modules/abuse/index.ts';
import type { Actor } from '#server/modules/kernel.ts';
import { sourceFacts } from '#shared/earning-sources.ts';
import type { adminHeldRewards, StaffHeldReward } from '#shared/contract/abuse.ts';
import { can } from '#shared/permissions.ts';
import { maskCode } from '#shared/redeem-code.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { iso } from '#shared/time.ts';

/** Rewards on hold for staff: why each waits, and the decision. */
export function heldRewardsAdminHandlers({
  abuse,
}: {
  readonly abuse: Pick<Abuse, 'list' | 'decide' | 'decideMany'>;
}): Handlers<typeof adminHeldRewards> {
  return {
    async list(ctx, { query }) {
      const { page, perPage } = pageOf(query);
      const { rows, total, open } = await abuse.list({
        state: query.state,
        source: query.source,
        q: query.q?.trim() || undefined,
        note: query.note === undefined ? undefined : query.note === 'true',
        sort: parseSort(query.sort),
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      return { rows: rows.map((row) => toStaffView(row, ctx.actor)), paging: { page, per_page: perPage, total }, open };
    },
    decide: (ctx, { params, body }) => abuse.decide(ctx, params.id, body.decision),
    decideMany: (ctx, { body }) => abuse.decideMany(ctx, body.ids, body.decision),
  };
}

function parseSort(sort = '-created'): HeldRewardQuery['sort'] {
  const key = sort.replace(/^-/, '');
  return { key: key === 'score' || key === 'amount' ? key : 'created', dir: sort.startsWith('-') ? 'desc' : 'asc' };
}

/** The subject; a code is masked for staff who may not list codes (attacks T59). */
function subjectOf({ source, subject }: ListedHeldReward, { permissions }: Actor): string | null {
  const permission = sourceFacts(source).subjectFor;
  return permission && subject !== null && !can(permissions, permission) ? maskCode(subject) : subject;
}

function toStaffView(row: ListedHeldReward, caller: Actor): StaffHeldReward {
  return {
    ...toHeldRewardView(row),
    subject: subjectOf(row, caller),
    username: row.username,
    parts: row.parts,
    cause: row.cause,
    score: row.score,
    reasons: row.reasons.map((reason) => ({ ...reason })),
    decided_by: row.decidedByName,
    noted_at: iso(row.noteMs),
    own: row.userId === caller.userId,
  };
}
