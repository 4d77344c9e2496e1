import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as z from 'zod/mini';
import { EVENTS, type EventName } from '#server/modules/events/index.ts';
import { mailTexts } from '#server/mail/texts.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { isNode, lineOf, literalOf, nameOf, readSources, walk } from '#tests/support/sources.ts';
import { textsOf } from '#tests/support/texts.ts';

// A whole installation is opened, which takes its time on a busy machine.
setDefaultTimeout(300_000);

const declared = Object.keys(EVENTS) as EventName[];
/** Calls of `emit` by the names of the events; under '' those whose name the call does not write out. */
const emitted = new Map<string, string[]>();
for (const { path, tree } of readSources(['server/**/*.ts'])) {
  walk(tree, (node) => {
    if (!isNode(node, 'CallExpression') || nameOf(node.callee) !== 'emit' || !Array.isArray(node.arguments)) return;
    const name = literalOf(node.arguments[1]) ?? '';
    emitted.set(name, [...(emitted.get(name) ?? []), `${path}:${lineOf(node)}`]);
  });
}

describe('events', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  test('every event that is declared is emitted somewhere, and every name that is emitted stands in the call', () => {
    expect(emitted.get('')).toBeUndefined();
    expect([...emitted.keys()].toSorted()).toEqual([...declared].toSorted());
  });

  test('every subscription of the product is to a declared event, and the order within an event is the composition’s', () => {
    const { subscriptions } = harness.host.services;
    expect(subscriptions.filter(({ event }) => !Object.hasOwn(EVENTS, event))).toEqual([]);
    const heard = subscriptions.map(({ event }) => event);
    // Registering is a sighting before it is a referral.
    expect(heard.indexOf('user.registered')).toBeLessThan(heard.lastIndexOf('user.registered'));
    expect(new Set(heard).size).toBeGreaterThan(8);
  });

  test('every event has a name of two parts, a version, and names only fields of its payload for hearers outside', () => {
    for (const name of declared) {
      const { version, payload, outside } = EVENTS[name];
      expect(name).toMatch(/^[a-z\d]+\.[a-z_]+$/);
      expect(version).toBeGreaterThan(0);
      expect(payload).toBeInstanceOf(z.ZodMiniObject);
      const fields = payload instanceof z.ZodMiniObject ? Object.keys(payload.shape) : [];
      expect(outside.filter((field) => !fields.includes(field))).toEqual([]);
    }
  });

  test.each(LOCALES.map((locale) => [locale]))(
    'every notification and e-mail of an event has its words in %s',
    (locale) => {
      const shell = textsOf(locale, 'shell');
      const mail = mailTexts(locale);
      for (const event of Object.values(EVENTS)) {
        for (const { kind } of event.notifications ?? [])
          expect([kind, shell[`notification.${kind}`]]).not.toEqual([kind, undefined]);
        for (const { template } of event.mails ?? [])
          expect([template, mail[template]]).not.toEqual([template, undefined]);
      }
    },
  );
});
