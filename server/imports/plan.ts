import type { Resources } from '#shared/constants.ts';
import { MAX_CREDITS } from '#shared/credits.ts';
import { isUsableForeignHash } from '#shared/foreign-hash.ts';
import type { EmailRule, ImportReason, NameRule } from '#shared/imports.ts';
import { normaliseName } from '#shared/names.ts';
import { email as emailSchema } from '#shared/schemas/account.ts';
import type { ImportOrigin, TakenUser } from '../modules/imports/index.ts';
import type { UnitOfWork } from '../modules/tx.ts';
import { FRACTIONS, type UserRecord } from './model.ts';
import { RECORD_BATCH, type RecordStore, type StoredRecord } from './records.ts';
import { openSealed } from './sealed.ts';

/** How users are planned whom somebody stands in the way of, and what their credits are worth. */
interface PlanRules {
  readonly email: EmailRule;
  readonly names: NameRule;
  readonly factor: bigint;
}
/** A user who comes, every question planned; what apply needs beside the ids it makes. */
export interface PlannedUser {
  readonly mergeInto: string | null;
  readonly username: string;
  readonly email: string;
  readonly hash: string;
  readonly sealedPassword: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdMs: number | null;
  readonly verified: boolean;
  readonly ban: UserRecord['ban'];
  /** What the source calls their role, and which of ours that is most like. */
  readonly roleName: string;
  readonly role: UserRecord['role'];
  readonly limits: Resources;
  readonly discord: string | null;
  readonly panelUser: string | null;
  /** Absent: that of everybody who says none. */
  readonly locale?: UserRecord['locale'];
  /** Whole credits. */
  readonly credits: number;
}
interface PlanDeps {
  readonly uow: UnitOfWork;
  readonly store: RecordStore;
  readonly origin: ImportOrigin;
  readonly rules: PlanRules;
  readonly defaults: Resources;
  readonly key: Uint8Array | null;
  readonly nowMs: number;
}
/** Sums of credits of a source, in ten-thousandths of ours: `found` is `coming`, `already`, `cut` and `left` together. */
export interface CreditSums {
  readonly found: bigint;
  /** What is below 0: it comes as 0. */
  readonly negative: bigint;
  readonly coming: bigint;
  readonly already: bigint;
  readonly cut: bigint;
  readonly left: bigint;
}

/** Longest username, and how many names are tried for somebody whose own is taken. */
const NAME_MAX = 32;
const NAME_TRIES = 200;
const NAME_OF_PERSON_MAX = 64;
/** Longest name of a role by which it is distinguished. */
const ROLE_NAME_MAX = 100;

/** A name as usernames may be; '' where nothing of it is left. */
const cleanName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, NAME_MAX);

/** A person's name as ours may be: one line, no controls. */
const cleanPerson = (name: string, otherwise: string): string =>
  [...name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()].slice(0, NAME_OF_PERSON_MAX).join('').trim() ||
  otherwise;

/**
 * Settles every user of the source, the oldest first: who comes, under which name, with how many credits, and who does
 * not, and why. Changes nothing but the working file. Out: the sums, in which every credit of the source is found.
 */
export async function planUsers(deps: PlanDeps, onRow: (done: number) => void): Promise<CreditSums> {
  const sums = { found: 0n, negative: 0n, coming: 0n, already: 0n, cut: 0n, left: 0n };
  let done = 0;
  for (let after = 0; ;) {
    const batch = deps.store.list<UserRecord>('user', 'new', after);
    const emails = batch.map(({ data }) => normaliseName(data.email)).filter(Boolean);
    const names = batch.map(({ data, id }) => normaliseName(nameOf(data, id)));
    const { taken, before } = await deps.uow.read(async (tx) => ({
      taken: await tx.imports.listTaken({ names, emails }),
      before: await tx.imports.listRows(
        deps.origin,
        'user',
        batch.map(({ id }) => id),
      ),
    }));
    for (const record of batch) {
      const size = BigInt(record.data.credits) * deps.rules.factor;
      if (size < 0n) {
        sums.negative += size;
        deps.store.note('user', record.id, record.data.name || record.data.email, 'negative');
      }
      const held = size > 0n ? size : 0n;
      sums.found += held;
      const became = before.has(record.id) ? 'already' : await planUser(deps, record, taken, held);
      if (became === 'left') sums.left += held;
      else {
        sums[became] += (held / FRACTIONS) * FRACTIONS;
        sums.cut += held % FRACTIONS;
      }
      if (became !== 'coming') deps.store.setState(record.seq, became);
    }
    done += batch.length;
    onRow(done);
    after = batch.at(-1)?.seq ?? 0;
    if (batch.length < RECORD_BATCH) break;
  }
  deps.store.staging.commit();
  return sums;
}

const nameOf = (user: UserRecord, id: string): string => {
  const clean = cleanName(user.name);
  return clean.length >= 3 ? clean : cleanName(`user-${clean || id}`);
};

/** Settles one user. Out: whether they come. */
async function planUser(
  deps: PlanDeps,
  { seq, id, data }: StoredRecord<UserRecord>,
  taken: readonly TakenUser[],
  held: bigint,
): Promise<'coming' | 'left'> {
  const { store, rules } = deps;
  const label = data.name || data.email || id;
  const leave = (reason: ImportReason): 'left' => {
    store.note('user', id, label, reason);
    return 'left';
  };
  const address = data.email === '' ? null : emailSchema.safeParse(data.email);
  if (address === null) return leave('email_missing');
  if (!address.success) return leave('email_invalid');
  if (held / FRACTIONS > BigInt(MAX_CREDITS)) return leave('credits_too_large');
  const emailKey = normaliseName(address.data);
  if (isTakenInSource(deps, 'email_key', emailKey)) return leave('email_twice');
  const here = taken.find((user) => user.emailKey === emailKey);
  // Whoever proved an address has it at both: anything less is a guess about people.
  const mergeInto = here && rules.email === 'merge' && here.active && here.verified && data.verified ? here.id : null;
  if (here && mergeInto === null) return leave('email_taken');
  const username = mergeInto === null ? await freeName(deps, nameOf(data, id), taken) : '';
  if (username === null) return leave('name_taken');
  if (mergeInto !== null) store.note('user', id, label, 'merged');
  else if (normaliseName(username) !== normaliseName(data.name))
    store.note('user', id, `${label} → ${username}`, 'renamed');
  const planned = plannedOf(
    deps,
    { id, data, label },
    { mergeInto, username, email: address.data, credits: Number(held / FRACTIONS) },
  );
  store.staging.batch();
  store.staging.run(
    "UPDATE records SET data = ?, state = 'ready', name_key = ?, email_key = ?, credits = ? WHERE seq = ?",
    JSON.stringify(planned),
    mergeInto === null ? normaliseName(username) : null,
    emailKey,
    planned.credits,
    seq,
  );
  return 'coming';
}

function plannedOf(
  deps: PlanDeps,
  { id, data, label }: { id: string; data: UserRecord; label: string },
  given: Pick<PlannedUser, 'mergeInto' | 'username' | 'email' | 'credits'>,
): PlannedUser {
  const hash = data.hash !== null && isUsableForeignHash(data.hash) ? data.hash : '';
  const sealed = data.sealedPassword ?? null;
  const readable = sealed !== null && openSealed(deps.key, sealed) !== null;
  if (hash === '' && !readable && given.mergeInto === null) deps.store.note('user', id, label, 'no_password');
  return {
    ...given,
    hash,
    sealedPassword: readable ? sealed : null,
    firstName: cleanPerson(data.firstName, given.username || '-'),
    lastName: cleanPerson(data.lastName, '-'),
    createdMs: data.createdMs !== null && data.createdMs < deps.nowMs ? data.createdMs : null,
    verified: data.verified,
    ban: data.ban && { ...data.ban, reason: cleanPerson(data.ban.reason, '').slice(0, 200) },
    roleName: data.roleName.slice(0, ROLE_NAME_MAX),
    role: data.role,
    limits: limitsOf(deps.defaults, data.limits),
    discord: data.discord,
    panelUser: data.panelUser,
    ...(data.locale ? { locale: data.locale } : {}),
  };
}

/** Amounts beyond this are mistakes of the source's. */
const LIMIT_MAX = 100_000_000;
const limitsOf = (defaults: Resources, given: Partial<Resources>): Resources =>
  Object.fromEntries(
    Object.entries(defaults).map(([kind, value]) => {
      const own = given[kind as keyof Resources];
      return [kind, own !== undefined && Number.isSafeInteger(own) && own >= 0 ? Math.min(own, LIMIT_MAX) : value];
    }),
  ) as Record<keyof Resources, number>;

function isTakenInSource({ store }: PlanDeps, column: 'name_key' | 'email_key', key: string): boolean {
  return (
    store.staging.one(`SELECT 1 AS found FROM records WHERE ${column} = ? AND state = 'ready' LIMIT 1`, key) !== null
  );
}

/** The name, or `<name>-<n>` where somebody has it; null where names are not changed, or too many are taken. */
async function freeName(deps: PlanDeps, wanted: string, taken: readonly TakenUser[]): Promise<string | null> {
  const isFree = (name: string, among: readonly TakenUser[]) =>
    !isTakenInSource(deps, 'name_key', normaliseName(name)) &&
    !among.some(({ usernameKey }) => usernameKey === normaliseName(name));
  if (isFree(wanted, taken)) return wanted;
  if (deps.rules.names === 'skip') return null;
  const others = Array.from({ length: NAME_TRIES }, (_, i) => {
    const end = `-${i + 2}`;
    return wanted.slice(0, NAME_MAX - end.length) + end;
  });
  const here = await deps.uow.read((tx) => tx.imports.listTaken({ names: others.map(normaliseName), emails: [] }));
  return others.find((name) => isFree(name, here)) ?? null;
}
