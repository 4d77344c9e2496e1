import { TYPED_KEY, type SafeStorage } from '#client/lib/storage.ts';
import { MINUTE } from '#shared/time.ts';

/** What was typed is put back only this soon, in ms. */
const KEPT_MS = 15 * MINUTE;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/** A control: its form's place and `_intent`, its name, and its place among those of that name. */
interface TypedValue {
  readonly form: number;
  readonly intent: string;
  readonly name: string;
  readonly at: number;
  readonly value: string;
  readonly checked: boolean;
}
interface Typed {
  readonly userId: string;
  readonly path: string;
  readonly atMs: number;
  readonly values: readonly TypedValue[];
}

/** Every control of the page's forms that somebody fills in. Passwords, codes and files are typed again. */
function* controlsOf(root: ParentNode): Generator<readonly [Control, Omit<TypedValue, 'value' | 'checked'>]> {
  for (const [form, element] of [...root.querySelectorAll<HTMLFormElement>('form.sp-form')].entries()) {
    const intent = element.querySelector<HTMLInputElement>('input[name="_intent"]')?.value ?? '';
    const seen = new Map<string, number>();
    for (const control of element.querySelectorAll<Control>('input[name], select[name], textarea[name]')) {
      const { name, type } = control;
      const at = seen.get(name) ?? 0;
      seen.set(name, at + 1);
      const isKept = !['password', 'hidden', 'file'].includes(type) && control.autocomplete !== 'one-time-code';
      if (isKept) yield [control, { form, intent, name, at }];
    }
  }
}

const isBox = (control: Control): control is HTMLInputElement => ['checkbox', 'radio'].includes(control.type);

/** Keeps what is typed on a page, for when its user comes back to it. In: whose page it is, and its path with query. */
export function keepTyped(storage: SafeStorage, root: ParentNode, page: { userId: string; path: string }): void {
  const values = [...controlsOf(root)].map(([control, place]): TypedValue => ({
    ...place,
    value: control.value,
    checked: isBox(control) && control.checked,
  }));
  const typed: Typed = { ...page, atMs: Date.now(), values };
  storage.setItem(TYPED_KEY, JSON.stringify(typed));
}

/** Puts back what was kept for this page and this user, once. Controls that are gone meanwhile are left out. */
export function restoreTyped(storage: SafeStorage, root: ParentNode, page: { userId: string; path: string }): void {
  const typed = parse(storage.getItem(TYPED_KEY));
  const isWaiting = typed !== null && typed.userId === page.userId && Date.now() - typed.atMs < KEPT_MS;
  // The page where one confirms comes between.
  if (isWaiting && typed.path !== page.path) return;
  storage.removeItem(TYPED_KEY);
  if (!isWaiting) return;
  const controls = new Map([...controlsOf(root)].map(([control, place]) => [keyOf(place), control]));
  for (const { value, checked, ...place } of typed.values) {
    const control = controls.get(keyOf(place));
    if (!control) continue;
    if (isBox(control)) {
      if (control.checked !== checked && (checked || control.type === 'checkbox')) control.click();
    } else if (control.value !== value) enter(control, value);
  }
}

const keyOf = ({ form, intent, name, at }: Omit<TypedValue, 'value' | 'checked'>): string =>
  JSON.stringify([form, intent, name, at]);

/** Enters a value as typing does. React overrides the setter of a controlled input, so the browser's own is called. */
function enter(control: Control, value: string): void {
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control) as object, 'value');
  own?.set?.call(control, value);
  control.dispatchEvent(new Event('input', { bubbles: true }));
  control.dispatchEvent(new Event('change', { bubbles: true }));
}

function parse(json: string | null): Typed | null {
  try {
    return json === null ? null : (JSON.parse(json) as Typed);
  } catch {
    return null;
  }
}
