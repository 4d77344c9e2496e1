import { DOMParser, onErrorStopParsing, XMLSerializer, type Element } from '@xmldom/xmldom';
import type { ConfigSetting } from '#shared/config-files.ts';
import { Unreadable, valueFor } from './dotted.ts';

/** A part of a path: elements of a name (`*`: of any), of which one attribute or their place may be asked for. */
interface Step {
  readonly name: string;
  readonly attribute: { readonly name: string; readonly value: string } | null;
  readonly place: number | null;
}
const STEP =
  /^(?<name>\*|[\p{L}_][\p{L}\p{N}_:-]*)(?:\[@(?<attribute>[\p{L}_][\p{L}\p{N}_:-]*)=(?<quote>['"])(?<value>.*)\k<quote>\]|\[(?<place>\d{1,6})\])?$/u;
/** A value of the form `[name='value']` goes into an attribute. */
const ATTRIBUTE = /^\[(?<name>[\p{L}_][\p{L}\p{N}_:-]*)='(?<value>[^]*)'\]$/u;

/** The parts of a path; dots within brackets part nothing. Throws where it has others. */
function stepsOf(key: string): Step[] {
  return (key.match(/(?:[^.[]|\[[^\]]*\])+/g) ?? []).map((part) => {
    const { name, attribute, value, place } = STEP.exec(part)?.groups ?? {};
    if (name === undefined) throw new Unreadable('xml');
    return {
      name,
      attribute: attribute === undefined ? null : { name: attribute, value: value ?? '' },
      place: place === undefined ? null : Number(place),
    };
  });
}
const elementsOf = (parent: Element): Element[] =>
  [...parent.childNodes].filter((node): node is Element => node.nodeType === node.ELEMENT_NODE);

function found(parent: Element, { name, attribute, place }: Step): Element[] {
  const named = elementsOf(parent).filter(
    (each) =>
      (name === '*' || each.tagName === name) &&
      (attribute === null || each.getAttribute(attribute.name) === attribute.value),
  );
  return place === null ? named : named.slice(place - 1, place);
}
function made(parent: Element, { name, attribute, place }: Step): Element[] {
  const document = parent.ownerDocument;
  if (name === '*' || place !== null || !document) return [];
  const element = document.createElement(name);
  if (attribute) element.setAttribute(attribute.name, attribute.value);
  // Before the white space at the end, so that it stands in a line of its own as the others do.
  const last = parent.lastChild;
  const others = elementsOf(parent)[0]?.previousSibling;
  const isText = last?.nodeType === last?.TEXT_NODE && last?.nodeValue?.trim() === '';
  if (last && isText && others?.nodeType === others?.TEXT_NODE && others) {
    parent.insertBefore(others.cloneNode(false), last);
    parent.insertBefore(element, last);
  } else parent.appendChild(element);
  return [element];
}

/** Brings a text of XML to its settings, and keeps its comments and its order. Throws where it is none. */
export function setInXml(text: string, settings: readonly ConfigSetting[]): string {
  const paths = settings.map((setting) => ({ setting, steps: stepsOf(setting.key) }));
  const root = paths[0]?.steps[0]?.name;
  if (root === undefined) return text;
  const parser = new DOMParser({ onError: onErrorStopParsing });
  const source = text.trim() === '' ? `<?xml version="1.0" encoding="utf-8"?>\n<${root}/>\n` : text;
  const document = parser.parseFromString(source, 'text/xml');
  const top = document.documentElement;
  if (!top) throw new Unreadable('xml');
  let isChanged = false;
  for (const { setting, steps } of paths) {
    const [first, ...rest] = steps;
    if (!first || (first.name !== '*' && first.name !== top.tagName)) throw new Unreadable('xml');
    // What a wildcard does not find is made nowhere.
    const mayMake = setting.was === null && !steps.some(({ name }) => name === '*');
    let elements = [top];
    for (const step of rest)
      elements = elements.flatMap((each) => {
        const there = found(each, step);
        return there.length > 0 || !mayMake ? there : made(each, step);
      });
    for (const element of elements) {
      const { name, value } = ATTRIBUTE.exec(String(setting.value))?.groups ?? {};
      const now = name === undefined ? (element.textContent ?? '') : (element.getAttribute(name) ?? '');
      const given = valueFor({ ...setting, value: value ?? setting.value }, now);
      if (given === null) continue;
      const clean = String(given).replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');
      if (clean === now) continue;
      if (name === undefined) element.textContent = clean;
      else element.setAttribute(name, clean);
      isChanged = true;
    }
  }
  return isChanged ? new XMLSerializer().serializeToString(document) + (/\s*$/.exec(source)?.[0] ?? '') : text;
}
