import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import type { SettingKey } from '#shared/settings.ts';

type MachineAnswer = { readonly ok: true; readonly done: 'stopped' | 'started' | 'saved' | null } | FormFailure;

/** Settings that hold a list of words which the page puts in and takes out. */
const LISTS = {
  accept: 'machine_accepted_parts',
  recipe: 'machine_recipes_off',
} as const satisfies Record<string, SettingKey>;

/** Carries out what a form of the page asks for. */
export async function changeMachine(api: Api, form: FormData): Promise<MachineAnswer> {
  const intent = String(form.get('_intent'));
  try {
    if (intent === 'stop') {
      await api.adminMachine.stop({});
      return { ok: true, done: 'stopped' };
    }
    if (intent === 'start') {
      await api.adminMachine.start({});
      return { ok: true, done: 'started' };
    }
    if (intent === 'accept' || intent === 'recipe') {
      await toggleWord(api, LISTS[intent], { word: String(form.get('word')), isIn: form.get('in') === '1' });
      return { ok: true, done: 'saved' };
    }
    // The page is loaded anew with every answer.
    return { ok: true, done: null };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** Puts a word into the list of a setting, or takes it out, as it stands now. */
async function toggleWord(
  api: Api,
  key: SettingKey,
  { word, isIn }: { readonly word: string; readonly isIn: boolean },
): Promise<void> {
  const { rows } = await api.adminSettings.list({});
  const row = rows.find((each) => each.key === key);
  const others = String(row?.value ?? '')
    .split(' ')
    .filter((each) => each !== '' && each !== word);
  const value = (isIn ? [...others, word] : others).join(' ');
  await api.adminSettings.save({
    body: { changes: [{ key, value, revision: row?.revision ?? 0 }], confirmed: true },
  });
}
