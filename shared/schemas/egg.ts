import * as z from 'zod/mini';
import { checkRules, parseRules } from '../egg-rules.ts';
import { line, lines } from './primitives.ts';

/** Shapes of the block that represents an egg: the shape stands for the kind, the hue for the egg. */
export const BLOCK_SHAPES = ['cube', 'slab', 'pair', 'pillar', 'stairs', 'pedestal'] as const;
export type BlockShape = (typeof BLOCK_SHAPES)[number];

/** Name of a variable in the server's environment. */
const envName = z.string().check(z.trim(), z.minLength(1), z.regex(/^(?:[A-Z][A-Z0-9_]{0,63})?$/, 'INVALID'));
/** Most variables an egg can have. */
export const MAX_VARIABLES = 50;

/** A variable of an egg: its name in the environment, its label, and its rules. */
const eggVariable = z
  .strictObject({
    env: envName,
    name: line(1, 60),
    description: lines(0, 255),
    default_value: line(0, 1000),
    rules: line(0, 2000),
    /** Whether players may set it. Otherwise every server gets the default. */
    user_editable: z.boolean(),
  })
  .check(
    z.superRefine((variable, ctx) => {
      // Imported eggs may have rules that only a panel knows; when staff edit an egg, unknown rules are refused as
      // typos (catalog/hooks).
      if (parseRules(variable.rules) === null) ctx.addIssue({ code: 'custom', path: ['rules'], message: 'INVALID' });
      // A player can fill in a missing value; a fixed variable has only its default. Patterns are run when the egg is
      // saved, too.
      else if (
        checkRules(variable.rules, variable.default_value).code &&
        !(variable.user_editable && variable.default_value === '')
      ) {
        ctx.addIssue({ code: 'custom', path: ['default_value'], message: 'RULE_FAILED' });
      }
    }),
  );
export type EggVariable = z.infer<typeof eggVariable>;

/** Variables that every server has: its resources, and its address. */
const BUILT_IN_VARIABLES = [
  'SERVER_MEMORY',
  'SERVER_IP',
  'SERVER_PORT',
  'P_SERVER_LOCATION',
  'P_SERVER_UUID',
  'TZ',
] as const;

/** Names in double braces of a start command: `{{SERVER_PORT}}`. */
export function placeholders(startup: string): string[] {
  return [...startup.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map((found) => found[1] ?? '');
}

/** The name of a container image, with its registry, tag or digest. */
export const dockerImage = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(255),
    z.regex(
      /^(?:[a-z0-9][a-z0-9._/-]*(?::\d{1,5}\/[a-z0-9][a-z0-9._/-]*)?(?::[A-Za-z0-9._-]{1,128})?(?:@sha256:[0-9a-f]{64})?)?$/,
      'INVALID',
    ),
  );

/** The variables of an egg in an input. */
export const eggVariables = z.array(eggVariable).check(z.maxLength(MAX_VARIABLES, 'TOO_LARGE'));
/** The same in an answer. */
export const eggVariableRow = z.array(
  z.object({
    env: z.string(),
    name: z.string(),
    description: z.string(),
    default_value: z.string(),
    rules: z.string(),
    user_editable: z.boolean(),
  }),
);

/** Rejects duplicate names, and placeholders in the start command that no variable fills. */
export function checkVariables(
  egg: { readonly variables: readonly EggVariable[]; readonly startup: string },
  ctx: z.core.$RefinementCtx,
): void {
  const names = egg.variables.map((variable) => variable.env);
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) < at)
      ctx.addIssue({ code: 'custom', path: ['variables', at, 'env'], message: 'NAME_TAKEN' });
  }
  // While a variable's name is invalid, the valid placeholders are unknown.
  if (ctx.issues.some((issue) => issue.path?.[0] === 'variables')) return;
  const known: readonly string[] = [...names, ...BUILT_IN_VARIABLES];
  if (placeholders(egg.startup).some((name) => !known.includes(name)))
    ctx.addIssue({ code: 'custom', path: ['startup'], message: 'UNKNOWN' });
}
