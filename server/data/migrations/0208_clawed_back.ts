import type { Raw } from '../raw.ts';
import { define, type Migration } from './migration.ts';

const FORMER = 'j4r.taken_back';
const NAME = 'j4r.clawed_back';

/**
 * Credits that are taken because what they were paid for is over are clawed back, in orders as in joins (decision 102).
 * Who asked for the event under its former name goes on hearing it; what waits to be given to somebody, or to be sent,
 * leaves under the one that is documented. What was sent stays as it was sent. Every row is found along an index, or
 * stands in a table of few.
 */
export const clawedBack: Migration = {
  name: '0208_clawed_back',
  async up(step) {
    const { raw } = step;
    await define(step, ['ALTER TABLE payment_orders RENAME COLUMN taken_back TO clawed_back']);
    await renameWanted(raw);
    await renameGranted(raw);
    await renameWaiting(raw);
    // Notifications of the kind all have a key, which an index has.
    await raw.run(
      `UPDATE notifications SET kind = 'j4rClawedBack', unique_key = replace(unique_key, 'j4rTakenBack:', 'j4rClawedBack:')
        WHERE unique_key >= 'j4rTakenBack:' AND unique_key < 'j4rTakenBack;' AND kind = 'j4rTakenBack'`,
    );
  },
};

const renamed = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => (name === FORMER ? NAME : name))),
];

/** What endpoints of webhooks want. */
async function renameWanted(raw: Raw): Promise<void> {
  for (const { id, events } of await raw.all<{ id: string; events: string }>(
    'SELECT id, events FROM webhook_endpoints',
  ))
    await raw.run('UPDATE webhook_endpoints SET events = ? WHERE id = ?', [
      JSON.stringify(renamed(JSON.parse(events) as string[])),
      id,
    ]);
}

interface Asking {
  events?: string[];
}

/** What plugins ask for, and were granted. Their code stays as its author signed it. */
async function renameGranted(raw: Raw): Promise<void> {
  const asksForNew = (manifest: string): string => {
    const whole = JSON.parse(manifest) as { permissions: Asking };
    return JSON.stringify({ ...whole, permissions: withRenamed(whole.permissions) });
  };
  const withRenamed = (asking: Asking): Asking =>
    asking.events ? { ...asking, events: renamed(asking.events) } : asking;
  const like = `%${FORMER}%`;
  const packages = await raw.all<{ identifier: string; manifest: string; granted: string }>(
    'SELECT identifier, manifest, granted FROM plugin_packages WHERE manifest LIKE ?',
    [like],
  );
  for (const { identifier, manifest, granted } of packages)
    await raw.run('UPDATE plugin_packages SET manifest = ?, granted = ? WHERE identifier = ?', [
      asksForNew(manifest),
      JSON.stringify(withRenamed(JSON.parse(granted) as Asking)),
      identifier,
    ]);
  const uploads = await raw.all<{ id: string; manifest: string }>(
    'SELECT id, manifest FROM plugin_uploads WHERE manifest LIKE ?',
    [like],
  );
  for (const { id, manifest } of uploads)
    await raw.run('UPDATE plugin_uploads SET manifest = ? WHERE id = ?', [asksForNew(manifest), id]);
}

/** Events that are not given to those who want them yet, and deliveries that wait to be sent. */
async function renameWaiting(raw: Raw): Promise<void> {
  // As `JSON.stringify` writes it: inside a value its quotes would be escaped.
  const rename = (which: string, params: readonly string[]) =>
    raw.run(
      `UPDATE webhook_events SET name = ?, body = replace(body, '{"type":"${FORMER}"', '{"type":"${NAME}"') WHERE name = ? AND ${which}`,
      [NAME, FORMER, ...params],
    );
  await rename('dispatched = 0', []);
  await rename('id IN (SELECT event_id FROM plugin_events WHERE name = ?)', [FORMER]);
  await raw.run('UPDATE plugin_events SET name = ? WHERE name = ?', [NAME, FORMER]);
  for (const { id } of await raw.all<{ id: string }>('SELECT id FROM webhook_endpoints')) {
    const waiting = "endpoint_id = ? AND state = 'waiting' AND event = ?";
    await rename(`id IN (SELECT event_id FROM webhook_deliveries WHERE ${waiting})`, [id, FORMER]);
    await raw.run(`UPDATE webhook_deliveries SET event = ? WHERE ${waiting}`, [NAME, id, FORMER]);
  }
}
