import type { Host } from '#server/compose/host.ts';
import { USER_SEEN, USER_SORTS } from '#shared/schemas/people.ts';
import type { CrowdSide } from './crowd-side.ts';
import { growthFigure, type Figure } from './report.ts';
import { alternatePair } from './rounds.ts';
import { addPlayers } from './installation.ts';

const TURNS = 5;
/** Answers a turn. */
const ANSWERS = 40;
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
 * Figures g.users: what a page of the list of users takes in the larger of two believable hosts against the smaller,
 * through the whole API, by every filter in every order.
 */
export async function userListFigures(large: CrowdSide, small: CrowdSide): Promise<Figure[]> {
  const asked = async ({ host, answers }: CrowdSide) => {
    const [role, staff] = [await roleOf(host), await addStaff(host)];
    return (query: string) => answers(staff, `/api/admin/users?${query.replace('ROLE', role)}`, '"rows":[{', ANSWERS);
  };
  const [ofLarge, ofSmall] = [await asked(large), await asked(small)];
  const figures: Figure[] = [];
  for (const [name, query] of questions()) {
    const { a, b } = await alternatePair(TURNS, ofLarge(query), ofSmall(query));
    figures.push(growthFigure(`g.users.${name}`, a, b, 'ms', MOST));
  }
  return figures;
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
