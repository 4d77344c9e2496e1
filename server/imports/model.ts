import * as z from 'zod/mini';
import type { Resources } from '#shared/constants.ts';
import type { ImportProduct, ImportReason } from '#shared/imports.ts';
import { isLocale, type Locale } from '#shared/i18n/locales.ts';
import type { Staging } from './staging.ts';

/** What a source's own tables are called, and the columns of them that the product has use for. */
export interface SourceSpec {
  readonly product: ImportProduct;
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Whether these are its tables, by their columns and types. Throws ImportFault `version`. */
  assertIs(tables: SourceTables): void;
  /** Makes records of the rows in the working file. */
  map(source: Source): void;
}
/** Tables of a source: the names of their columns, and their types in lower case. */
export type SourceTables = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Ten-thousandths of a credit: what the finest of the sources counts in. */
export const FRACTIONS = 10_000n;

/** A user as every source has one. Times are UTC milliseconds; null where the source does not say. */
export interface UserRecord {
  readonly name: string;
  readonly email: string;
  /** Bcrypt; null: the password has to be set anew. */
  readonly hash: string | null;
  /** The password itself, where the source keeps it so that it can be read; it is hashed at once. */
  readonly sealedPassword?: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdMs: number | null;
  readonly verified: boolean;
  readonly ban: { readonly reason: string; readonly untilMs: number | null } | null;
  /** Which of our roles the source's own one is most like; never the owner's. */
  readonly role: 'member' | 'vip' | 'support' | 'admin';
  /** What the source calls the role; '': it has none. */
  readonly roleName: string;
  /** Totals; what is left out is the default of this installation. */
  readonly limits: Partial<Resources>;
  /** Discord's id of who owns the linked account. */
  readonly discord: string | null;
  /** Id of the account at the game panel. */
  readonly panelUser: string | null;
  /** The language that they chose there; absent: the source does not say, or it is none of ours. */
  readonly locale?: Locale;
  /** Ten-thousandths of a credit, as a whole number in text; below 0: a debt. */
  readonly credits: string;
}
export interface ServerRecord {
  /** Id of the owner in the source. */
  readonly user: string;
  readonly name: string;
  /** Id of the server at the panel, or what the panel has as its `external_id`. */
  readonly panelId: string | null;
  readonly externalId: string | null;
  readonly expiresMs: number | null;
}
export interface CodeRecord {
  readonly code: string;
  readonly credits: string;
  readonly usesTotal: number;
  readonly usesCount: number;
  readonly endsMs: number | null;
  /** Who used it already, by their ids in the source. */
  readonly users: readonly string[];
}
export interface PackageRecord {
  readonly name: string;
  readonly priceMinor: number;
  readonly currency: string;
  readonly credits: string;
}
export interface PaymentRecord {
  readonly user: string;
  readonly gateway: string;
  readonly reference: string;
  /** The source's own word. */
  readonly status: string;
  /** Money with two decimals, as text; null: the source does not keep it. */
  readonly amount: string | null;
  readonly currency: string;
  /** Ten-thousandths of a credit; null: none were bought. */
  readonly credits: string | null;
  readonly atMs: number | null;
}
export interface TicketRecord {
  readonly user: string;
  readonly subject: string;
  readonly department: string;
  readonly status: 'open' | 'answered' | 'closed';
  readonly priority: 'low' | 'normal' | 'high' | 'urgent';
  readonly atMs: number | null;
  /** In their order. `author`: id in the source; null where nobody knows. */
  readonly lines: readonly {
    readonly author: string | null;
    readonly staff: boolean;
    readonly text: string;
    readonly atMs: number | null;
  }[];
}
export interface SettingRecord {
  readonly key: string;
  readonly value: string | number;
}
export interface Records {
  readonly user: UserRecord;
  readonly server: ServerRecord;
  readonly code: CodeRecord;
  readonly package: PackageRecord;
  readonly payment: PaymentRecord;
  readonly ticket: TicketRecord;
  readonly setting: SettingRecord;
}
export type RecordKind = keyof Records;

/** What a source is mapped with. */
export interface Source {
  readonly staging: Staging;
  readonly tables: SourceTables;
  /** Limits of a new user here. */
  readonly defaults: Resources;
  readonly nowMs: number;
  /** Key that the source seals values with, where it was given. */
  readonly key: Uint8Array | null;
  /** Milliseconds that the source's clock is ahead of UTC. */
  readonly zoneMs: number;
  readonly currency: string;
  put<K extends RecordKind>(kind: K, id: string, record: Records[K]): void;
  /** Says that a role of the source has a permission, in the source's own words. */
  addRight(role: string, permission: string): void;
  /** Says that something of the source cannot come along, and why. `label`: a name that people know it by. */
  leave(kind: RecordKind, id: string, label: string, reason: ImportReason): void;
}

/** A cell of a row. */
const cell = z.nullable(z.string());
/** Reads a cell by a function. */
export const as = <T>(read: (text: string | null) => T) => z.pipe(cell, z.transform(read));

/** A key of the source: not empty. */
export const key = z.pipe(
  cell,
  z.pipe(
    z.transform((text: string | null) => (text ?? '').trim()),
    z.string().check(z.minLength(1), z.maxLength(100)),
  ),
);
export const text = as((value) => value ?? '');
export const trimmed = as((value) => (value ?? '').trim());
export const optional = as((value) => (value === null || value.trim() === '' ? null : value.trim()));
/** Whether a cell says yes, in any of the ways in which the sources do. */
export const flag = as((value) => /^'?(1|true|yes|on)'?$/i.test((value ?? '').trim()));
/** A whole number from 0 on; null where it is none. */
export const count = as(toCount);
/** Ten-thousandths of a credit; null where it is no number. */
export const amount = as(toFractions);

/**
 * Reads a number as text arithmetic of PHP leaves it (`12.5`, `1e3`, `'15'`, `1,50`) as ten-thousandths, cut; null: it
 * is none.
 */
export function toFractions(value: string | null): bigint | null {
  const bare = (value ?? '')
    .trim()
    .replaceAll(/^'|'$/g, '')
    .replace(/^(-?\d+),(\d{1,4})$/, '$1.$2');
  const found = /^([+-]?)(\d{0,30})(?:\.(\d*))?(?:e\+?(\d{1,2}))?$/i.exec(bare);
  if (!found || ((found[2] ?? '') === '' && (found[3] ?? '') === '')) return null;
  const [, sign, whole = '', decimals = '', power = '0'] = found;
  const shift = Number(power) + 4;
  if (shift > 34) return null;
  const digits = whole + decimals.slice(0, shift).padEnd(shift, '0');
  const size = BigInt(digits || '0');
  return sign === '-' ? -size : size;
}

function toCount(value: string | null): number | null {
  const found = toFractions(value);
  if (found === null || found < 0n) return null;
  const whole = found / FRACTIONS;
  return whole > 2_000_000_000n ? null : Number(whole);
}

/**
 * The moment of a DATETIME, which has no zone: `zoneMs` is how far its clock is ahead of UTC. Null for `0000-00-00` and
 * what is no time, or lies before 1990 or a century ahead.
 */
export function toMs(value: string | null, zoneMs: number): number | null {
  const found = /^\s*(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/.exec(value ?? '');
  if (!found) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0'] = found;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return plausible(ms - zoneMs);
}
/** The moment of epoch seconds; null as `toMs`. */
export function fromSeconds(value: string | null): number | null {
  return /^\s*\d{1,12}\s*$/.test(value ?? '') ? plausible(Number(value) * 1000) : null;
}
const plausible = (ms: number): number | null => (ms >= 631_152_000_000 && ms < 4_102_444_800_000 ? ms : null);

/** Text of HTML, as far as dashboards let people write it: line breaks stay, everything else in angle brackets goes. */
export function fromHtml(html: string): string {
  return html
    .replaceAll(/<br\s*\/?>|<\/(p|div|li|h\d)>/gi, '\n')
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, '')
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/&(amp|lt|gt|quot|#0?39|nbsp);/g, (part, name: string) => ENTITIES[name] ?? part)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#039': "'",
  nbsp: ' ',
};

/** A language of ours as other dashboards write it (`de`, `de_DE`, `ro-MD`); null: none of ours. */
export function toOurLocale(value: string | null): Locale | null {
  const tag = (value ?? '').trim().toLowerCase().replace('_', '-');
  if (tag === 'ro-md') return 'md';
  const base = tag.split('-')[0];
  return isLocale(base) ? base : null;
}

/** A snowflake of Discord, 17 to 20 digits; null for anything else. */
export const toSnowflake = (value: string | null): string | null =>
  /^\d{17,20}$/.test((value ?? '').trim()) ? (value ?? '').trim() : null;

/** Runs over rows, each read by a schema; rows that it does not take are left. */
export function eachRow<T extends z.ZodMiniType>(
  { staging, leave }: Source,
  { sql, schema, kind }: { readonly sql: string; readonly schema: T; readonly kind: RecordKind },
  take: (row: z.output<T>) => void,
): void {
  for (const row of staging.rows<Record<string, string | null>>(sql)) {
    const read = schema.safeParse(row);
    if (read.success) take(read.data);
    else leave(kind, String(row['id'] ?? '?').slice(0, 100), String(row['label'] ?? ''), 'row_invalid');
  }
}
