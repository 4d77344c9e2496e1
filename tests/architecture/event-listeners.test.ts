import { describe, expect, test } from 'bun:test';
import { EVENTS } from '#server/modules/events/index.ts';
import { MODULE_GRAPH } from '#server/modules/graph.ts';
import { NOTIFICATION_KINDS } from '#shared/notifications.ts';
import { isNode, literalOf, nameOf, readSources, walk, type SyntaxNode } from '#tests/support/sources.ts';
import { baseOf, textsOf } from '#tests/support/texts.ts';

/**
 * E-mails that no event causes, by the module that writes them, with the reason: each is what a command is for, and for
 * its reader alone. All others, and every notification, are declared with an event (decision 029).
 */
const DIRECT_MAILS: Readonly<Record<string, string>> = {
  'identity verify': 'the link is the proof of the address, and goes to an address that may belong to no account yet',
  'identity accountExists': 'the answer to a registration, in the place of that link',
  'identity emailChange': 'the link is the proof of the new address',
  'identity emailTaken': 'the answer to a change of address, in the place of that link',
  'identity emailChanged': 'goes to the address that an account had, which no event knows',
  'identity passwordReset': 'the link lets in whoever holds it',
  'panels panelAccount': 'the code is the proof of an account in a panel',
};
/** What notifications send of themselves: one at once, and those of a day together. */
const NOTIFICATION_MAILS = ['notification', 'notificationDigest'];
/** Where notifications and e-mails are made. */
const OWN = /^server\/modules\/(notifications|mailing|events)\//;
/** Methods that reach a user, and the writes of the database below them. */
const METHODS = new Set(['notify', 'sendTo', 'send', 'add']);
/** Whose they are: `deps.mailing.sendTo`, `tx.notifications.add`, `mailing.send`, or the method by itself. */
const OWNERS = new Set(['notifications', 'mailing', 'mail']);

const sources = readSources(['server/**/*.ts'], (_, path) => !OWN.test(path) && !path.startsWith('server/data/'));
const moduleOf = (path: string) => /^server\/(?:modules\/)?([^/]+)/.exec(path)?.[1] ?? path;

/** Whether a call reaches a user past the events. */
function isDirect({ callee }: SyntaxNode): boolean {
  const method = nameOf(callee);
  if (!METHODS.has(method)) return false;
  if (isNode(callee, 'MemberExpression') && OWNERS.has(nameOf(callee.object))) return true;
  return method === 'notify' || method === 'sendTo';
}

/** The template of a call of mailing: its third argument, or a property of its second; '' for any other call. */
function templateOf({ arguments: given }: SyntaxNode): string {
  const [, draft, template] = Array.isArray(given) ? (given as unknown[]) : [];
  if (!isNode(draft, 'ObjectExpression') || !Array.isArray(draft.properties)) return literalOf(template) ?? '';
  const property = (draft.properties as unknown[]).find(
    (each) => isNode(each, 'ObjectProperty') && nameOf(each.key) === 'template',
  );
  return (isNode(property) ? literalOf(property.value) : null) ?? '';
}

const calls = new Set<string>();
for (const { path, tree } of sources)
  walk(tree, (node) => {
    if (isNode(node, 'CallExpression') && isDirect(node)) calls.add(`${moduleOf(path)} ${templateOf(node)}`);
  });

describe('what users and staff are told', () => {
  test('nobody notifies or mails past the events, but for the e-mails that are named here with a reason', () => {
    expect([...calls].toSorted()).toEqual(Object.keys(DIRECT_MAILS).toSorted());
  });

  test('only events depend on notifications, and on mailing only they and who writes a mail of that list', () => {
    const users = (name: string) =>
      Object.keys(MODULE_GRAPH)
        .filter((module) => MODULE_GRAPH[module]?.includes(name))
        .toSorted();
    expect(users('notifications')).toEqual(['events']);
    const writers = Object.keys(DIRECT_MAILS).map((each) => each.split(' ')[0] ?? '');
    expect(users('mailing')).toEqual([...new Set(['events', 'notifications', ...writers])].toSorted());
  });

  test('every template of an e-mail and every sentence of a notification belongs to an event or to that list', () => {
    const declared = Object.values(EVENTS);
    const mailed = declared.flatMap(({ mails = [] }) => mails.map(({ template }): string => template));
    const direct = Object.keys(DIRECT_MAILS).map((each) => each.slice(each.indexOf(' ') + 1));
    // The test of the mail server leaves past the outbox: it says nothing of what happened.
    const templates = new Set([...mailed, ...direct, ...NOTIFICATION_MAILS, 'test']);
    expect(namesIn('mail', /^(.+)\.subject$/)).toEqual(templates);
    const kinds = declared.flatMap(({ notifications = [] }) => notifications.map(({ kind }) => kind));
    // 'other' stands for a kind that this version does not know.
    expect(namesIn('shell', /^notification\.(.+)$/)).toEqual(new Set([...kinds, 'other']));
    // Each belongs to a subject that its readers choose ways for.
    expect(new Set<string>(kinds)).toEqual(new Set(Object.keys(NOTIFICATION_KINDS)));
  });
});

/** What a pattern captures from the keys of a namespace's texts, plural forms as one. */
function namesIn(namespace: string, pattern: RegExp): Set<string> {
  return new Set(Object.keys(textsOf('en', namespace)).flatMap((key) => pattern.exec(baseOf(key))?.[1] ?? []));
}
