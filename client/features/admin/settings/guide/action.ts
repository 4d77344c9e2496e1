import { redirect } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';
import { panelCreateInput } from '#shared/schemas/panel.ts';
import { isSecret, isSettingKey } from '#shared/settings.ts';
import { SETUP_STEPS } from '#shared/setup-guide.ts';
import { fieldErrors } from '#shared/validation.ts';
import { changesIn } from '../form.ts';
import { stepOf, type SetupAnswer } from './steps.ts';

/**
 * Saves what was entered, does what the step's button says, and has the server check it; then goes to the next step. A
 * secret or key that was typed never comes back in the answer.
 */
export async function action(args: ActionFunctionArgs): Promise<SetupAnswer | Response> {
  const form = await args.request.formData();
  const api = apiOf(args);
  const step = stepOf(form.get('_step')) ?? SETUP_STEPS[0];
  try {
    if (form.get('_intent') === 'skip') {
      await api.adminSetup.skip({ params: { step } });
      return redirect(href('admin.setup'));
    }
    const refused = await prepare(api, form);
    if (refused) return { kind: 'failed', step, ...refused };
    const { origin } = new URL(args.request.url);
    const { state, checks } = await api.adminSetup.complete({ params: { step }, body: { origin } });
    return state === 'done' ? redirect(href('admin.setup')) : { kind: 'checked', step, checks };
  } catch (error) {
    return { kind: 'failed', step, ...toFormFailure(error, withoutKeys(form)) };
  }
}

/** What comes before the check: changed settings, a new panel, samples, what a panel offers. */
async function prepare(api: Api, form: FormData): Promise<FormFailure | null> {
  const intent = form.get('_intent');
  const key = String(form.get('_key') ?? '');
  const options = key === '' ? {} : { key };
  if (intent === 'connect') return connect(api, form, options);
  if (intent === 'sample') await api.adminSetup.sample();
  if (intent === 'import') await importAll(api);
  const changes = changesIn(form, String(form.get('_currency') ?? ''));
  // What a change means stands beside its field: the guide asks no second time.
  if (changes.length > 0) await api.adminSettings.save({ body: { changes, confirmed: true } }, options);
  return null;
}

async function connect(api: Api, form: FormData, options: { readonly key?: string }): Promise<FormFailure | null> {
  const url = String(form.get('url') ?? '');
  const parsed = panelCreateInput.safeParse({
    name: (URL.parse(url)?.hostname ?? '').slice(0, 60) || '?',
    url,
    dialect: 'auto',
    enabled: true,
    key: String(form.get('key') ?? ''),
    client_key: String(form.get('client_key') ?? ''),
  });
  if (parsed.success) {
    await api.adminPanels.create({ body: parsed.data }, options);
    return null;
  }
  return {
    ok: false,
    code: 'VALIDATION_FAILED',
    fields: fieldErrors(parsed.error),
    values: { url },
    requestId: null,
    retryAfterS: null,
  };
}

/** Takes over everything that the panels offer and that is not here yet. */
async function importAll(api: Api): Promise<void> {
  for (const { id } of (await api.adminPanels.list()).panels) {
    const { offers, nests } = await api.adminPanels.catalogue({ params: { id } });
    const locations = offers.filter(({ kind, state }) => kind === 'location' && state === 'fresh');
    const body = {
      offers: locations.map(({ kind, ref }) => ({ kind, ref })),
      nests: nests.filter(({ waiting }) => waiting > 0).map(({ ref }) => ref),
    };
    if (body.offers.length + body.nests.length > 0) await api.adminPanels.take({ params: { id }, body });
  }
}

/** The form without secrets and keys that were typed, so that nothing carries them back. */
function withoutKeys(form: FormData): FormData {
  const rest = new FormData();
  for (const [name, value] of form)
    if (name !== 'key' && name !== 'client_key' && (!isSettingKey(name) || !isSecret(name))) rest.append(name, value);
  return rest;
}
