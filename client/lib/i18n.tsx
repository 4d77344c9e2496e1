import { cloneElement, createContext, useContext, useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { I18nextProvider } from 'react-i18next';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { KeyOf, LooseT, Namespace, TFn, TypedNamespace, Vars } from '#shared/i18n/types.ts';
import { createFormat } from './format.ts';
import type { Format } from './format.ts';
import type { Translator } from './translator.ts';

export { createTranslator } from './translator.ts';
export type { Translator } from './translator.ts';
export type { Format, Moment } from './format.ts';

/** What the context holds: the language, the translator and the zone in which times are shown. */
export interface I18n {
  readonly locale: Locale;
  readonly timeZone: string;
  readonly t: <NS extends TypedNamespace>(ns: NS) => TFn<NS>;
  readonly translator: Translator;
}

const Context = createContext<I18n | null>(null);

/** Gives the tree its language and time zone (IANA name). Server and browser must be given the same. */
export function I18nProvider(props: { translator: Translator; timeZone: string; children: ReactNode }): ReactNode {
  const { translator, timeZone, children } = props;
  const value = useMemo<I18n>(
    () => ({ locale: translator.locale, timeZone, t: translator.t, translator }),
    [translator, timeZone],
  );
  return (
    <I18nextProvider i18n={translator.instance}>
      <Context value={value}>{children}</Context>
    </I18nextProvider>
  );
}

/** The whole context. Throws outside an `I18nProvider`. */
export function useI18n(): I18n {
  const value = useContext(Context);
  if (!value) throw new Error('useI18n: no I18nProvider above this component');
  return value;
}

/** The translate function of a namespace: `t('key', { name })`. */
export function useT<NS extends TypedNamespace>(ns: NS): TFn<NS> {
  return useI18n().translator.t(ns);
}

/** Like `useT` for keys known only at run time: the first existing one of a list, otherwise `''`. */
export function useLooseT(ns: Namespace): LooseT {
  return useI18n().translator.loose(ns);
}

/** The visitor's language. */
export function useLocale(): Locale {
  return useI18n().locale;
}

/** The language's tag for `lang` attributes. */
export function useLang(): string {
  return LOCALE_INFO[useI18n().locale].lang;
}

/** Numbers, sizes and times in the visitor's language and time zone. */
export function useFormat(): Format {
  const { translator, timeZone } = useI18n();
  return createFormat(translator, timeZone);
}

/** What replaces a tag: an element that receives the text between `<link>` and `</link>`, or a function of that text. */
export type RichTag = ReactElement | ((children: ReactNode) => ReactNode);

interface RichProps<NS extends TypedNamespace> {
  t: TFn<NS>;
  k: KeyOf<NS>;
  /** Values for `{{name}}`; elements are allowed. A `count` that is a number chooses the plural. */
  vars?: Readonly<Record<string, ReactNode>>;
  /** One for each tag name in the text; other tags are shown as text. */
  tags?: Readonly<Record<string, RichTag>>;
}

/**
 * A text with elements inside: `<Rich t={t} k="terms" tags={{ link: <TextLink to=… /> }} />`. Values are inserted after
 * the tags are parsed, so user input can never become a tag.
 */
export function Rich<NS extends TypedNamespace>({ t, k, vars = {}, tags = {} }: RichProps<NS>): ReactNode {
  const slots: ReactNode[] = [];
  const plain: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(vars)) {
    plain[name] = typeof value === 'number' ? value : `\uE000${slots.push(value) - 1}\uE001`;
  }
  return readRich(t(k, plain satisfies Vars), tags, slots);
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)\s*(\/?)>|\uE000(\d+)\uE001/gi;

interface Level {
  tag: string;
  nodes: ReactNode[];
}

function readRich(text: string, tags: Readonly<Record<string, RichTag>>, slots: readonly ReactNode[]): ReactNode[] {
  const root: Level = { tag: '', nodes: [] };
  const open: Level[] = [root];
  const top = (): Level => open.at(-1) ?? root;
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, slash, name = '', closed, slot] = match;
    const render = tags[name];
    if (match.index > at) top().nodes.push(text.slice(at, match.index));
    at = match.index + whole.length;
    if (slot !== undefined) top().nodes.push(keyed(slots[Number(slot)], match.index));
    else if (!render) top().nodes.push(whole);
    else if (closed) top().nodes.push(keyed(fill(render, undefined), match.index));
    else if (!slash) open.push({ tag: name, nodes: [] });
    else if (top().tag === name) {
      const level = open.pop();
      top().nodes.push(keyed(fill(render, level?.nodes), match.index));
    }
  }
  if (at < text.length) top().nodes.push(text.slice(at));
  // The text of an unclosed tag is kept.
  while (open.length > 1) {
    const level = open.pop();
    top().nodes.push(...(level?.nodes ?? []));
  }
  return root.nodes;
}

function fill(tag: RichTag, children: ReactNode): ReactNode {
  if (typeof tag === 'function') return tag(children);
  return children === undefined ? tag : cloneElement(tag, undefined, children);
}

function keyed(node: ReactNode, key: number): ReactNode {
  return <Slot key={key}>{node}</Slot>;
}

function Slot({ children }: { children: ReactNode }): ReactNode {
  return children;
}
