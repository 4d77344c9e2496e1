import type { Handlers } from '#server/http/implement.types.ts';
import type { Deletions } from '#server/modules/deletion/index.ts';
import type { Access } from '#server/modules/access/index.ts';
import type { Abuse } from '#server/modules/abuse/index.ts';
import { assertMay } from '#server/modules/permit.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { Notes } from '#server/modules/people/index.ts';
import type { adminAccounts } from '#shared/contract/staff-users.ts';
import { can } from '#shared/permissions.ts';
import { DAY, iso } from '#shared/time.ts';

interface Services {
  readonly identity: Pick<
    Identity,
    'createUserFor' | 'ban' | 'unban' | 'confirmAddressOf' | 'listSessionsOf' | 'endSessionsOf'
  >;
  readonly access: Pick<Access, 'assignRole'>;
  readonly uow: UnitOfWork;
  readonly notes: Notes;
  readonly abuse: Pick<Abuse, 'rejectAllOf'>;
  readonly deletion: Pick<Deletions, 'staff'>;
  readonly clock: Clock;
}

/** Accounts of users for staff: bans, role, sessions, notes, deletion. */
export function accountsHandlers(services: Services): Handlers<typeof adminAccounts> {
  const { identity, access, uow, notes, clock, deletion } = services;
  return {
    create: (ctx, { body }) => identity.createUserFor(ctx, body),
    async ban(ctx, { params, body }) {
      if (body.reject_held) assertMay(ctx, 'admin.rewards.held.edit');
      await identity.ban(ctx, params.id, {
        reason: body.reason,
        ...(body.days !== undefined && { untilMs: body.days === 0 ? null : clock.now() + body.days * DAY }),
      });
      // After the ban: nothing more is earned, so nothing is left that waits.
      if (body.reject_held) await services.abuse.rejectAllOf(ctx, params.id);
    },
    unban: (ctx, { params }) => identity.unban(ctx, params.id),
    verify: (ctx, { params }) => identity.confirmAddressOf(ctx, params.id),
    setRole: (ctx, { params, body }) => uow.run((tx) => access.assignRole(tx, ctx, params.id, body.role)),
    async sessions(ctx, { params }) {
      const rows = await identity.listSessionsOf(ctx, params.id);
      return {
        sessions: rows.map(({ id, device, address, createdMs, seenMs, factorMs }) => ({
          id,
          device,
          address,
          created_at: iso(createdMs),
          seen_at: iso(seenMs),
          factor_at: iso(factorMs),
        })),
      };
    },
    endSessions: async (ctx, { params, body }) => ({
      ended: await identity.endSessionsOf(ctx, params.id, body.session),
    }),
    async notes(ctx, { params }) {
      const rows = await notes.list(ctx, params.id);
      const { userId, permissions } = ctx.actor;
      return {
        notes: rows.map(({ id, authorId, author, text, createdMs }) => ({
          id,
          author,
          text,
          at: iso(createdMs),
          mine: authorId === userId || can(permissions, 'admin.root'),
        })),
      };
    },
    addNote: (ctx, { params, body }) => notes.add(ctx, params.id, body.text),
    deleteNote: (ctx, { params }) => notes.remove(ctx, params.id, params.note),
    async dependants(ctx, { params }) {
      const found = await deletion.staff.getDependants(ctx, params.id);
      const { user, servers, credits, reserved, debt, counts, hasRecords, dueMs, refusal } = found;
      const { id, username, email, status, createdMs } = user;
      const account = { id, username, email, status, created_at: iso(createdMs) };
      const due = { has_records: hasRecords, due_at: iso(dueMs), refusal };
      return { ...account, servers: [...servers], credits, reserved, debt, counts, ...due };
    },
    remove: (ctx, { params, body }) =>
      deletion.staff.deleteOf(ctx, params.id, { name: body.name, whole: body.way === 'delete' }),
  };
}
