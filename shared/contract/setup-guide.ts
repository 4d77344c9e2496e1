import * as z from 'zod/mini';
import { text } from '../schemas/primitives.ts';
import { SETUP_CHECKS, SETUP_CHECK_STATES, SETUP_STATES, SETUP_STEPS } from '../setup-guide.ts';
import { group } from './endpoint.ts';

const check = z.object({
  code: z.enum(SETUP_CHECKS),
  state: z.enum(SETUP_CHECK_STATES),
  fact: z.nullable(z.string()),
});
const params = z.object({ step: z.enum(SETUP_STEPS) });
/** The origin by which the caller's browser reached the page. */
const origin = text(0, 300);

/** Where every step stands. `finished`: each is done or skipped. */
export const guideSteps = z.object({
  finished: z.boolean(),
  steps: z.array(z.object({ step: z.enum(SETUP_STEPS), state: z.enum(SETUP_STATES), checks: z.array(check) })),
});

/** The guide through the first hour of a host. */
export const adminSetup = group({
  get: {
    method: 'GET',
    path: '/api/admin/setup',
    summary: 'Get the set-up guide',
    query: z.object({ origin: z.optional(origin) }),
    access: 'admin.root',
    errors: [],
    response: z.extend(guideSteps, {
      /** Public address of the installation. */
      address: z.string(),
      /** Whether there is a panel inside, that runs no games. */
      built_in: z.boolean(),
      catalogue_empty: z.boolean(),
    }),
  },
  complete: {
    method: 'POST',
    path: '/api/admin/setup/:step/complete',
    summary: 'Complete a step of the set-up guide',
    description: 'Checks it by the real thing first.',
    params,
    body: z.strictObject({ origin }),
    access: 'admin.root',
    limit: 'create',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ state: z.enum(SETUP_STATES), checks: z.array(check) }),
  },
  skip: {
    method: 'POST',
    path: '/api/admin/setup/:step/skip',
    summary: 'Skip a step of the set-up guide',
    params,
    access: 'admin.root',
    errors: ['VALIDATION_FAILED'],
  },
  sample: {
    method: 'POST',
    path: '/api/admin/setup/sample',
    summary: 'Make a sample catalogue',
    description: 'Only an empty catalogue. `added`: it was empty.',
    access: 'admin.root',
    errors: [],
    response: z.object({ added: z.boolean() }),
  },
});
