import * as z from 'zod/mini';
import type { FormFailure } from '#client/lib/form-action.ts';
import type { FieldErrors } from '#shared/errors.ts';
import { serverDescription, serverName, serverResources } from '#shared/schemas/server.ts';
import { ownerText } from '#shared/schemas/staff-server.ts';

/**
 * What the form sends: `egg` is `<category>.<egg>`, and variables carry their egg's id, so that the form is unambiguous
 * without scripts too.
 */
export const createForm = z.strictObject({
  owner: ownerText,
  without_limits: z.boolean(),
  name: serverName,
  description: serverDescription,
  location_id: z.string().check(z.minLength(1)),
  egg: z.string().check(z.minLength(1)),
  ...serverResources,
  variables: z.record(z.string(), z.string().check(z.maxLength(1000))),
  auto_renew: z.boolean(),
});

/** Converts the form to the API's request body. */
export function toRequestBody({ egg, variables, ...rest }: z.output<typeof createForm>) {
  const [category_id = '', egg_id = ''] = egg.split('.');
  const own = Object.entries(variables).filter(([name]) => name.startsWith(`${egg_id}.`));
  return {
    ...rest,
    category_id,
    egg_id,
    variables: Object.fromEntries(own.map(([name, value]) => [name.slice(egg_id.length + 1), value])),
  };
}

/** Maps the fields of a refusal to those of this form; server slots have no field and stay a general error. */
export function toFormFields(failure: FormFailure): FormFailure {
  const eggId = failure.values.egg?.split('.')[1] ?? '';
  const fields: FieldErrors = {};
  for (const [field, codes] of Object.entries(failure.fields)) {
    if (field === 'slots') continue;
    const own = field === 'egg_id' || field === 'category_id' ? 'egg' : field;
    const env = /^variables\.([A-Z][A-Z0-9_]*)$/.exec(own)?.[1];
    fields[env === undefined ? own : `variables.${eggId}.${env}`] = codes;
  }
  return { ...failure, fields };
}
