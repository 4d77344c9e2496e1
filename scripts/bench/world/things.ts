import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Rows, Words } from './rows.ts';

/** Servers with their events and their way through the queue. */
export function serverRows({ size, user, id, rising, oneOf, someone }: Words): Rows[] {
  const { nowMs } = size;
  const servers = Math.floor(size.users / 5);
  const serverId = id(servers);
  const first = (table: string) => `(SELECT id FROM ${table} ORDER BY id LIMIT 1)`;
  const ended = 'i % 4 = 3';
  return [
    {
      table: 'servers',
      count: servers,
      columns: {
        id: serverId,
        // The one with the longest wallet has hundreds as well, of which most are deleted.
        user_id: `CASE WHEN i % ${Math.max(2, Math.floor(servers / 500))} = 0 THEN ${user('0')} ELSE ${user('i * 5')} END`,
        name: oneOf(31, ["'Survival with friends'", "'Skyblock'", "'Lobby'", "'Terraria night'"]),
        description: "''",
        location_id: first('locations'),
        category_id: '(SELECT category_id FROM eggs ORDER BY id LIMIT 1)',
        egg_id: first('eggs'),
        memory: '2048',
        disk: '8192',
        cpu: '100',
        ports: '1',
        databases: '1',
        backups: '1',
        variables: "'{}'",
        state: `CASE WHEN ${ended} THEN 'deleted' WHEN i % 16 = 1 THEN 'suspended' ELSE 'active' END`,
        suspend_reason: `CASE WHEN NOT ${ended} AND i % 16 = 1 THEN 'expired' END`,
        desired: `CASE WHEN ${ended} THEN 'deleted' ELSE 'running' END`,
        panel_id: "'world-' || i",
        panel_state: "'ready'",
        panel_seen_ms: String(nowMs),
        address: "'fra' || (i / 30000) || '.play.example:' || (20000 + i % 30000)",
        revision: '1',
        synced_revision: '1',
        expires_ms: `${nowMs} + ${5 * DAY} + (i * 7919) % ${25 * DAY}`,
        auto_renew: 'i % 2',
        auto_renew_order: '0',
        periods: '3',
        created_ms: rising(servers),
        updated_ms: rising(servers),
        deleted_ms: `CASE WHEN ${ended} THEN ${rising(servers)} END`,
      },
    },
    {
      table: 'server_events',
      count: servers * 3,
      columns: {
        id: id(servers * 3),
        server_id: "'server'",
        user_id: someone(31),
        at_ms: rising(servers * 3),
        code: oneOf(1, ["'created'", "'ready'", "'renewed'"]),
      },
    },
    {
      table: 'server_queue',
      count: servers,
      columns: {
        id: id(servers),
        server_id: serverId,
        user_id: user('i * 5'),
        state: "CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'completed' END",
        priority: '0',
        attempts: '1',
        created_ms: rising(servers),
        started_ms: rising(servers),
        done_ms: `${rising(servers)} + ${MINUTE}`,
      },
    },
    {
      table: 'server_queue_log',
      count: servers * 4,
      columns: {
        id: id(servers * 4),
        queue_id: "'queue'",
        server_id: "'server'",
        at_ms: rising(servers * 4),
        code: oneOf(1, ["'queued'", "'reserved'", "'started'", "'installed'"]),
      },
    },
  ];
}

/** What tells people something: notifications, e-mails, the audit log. */
export function newsRows({ size, user, id, rising, oneOf, someone }: Words): Rows[] {
  const { users } = size;
  const part = (share: number) => Math.max(1, Math.floor(users / share));
  return [
    {
      table: 'notifications',
      count: users * 2,
      columns: {
        id: id(users * 2),
        user_id: `CASE WHEN i % 500 = 0 THEN ${user('0')} ELSE ${someone(104_729)} END`,
        kind: oneOf(31, ["'giftReceived'", "'serverReady'", "'renewReminder'"]),
        data: "'{}'",
        created_ms: rising(users * 2),
        read_ms: `CASE WHEN i % 3 > 0 THEN ${rising(users * 2)} END`,
      },
    },
    {
      table: 'mails',
      count: users,
      columns: {
        id: id(users),
        user_id: user('i'),
        address: "'p' || i || '@mail.test'",
        template: oneOf(31, ["'verify'", "'newDevice'", "'renewReminder'"]),
        locale: "'en'",
        subject: "'Your server expires in three days'",
        text: "'Hello, your server expires in three days. Renew it on its page. If you do nothing, it is suspended and deleted a week later.'",
        html: "'<p>Hello, your server expires in three days. Renew it on its page.</p>'",
        state: oneOf(7919, ["'failed'", "'kept'", ...Array<string>(48).fill("'sent'")]),
        attempts: '1',
        message_id: "'world-' || i || '@mail.test'",
        created_ms: rising(users),
        sent_ms: rising(users),
        tried_ms: rising(users),
      },
    },
    {
      table: 'audit',
      count: part(2),
      columns: {
        id: id(part(2)),
        at_ms: rising(part(2)),
        actor_id: user('i % 20'),
        action: oneOf(31, ["'users.adjust'", "'servers.suspend'", "'tickets.reply'", "'codes.edit'"]),
        target: `'user:' || ${someone(7919)}`,
        address: "'198.51.100.7'",
      },
    },
  ];
}

/** What the host tells all. */
export function announcementRows({ size, user, id, rising }: Words): Rows[] {
  const { users } = size;
  const announcements = 300;
  return [
    {
      table: 'announcements',
      count: announcements,
      columns: {
        id: id(announcements),
        picture: "''",
        audience: "'everyone'",
        pinned: 'CASE WHEN i % 100 = 0 THEN 1 ELSE 0 END',
        urgent: '0',
        notifies: '0',
        publish_ms: rising(announcements),
        announced_ms: rising(announcements),
        revision: '1',
        seen: String(Math.floor(users / 300)),
        created_ms: rising(announcements),
        updated_ms: rising(announcements),
      },
    },
    {
      table: 'announcement_texts',
      count: announcements,
      columns: {
        announcement_id: id(announcements),
        locale: "'en'",
        title: "'Maintenance no. ' || i",
        summary: "'Nodes restart at night.'",
        body: "'Nodes restart **one by one** between 2 and 4.'",
      },
    },
    {
      table: 'announcement_reads',
      count: users,
      columns: {
        user_id: user('i'),
        announcement_id: `(SELECT id FROM announcements ORDER BY id LIMIT 1)`,
        created_ms: rising(users),
      },
    },
  ];
}

/** What leaves by itself, and what is kept of it for a while: jobs, stored answers, webhooks. */
export function workRows({ size, user, id, rising, hash }: Words): Rows[] {
  const part = (share: number) => Math.max(1, Math.floor(size.users / share));
  return [
    {
      table: 'jobs',
      count: part(20),
      columns: {
        id: id(part(20)),
        kind: "'mail.send'",
        payload: "'{}'",
        run_at_ms: rising(part(20)),
        attempts: '1',
        max_attempts: '5',
        lease_until_ms: '0',
        rerun: '0',
        state: "CASE WHEN i % 100 = 0 THEN 'dead' ELSE 'done' END",
        created_ms: rising(part(20)),
        done_ms: rising(part(20)),
      },
    },
    {
      table: 'idempotency_keys',
      count: part(10),
      columns: {
        user_id: user('i * 10'),
        key: hash('wk'),
        input_hash: hash('wh'),
        answer: `'{"success":true}'`,
        created_ms: `${size.nowMs} - (i * 31) % ${DAY}`,
      },
    },
    {
      table: 'webhook_events',
      count: part(20),
      columns: {
        id: id(part(20)),
        name: "'server.created'",
        object: "'server:' || (i % 100)",
        body: "'{}'",
        dispatched: '1',
        created_ms: rising(part(20)),
      },
    },
    {
      table: 'webhook_deliveries',
      count: part(20),
      columns: {
        id: id(part(20)),
        endpoint_id: "'endpoint'",
        event_id: id(part(20)),
        event: "'server.created'",
        object: "'server:' || (i % 100)",
        state: "CASE WHEN i % 40 = 0 THEN 'failed' ELSE 'delivered' END",
        tries: '1',
        next_ms: '0',
        created_ms: rising(part(20)),
        done_ms: rising(part(20)),
      },
    },
  ];
}

/** Tickets of four lines each, in four departments. */
export function deskRows({ size, user, id, rising, oneOf, someone }: Words): Rows[] {
  const part = (share: number) => Math.max(1, Math.floor(size.users / share));
  const tickets = part(10);
  const LINES = 4;
  const ticketOf = id(tickets);
  const line = `'ticket no ' || i || ' cannot join on port ' || (25000 + i % 977) || CASE WHEN i % 10 = 0 THEN ' common' ELSE '' END || CASE WHEN i = ${tickets} THEN ' rare' ELSE '' END`;
  return [
    {
      table: 'departments',
      count: 4,
      columns: {
        id: user('i'),
        name: "'Department ' || i",
        description: "''",
        hours: "''",
        position: 'i',
        enabled: '1',
        created_ms: '0',
        updated_ms: '0',
      },
    },
    {
      table: 'tickets',
      count: tickets,
      columns: {
        id: ticketOf,
        number: 'i + 1',
        user_id: `CASE WHEN i % 200 = 0 THEN ${user('0')} ELSE ${someone(31)} END`,
        department_id: user('(i / 7) % 4'),
        subject: "'Ticket no. ' || i",
        priority: oneOf(31, ["'low'", "'normal'", "'normal'", "'high'"]),
        status: oneOf(7, ["'open'", "'answered'", "'waiting'", "'on_hold'", ...Array<string>(16).fill("'closed'")]),
        assignee_id: `CASE WHEN i % 3 = 0 THEN ${user('1')} END`,
        messages: String(LINES),
        answered_seq: '2',
        read_seq: String(LINES),
        created_ms: rising(tickets),
        since_ms: `${rising(tickets)} + ${HOUR}`,
        updated_ms: `${rising(tickets)} + ${HOUR}`,
        first_answer_ms: `${rising(tickets)} + ${HOUR}`,
        closed_ms: oneOf(7, [
          'NULL',
          'NULL',
          'NULL',
          'NULL',
          ...Array<string>(16).fill(`${rising(tickets)} + ${2 * HOUR}`),
        ]),
      },
    },
    {
      table: 'ticket_messages',
      count: tickets * LINES,
      columns: {
        id: user('i'),
        ticket_id: id(tickets, `(i / ${LINES})`),
        seq: `1 + i % ${LINES}`,
        kind: "CASE i % 2 WHEN 0 THEN 'user' ELSE 'staff' END",
        text: line,
        created_ms: rising(tickets * LINES),
      },
    },
    {
      table: 'ticket_texts',
      count: tickets * LINES,
      columns: {
        doc: `(1 + i / ${LINES}) * 1048576 + 1 + i % ${LINES}`,
        message_id: user('i'),
        words: line,
      },
    },
    {
      table: 'ticket_tags',
      count: tickets,
      columns: { ticket_id: ticketOf, tag: "'tag ' || (i % 20)" },
    },
  ];
}

/** Orders that nobody paid, and images. */
export function itemRows({ size, user, id, rising, oneOf, someone, padded }: Words): Rows[] {
  const part = (share: number) => Math.max(1, Math.floor(size.users / share));
  return [
    {
      table: 'payment_orders',
      count: part(20),
      columns: {
        id: id(part(20)),
        user_id: someone(104_729),
        provider: "'manual'",
        state: oneOf(31, ["'created'", "'expired'", "'cancelled'", "'failed'"]),
        currency: "'EUR'",
        amount: '500',
        tax: '80',
        tax_rate: '1900',
        credits: '500',
        bonus: '0',
        locale: "'en'",
        refunded: '0',
        created_ms: rising(part(20)),
        updated_ms: rising(part(20)),
      },
    },
    {
      table: 'image_objects',
      count: part(10),
      columns: {
        hash: padded('i', 64),
        key: padded('i', 64),
        store: "'disk'",
        type: "'image/webp'",
        width: '640',
        height: '480',
        bytes: '20000',
        bytes_all: '26000',
        used_ms: rising(part(10)),
      },
    },
    {
      table: 'images',
      count: part(10),
      columns: {
        id: padded('i', 20),
        user_id: `CASE WHEN i % 50 = 0 THEN ${user('0')} ELSE ${someone(7919)} END`,
        upload_id: "'upload-' || i",
        hash: padded('i', 64),
        name: "'Screenshot ' || i",
        name_key: "'screenshot ' || i",
        bytes: '26000',
        price: '0',
        views: 'i % 1000',
        created_ms: rising(part(10)),
      },
    },
  ];
}
