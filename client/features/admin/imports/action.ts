import { redirect } from 'react-router';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import type { CallInput } from '#shared/contract/endpoint.ts';
import type { adminImports } from '#shared/contract/imports.ts';
import { IMPORT_FACTORS, IMPORT_PRODUCTS, type EmailRule, type NameRule } from '#shared/imports.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/staff-href.ts';

export type ImportsAnswer = FormResult<{ readonly done: 'begun' }>;
type CheckBody = CallInput<(typeof adminImports)['check']>['body'];

/** The id of no file: the server says at its field that there is none. */
const NO_FILE = '00000000-0000-0000-0000-000000000000';
/** Fields that no answer may bring back. */
const SECRETS = ['password', 'key'] as const;

/** What the form of a dry run asks for. What is wrong with it is said by the server. */
function readCheck(form: FormData): CheckBody {
  const value = (name: string) => String(form.get(name) ?? '').trim();
  const given = (name: string) => value(name) || undefined;
  const [firstProduct] = IMPORT_PRODUCTS;
  const [firstFactor] = IMPORT_FACTORS;
  const isFile = value('by') === 'file';
  return {
    product: IMPORT_PRODUCTS.find((each) => each === value('product')) ?? firstProduct,
    instance: value('instance') || 'main',
    factor: IMPORT_FACTORS.find((each) => String(each) === value('factor')) ?? firstFactor,
    email: value('email') as EmailRule,
    names: value('names') as NameRule,
    settings: form.get('settings') !== null,
    currency: value('currency').toUpperCase() || 'EUR',
    zone: value('zone') || '+00:00',
    panel: given('panel') ?? null,
    language: toLocale(value('language')),
    renewDays: given('renewDays') === undefined ? undefined : Number(value('renewDays')),
    key: given('key'),
    ...(isFile
      ? { upload: given('upload') ?? NO_FILE }
      : {
          host: given('host'),
          port: given('port') === undefined ? undefined : Number(value('port')),
          database: given('database'),
          username: given('username'),
          password: String(form.get('password') ?? ''),
          encrypted: form.get('encrypted') !== null,
        }),
  };
}

/** What each role of the source comes to: the fields `role` and `to` in turn. */
function readRoles(form: FormData): { name: string; to: string }[] {
  const to = form.getAll('to');
  return form.getAll('role').map((name, i) => ({ name: String(name), to: String(to[i] ?? 'default') }));
}

/** Does what a form of the page asks for, by `_intent`; `id` is the run's. */
export async function changeImports(api: Api['adminImports'], form: FormData): Promise<ImportsAnswer | Response> {
  const id = String(form.get('id') ?? '');
  const params = { id };
  const key = String(form.get('key') ?? '').trim();
  const page = href('admin.imports');
  try {
    switch (form.get('_intent')) {
      case 'apply':
        await api.apply({ params, body: { ...(key === '' ? {} : { key }), roles: readRoles(form) } });
        return { ok: true, result: { done: 'begun' }, at: id };
      case 'undo':
        await api.undo({ params });
        return redirect(`${page}?run=${id}`);
      case 'remove':
        await api.remove({ params });
        return redirect(`${page}?done=remove`);
      default:
        await api.check({ body: readCheck(form) });
        return redirect(page);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    for (const secret of SECRETS) form.delete(secret);
    return toFormFailure(error, form);
  }
}
