import type { Handlers } from '#server/http/implement.types.ts';
import type { Backups, InstallationFigures } from '#server/modules/backups/index.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { adminBackups, BackupFigures } from '#shared/contract/backups.ts';
import { iso } from '#shared/time.ts';

/** Backups for staff. */
export function backupsHandlers({
  backups,
  settings,
}: {
  readonly backups: Backups;
  readonly settings: Pick<Settings, 'current'>;
}): Handlers<typeof adminBackups> {
  return {
    async list(ctx) {
      const { backups: rows, remote, running, last, folder, freeBytes } = await backups.list(ctx);
      const { backup_daily: daily, backup_hour: hour, backup_keep: keep, app_timezone: zone } = settings.current();
      const isHere = new Set(rows.map(({ id }) => id));
      const isRemote = new Set(remote?.backups.map(({ id }) => id));
      const elsewhere = (remote?.backups ?? []).filter(({ id }) => !isHere.has(id));
      const all = [...rows, ...elsewhere.map((each) => ({ ...each, lock: null, facts: null }))];
      return {
        backups: all
          .toSorted((a, b) => b.atMs - a.atMs)
          .map(({ id, kind, atMs, bytes, lock, facts }) => ({
            id,
            kind,
            made_at: iso(atMs),
            day: iso(atMs).slice(0, 10),
            bytes,
            here: isHere.has(id),
            remote: isRemote.has(id),
            lock,
            users: facts?.figures?.users ?? null,
            servers: facts?.figures?.servers ?? null,
            verified: facts?.verified ? { at: iso(facts.verified.at_ms), fault: facts.verified.fault } : null,
          })),
        running: running && { ...running, since: iso(running.sinceMs) },
        last: last && { ...last, at: iso(last.atMs) },
        remote: remote && {
          place: remote.place,
          asked_at: remote.atMs === null ? null : iso(remote.atMs),
          asking: remote.asking,
          fault: remote.fault,
        },
        folder,
        free_bytes: freeBytes,
        plan: { daily, hour, keep, keep_remote: settings.current().backup_s3_keep, time_zone: zone },
      };
    },
    create: (ctx) => backups.create(ctx),
    createLocked: (ctx, { body }) => backups.createLocked(ctx, body.passphrase),
    verify: (ctx, { params, body }) => backups.verify(ctx, params.id, body.key),
    upload: async (ctx, { params, query, body }) => ({
      id: await backups.uploadPart(ctx, { ...params, ...query, bytes: body }),
    }),
    send: (ctx, { params }) => backups.send(ctx, params.id),
    fetch: (ctx, { params }) => backups.retrieve(ctx, params.id),
    removeRemote: (ctx, { params }) => backups.removeRemote(ctx, params.id),
    remove: (ctx, { params }) => backups.remove(ctx, params.id),
    prepare: (ctx, { params }) => backups.prepare(ctx, params.id),
    download: (ctx, { params }) => backups.download(ctx, params.id),
    showKey: async (ctx) => ({ key: await backups.recoveryKey(ctx) }),
    async compare(ctx, { params }) {
      const { backup, now } = await backups.compare(ctx, params.id);
      return { backup: backup && toWire(backup), now: now && toWire(now) };
    },
    restore: (ctx, { params, body }) => backups.restore(ctx, params.id, body),
  };
}

const toWire = ({ madeMs, fileBytes, ...figures }: InstallationFigures): BackupFigures => ({
  ...figures,
  made_at: iso(madeMs),
  file_bytes: fileBytes,
});
