import { expect, setDefaultTimeout, test } from 'bun:test';
import { migrate } from '#server/data/migrate.ts';
import type { Param } from '#server/data/raw.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES } from '#tests/support/db.ts';
import { withMigrations } from '#tests/support/migrations.ts';

setDefaultTimeout(300_000);

const FORMER = 'j4r.taken_back';
const NAME = 'j4r.clawed_back';
const bodyOf = (type: string) =>
  JSON.stringify({ type, version: 1, timestamp: 't', data: { text: `"type":"${FORMER}"` } });

const ADD_ORDER = `INSERT INTO payment_orders (id, user_id, provider, state, currency, amount, tax, tax_rate, credits, bonus, locale, credited_tx, taken_back, moves, refunded, created_ms, updated_ms, paid_ms, code)
  VALUES ('o', 'u', 'stripe', 'part_refunded', 'EUR', 500, 0, 0, 500, 20, 'en', 't', 104, 1, 100, 1, 2, 2, 'c')`;
const manifest = (events: readonly string[]) => ({
  identifier: 'votes',
  text: FORMER,
  permissions: { events, storage: true },
});

test.each(ENGINES)(
  'who asked for an event by its former name hears it by its new one, and orders keep what was clawed back (%s)',
  (kind) =>
    withMigrations(
      kind,
      (name) => name !== '0208_clawed_back',
      async (engine) => {
        const run = (sql: string, params: readonly Param[]) => engine.write(({ raw }) => raw.run(sql, params));
        const read = (sql: string) => engine.read(({ raw }) => raw.all(sql));
        const endpoint = (id: string, events: readonly string[]) =>
          run(
            `INSERT INTO webhook_endpoints (id, kind, name, url, events, ordered, enabled, secret, secret_set_ms, unreached, paused_until_ms, revision, created_ms, updated_ms)
              VALUES (?, 'standard', ?, 'https://a.example', ?, 0, 1, 's', 1, 0, 0, 1, 1, 1)`,
            [id, id, JSON.stringify(events)],
          );
        const event = (id: string, name: string, isDispatched: boolean) =>
          run('INSERT INTO webhook_events (id, name, object, body, dispatched, created_ms) VALUES (?, ?, ?, ?, ?, 1)', [
            id,
            name,
            'userId:u',
            bodyOf(name),
            Number(isDispatched),
          ]);
        const delivery = (id: string, eventId: string, name: string, state: string) =>
          run(
            `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, object, state, tries, next_ms, created_ms) VALUES (?, 'named', ?, ?, 'userId:u', ?, 0, 1, 1)`,
            [id, eventId, name, state],
          );
        const notification = (id: string, kindOf: string, key: string | null) =>
          run(
            "INSERT INTO notifications (id, user_id, kind, data, unique_key, created_ms) VALUES (?, 'u', ?, '{}', ?, 1)",
            [id, kindOf, key],
          );

        await run(ADD_ORDER, []);
        await endpoint('named', ['user.*', FORMER, 'order.credited']);
        await endpoint('both', [FORMER, NAME]);
        await endpoint('group', ['j4r.*']);
        await event('new', FORMER, false);
        await event('other', 'order.credited', false);
        await event('waits', FORMER, true);
        await event('sent', FORMER, true);
        await event('heard', FORMER, true);
        await delivery('d1', 'waits', FORMER, 'waiting');
        await delivery('d2', 'sent', FORMER, 'delivered');
        await delivery('d3', 'other', 'order.credited', 'waiting');
        await run('INSERT INTO plugin_events (number, event_id, name) VALUES (1, ?, ?), (2, ?, ?)', [
          'heard',
          FORMER,
          'other',
          'order.credited',
        ]);
        await run(
          `INSERT INTO plugin_packages (identifier, version, manifest, digest, size, granted, granted_ms, installed_ms, updated_ms, storage_bytes, storage_keys)
            VALUES ('votes', '1.0.0', ?, 'd', 1, ?, 1, 1, 1, 0, 0), ('quiet', '1.0.0', '{"permissions":{}}', 'd', 1, '{}', 1, 1, 1, 0, 0)`,
          [JSON.stringify(manifest([FORMER, 'gift.*'])), JSON.stringify({ events: [FORMER, 'gift.*'], storage: true })],
        );
        await run(
          "INSERT INTO plugin_uploads (id, manifest, server_code, client_code, digest, size, created_ms) VALUES ('up', ?, '', '', 'd', 1, 1)",
          [JSON.stringify(manifest([FORMER]))],
        );
        await notification('n1', 'j4rTakenBack', 'j4rTakenBack:c1');
        await notification('n2', 'giftReceived', 'g');
        await notification('n3', 'plugin', null);

        await migrate(engine, TEST_START);

        expect(await read('SELECT credits, bonus, refunded, clawed_back, moves FROM payment_orders')).toEqual([
          { credits: 500, bonus: 20, refunded: 100, clawed_back: 104, moves: 1 },
        ]);
        // More than was credited is refused as before.
        expect(await run('UPDATE payment_orders SET clawed_back = 521', []).catch(() => 'refused')).toBe('refused');
        const wanted = await read('SELECT id, events FROM webhook_endpoints ORDER BY id');
        expect(wanted).toEqual([
          { id: 'both', events: JSON.stringify([NAME]) },
          { id: 'group', events: JSON.stringify(['j4r.*']) },
          { id: 'named', events: JSON.stringify(['user.*', NAME, 'order.credited']) },
        ]);
        expect(await read('SELECT id, name, body FROM webhook_events ORDER BY id')).toEqual(
          [
            ['heard', NAME],
            ['new', NAME],
            ['other', 'order.credited'],
            ['sent', FORMER],
            ['waits', NAME],
          ].map(([id, name = '']) => ({ id, name, body: bodyOf(name) })),
        );
        expect(await read('SELECT id, event, state FROM webhook_deliveries ORDER BY id')).toEqual([
          { id: 'd1', event: NAME, state: 'waiting' },
          { id: 'd2', event: FORMER, state: 'delivered' },
          { id: 'd3', event: 'order.credited', state: 'waiting' },
        ]);
        expect(await read('SELECT name FROM plugin_events ORDER BY number')).toEqual([
          { name: NAME },
          { name: 'order.credited' },
        ]);
        expect(await read('SELECT identifier, manifest, granted FROM plugin_packages ORDER BY identifier')).toEqual([
          { identifier: 'quiet', manifest: '{"permissions":{}}', granted: '{}' },
          {
            identifier: 'votes',
            manifest: JSON.stringify(manifest([NAME, 'gift.*'])),
            granted: JSON.stringify({ events: [NAME, 'gift.*'], storage: true }),
          },
        ]);
        expect(await read('SELECT manifest FROM plugin_uploads')).toEqual([
          { manifest: JSON.stringify(manifest([NAME])) },
        ]);
        expect(await read('SELECT kind, unique_key FROM notifications ORDER BY id')).toEqual([
          { kind: 'j4rClawedBack', unique_key: 'j4rClawedBack:c1' },
          { kind: 'giftReceived', unique_key: 'g' },
          { kind: 'plugin', unique_key: null },
        ]);
      },
    ),
);
