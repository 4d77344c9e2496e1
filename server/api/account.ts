import type { Handlers, SignedInCtx } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { Ledger, LedgerEntry } from '#server/modules/ledger/index.ts';
import type { Skins } from '#server/modules/skins/index.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import type { StatementRow } from '#shared/contract/account.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { SKIN_TYPE } from '#shared/skin.ts';
import { dayIn, iso } from '#shared/time.ts';
import { toCsv } from './csv.ts';
import { daySpan } from './day-bounds.ts';
import { setSessionCookies } from './session-cookies.ts';

interface Services {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'current'>;
  readonly ledger: Pick<Ledger, 'history' | 'kinds' | 'balance' | 'held'>;
  readonly skins: Skins;
  readonly identity: Pick<Identity, 'profile' | 'updateProfile' | 'changePassword' | 'sessions' | 'endSession' | 'endOtherSessions'>;
}
interface StatementFilter {
  readonly kind?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Most lines of one download, and lines read at a time. */
const CSV_LINES = 50_000;
const CSV_STEP = 1000;

/** A user's own account: profile, password, sessions, statement. */
export function accountHandlers(services: Services): Handlers<typeof CONTRACT.account> {
  const { identity, skins } = services;
  return {
    async get(ctx) {
      const [{ user, role }, skin] = await Promise.all([identity.profile(ctx), skins.fingerprint(ctx.actor.userId)]);
      return {
        username: user.username, email: user.email, first_name: user.firstName, last_name: user.lastName, locale: user.locale,
        verified: ctx.actor.verified, role: { name: role.name, color: role.color }, created_at: iso(user.createdMs),
        skin: skin && skinUrl(user.id, skin),
      };
    },
    update: (ctx, { body }) => identity.updateProfile(ctx, body),
    async changePassword(ctx, { body }) {
      setSessionCookies(ctx.cookies, await identity.changePassword(ctx, body));
    },
    async sessions(ctx) {
      const rows = await identity.sessions(ctx);
      return {
        sessions: rows.map((row) => ({
          id: row.id, device: row.device, address: row.address, created_at: iso(row.createdMs), seen_at: iso(row.seenMs), current: row.current,
        })),
      };
    },
    endSession: (ctx, { params }) => identity.endSession(ctx, params.id),
    endOtherSessions: async (ctx) => ({ ended: await identity.endOtherSessions(ctx) }),
    statement: (ctx, { query }) => statement(services, ctx, query),
    statementCsv: (ctx, { query }) => statementCsv(services, ctx, query),
    putSkin: async (ctx, { body }) => ({ skin: skinUrl(ctx.actor.userId, await skins.put(ctx, body)) }),
    removeSkin: (ctx) => skins.remove(ctx),
    async skin(ctx, { params }) {
      const { png, sha256 } = await skins.picture(ctx, params.id);
      return { type: SKIN_TYPE, body: png, state: sha256 };
    },
  };
}

/** Address of a skin: another picture has another one, so that a page shows the new at once. */
function skinUrl(userId: string, sha256: string): string {
  return `${endpointUrl(CONTRACT.account.skin, { params: { id: userId } })}?v=${sha256.slice(0, 12)}`;
}

async function statement(services: Services, ctx: SignedInCtx, query: StatementFilter & { page?: number | undefined; per_page?: number | undefined }) {
  const { uow, ledger } = services;
  const { userId } = ctx.actor;
  const { page, perPage } = pageOf(query);
  const filter = filterOf(services, query);
  return uow.read(async (tx) => {
    const { rows, total } = await ledger.history(tx, `user:${userId}`, { ...filter, offset: (page - 1) * perPage, limit: perPage });
    return {
      rows: rows.map(toRow),
      paging: { page, per_page: perPage, total },
      kinds: await ledger.kinds(tx, `user:${userId}`),
      balance: await ledger.balance(tx, `user:${userId}`),
      held: await ledger.held(tx, userId),
    };
  });
}

async function statementCsv(services: Services, ctx: SignedInCtx, query: StatementFilter) {
  const { uow, ledger, clock, settings } = services;
  const filter = filterOf(services, query);
  // One view of the data for all steps, so that a line booked meanwhile neither doubles nor hides another.
  const lines = await uow.read(async (tx) => {
    const all: LedgerEntry[] = [];
    while (all.length < CSV_LINES) {
      const { rows } = await ledger.history(tx, `user:${ctx.actor.userId}`, { ...filter, offset: all.length, limit: CSV_STEP });
      all.push(...rows);
      if (rows.length < CSV_STEP) break;
    }
    return all;
  });
  const body = toCsv([
    ['date', 'kind', 'subject', 'amount', 'balance_after', 'counterpart', 'id'],
    ...lines.map(toRow).map((row) => [row.at, row.kind, row.subject, row.amount, row.balance_after, row.counterpart, row.id]),
  ]);
  return { filename: `statement-${dayIn(clock.now(), settings.current().app_timezone)}.csv`, body };
}

function filterOf({ settings }: Services, { kind, direction, from, to }: StatementFilter) {
  return { kind, direction, ...daySpan({ from, to }, settings.current().app_timezone) };
}

function toRow(entry: LedgerEntry): StatementRow {
  return {
    id: entry.id, at: iso(entry.createdMs), kind: entry.kind, subject: entry.subject, amount: entry.amount, balance_after: entry.balanceAfter,
    counterpart: entry.counterpart,
  };
}
