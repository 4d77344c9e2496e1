import type { Handlers } from '#server/http/implement.types.ts';
import type { ImportRun, Imports } from '#server/modules/imports/index.ts';
import { importOptions, importSummary, type adminImports } from '#shared/contract/imports.ts';
import { iso } from '#shared/time.ts';

/** Notes on one page. */
const NOTES = 50;

const summaryOf = (run: ImportRun) => importSummary.parse(JSON.parse(run.summary));
function runView(run: ImportRun) {
  const { id, product, instance, state, fault, createdMs, updatedMs } = run;
  const { ready, done } = summaryOf(run).kinds.user;
  return {
    id,
    product,
    instance,
    state,
    fault,
    created_at: iso(createdMs),
    updated_at: iso(updatedMs),
    users: ready + done,
  };
}
/** Minutes ahead of UTC as `+02:00`. */
function zoneText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Coming over from other dashboards, for owners. */
export function importsHandlers({ imports }: { readonly imports: Imports }): Handlers<typeof adminImports> {
  return {
    async list(ctx) {
      const { runs, panels, running, last } = await imports.list(ctx);
      return {
        runs: runs.map(runView),
        panels,
        running: running && {
          task: running.task,
          run_id: running.runId,
          since: iso(running.sinceMs),
          step: running.step,
          done: running.done,
        },
        last: last && { task: last.task, run_id: last.runId, at: iso(last.atMs), fault: last.fault },
      };
    },
    async get(ctx, { params }) {
      const { run, kept, isRunning, hasUpload, targets, decided } = await imports.get(ctx, params.id);
      const { from, upload, zoneMinutes, ...choices } = importOptions.parse(JSON.parse(run.options));
      const { roles, ...summary } = summaryOf(run);
      return {
        run: runView(run),
        summary,
        roles: roles.map(({ name, users, to, permissions, unmatched }) => ({
          name,
          users,
          to,
          permissions,
          unmatched,
        })),
        targets: [...targets],
        decided,
        choices: { ...choices, zone: zoneText(zoneMinutes) },
        from,
        upload: hasUpload ? (upload ?? null) : null,
        kept,
        is_running: isRunning,
      };
    },
    async notes(ctx, { params, query }) {
      const { kind, reason, after = 0 } = query;
      const found = await imports.notes(ctx, params.id, { kind, reason, after, limit: NOTES + 1 });
      const notes = found.slice(0, NOTES);
      return { notes, next: found.length > NOTES ? (notes.at(-1)?.seq ?? null) : null };
    },
    report: (ctx, { params }) => imports.report(ctx, params.id),
    upload: async (ctx, { params, query, body }) => ({
      id: await imports.uploadPart(ctx, { ...params, ...query, bytes: body }),
    }),
    check(ctx, { body: { upload, host, port, database, username, password, encrypted, key, ...choices } }) {
      return imports.check(ctx, {
        choices,
        place: { upload, host, port, database, username, password, encrypted },
        key,
      });
    },
    apply: (ctx, { params, body }) => imports.apply(ctx, params.id, body),
    undo: (ctx, { params }) => imports.undo(ctx, params.id),
    remove: (ctx, { params }) => imports.remove(ctx, params.id),
  };
}
