import * as z from 'zod/mini';
import { ENDPOINT_KINDS, EVENT_PATTERN, WEBHOOK_NAME_MAX, WEBHOOK_URL_MAX } from '../webhooks.ts';
import { line, trimmedText } from './primitives.ts';

/** Patterns at most: every event and every group fit. */
const PATTERNS_MAX = 200;

/** An endpoint as staff write it. Whether its address may be used depends on a setting as well (`urlFault`). */
export const webhookInput = z.strictObject({
  /** Absent: `standard`. It never changes. */
  kind: z.optional(z.enum(ENDPOINT_KINDS)),
  name: line(1, WEBHOOK_NAME_MAX),
  url: trimmedText(1, WEBHOOK_URL_MAX),
  events: z
    .array(z.string().check(z.maxLength(80), z.regex(EVENT_PATTERN, 'INVALID')))
    .check(z.minLength(1, 'REQUIRED'), z.maxLength(PATTERNS_MAX, 'TOO_LONG')),
  ordered: z.boolean(),
  enabled: z.boolean(),
});
export type WebhookInput = z.output<typeof webhookInput>;

/** A change: with the revision that was seen. */
export const webhookChange = z.strictObject({ webhook: webhookInput, revision: z.int() });
