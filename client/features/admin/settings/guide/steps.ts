import type { FormFailure } from '#client/lib/form-action.ts';
import { href } from '#shared/routes/staff-href.ts';
import { SETUP_STEPS, type SetupCheck, type SetupStep } from '#shared/setup-guide.ts';

/** What the guide's action answers, unless it leads to the next step. */
export type SetupAnswer =
  | { readonly kind: 'checked'; readonly step: SetupStep; readonly checks: readonly SetupCheck[] }
  | ({ readonly kind: 'failed'; readonly step: SetupStep } & FormFailure);

/** The address of a step. */
export const stepHref = (step: SetupStep): string => `${href('admin.setup')}?step=${step}`;

/** A step by its name; null if there is none of that name. */
export const stepOf = (name: unknown): SetupStep | null => SETUP_STEPS.find((each) => each === name) ?? null;
