import * as z from 'zod/mini';
import { MAX_CREDITS } from '../credits.ts';
import { PAGE_SIZE, PAGE_SIZE_MAX } from '../constants.ts';

/** A time-sortable UUID as text. */
export const id = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'INVALID'));
/** UTC time in ISO 8601. */
export const isoTime = z.string();
/** A whole number between bounds. Fractions, numeric strings, exponents in text, arrays are refused (attacks T4). */
export const wholeNumber = (min: number, max: number) =>
  z.int('NOT_WHOLE').check(z.minimum(min, 'TOO_SMALL'), z.maximum(max, 'TOO_LARGE'));
/** An amount of credits in an answer. */
export const amount = z.int().check(z.minimum(0), z.maximum(MAX_CREDITS));
/**
 * A text taken as it is, such as a password or a token. Rejects what databases cannot store: a NUL character, and a
 * lone surrogate (possible in JSON, not in UTF-8).
 */
export const text = (min: number, max: number) =>
  z.string().check(z.minLength(min), z.maxLength(max), z.regex(/^[^\0\p{Cs}]*$/u, 'INVALID'));
/** The same, trimmed: the typed name of something that exists. */
export const trimmedText = (min: number, max: number) =>
  z.string().check(z.trim(), z.minLength(min), z.maxLength(max), z.regex(/^[^\0\p{Cs}]*$/u, 'INVALID'));
/** One line of text without control characters, trimmed. */
export const line = (min: number, max: number) =>
  z
    .string()
    .check(z.trim(), z.minLength(min), z.maxLength(max), z.regex(/^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]*$/u, 'INVALID'));
/** Several lines of text without control characters other than line breaks and tabs, trimmed. */
export const lines = (min: number, max: number) =>
  z
    .string()
    .check(z.trim(), z.minLength(min), z.maxLength(max), z.regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u, 'INVALID'));
/** A whole number in a query string: digits only. */
export const queryInt = (min: number, max: number) =>
  z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, 'NOT_WHOLE')), z.transform(Number)),
    z.int().check(z.minimum(min, 'TOO_SMALL'), z.maximum(max, 'TOO_LARGE')),
  );

/**
 * Query of a paged list (behaviour 1: 25 by default, at most 100). `sort` is a column, with `-` in front for
 * descending.
 */
export const listQuery = {
  page: z.optional(queryInt(1, 1_000_000)),
  per_page: z.optional(queryInt(1, PAGE_SIZE_MAX)),
  sort: z.optional(z.string().check(z.maxLength(40), z.regex(/^-?[a-z_]+$/, 'INVALID'))),
  q: z.optional(text(0, 100)),
};

/** Paging of a list's answer. `more`: rows were counted up to `total` only, and there are more. */
export const paging = z.object({ page: z.int(), per_page: z.int(), total: z.int(), more: z.optional(z.boolean()) });
export type Paging = z.infer<typeof paging>;

/** Page and size with their defaults. */
export function pageOf(query: { page?: number | undefined; per_page?: number | undefined }): {
  page: number;
  perPage: number;
} {
  return { page: query.page ?? 1, perPage: query.per_page ?? PAGE_SIZE };
}
