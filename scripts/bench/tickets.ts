import { join } from 'node:path';
import { readCookie } from '#server/http/cookies.ts';
import { systemClock } from '#server/kernel.ts';
import { SESSION_COOKIE } from '#shared/constants.ts';
import type { AnnouncementInput } from '#shared/schemas/announcement.ts';
import { DAY } from '#shared/time.ts';
import { TICKET_VIEWS } from '#shared/tickets.ts';
import { fillTickets } from '#tests/support/ticket-crowd.ts';
import { openCrowd, type CrowdSide } from './crowd-side.ts';
import { inFolder } from './folder.ts';
import { growthFigure, plainFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { addStaff } from './user-list.ts';
import { addPlayers, BROWSER, openWorld } from './installation.ts';

const TURNS = 5;
/** Answers a turn, and so many of staff that nobody comes near the limit of 600 calls a minute. */
const ANSWERS = 20;
const STAFF = 4;
const SMALL = 1000;
const LARGE = 1_000_000;
/** The larger of two may take this many times as long as the smaller. */
const MOST = 1.5;
/** Who hears of an announcement. */
const AUDIENCE = 2000;
/** Words of every third line of every ticket, of a tenth of the tickets, of one, and the beginning of one. */
const SEARCHES = ['cannot join', 'common', 'rare', 'comm'];

/**
 * Figures t: what a page of staff's inbox takes among a thousand tickets and among a million, through the whole API: by
 * every list, each with its counts, and by words. And how many users a second hear of an announcement.
 */
export async function ticketFigures(): Promise<Figure[]> {
  const figures = await inFolder((folderA) =>
    inFolder(async (folderB) => {
      const [small, large] = [await open(folderA, SMALL), await open(folderB, LARGE)];
      const found: Figure[] = [];
      const compare = async (name: string, query: string): Promise<void> => {
        const answers = ({ answers: of, staff }: Desk) =>
          of(staff, `/api/admin/tickets?${query}`, '"rows":[{', ANSWERS);
        const { a, b } = await alternatePair(TURNS, answers(large), answers(small));
        found.push(growthFigure(`t.${name}`, a, b, 'ms', MOST));
      };
      for (const view of TICKET_VIEWS) await compare(view, `view=${view}`);
      for (const words of SEARCHES) await compare(`search.${words}`, `q=${encodeURIComponent(words)}`);
      await Promise.all([small.close(), large.close()]);
      return found;
    }),
  );
  return [...figures, await inFolder(announceFigure)];
}

/** An installation with tickets, and a Cookie header for each of staff. */
interface Desk extends CrowdSide {
  readonly staff: readonly string[];
}

/** An installation with so many tickets, of which those of staff who ask have a third. */
async function open(folder: string, tickets: number): Promise<Desk> {
  const world = await openWorld(folder);
  const staff = await addStaff(world.host, STAFF);
  const rows = await world.host.database.read(({ raw }) =>
    raw.all<{ id: string }>("SELECT id FROM users WHERE username LIKE 'player%'"),
  );
  await world.close();
  const staffIds = rows.map(({ id }) => id);
  fillTickets(join(folder, 'spawnpoint.db'), { tickets, staffIds, nowMs: systemClock.now() - 2 * DAY });
  return { ...(await openCrowd(folder, { users: SMALL, movements: 1 })), staff };
}

/** How many users a second the job of an announcement notifies, in slices of a transaction each. */
async function announceFigure(folder: string): Promise<Figure> {
  const { host, close } = await openWorld(folder);
  const [cookie = ''] = await addPlayers(host, AUDIENCE, 0);
  const session = await host.services.identity.resolve(readCookie(cookie, SESSION_COOKIE) ?? '');
  if (!session) throw new Error('there is no player');
  await host.runner.runDue();
  const actor = { ...session.actor, permissions: ['admin.root'] };
  await host.services.staffAnnouncements.create({ ...CALL, actor }, ANNOUNCEMENT);
  const begun = performance.now();
  await host.runner.runDue();
  const seconds = (performance.now() - begun) / 1000;
  const rows = await host.database.read(({ raw }) =>
    raw.all<{ n: number }>("SELECT COUNT(*) AS n FROM notifications WHERE kind = 'announcementPublished'"),
  );
  await close();
  const notified = Number(rows[0]?.n);
  if (notified !== AUDIENCE) throw new Error(`${notified} of ${AUDIENCE} heard of the announcement`);
  return plainFigure('t.announce', AUDIENCE / seconds, 'users/s');
}

const CALL = { requestId: 'bench', locale: 'en', address: '127.0.0.1', userAgent: BROWSER, idempotency: null } as const;
const ANNOUNCEMENT: AnnouncementInput = {
  texts: [{ locale: 'en', title: 'Faster disks', summary: 'From Monday on.', body: 'All nodes get **NVMe**.' }],
  tags: [],
  picture: '',
  audience: 'everyone',
  targets: [],
  pinned: false,
  urgent: false,
  notifies: true,
  mails: false,
  pushes: false,
  publish_at: 'now',
  end_at: null,
};
