import { listed, made, NO_CONTENT, ok, rowOf, type Answer, type Call, type Route } from './context.ts';
import { crash, display, notFound } from './errors.ts';
import { like, type Listing } from './query.ts';
import type { Body, UserRow } from './rows.ts';
import { demand, unique, type Rules } from './rules.ts';
import type { PanelState } from './state.ts';

const LISTING: Listing<UserRow> = {
  filters: {
    email: like((row) => row.email),
    uuid: like((row) => row.uuid),
    username: like((row) => row.username),
    external_id: like((row) => row.externalId),
  },
  sorts: { id: (row) => row.id, uuid: (row) => row.uuid },
};
const NAMES = { external_id: 'Third Party Identifier', root_admin: 'Root Administrator Status' };
type Unique = 'email' | 'username' | 'externalId';

/** Uniqueness ignores the case of letters (2). */
function taken(state: PanelState, field: Unique, value: unknown, but: number): boolean {
  const wanted = String(value).toLowerCase();
  return [...state.users.values()].some((row) => row.id !== but && row[field]?.toLowerCase() === wanted);
}
/** The table of section 3, and what section 8 changes of it. PATCH asks for all of it too: it is not partial. */
function rulesOf(state: PanelState, but: number): Rules {
  const free = (field: Unique) => unique((value) => !taken(state, field, value, but));
  const pelican = state.dialect === 'pelican';
  const long = pelican ? 'between:1,255' : 'between:1,191';
  const names: Rules = pelican
    ? {}
    : { first_name: ['required', 'string', long], last_name: ['required', 'string', long] };
  return {
    email: ['required', 'email', long, free('email')],
    external_id: ['sometimes', 'nullable', 'string', pelican ? 'max:255' : 'max:191', free('externalId')],
    username: ['required', long, ...(pelican ? [] : ['p_username']), free('username')],
    password: ['sometimes', 'nullable', 'string'],
    ...(pelican ? {} : { root_admin: ['sometimes', 'boolean'] }),
    language: ['sometimes', 'string', 'in:en'],
    ...names,
  };
}
const text = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);

/** Changes a row to what a body says; what the body leaves out stays, but for what the rules demand (3). */
function apply(row: UserRow, body: Body, nowMs: number): void {
  row.email = text(body['email'], row.email);
  row.username = String(body['username'] ?? row.username).toLowerCase();
  row.firstName = text(body['first_name'], row.firstName);
  row.lastName = text(body['last_name'], row.lastName);
  row.language = text(body['language'], row.language);
  if ('external_id' in body) row.externalId = typeof body['external_id'] === 'string' ? body['external_id'] : null;
  if ('root_admin' in body) row.rootAdmin = [true, 1, '1'].some((each) => each === body['root_admin']);
  if (typeof body['password'] === 'string') row.password = body['password'];
  row.updatedMs = nowMs;
}

/** Accounts that are being made without a password, by panel: each writes its password link inside its transaction. */
const making = new WeakMap<PanelState, number>();
/**
 * Lets others go on; whether one of them was inside the same tables meanwhile: then the database takes the later one
 * back (3).
 */
async function meets(state: PanelState, yieldToOthers: () => Promise<void>): Promise<boolean> {
  const before = making.get(state) ?? 0;
  making.set(state, before + 1);
  await yieldToOthers();
  making.set(state, (making.get(state) ?? 1) - 1);
  return before > 0;
}
async function create({ state, body, show, includes, origin, yieldToOthers }: Call): Promise<Answer> {
  demand(body, rulesOf(state, 0), NAMES);
  let deadlock = false;
  if (typeof body['password'] === 'string') await yieldToOthers();
  else deadlock = await meets(state, yieldToOthers);
  // Two at once both passed the check; the table's unique keys let one in (5, "races").
  for (const [field, key] of [
    ['email', 'email'],
    ['username', 'username'],
    ['externalId', 'external_id'],
  ] as const) {
    if (body[key] !== undefined && body[key] !== null && taken(state, field, body[key], 0))
      throw crash('UniqueConstraintViolationException');
  }
  if (deadlock) throw crash('QueryException');
  const now = state.now();
  const row: UserRow = {
    id: state.nextId('users'),
    externalId: null,
    uuid: state.uuid(),
    username: '',
    email: '',
    firstName: '',
    lastName: '',
    language: 'en',
    rootAdmin: false,
    password: null,
    createdMs: now,
    updatedMs: now,
  };
  apply(row, state.dialect === 'pelican' ? { ...body, root_admin: false } : body, now);
  state.users.set(row.id, row);
  return made(show.user(row, includes), `${origin}/api/application/users/${row.id}`);
}
function update({ state, params, body, show, includes }: Call): Answer {
  const row = rowOf(state.users, params[0]);
  demand(body, rulesOf(state, row.id), NAMES);
  const { root_admin: _ignored, ...rest } = body;
  apply(row, state.dialect === 'pelican' ? rest : body, state.now());
  return ok(show.user(row, includes));
}
function remove({ state, params }: Call): Answer {
  const row = rowOf(state.users, params[0]);
  if (state.dialect === 'pelican' && row.rootAdmin) return { status: 403, body: [] };
  if ([...state.servers.values()].some((server) => server.ownerId === row.id)) {
    throw display(
      'DisplayException',
      'Cannot delete a user with active servers attached to their account. Please delete their servers before continuing.',
    );
  }
  state.users.delete(row.id);
  return NO_CONTENT;
}
function external({ state, params, show, includes }: Call): Answer {
  const wanted = params[0]?.toLowerCase();
  const row = [...state.users.values()].find((each) => each.externalId?.toLowerCase() === wanted);
  if (!row) throw notFound();
  return ok(show.user(row, includes));
}

export const USER_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/users',
    right: 'users',
    work: (call) => listed(call, [...call.state.users.values()], LISTING, (row) => call.show.user(row, call.includes)),
  },
  { method: 'GET', path: '/users/external/{name}', right: 'users', work: external },
  {
    method: 'GET',
    path: '/users/{name}',
    right: 'users',
    work: ({ state, params, show, includes }) => ok(show.user(rowOf(state.users, params[0]), includes)),
  },
  { method: 'POST', path: '/users', right: 'users', work: create },
  { method: 'PATCH', path: '/users/{name}', right: 'users', work: update },
  { method: 'DELETE', path: '/users/{name}', right: 'users', work: remove },
];
