import type { Host } from '#server/compose/host.ts';
import { USER_SEEN, USER_SORTS } from '#shared/schemas/people.ts';
import { openBelievable } from './crowd-side.ts';
import { inFolder } from './folder.ts';
import { growthFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { addPlayers } from './installation.ts';

const TURNS = 5;
/** Answers a turn. */
const ANSWERS = 40;
const SMALL = { users: 2000, postings: 20_000 };
const LARGE = { users: 1_000_000, postings: 2_000_000 };
/** So many that nobody comes near the limit of 600 calls a minute. */
const STAFF = 40;
/** The larger of two may take this many times as long as the smaller. */
const MOST = 1.5;
/** Each fits a fiftieth of the host's users at least, which is more than a page in either. */
const FILTERS: Readonly<Record<string, string>> = {
  all: '',
  role: 'role=ROLE',
  banned: 'status=banned',
  active: 'status=active',
  unverified: 'unverified=true',
  factor: 'factor=true',
  no_factor: 'factor=false',
  unspent: 'unspent=true',
  name: 'q=player00005',
};

/**
 * Figures l: what a page of the list of users takes among two thousand and among a million of a believable host,
 * through the whole API, by every filter in every order.
 */
export function userListFigures(): Promise<Figure[]> {
  return inFolder((folderA) =>
    inFolder(async (folderB) => {
      const open = async (folder: string, size: typeof SMALL) => {
        let role = '';
        const side = await openBelievable(folder, size, async (host) => {
          role = await roleOf(host);
          return addStaff(host);
        });
        return { ...side, role };
      };
      const [small, large] = [await open(folderA, SMALL), await open(folderB, LARGE)];
      const figures: Figure[] = [];
      for (const [name, query] of questions()) {
        const answers = ({ answers: of, role }: typeof small) =>
          of(`/api/admin/users?${query.replace('ROLE', role)}`, '"rows":[{', ANSWERS);
        const { a, b } = await alternatePair(TURNS, answers(large), answers(small));
        figures.push(growthFigure(`l.${name}`, a, b, 'ms', MOST));
      }
      await Promise.all([small.close(), large.close()]);
      return figures;
    }),
  );
}

/** Every filter in every order, and every span of "last seen" in the order it goes with. */
function questions(): [string, string][] {
  const sorted = Object.entries(FILTERS).flatMap(([name, filter]) =>
    USER_SORTS.map((sort): [string, string] => [`${name}.${sort}`, `${filter}&sort=-${sort}`]),
  );
  return [...sorted, ...USER_SEEN.map((seen): [string, string] => [`seen.${seen}`, `seen=${seen}`])];
}

/** Adds staff who are signed in. Out: a Cookie header for each. */
export async function addStaff(host: Host, count = STAFF): Promise<string[]> {
  const cookies = await addPlayers(host, count, 0);
  await host.database.write(({ raw }) =>
    // Four digits: those of a believable host have seven.
    raw.run("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'admin') WHERE username LIKE 'player____'"),
  );
  return cookies;
}

async function roleOf({ database }: Host): Promise<string> {
  const row = await database.read(({ raw }) => raw.one<{ id: string }>("SELECT id FROM roles WHERE key = 'vip'"));
  return row?.id ?? '';
}
