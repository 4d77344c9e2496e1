import type { Database } from './open.ts';

/**
 * Gives back what a process that died had leased, so that the queue goes on at once and not when the leases run out.
 * Called when a serving process starts on SQLite, whose file belongs to one such process at a time; on PostgreSQL
 * others may be alive, so nothing is touched there. A worker that turns out to live on loses only its leases: it can no
 * longer finish, and what it did is looked up again.
 */
export async function releaseLeases(database: Pick<Database, 'dialect' | 'write'>): Promise<void> {
  if (database.dialect !== 'sqlite') return;
  await database.write(async ({ raw }) => {
    await raw.run(
      "UPDATE jobs SET lease_token = NULL, lease_until_ms = 0 WHERE state = 'ready' AND lease_token IS NOT NULL",
      [],
    );
    await raw.run('UPDATE schedules SET lease_token = NULL, lease_until_ms = 0 WHERE lease_token IS NOT NULL', []);
  });
}
