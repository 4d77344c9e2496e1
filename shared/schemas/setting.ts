import * as z from 'zod/mini';
import { text, wholeNumber } from './primitives.ts';

/** Characters of a text, and of a key. What a setting takes is refused at its own key (the registry's `max`). */
const TEXT_MAX = 1_000_000;
const KEY_MAX = 100;
/** Changes of one request: more than there are settings. */
const CHANGES_MAX = 500;

/** The revision of a setting that the sender saw. */
const revision = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const change = z.strictObject({
  key: text(1, KEY_MAX),
  value: z.union([text(0, TEXT_MAX), z.number(), z.boolean()]),
  revision,
});
const changes = z.array(change).check(z.maxLength(CHANGES_MAX));

/** Changes to look at before they are saved. */
export const settingChangesInput = z.strictObject({ changes });
/** Changes to save. `confirmed`: also those that staff are asked about once more. */
export const settingsInput = z.strictObject({ changes, confirmed: z.boolean() });
/** The setting as the caller saw it, and whether they confirmed that it is restored. */
export const settingUndoInput = z.strictObject({ revision, confirmed: z.boolean() });
/** Markdown to look at. */
export const settingTextInput = z.strictObject({ text: text(0, TEXT_MAX) });
