import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import type { SettingDifference, SettingReach } from '#shared/contract/settings.ts';
import { isSettingKey, isSecret } from '#shared/settings.ts';
import { changesIn, typedTexts } from './form.ts';

type Texts = Readonly<Record<string, string>>;
/** What an action of the settings answers. */
export type SettingsAnswer =
  | { readonly kind: 'preview'; readonly html: string }
  | { readonly kind: 'nothing' }
  /** Looked at, not saved. `reviewed` names what was looked at, and comes back with the form that saves. */
  | {
      readonly kind: 'review';
      readonly differences: readonly SettingDifference[];
      readonly reach: SettingReach | null;
      readonly reviewed: string;
      readonly values: Texts;
    }
  | { readonly kind: 'saved'; readonly ok: true; readonly changed: number; readonly at: string }
  | ({ readonly kind: 'failed' } & FormFailure);

/**
 * Looks at the changes of a form, or saves them if it is what was looked at. A secret that was typed never comes back
 * in the answer.
 */
export async function action(args: ActionFunctionArgs): Promise<SettingsAnswer> {
  const form = await args.request.formData();
  const api = apiOf(args).adminSettings;
  const intent = form.get('_intent');
  if (intent === 'preview') {
    const { html } = await api.preview({ body: { text: String(form.get('text') ?? '') } });
    return { kind: 'preview', html };
  }
  const changes = changesIn(form, String(form.get('_currency') ?? ''));
  if (changes.length === 0) return { kind: 'nothing' };
  const values = typedTexts(form, changes);
  const reviewed = changes
    .map(({ key }) => key)
    .toSorted()
    .join(' ');
  const key = String(form.get('_key') ?? '');
  try {
    if (intent === 'save' && form.get('_reviewed') === reviewed) {
      const body = { changes, confirmed: form.get('confirmed') === 'on' };
      const { changed } = await api.save({ body }, key === '' ? {} : { key });
      return { kind: 'saved', ok: true, changed, at: key };
    }
    const { differences, reach } = await api.review({ body: { changes } });
    return { kind: 'review', differences, reach, reviewed, values };
  } catch (error) {
    return { kind: 'failed', ...toFormFailure(error, withoutSecrets(form)), values };
  }
}

/** The form without the secrets that were typed, so that nothing carries them back. */
function withoutSecrets(form: FormData): FormData {
  const rest = new FormData();
  for (const [name, value] of form) if (!isSettingKey(name) || !isSecret(name)) rest.append(name, value);
  return rest;
}
