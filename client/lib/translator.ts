import type { i18n } from 'i18next';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { LooseT, Namespace, TFn, TypedNamespace, Vars } from '#shared/i18n/types.ts';

/** Translates in one language. The functions it returns are stable, so they may stand in dependency lists. */
export interface Translator {
  readonly locale: Locale;
  /** The i18next instance, for those who add texts of their own (plugins). */
  readonly instance: i18n;
  /** The translate function of one namespace, typed by its English file. */
  t<NS extends TypedNamespace>(ns: NS): TFn<NS>;
  /** For keys known only at run time. */
  loose(ns: Namespace): LooseT;
}

const made = new WeakMap<i18n, Map<Locale, Translator>>();

/** The translator of an instance and a language: the same object until texts are added to the instance. */
export function createTranslator(instance: i18n, locale: Locale): Translator {
  let byLocale = made.get(instance);
  if (!byLocale) {
    const fresh = new Map<Locale, Translator>();
    made.set(instance, fresh);
    // Texts that arrive later change results, so the cache is cleared.
    instance.store.on('added', () => fresh.clear());
    instance.store.on('removed', () => fresh.clear());
    byLocale = fresh;
  }
  const known = byLocale.get(locale);
  if (known) return known;
  const translator = makeTranslator(instance, locale);
  byLocale.set(locale, translator);
  return translator;
}

function makeTranslator(instance: i18n, locale: Locale): Translator {
  const strict = new Map<Namespace, (key: string, vars?: Vars) => string>();
  const loose = new Map<Namespace, LooseT>();
  const { lang } = LOCALE_INFO[locale];
  return {
    locale,
    instance,
    t(ns) {
      let fn = strict.get(ns);
      if (!fn) strict.set(ns, (fn = makeT(instance, lang, ns)));
      return fn;
    },
    loose(ns) {
      let fn = loose.get(ns);
      if (!fn) loose.set(ns, (fn = makeLooseT(instance, lang, ns)));
      return fn;
    },
  };
}

/** I18next takes 4 µs for a plain key; a page has hundreds, so plain results are kept (10 ns). */
function makeT(instance: i18n, lang: string, ns: Namespace): (key: string, vars?: Vars) => string {
  const fixed = instance.getFixedT(lang, ns);
  const plain = new Map<string, string>();
  return (key, vars) => {
    if (vars) return fixed(key, vars);
    let text = plain.get(key);
    if (text === undefined) {
      text = fixed(key);
      plain.set(key, text);
    }
    return text;
  };
}

function makeLooseT(instance: i18n, lang: string, ns: Namespace): LooseT {
  const fixed = instance.getFixedT(lang, ns);
  const plain = new Map<string, string>();
  return (keys, vars) => {
    const list = typeof keys === 'string' ? [keys] : [...keys];
    if (vars) return fixed(list, { ...vars, defaultValue: '' });
    const id = list.join('\n');
    let text = plain.get(id);
    if (text === undefined) {
      text = fixed(list, { defaultValue: '' });
      plain.set(id, text);
    }
    return text;
  };
}
